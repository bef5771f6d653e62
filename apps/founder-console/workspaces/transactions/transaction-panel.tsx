import { seesCompliance } from '@windlass/contracts/access.ts'
import { describeError } from '@windlass/ui/console/errors.ts'
import type { AnswerOf } from '@windlass/contracts/endpoint.ts'
import {
  addWorkspaceTransactionNote,
  getWorkspaceTransaction,
  listWorkspaceEntries,
} from '@windlass/contracts/platform/workspace-records.ts'
import { useQuery } from '@tanstack/react-query'
import { Identifier } from '@windlass/ui/copy-button.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen } from '@windlass/ui/data-screen.tsx'
import { formatAmount, formatMoney, formatDateTime } from '@windlass/ui/formats.ts'
import { Status, type Tone } from '@windlass/ui/notice.tsx'
import { Fact, Facts } from '@windlass/ui/page.tsx'
import { SidePanel } from '@windlass/ui/side-panel.tsx'
import { Link } from 'react-router'
import { refresh } from '../../queries.ts'
import { operator } from '../../session.ts'
import { paths } from '../../paths.ts'
import { EvidenceExport } from '../compliance/evidence.tsx'
import { SidesExport } from '../compliance/travel-rule-forms.tsx'
import { LedgerPayments, PayoutWaits } from './ledger-payments.tsx'
import { JournalLines } from '../ledger/ledger.tsx'
import { Notes } from './notes.tsx'
import { stepReason } from './step-reasons.ts'
import { texts as actionTexts } from './action-texts.ts'
import { transactions as texts } from './texts.ts'
import { ledger as ledgerTexts } from '../ledger/texts.ts'
import { TransactionActions } from './transaction-actions.tsx'
import { assetNameOf } from '../assets.ts'
import { useWorkspace } from '../workspace.tsx'
import type { DeveloperTransaction } from '@windlass/contracts/anchor/developer-api.ts'

interface TransactionPanelProps {
  anchorId: string
  id: string
  onClose(): void
}

export function TransactionPanel({ anchorId, id, onClose }: TransactionPanelProps) {
  const found = useQuery(
    operator.query(getWorkspaceTransaction, { params: { anchorId, id } }, { refetchInterval: 5_000 }),
  )
  return (
    <SidePanel open onClose={onClose} title={found.data ? kindOf(found.data) : texts.title}>
      <DataScreen query={found} explain={describeError} skeleton={<Bar className="h-64" />}>
        {transaction => <TransactionFacts transaction={transaction} />}
      </DataScreen>
    </SidePanel>
  )
}

type Transaction = AnswerOf<typeof getWorkspaceTransaction>

function TransactionFacts({ transaction }: { transaction: Transaction }) {
  const workspace = useWorkspace()
  const { id: anchorId, role } = workspace
  const { fields } = texts
  const { id, status, amount, fee, railAmount, currency, rail, account, memo, ledgerTransaction } =
    transaction
  const code = assetNameOf(workspace, transaction.asset)
  const inAsset = (value: string | null) => value && `${formatAmount(value)} ${code}`
  return (
    <div className="space-y-6">
      <TransactionStatus status={status} />
      {transaction.message && (
        <p className="text-14 wrap-anywhere">{texts.customerReads(transaction.message)}</p>
      )}
      <Facts>
        <Fact name={fields.id}>
          <Identifier value={id} what={fields.id} />
        </Fact>
        {transaction.reference && (
          <Fact name={fields.reference}>
            <Identifier value={transaction.reference} what={fields.reference} />
          </Fact>
        )}
        {transaction.customer && (
          <Fact name={texts.columns.customer}>
            <Link
              to={paths.workspace(anchorId, 'customers', { open: transaction.customer.id })}
              className="link"
            >
              {transaction.customer.name ?? texts.unnamed}
            </Link>
          </Fact>
        )}
        <Fact name={fields.amount}>{inAsset(amount)}</Fact>
        <Fact name={fields.fee}>{inAsset(fee)}</Fact>
        <Fact name={fields.railAmount}>
          {railAmount && formatMoney(railAmount, currency)} {rail}
        </Fact>
        <Fact name={fields.account}>
          <Identifier value={account} what={fields.account} />
          {memo && ` ${texts.memo(memo)}`}
        </Fact>
        {ledgerTransaction && (
          <Fact name={fields.ledger}>
            <Identifier value={ledgerTransaction} what={fields.ledger} />
          </Fact>
        )}
        {transaction.railPaymentId && (
          <Fact name={fields.railPayment}>
            <Identifier value={transaction.railPaymentId} what={fields.railPayment} />
          </Fact>
        )}
      </Facts>
      <LedgerPayments payments={transaction.payments ?? []} code={code} />
      <PayoutWaits waiting={transaction.payoutWaits ?? null} />
      <TransactionActions
        id={id}
        direction={transaction.kind}
        refund={refundOf(transaction, code)}
        actions={transaction.actions ?? []}
        possible={transaction.possibleActions ?? []}
      />
      {transaction.travelRule && seesCompliance(role) && <SidesExport id={id} />}
      {seesCompliance(role) && <EvidenceExport id={id} />}
      <Timeline {...transaction} id={id} />
      <Notes
        notes={transaction.notes ?? []}
        add={async text => {
          await operator.call(addWorkspaceTransactionNote, { params: { anchorId, id }, body: { text } })
          await refresh(getWorkspaceTransaction)
        }}
      />
    </div>
  )
}

