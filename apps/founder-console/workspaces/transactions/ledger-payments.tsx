import type { AnswerOf } from '@windlass/contracts/endpoint.ts'
import type { getWorkspaceTransaction } from '@windlass/contracts/platform/workspace-records.ts'
import { formatAmount } from '@windlass/ui/formats.ts'
import { describeWait } from '../waits.ts'
import { transactions as texts } from './texts.ts'

type Answer = AnswerOf<typeof getWorkspaceTransaction>

interface LedgerPaymentsProps {
  payments: NonNullable<Answer['payments']>
  code: string
}

/** What the anchor pays on the ledger for a transaction: its fee, or what it waits for. */
export function LedgerPayments({ payments, code }: LedgerPaymentsProps) {
  if (payments.length === 0) return null
  return (
    <section className="space-y-2">
      <h3 className="text-13 font-medium text-soft">{texts.payments}</h3>
      <ol className="divide-y divide-line rounded-8 border border-line text-13">
        {payments.map(({ purpose, status, asset, amount, networkFee, waitsFor, waiting }, index) => (
          <li key={index} className="px-3 py-2">
            <strong className="font-medium">{texts.purposes[purpose]}</strong>
            <p className="tabular">
              {formatAmount(amount)} {asset ?? code} · {texts.paymentStatuses[status]}
            </p>
            {networkFee && <p className="text-soft tabular">{texts.networkFee(networkFee)}</p>}
            {waitsFor && (
              <p className="wrap-anywhere text-soft">{waiting ? describeWait(waiting) : waitsFor}</p>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}

/** What the payout over a rail waits for. */
export function PayoutWaits({ waiting }: { waiting: NonNullable<Answer['payoutWaits']> | null }) {
  if (waiting === null) return null
  return (
    <section className="space-y-2">
      <h3 className="text-13 font-medium text-soft">{texts.payoutWaits}</h3>
      <p className="text-13 wrap-anywhere">{describeWait(waiting)}</p>
    </section>
  )
}
