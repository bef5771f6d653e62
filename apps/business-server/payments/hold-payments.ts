import type { Db } from '@windlass/service/postgres/database.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { sql } from 'kysely'
import { isHeld, type Party, walletSubject } from '../people/compliance/screened-names.ts'
import { countTransfer, hitsOfAccount, type Movement } from '../people/compliance/velocity.ts'
import { findCustomer, findCustomerById, namedBy } from '../people/customers/customers.ts'
import type { Customer } from '../people/customers/seal-details.ts'
import { accountsOf, personOf } from '../people/customers/tiers.ts'
import { verifiedNameOf } from '../people/customers/verified-name.ts'
import type { Deps } from '../deps.ts'
import type { Tables, Transfer } from '../tables.ts'
import { recordOrderEnd } from './settle-order.ts'
import { UNTIL_DECIDED, waitColumns } from './waits.ts'
import { openDestination } from '../transfers/destination.ts'
import { findTransfer } from '../transfers/find.ts'
import { keepTravelData } from '../transfers/travel-data.ts'

/**
 * Whether screening holds a payment of a transaction, in the caller's transaction. Its customers, who paid and who is paid
 * are compared with the lists, and unless the money goes back it is counted for the velocity rules.
 *
 * @param beneficiary where the transaction itself does not say who holds the account.
 */
export async function isTransactionHeld(
  deps: Deps,
  tx: Db<Tables>,
  transferId: string,
  { goesBack, beneficiary }: { goesBack: boolean; beneficiary?: string | undefined },
): Promise<boolean> {
  if (!goesBack)
    await countTransfer(deps, tx, transferId, async () => {
      const transfer = await findTransfer(tx, transferId)
      return transfer && movementOf(deps, tx, transfer)
    })
  const parties = async () => {
    const transfer = await findTransfer(tx, transferId)
    return transfer ? partiesOf(deps, tx, transfer, beneficiary) : []
  }
  return isHeld(deps, tx, { kind: 'transaction', id: transferId }, parties, goesBack)
}

interface Leaving {
  id: string
  transfer_id: string | null
  goesBack: boolean
}

/** Whether screening holds what has not left yet; it then waits for an operator. */
export async function isHeldBack(
  deps: Deps,
  table: 'ledger_payments' | 'rail_orders',
  { id, transfer_id, goesBack }: Leaving,
): Promise<boolean> {
  if (transfer_id === null) return false
  const held = await deps.database.db.transaction().execute(async tx => {
    const mustWait = await isTransactionHeld(deps, tx, transfer_id, { goesBack })
    deps.faults.at('payment:screened')
    if (!mustWait) return !goesBack && lacksTravelData(deps, tx, table, { id, transfer_id })
    await tx
      .updateTable(table)
      .set({ next_try_at: UNTIL_DECIDED, ...waitColumns({ code: 'screening' }) })
      .where('id', '=', id)
      .where('state', '=', 'queued')
      .execute()
    return true
  })
  if (held) deps.wake.emit('conditions')
  return held
}

/** Whether data is missing that must be kept with the transaction before its money moves; it is looked for again. */
async function lacksTravelData(
  deps: Deps,
  tx: Db<Tables>,
  table: 'ledger_payments' | 'rail_orders',
  { id, transfer_id }: { id: string; transfer_id: string },
): Promise<boolean> {
  const transfer = await findTransfer(tx, transfer_id)
  const missing = transfer ? await keepTravelData(deps, tx, transfer) : []
  if (missing.length === 0) return false
  await tx
    .updateTable(table)
    .set({
      next_try_at: sql<Date>`now() + interval '1 minute'`,
      ...waitColumns({ code: 'travel-data', fields: missing }),
    })
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .execute()
  return true
}

/** Null: it has no amount, so nothing of it leaves. */
async function movementOf({ sealer }: Deps, tx: Db<Tables>, transfer: Transfer): Promise<Movement | null> {
  const { sep, direction, asset, amount, account, account_memo: memo } = transfer
  if (amount === null) return null
  const { dest } = openDestination(sealer, transfer)
  const of = { direction, asset, amount, account: (direction === 'withdrawal' && dest) || null }
  // The account of a direct payment is the sending anchor's.
  if (sep === '31') {
    const sender = transfer.person ?? transfer.id
    return { ...of, customer: [sender], person: [sender] }
  }
  const { id } = await personOf(tx, account, memo)
  const person = transfer.person ?? id
  const accounts = (await accountsOf(tx, account, memo, person)).map(each => accountId(each))
  const own = accountId({ account, memo })
  if (person === null) return { ...of, customer: [own], person: accounts }
  return { ...of, customer: [`person ${person}`, own], person: [`person ${person}`, ...accounts] }
}

const accountId = ({ account, memo }: { account: string; memo: string | null }): string =>
  `account ${account} ${memo ?? ''}`

async function partiesOf(
  { database, sealer }: Deps,
  tx: Db<Tables>,
  transfer: Transfer,
  beneficiary?: string,
): Promise<Party[]> {
  const store = { sealer, database: { ...database, db: tx } }
  const { id, account, account_memo: memo, customer_id, receiver_id } = transfer
  const customers = [
    customer_id ? await findCustomerById(store, customer_id) : await findCustomer(store, account, memo),
    receiver_id ? await findCustomerById(store, receiver_id) : null,
  ].filter(customer => customer !== null)
  const { dest_name: name = beneficiary ?? null } = openDestination(sealer, transfer)
  const wallets = transfer.sep === '31' ? customers : [...customers, { account, memo }]
  const earlier = [
    ...wallets.map(walletSubject),
    ...(await hitsOfAccount(tx, id)).map(other => ({ kind: 'transaction', id: other }) as const),
  ]
  return [
    ...earlier.map(subject => ({ subject, role: 'customer', name: null }) as const),
    ...(await Promise.all(customers.map(customer => namesOf(sealer, tx, customer)))).flat(),
    { subject: { kind: 'transaction', id }, role: 'beneficiary', name },
  ]
}

/** The names that a customer told, and the one on their document: a person on a list may tell another one. */
async function namesOf(sealer: Sealer, tx: Db<Tables>, customer: Customer): Promise<Party[]> {
  const verified = await verifiedNameOf(tx, sealer, customer.central_id)
  return [
    ...namedBy(customer),
    { subject: { kind: 'customer', id: customer.id }, role: 'verified', name: verified },
  ]
}

/** Sends the units of a withdrawal back whose payout screening holds and never let leave. False: there is none. */
export async function refundHeldPayout(deps: Deps, tx: Db<Tables>, transferId: string): Promise<boolean> {
  const order = await tx
    .selectFrom('rail_orders')
    .select('id')
    .where('transfer_id', '=', transferId)
    .where('kind', '=', 'payout')
    .where('state', '=', 'queued')
    .where('wait_code', '=', 'screening')
    .executeTakeFirst()
  if (!order) return false
  const reason = 'the anchor could not pay it out'
  await recordOrderEnd(deps, tx, { kind: 'failed', orderId: order.id, reason })
  return true
}

/** Sends what was held, in the caller's transaction: it is compared again first, since something else may hold it. */
export async function releaseScreened(tx: Db<Tables>): Promise<void> {
  for (const table of ['ledger_payments', 'rail_orders'] as const)
    await tx
      .updateTable(table)
      .set({ ...waitColumns(null), next_try_at: sql<Date>`now()` })
      .where('wait_code', '=', 'screening')
      .where('state', '=', 'queued')
      .execute()
}
