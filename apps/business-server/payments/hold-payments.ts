import type { Db } from '@windlass/service/postgres/database.ts'
import { scalar } from '@windlass/service/postgres/scalars.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { sql, type RawBuilder } from 'kysely'
import { holdForCountries, holdForFindings } from '../people/compliance/country-hits.ts'
import { lacksList } from '../people/compliance/lists.ts'
import { hoursElsewhere, noteElsewhere, PERSON } from '../people/compliance/round-trips.ts'
import { type Party, walletSubject } from '../people/compliance/screened-names.ts'
import { isHeld } from '../people/compliance/compare-names.ts'
import { accountId, countTransfer, hitsOfAccount, type Movement } from '../people/compliance/velocity.ts'
import { findCustomer, findCustomerById, namedBy } from '../people/customers/customers.ts'
import type { Customer } from '../people/customers/seal-details.ts'
import { samePersons } from '../people/customers/same-person.ts'
import { accountsOf, personOf } from '../people/customers/tiers.ts'
import { verifiedNameOf } from '../people/customers/verified-name.ts'
import type { Deps } from '../deps.ts'
import type { RailOrder, Tables, Transfer } from '../tables.ts'
import { bookBlocked } from './blocked.ts'
import { isOtherHolders } from './other-holder.ts'
import { recordOrderEnd } from './settle-order.ts'
import { findUnboundPayout, setAsPaid } from './unbound-payouts.ts'
import { OPEN_CODE, RELEASED, SCREENED, UNTIL_DECIDED, waitColumns, type Wait } from './waits.ts'
import { askAbout, type Asked } from '../transfers/outside.ts'
import { isRejected } from '../transfers/incoming-money.ts'
import { countriesOf, customersOf } from '../transfers/countries.ts'
import { isInDebt } from '../transfers/debts.ts'
import { isContested, isInDispute } from '../transfers/disputes.ts'
import { type Destination, openDestination } from '../transfers/destination.ts'
import { findTransfer, paidBefore } from '../transfers/find.ts'
import { peersOf } from '../transfers/peers.ts'
import { keepSnapshot } from '../transfers/snapshots.ts'
import { askForOwner, travelDataBeforeItLeaves, waitsForProvider } from '../transfers/travel-data.ts'

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
  if (!goesBack) await countTransfer(deps, tx, transferId, () => findMovement(deps, tx, transferId))
  const found = await findTransfer(tx, transferId)
  if (found) await holdForCountries(deps, tx, transferId, await countriesOf(deps, tx, found))
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
  /** The account that a provider is to pay; none: no provider is. */
  payee?: Destination | undefined
}

/**
 * Whether something holds what has not left yet: screening until an operator decides, or the customer's identity or data.
 *
 * @param before what programs outside answered, where they were asked before.
 */
export async function isHeldBack(
  deps: Deps,
  table: 'ledger_payments' | 'rail_orders',
  { id, transfer_id, goesBack, payee }: Leaving,
  before?: Asked | null,
): Promise<boolean> {
  if (transfer_id === null) return false
  const asked = before ?? (await askOf(deps, { transfer_id, goesBack }))
  const held = await deps.database.db.transaction().execute(async tx => {
    await holdForFindings(tx, transfer_id, asked.findings)
    const mustWait = await isTransactionHeld(deps, tx, transfer_id, { goesBack })
    await bookBlocked(tx, table, { id, transfer_id }, mustWait)
    deps.faults.at('payment:screened')
    // A setting may let it pass without a list after a start.
    const again = mustWait && (await lacksList(deps, tx)) ? SOON : UNTIL_DECIDED
    if (mustWait) return wait(tx, table, id, { code: 'screening' }, again)
    if (asked.isLost) return wait(tx, table, id, { code: 'screening' }, WITHIN_A_MINUTE)
    return !goesBack && waitsForCustomer(deps, tx, table, { id, transfer_id, payee })
  })
  if (held) deps.wake.emit('conditions')
  return held
}

/** What goes back leaves without a question. */
export async function askOf(
  deps: Deps,
  { transfer_id, goesBack }: Pick<Leaving, 'transfer_id' | 'goesBack'>,
): Promise<Asked> {
  if (transfer_id === null || goesBack) return { isLost: false, findings: [] }
  const transfer = await findTransfer(deps.database.db, transfer_id)
  if (transfer) {
    await askForOwner(deps, transfer, await senderOf(deps.database.db, transfer))
    await askElsewhere(deps, transfer)
  }
  return askAbout(deps, transfer_id)
}

/** Asks what the customer moved at other anchors, where a rule counts it. */
async function askElsewhere(deps: Deps, transfer: Transfer): Promise<void> {
  const { db } = deps.database
  const hours = await hoursElsewhere(db)
  if (hours === 0) return
  const { centralId } = (await personAndBefore(db, transfer)).person
  if (centralId !== null) await noteElsewhere(deps, await samePersons(db, centralId), hours)
}

/** The account on the ledger that paid a withdrawal. */
async function senderOf(db: Db<Tables>, { id, direction }: Transfer): Promise<string | null> {
  if (direction === 'deposit') return null
  const query = db.selectFrom('ledger_receipts').select('sender').where('transfer_id', '=', id)
  return (await query.where('outcome', '=', 'accepted').executeTakeFirst())?.sender ?? null
}

