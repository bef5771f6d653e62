import { exists } from '@windlass/service/postgres/exists.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { BoundRow } from '@windlass/service/seals/binding.ts'
import { sql } from 'kysely'
import { bindEach, bindListed, failWith } from '../bind-listed.ts'
import type { Deps } from '../deps.ts'
import { plain, sorted } from '../row-text.ts'
import type { RailOrder, Tables, Transfer } from '../tables.ts'
import { type Destination, openDestination } from './destination.ts'
import { findTransfer, lockTransfer } from './find.ts'

/*
 * What was agreed about a transaction has a proof under a key that the database does not have, since money follows from it
 * (docs/adr/0176, docs/adr/0200). Columns that a lawful act changes later are not in it.
 */

type Binding = Pick<Deps, 'sealer' | 'binder'>

/** The proof that this server agreed exactly this. Throws where the account that it is paid to cannot be read. */
export const proofOfTerms = (deps: Binding, transfer: Transfer): Buffer =>
  deps.binder.bind(rowOf(deps, transfer))

/** Binds a transaction as it is, in the caller's transaction. */
export async function bindTerms(deps: Binding, tx: Db<Tables>, transfer: Transfer): Promise<Transfer> {
  const bound = proofOfTerms(deps, transfer)
  await tx.updateTable('transfers').set({ bound }).where('id', '=', transfer.id).execute()
  await tx.deleteFrom('transfers_to_bind').where('transfer_id', '=', transfer.id).execute()
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

/** As {@link isAgreed}, by the id of a withdrawal. */
export async function areTermsBound(deps: Binding, tx: Db<Tables>, id: string): Promise<boolean> {
  const transfer = await findTransfer(tx, id)
  return transfer?.direction === 'withdrawal' && isAgreed(deps, tx, transfer)
}

/**
 * Whether this server agreed what the transaction says. What an earlier release agreed is bound here, in the caller's
 * transaction: where the migration listed it, or while a server of the release before may run beside this one.
 */
export async function isAgreed(deps: Binding, tx: Db<Tables>, transfer: Transfer): Promise<boolean> {
  if (isProven(deps, transfer, transfer.bound)) return true
  const wasAgreed =
    transfer.bound === null
      ? (await isListed(tx, transfer.id)) || (await isUpgrading(tx))
      : proves(deps, transfer.bound, () => rowOf(deps, withoutRefundMemo(transfer))) &&
        (await isListed(tx, transfer.id))
  return wasAgreed && bindIfReadable(deps, tx, transfer)
}

/** As withdrawals were bound before their refund's memo was: the migration lists those. */
const withoutRefundMemo = (transfer: Transfer): Transfer => ({
  ...transfer,
  ...{ refund_memo: null, refund_memo_type: null },
})

/** Whether this server accepted the payment that a deposit says, for this deposit. */
export const isPaidBound = (deps: Binding, transfer: Transfer): boolean =>
  transfer.direction === 'deposit' &&
  transfer.rail_payment_id !== null &&
  isProven(deps, transfer, transfer.bound)

/** Whether this server agreed the withdrawal and accepted the payment on the ledger that it says, from the account that it says. */
export const isReceivedBound = async (deps: Binding, tx: Db<Tables>, transfer: Transfer): Promise<boolean> =>
  transfer.direction === 'withdrawal' && transfer.ledger_hash !== null && isAgreed(deps, tx, transfer)

/** What else someone who asks for an action sees, and what they ask for. */
export interface Asked {
  kind: string
  by: string
  /** Where it is paid to, as the second person sees it. */
  account: Destination | null
  /** The order that it is about, where it is about one. */
  order: Pick<RailOrder, 'id' | 'kind' | 'rail' | 'amount' | 'currency' | 'destination'> | null
  /** What of the payment on the ledger is bound that it is about. */
  payment: BoundRow | null
}

/**
 * Proves what a person sees of a transfer who asks for something: {@link bindSeen} accepts nothing else, and this counts
 * nowhere else, since everyone who reads the action reads it.
 */
export const seenTerms = (deps: Binding, transfer: Transfer, asked: Asked): string =>
  deps.binder.bind(seenRow(deps, transfer, asked)).toString('hex')

function seenRow(deps: Binding, transfer: Transfer, { kind, by, account, order, payment }: Asked): BoundRow {
  const of = order && [order.id, order.kind, order.rail, plain(order.amount), order.currency]
  const to = account && sorted(account)
  const about = of ? [...of, sorted(order.destination)] : (payment ?? [])
  return ['seen', kind, by, to, ...about, ...rowOf(deps, transfer)]
}

/** Binds a withdrawal as two people saw it, in the caller's transaction. False: it was changed since the first one saw it. */
export async function bindSeen(
  deps: Binding,
  tx: Db<Tables>,
  transfer: Transfer,
  seen: string,
  asked: Asked,
): Promise<boolean> {
  if (!proves(deps, Buffer.from(seen, 'hex'), () => seenRow(deps, transfer, asked))) return false
  await bindTerms(deps, tx, transfer)
  return true
}

const isProven = (deps: Binding, transfer: Transfer, bound: Buffer | null): boolean =>
  proves(deps, bound, () => rowOf(deps, transfer))

/** What cannot be read has no proof. */
function proves({ binder }: Binding, bound: Buffer | null, row: () => BoundRow): boolean {
  try {
    return binder.isBound(bound, row())
  } catch {
    return false
  }
}

async function bindIfReadable(deps: Binding, tx: Db<Tables>, transfer: Transfer): Promise<boolean> {
  try {
    rowOf(deps, transfer)
  } catch {
    return false
  }
  await bindTerms(deps, tx, transfer)
  return true
}

function rowOf(deps: Binding, transfer: Transfer): BoundRow {
  const { terms } = transfer
  return [
    'transfers',
    ...[transfer.id, transfer.sep, transfer.direction, transfer.rail, transfer.currency, transfer.asset],
    ...[plain(transfer.amount), plain(transfer.fee), plain(transfer.fiat_amount), transfer.rate],
    ...[terms && sorted(terms), transfer.quote_id, transfer.account, transfer.account_memo],
    ...(transfer.direction === 'deposit' ? depositRow(transfer) : withdrawalRow(deps, transfer)),
  ]
}

/** Where its units go, and once it is paid, what came for it. */
const depositRow = (transfer: Transfer): BoundRow => [
  ...[transfer.reference, transfer.stellar_account, transfer.memo, transfer.memo_type],
  ...[String(transfer.claimable), transfer.rail_payment_id],
]

/**
 * Where its money goes, and once it is paid, by which transaction and from which account: a refund goes there, with a memo that
 * says whose it is at a custodian.
 */
const withdrawalRow = ({ sealer }: Binding, transfer: Transfer): BoundRow => [
  ...[transfer.ledger_memo, String(transfer.priced_at_arrival), sorted(openDestination(sealer, transfer))],
  ...[transfer.ledger_hash, transfer.ledger_hash && transfer.stellar_account],
  // Without one the proof is that of before it was bound.
  ...(transfer.refund_memo === null ? [] : [transfer.refund_memo, transfer.refund_memo_type]),
]

const isListed = (tx: Db<Tables>, id: string): Promise<boolean> =>
  exists(tx.selectFrom('transfers_to_bind').select('transfer_id').where('transfer_id', '=', id))

/** Whether a server of the release before may run beside this one. */
export const isUpgrading = (tx: Db<Tables>): Promise<boolean> =>
  exists(
    tx
      .selectFrom('terms_binding')
      .select('until')
      .where('until', '>', sql<Date>`now()`),
  )

/** For the due work. */
export const listedTermsDueAt = sql<Date | null>`select now() from transfers_to_bind limit 1`

const AT_ONCE = 500

/**
 * Binds what the migration listed of earlier releases, a part at once. What fails is tried again after the pause of a round
 * that failed.
 */
export async function bindListedTerms(deps: Binding & Pick<Deps, 'database' | 'logger'>): Promise<void> {
  const list = { table: 'transfers_to_bind', column: 'transfer_id' }
  failWith(await bindListed(deps, list, (tx, id) => bindEarlier(deps, tx, id), AT_ONCE))
}

/** For the due work: shortly before an upgrade counts as over, and its servers of the release before are gone. */
export const termsOfUpgradeDueAt = sql<Date | null>`
  select min(until) - interval '1 minute' from terms_binding where until > now()`

/** Binds what a server of the release before agreed during an upgrade; nothing once that is over. */
export async function bindTermsOfUpgrade(deps: Binding & Pick<Deps, 'database' | 'logger'>): Promise<void> {
  const { db } = deps.database
  if (!(await isUpgrading(db))) return
  const agreed = db
    .selectFrom('transfers')
    .select('id')
    .where('state', 'in', ['awaiting_funds', 'expired'])
    .where(sql<boolean>`coalesce(ledger_memo::text, reference) is not null`)
    .where('bound', 'is', null)
    // What is older was listed.
    .where('updated_at', '>', sql<Date>`now() - interval '1 hour'`)
  failWith(await bindEach(deps, await agreed.execute(), (tx, id) => bindEarlier(deps, tx, id)))
}

/** What cannot be read waits for people once its money comes. */
async function bindEarlier(deps: Binding & Pick<Deps, 'logger'>, tx: Db<Tables>, id: string): Promise<void> {
  const transfer = (await findTransfer(tx, id)) && (await lockTransfer(tx, id))
  if (!transfer || !(await isAgreed(deps, tx, transfer)))
    deps.logger.error({ transfer: id }, 'what was agreed about a transaction cannot be bound')
  await tx.deleteFrom('transfers_to_bind').where('transfer_id', '=', id).execute()
}

/** Binds terms under the newest key that money may still follow from: of what is open, or may come back (as orders). */
export async function bindTermsAgain(deps: Binding & Pick<Deps, 'database' | 'config'>): Promise<void> {
  const { db } = deps.database
  const [newest = 0] = deps.config.bindingKeys.keys()
  const older = db
    .selectFrom('transfers')
    .select('id')
    .where('bound', 'is not', null)
    .where(
      sql<boolean>`(state in ('awaiting_funds', 'funded', 'awaiting_trust', 'paying_out', 'returning', 'sent_back')
        or (state in ('expired', 'completed') and updated_at > now() - interval '120 days'))`,
    )
    .where(sql<boolean>`substring(bound for 1) <> ${Buffer.from([newest])}`)
  for (const { id } of await older.execute())
    await db.transaction().execute(async tx => {
      const transfer = await lockTransfer(tx, id)
      if (isProven(deps, transfer, transfer.bound)) await bindTerms(deps, tx, transfer)
    })
}
