import { type AssetKey, idOf, servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { type Amount, formatAmount, parseAmount, subtract } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { isFactBound } from '../money/bound-facts/bound-facts.ts'
import type { Tables, Transfer } from '../tables.ts'
import { pricedAt } from '../transfers/amounts.ts'
import { isRejected } from '../transfers/incoming-money.ts'
import { existsOpenIncident, type GapDetails, gapFacts, openIncidents, writeGap } from './incidents.ts'
import { broughtUnits } from './incoming-payment.ts'
import { accepted } from './judge-ledger-payment.ts'
import { lookUpPayment } from './look-up-payment.ts'
import { settleReceipt } from './receive-ledger-payment.ts'
import { isSetAside } from './set-aside.ts'

const HASH = /^[0-9a-f]{64}$/

/** Whether payments may have come in ledgers that no Horizon has any more. */
export async function hasOpenGap(db: Db<Tables>): Promise<boolean> {
  const { rows } = await sql<{
    open: boolean
  }>`select (${existsOpenIncident('history-gap')}) as open`.execute(db)
  return rows[0]?.open ?? false
}

/**
 * Credits a withdrawal with its payment that fell out of Horizon's history, in the caller's transaction, as a person says
 * who has seen its transaction elsewhere; two people, unless {@link lookUpCredit} finds it. No more is credited than the
 * ledger shows beyond the journal.
 *
 * @returns why it is not, as the end of a sentence; null: it is.
 */
export async function creditFromGap(
  deps: Deps,
  tx: Db<Tables>,
  transfer: Transfer,
  hash: string,
): Promise<string | null> {
  if (!HASH.test(hash)) return 'the ID of the payment must be the hash of its transaction'
  if (transfer.amount === null) return 'no amount was agreed'
  // Two people may credit two withdrawals at once.
  await sql`select from ledger_incidents where kind = 'history-gap' and resolved_at is null for update`.execute(
    tx,
  )
  const [gap] = await openIncidents(tx, 'history-gap')
  if (!gap) return 'no part of the history of the ledger is missing'
  const amount = parseAmount(transfer.amount)
  const asset = servedAsset(deps.config.anchor, transfer.asset)
  const left = lessened(gap.details, { key: asset.key, id: idOf(asset), amount })
  if (left === null) return 'the ledger does not show so much beyond what is recorded'
  if (await isRecorded(tx, hash)) return 'this transaction is recorded already'
  if (await isSetAside(deps, tx, hash))
    return 'a payment in this transaction was set aside; it is received when its incident ends'
  if (await isRejected(tx, transfer)) return 'the identity of the customer was rejected'
  const now = deps.clock.now()
  const price = transfer.priced_at_arrival ? pricedAt(deps.config, transfer, amount, now) : {}
  const payment = {
    ...{ id: `gap:${gap.id}:${transfer.id}`, hash, ...broughtUnits(amount, asset) },
    ...{ sender: baseAccount(transfer.stellar_account), returnTo: transfer.stellar_account },
    ...{ memo: transfer.ledger_memo, memoType: 'id', muxedId: null, closedAt: now },
  }
  const why = 'credited by a person: its ledger is out of the history'
  await settleReceipt(deps, tx, payment, accepted(deps.config, payment, transfer, price, why))
  if (await isFactBound(deps, tx, gapFacts, gap.id)) await writeGap(deps, tx, gap, left)
  else
    await tx
      .updateTable('ledger_incidents')
      .set({ details: JSON.stringify(left) })
      .where('id', '=', gap.id)
      .execute()
  return null
}

/** Whether a withdrawal that is marked as paid is credited from what is missing. */
export const isCreditFromGap = ({ direction, state }: Transfer): boolean =>
  direction === 'withdrawal' && (state === 'awaiting_funds' || state === 'expired')

/**
 * Looks the payment of a withdrawal up by its hash, before the transaction that credits it. Resolves to whether one person may credit
 * it there: a source of the ledger shows it for the withdrawal as it was, and this server found what is missing.
 *
 * @throws {Problem} `action-not-possible`: a source shows something else
 */
export async function lookUpCredit(
  deps: Deps,
  found: Transfer,
  hash: string,
): Promise<(tx: Db<Tables>, locked: Transfer) => Promise<boolean>> {
  const shown = HASH.test(hash) ? await lookUpPayment(deps, found, hash) : ({ is: 'none' } as const)
  if (shown.is === 'another')
    throw new Problem(
      'action-not-possible',
      'It is not credited: the ledger has something else by this hash.',
    )
  if (shown.is === 'another-amount')
    throw new Problem('action-not-possible', anotherAmount(deps, found, shown.amount))
  if (shown.is === 'inner')
    throw new Problem(
      'action-not-possible',
      `It is not credited: this is the inner hash of a fee bump. Give the fee bump’s own: ${shown.by}.`,
    )
  return async (tx, locked) => {
    const [gap] = await openIncidents(tx, 'history-gap')
    const isSame = PAID_BY.every(column => found[column] === locked[column])
    return gap !== undefined && shown.is === 'same' && isSame && isFactBound(deps, tx, gapFacts, gap.id)
  }
}

/** What the ledger has, which only a source of it says, and what to do. */
function anotherAmount({ config }: Deps, { asset, amount }: Transfer, paid: Amount): string {
  const { code } = servedAsset(config.anchor, asset)
  const agreed = formatAmount(parseAmount(amount ?? '0'))
  return (
    `It is not credited: by this hash the ledger has a payment of ${formatAmount(paid)} ${code}, and exactly ${agreed} ` +
    `${code} was agreed. Send the ${formatAmount(paid)} ${code} back, then resolve the incident.`
  )
}

const PAID_BY = ['amount', 'asset', 'ledger_memo', 'stellar_account'] as const

/** What an incident says is missing, less an amount of an asset; null: it is not that much. */
function lessened(
  details: GapDetails,
  { key, id, amount }: { key: AssetKey; id: string; amount: Amount },
): GapDetails | null {
  const less = (difference: unknown): string | null => {
    const missing = typeof difference === 'string' ? parseAmount(difference) : 0n
    return missing < amount ? null : formatAmount(subtract(parseAmount(String(difference)), amount))
  }
  if (key === null) {
    const difference = less(details.difference)
    return difference === null ? null : { ...details, difference }
  }
  const further = details.further?.map(each =>
    each.asset === id ? { ...each, difference: less(each.difference) ?? '' } : each,
  )
  return further?.some(each => each.asset === id && each.difference !== '') ? { ...details, further } : null
}

/** By either hash of a fee bump. */
async function isRecorded(tx: Db<Tables>, hash: string): Promise<boolean> {
  const receipts = tx.selectFrom('ledger_receipts').select('id')
  return exists(receipts.where(({ or, eb }) => or([eb('hash', '=', hash), eb('inner_hash', '=', hash)])))
}