/** What a refund sends: what came over the rail, or the asset. */
function refundOf({ kind, amount, railAmount, currency, rail }: Transaction, code: string) {
  if (kind === 'deposit')
    return railAmount ? actionTexts.sentBack.deposit(formatMoney(railAmount, currency), rail) : undefined
  return amount ? actionTexts.sentBack.withdrawal(`${formatAmount(amount)} ${code}`) : undefined
}

interface TimelineProps extends Pick<Transaction, 'history' | 'kind'> {
  id: string
}

/** The transaction's steps and its entries in the journal, in the order of their times. */
function Timeline({ history, kind, id }: TimelineProps) {
  const { id: anchorId } = useWorkspace()
  const entries = useQuery(
    operator.query(
      listWorkspaceEntries,
      { params: { anchorId }, query: { transactionId: id } },
      { refetchInterval: 5_000 },
    ),
  ).data
  const steps = history.map(({ status, reason, at }, index) => ({
    key: `step-${index}`,
    at,
    title: statusName(status),
    detail: (
      <p className="wrap-anywhere text-soft">
        {stepReason(kind, history[index - 1]?.status ?? 'new', status) ?? reason}
      </p>
    ),
  }))
  const booked = (entries ?? []).map(({ id: entryId, kind, createdAt, lines }) => ({
    key: entryId,
    at: createdAt as string | undefined,
    title: `${texts.journal}: ${ledgerTexts.kinds[kind] ?? kind.replaceAll('-', ' ')}`,
    detail: <JournalLines lines={lines} />,
  }))
  const known = [...steps, ...booked].filter(({ at }) => at !== undefined)
  // Without times, as at anchors of earlier releases, the steps keep their order.
  const timeline = [
    ...steps.filter(({ at }) => at === undefined),
    ...known.toSorted((a, b) => (a.at ?? '').localeCompare(b.at ?? '')),
  ]
  return (
    <section className="space-y-2">
      <h3 className="text-13 font-medium text-soft">{texts.history}</h3>
      <ol className="divide-y divide-line rounded-8 border border-line text-13">
        {timeline.map(({ key, at, title, detail }) => (
          <li key={key} className="px-3 py-2">
            <p className="flex flex-wrap justify-between gap-x-4">
              <strong className="font-medium">{title}</strong>
              {at && (
                <time dateTime={at} className="text-soft">
                  {formatDateTime(at)}
                </time>
              )}
            </p>
            {detail}
          </li>
        ))}
      </ol>
    </section>
  )
}

const tones: Record<string, Tone> = {
  completed: 'good',
  failed: 'bad',
  expired: 'neutral',
  sent_back: 'warn',
  returning: 'warn',
  returned: 'neutral',
}

export function TransactionStatus({ status }: { status: string }) {
  return <Status tone={tones[status] ?? 'info'}>{statusName(status)}</Status>
}

/** The label of a status; a status of a later version keeps its own name. */
const statusName = (status: string): string => texts.statuses[status] ?? status.replaceAll('_', ' ')

/** A direct payment (SEP-31) is a withdrawal of another anchor's customers. */
export const kindOf = ({ kind, protocol }: Pick<DeveloperTransaction, 'kind' | 'protocol'>) =>
  protocol === 'sep31' ? texts.directPayment : texts.kinds[kind]
