import type { CasePayout } from '@windlass/contracts/anchor/cases.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { findPayout } from '../rails/bank-file/payouts.ts'
import type { Deps } from '../deps.ts'
import { openLine } from './lines.ts'
import { linesWithFiles } from './find-lines.ts'
import { accountOf } from './payout-destinations.ts'

/** What a payment of a bank file pays and to whom, and the line of the bank whose money it sends back. */
export async function payoutEvidence(deps: Deps, id: string): Promise<CasePayout | null> {
  const { db } = deps.database
  const payout = await findPayout(db, id)
  const rail = payout && deps.rails.get(payout.rail)
  if (!payout || !rail) return null
  const { line_id: lineId, ...row } = payout
  const account = await accountOf(deps, db, rail, payout)
  const [line] = lineId ? await linesWithFiles(db, [lineId]) : []
  return {
    ...{ id, code: row.code, kind: row.kind, rail: row.rail, transactionId: row.transfer_id },
    ...{ amount: formatAmount(parseAmount(row.amount)), currency: row.currency },
    ...{ createdAt: row.created_at.toISOString(), endedAt: row.ended_at?.toISOString() ?? null },
    payee: typeof account === 'string' ? null : account,
    line: line ? lineForm(deps, line) : null,
  }
}

function lineForm(
  { sealer }: Deps,
  line: Awaited<ReturnType<typeof linesWithFiles>>[number],
): NonNullable<CasePayout['line']> {
  const { name, account, text } = openLine(sealer, line)
  return {
    ...{ id: line.id, bookedOn: line.booked_on, bankReference: line.bank_reference },
    ...{ payer: name ?? null, account: account ?? null, text: text ?? null },
    file: { name: line.file_name, sha256: line.digest.toString('hex') },
  }
}
