import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { BoundRow } from '@windlass/service/seals/binding.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import type { Tables, Transfer, TransferState } from '../tables.ts'
import { openDestination } from './destination.ts'
import { findTransfer, lockTransfer } from './find.ts'

type Binding = Pick<Deps, 'sealer' | 'binder'>

/** Where terms are agreed and money may follow from them. */
const AGREED = [
  'awaiting_funds',
  'funded',
  'awaiting_trust',
  'paying_out',
  'sent_back',
  'returning',
  'expired',
] as const satisfies readonly TransferState[]

/** Proves that this server agreed exactly this. Throws where the account that it is paid to cannot be read. */
export async function bindTerms(deps: Binding, tx: Db<Tables>, transfer: Transfer): Promise<Transfer> {
  const bound = deps.binder.bind(rowOf(deps, transfer))
  await tx.updateTable('transfers').set({ bound }).where('id', '=', transfer.id).execute()
  return { ...transfer, bound }
}

/**
 * Changes agreed terms as `change` does, in the caller's transaction, which holds the transfer: the new ones are bound
 * only where those before were.
 */
export async function keepBound(
  deps: Binding,
  tx: Db<Tables>,
  id: string,
  change: () => Promise<Transfer | void>,
): Promise<Transfer> {
  const wereBound = await areTermsBound(deps, tx, id)
  const changed = (await change()) ?? (await lockTransfer(tx, id))
  return wereBound ? bindTerms(deps, tx, changed) : changed
}

/**
 * Whether this server agreed what the transfer says. What a server of the release before wrote during an upgrade is bound
 * here, in the caller's transaction.
 */
export async function areTermsBound(deps: Binding, tx: Db<Tables>, id: string | null): Promise<boolean> {
  const transfer = id === null ? null : await findTransfer(tx, id)
  if (!transfer) return false
  if (isProven(deps, transfer)) return true
  if (!(await isUpgrading(tx))) return false
  await bindTerms(deps, tx, transfer)
  return true
}

function isProven(deps: Binding, transfer: Transfer): boolean {
  try {
    return deps.binder.isBound(transfer.bound, rowOf(deps, transfer))
  } catch {
    return false
  }
}

function rowOf({ sealer }: Binding, transfer: Transfer): BoundRow {
  const { terms, exchange } = transfer
  return [
    'transfers',
    ...[transfer.id, transfer.sep, transfer.direction, transfer.rail, transfer.currency, transfer.asset],
    ...[plain(transfer.amount), plain(transfer.fee), plain(transfer.fiat_amount), transfer.rate],
    ...[terms && sorted(terms), exchange && sorted(exchange)],
    ...[transfer.quote_id, String(transfer.priced_at_arrival), transfer.reference, transfer.ledger_memo],
    ...[transfer.account, transfer.account_memo, transfer.receiver_id, transfer.person],
    ...[transfer.stellar_account, transfer.memo, transfer.memo_type, String(transfer.claimable)],
    ...[transfer.refund_memo, transfer.refund_memo_type],
    sorted(openDestination(sealer, transfer)),
  ]
}

const plain = (amount: string | null): string | null => amount && formatAmount(parseAmount(amount))

/** As text that does not depend on the order of what an object has. */
const sorted = (value: object): string =>
  JSON.stringify(value, (_, part: unknown) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  )

async function isUpgrading(tx: Db<Tables>): Promise<boolean> {
  return exists(
    tx
      .selectFrom('terms_binding')
      .select('until')
      .where('until', '>', sql<Date>`now()`),
  )
}

/** Binds what the migration listed of earlier releases; what cannot be read stays on the list. */
export async function bindEarlierTerms(deps: Binding & Pick<Deps, 'database' | 'logger'>): Promise<void> {
  const { db } = deps.database
  const listed = await db.selectFrom('transfers_to_bind').select('transfer_id').execute()
  for (const { transfer_id: id } of listed)
    await db
      .transaction()
      .execute(async tx => {
        const transfer = await lockTransfer(tx, id)
        if (transfer.bound === null) await bindTerms(deps, tx, transfer)
        await tx.deleteFrom('transfers_to_bind').where('transfer_id', '=', id).execute()
      })
      .catch((error: unknown) => deps.logger.error({ err: error, transfer: id }, 'terms cannot be bound'))
  await bindTermsOfUpgrade(deps)
}

const unbound = sql<boolean>`(bound is null and state = any(${[...AGREED]}::text[]))`

/** For the due work: shortly before an upgrade counts as over, and its servers of the release before are gone. */
export const termsDueAt = sql<Date | null>`
  select min(until) - interval '1 minute' from terms_binding where until > now()`

/** Binds what a server of the release before agreed during an upgrade; nothing once that is over. */
export async function bindTermsOfUpgrade({
  database: { db },
  ...deps
}: Binding & Pick<Deps, 'database' | 'logger'>): Promise<void> {
  if (!(await isUpgrading(db))) return
  for (const { id } of await db.selectFrom('transfers').select('id').where(unbound).execute())
    await db
      .transaction()
      .execute(async tx => {
        await lockTransfer(tx, id)
        await areTermsBound(deps, tx, id)
      })
      .catch((error: unknown) => deps.logger.error({ err: error, transfer: id }, 'terms cannot be bound'))
}

/** Binds terms that money may still follow from under the newest key. */
export async function bindTermsAgain(deps: Binding & Pick<Deps, 'database' | 'config'>): Promise<void> {
  const { db } = deps.database
  const [newest = 0] = deps.config.detailsKeys.keys()
  const older = db
    .selectFrom('transfers')
    .select('id')
    .where(sql<boolean>`substring(bound for 1) <> ${Buffer.from([newest])}`)
    .where(
      sql<boolean>`(state = any(${[...AGREED]}::text[])
        or (state = 'completed' and updated_at > now() - interval '90 days'))`,
    )
  for (const { id } of await older.execute())
    await db.transaction().execute(async tx => {
      const transfer = await lockTransfer(tx, id)
      if (isProven(deps, transfer)) await bindTerms(deps, tx, transfer)
    })
}