/**
 * Whether its customer was rejected or owes something, data is missing that must be kept before money moves, or a bank named
 * another holder of its account; it is looked at again.
 */
async function waitsForCustomer(
  deps: Deps,
  tx: Db<Tables>,
  table: 'ledger_payments' | 'rail_orders',
  { id, transfer_id, payee }: { id: string; transfer_id: string; payee: Destination | undefined },
): Promise<boolean> {
  const transfer = await findTransfer(tx, transfer_id)
  if (!transfer) return false
  if (await isRejected(tx, transfer)) return wait(tx, table, id, { code: 'identity' })
  if ((await isInDebt(tx, transfer)) || (await isInDispute(tx, transfer)))
    return wait(tx, table, id, { code: 'debt' })
  const sender = await senderOf(tx, transfer)
  const fields = await travelDataBeforeItLeaves(deps, tx, transfer, sender)
  if (fields.length > 0) return wait(tx, table, id, { code: 'travel-data', fields })
  if (await waitsForProvider(deps, tx, transfer, sender))
    return wait(tx, table, id, { code: 'travel-answer' })
  if (payee && (await isOtherHolders(deps, tx, id, transfer, payee)))
    return wait(tx, table, id, { code: 'other-holder' })
  await keepSnapshot(deps, tx, transfer, 'left')
  return !(await noteFree(tx, table, id))
}

/** Whether a return waits: the payer asks their bank for the same money, or has it from there, and would have it twice. */
export async function waitsForDispute(
  { database: { db } }: Pick<Deps, 'database'>,
  { id, kind, rail, wait_code }: RailOrder,
  paymentId: string,
): Promise<boolean> {
  if (kind !== 'return') return false
  if (await isContested(db, rail, paymentId)) return wait(db, 'rail_orders', id, { code: 'debt' })
  if (wait_code === 'debt')
    await db.updateTable('rail_orders').set(waitColumns(null)).where('id', '=', id).execute()
  return false
}

/** A missing list, and what a customer has to do, is looked at again. */
const SOON = sql<Date>`now() + interval '1 minute'`

/** In no order: a program that is silent about one customer rests, and the others are asked about before that one is again. */
const WITHIN_A_MINUTE = sql<Date>`now() + interval '30 seconds' * (1 + random())`

async function wait(
  tx: Db<Tables>,
  table: 'ledger_payments' | 'rail_orders',
  id: string,
  why: Wait,
  again = SOON,
): Promise<true> {
  await tx
    .updateTable(table)
    .set({ next_try_at: again, ...(why.code === 'screening' ? SCREENED : waitColumns(why)) })
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .execute()
  return true
}

/** Notes that nothing holds it, before it leaves: people refund it no more. False: they have refunded it. */
async function noteFree(
  tx: Db<Tables>,
  table: 'ledger_payments' | 'rail_orders',
  id: string,
): Promise<boolean> {
  if (table === 'ledger_payments') {
    await tx
      .updateTable(table)
      .set(waitColumns(null))
      .where('id', '=', id)
      .where('wait_code', 'in', ['identity', 'debt', 'screening', 'travel-data', 'travel-answer'])
      .execute()
    return true
  }
  const freed = await tx
    .updateTable(table)
    .set({ ...waitColumns(null), handed: true })
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .executeTakeFirst()
  return freed.numUpdatedRows > 0n
}

/** How much waits because its customer was rejected. */
export const waitingForIdentity = scalar(
  sql<number>`select (select count(*) from rail_orders where state = 'queued' and ${OPEN_CODE} = 'identity')
    + (select count(*) from ledger_payments where state = 'queued' and ${OPEN_CODE} = 'identity')`,
  Number,
)

/** What a payout waits for that may never come: people refund it. */
const OF_CUSTOMER_CODES = sql.join(['identity', 'debt', 'travel-data', 'travel-answer', 'other-holder'])

/**
 * Whether a payout waits, and never left, because its customer was rejected, owes something or proved too little, a provider
 * has not answered, or a bank named another holder of its account.
 */
export async function isHeldByCustomer(db: Db<Tables>, transferId: string): Promise<boolean> {
  return (
    (await heldPayout(db, transferId, sql<boolean>`${OPEN_CODE} in (${OF_CUSTOMER_CODES})`)) !== undefined
  )
}

const heldPayout = (db: Db<Tables>, transferId: string, isHeldSo: RawBuilder<boolean>) =>
  db
    .selectFrom('rail_orders')
    .select('id')
    .where('transfer_id', '=', transferId)
    .where('kind', '=', 'payout')
    .where('state', '=', 'queued')
    .where(isHeldSo)
    .where('handed', '=', false)
    .executeTakeFirst()

/** A transfer as rules count it; null: there is none, or it has no amount, so nothing of it leaves. */
export async function findMovement(deps: Deps, tx: Db<Tables>, id: string): Promise<Movement | null> {
  const transfer = await findTransfer(tx, id)
  if (!transfer || transfer.amount === null) return null
  const { person, before } = await personAndBefore(tx, transfer)
  const { direction, asset, amount, account_memo: memo, stellar_account } = transfer
  const { dest } = openDestination(deps.sealer, transfer)
  return {
    ...{ direction, asset, amount, account: (direction === 'withdrawal' && dest) || null, before, ...person },
    // An account whose logins have memos is many customers'.
    wallet: transfer.sep === '31' || memo !== null ? null : stellar_account,
    address: await addressOf(deps, tx, transfer),
  }
}

/** Street, town and country; null: not all of them are known. */
async function addressOf(deps: Deps, tx: Db<Tables>, transfer: Transfer): Promise<string | null> {
  const [customer] = await customersOf(deps, tx, transfer)
  const fields = customer?.fields ?? {}
  const names =
    fields['organization.registered_address'] === undefined
      ? ['address', 'city', 'address_country_code']
      : ['organization.registered_address', 'organization.city', 'organization.address_country_code']
  const parts = names.map(name => fields[name] ?? '')
  return parts.includes('') ? null : parts.join(' ')
}

type Owners = Pick<Movement, 'customer' | 'person' | 'centralId'>

async function personAndBefore(
  tx: Db<Tables>,
  transfer: Transfer,
): Promise<{ person: Owners; before: Date | null }> {
  const { sep, account, account_memo: memo } = transfer
  // The account of a direct payment is the sending anchor's.
  if (sep === '31') {
    const sender = transfer.person ?? transfer.id
    const before = await paidBefore(tx, transfer, [], transfer.person)
    return { person: { customer: [sender], person: [sender], centralId: null }, before }
  }
  const { id } = await personOf(tx, account, memo)
  const person = transfer.person ?? id
  const owned = await accountsOf(tx, account, memo, person)
  const before = await paidBefore(tx, transfer, owned, person)
  const accounts = owned.map(each => accountId(each))
  const own = accountId({ account, memo })
  if (person === null) return { person: { customer: [own], person: accounts, centralId: null }, before }
  const same = (await samePersons(tx, person)).map(each => `${PERSON}${each}`)
  return {
    person: { customer: [`${PERSON}${person}`, own], person: [...same, ...accounts], centralId: person },
    before,
  }
}

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
  const isDirect = transfer.sep === '31'
  const person = isDirect ? null : (transfer.person ?? (await provenPersonOf(tx, account, memo)))
  const peers = await peersOf(tx, person)
  const wallets = [...customers, ...(isDirect ? [] : [{ account, memo }]), ...peers]
  const earlier = [
    ...wallets.map(walletSubject),
    ...peers.flatMap(peer => (peer.id === null ? [] : { kind: 'customer' as const, id: peer.id })),
    ...(await hitsOfAccount(tx, id)).map(other => ({ kind: 'transaction', id: other }) as const),
  ]
  return [
    ...earlier.map(subject => ({ subject, role: 'customer', name: null }) as const),
    ...(await Promise.all(customers.map(customer => namesOf(sealer, tx, customer)))).flat(),
    { subject: { kind: 'transaction', id }, role: 'beneficiary', name },
    { subject: { kind: 'transaction', id }, role: 'wallet', name: transfer.stellar_account },
  ]
}

/** Null: nobody knows whose the account is. A link that nobody has proven says nothing about its owner. */
async function provenPersonOf(tx: Db<Tables>, account: string, memo: string | null): Promise<string | null> {
  const { id, isProven } = await personOf(tx, account, memo)
  return isProven ? id : null
}

/** The names that a customer told, and the one on their document: a person on a list may tell another one. */
async function namesOf(sealer: Sealer, tx: Db<Tables>, customer: Customer): Promise<Party[]> {
  const verified = await verifiedNameOf(tx, sealer, customer.central_id)
  return [
    ...namedBy(customer),
    { subject: { kind: 'customer', id: customer.id }, role: 'verified', name: verified },
  ]
}

/** Sends the units of a withdrawal back whose payout screening, identity or a debt holds, or that is not bound, and never left. False: there is none. */
export async function refundHeldPayout(deps: Deps, tx: Db<Tables>, transferId: string): Promise<boolean> {
  const isHeldSo = sql<boolean>`wait_code in ('screening', ${OF_CUSTOMER_CODES})`
  const held = await heldPayout(tx, transferId, isHeldSo)
  const order = held ?? (await findUnboundPayout(tx, transferId))
  if (!order) return false
  if (!held) await setAsPaid(tx, transferId)
  const reason = 'the anchor could not pay it out'
  // What is not bound two people refund.
  await recordOrderEnd(deps, tx, { kind: 'failed', orderId: order.id, reason }, undefined, !held)
  return true
}

/** Sends what was held, in the caller's transaction: it is compared again first, since something else may hold it. */
export async function releaseScreened(tx: Db<Tables>): Promise<void> {
  for (const table of ['ledger_payments', 'rail_orders'] as const)
    await tx
      .updateTable(table)
      .set({ ...RELEASED, next_try_at: sql<Date>`now()` })
      .where('wait_code', '=', 'screening')
      .where('state', '=', 'queued')
      .execute()
}
