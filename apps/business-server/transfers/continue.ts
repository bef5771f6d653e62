import type { PlatformTransaction } from '@windlass/contracts/anchor/anchor-platform.ts'
import { SENDER_TYPE } from '@windlass/contracts/platform/anchor-rails.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { isDeepStrictEqual } from 'node:util'
import { findCustomer, findCustomerById } from '../people/customers/customers.ts'
import { kycOf } from '../people/customers/kyc-status.ts'
import {
  accountOf,
  destinationOf,
  directAnswer,
  receiverTypeOf,
  sep9NamesOf,
} from '../people/customers/direct.ts'
import { missingFields } from '../people/customers/sep12.ts'
import type { Customer } from '../people/customers/seal-details.ts'
import type { Deps } from '../deps.ts'
import { readDestination, describeFaults } from '../rails/destination-fields.ts'
import { queueSepCalls } from '../outgoing/sep-calls/sep-calls.ts'
import type { Transfer } from '../tables.ts'
import { CapacityError } from '../money/treasury/treasury.ts'
import { acceptTransaction } from './accept.ts'
import { confirm, QuoteExpired } from './confirm.ts'
import { openDestination, setDestination } from './destination.ts'
import { missingTravelData } from './travel-data.ts'
import { findTransfer, IDENTIFYING_AT_ONCE, identifyingTransfers, lockTransfer } from './find.ts'
import { linkCustomer, noteMessage, notices, setNotice } from './change.ts'
import { move } from './move.ts'

/**
 * Continues with a transfer that has no pages (SEP-6, SEP-31): known customers get the payment instructions at once, others are
 * asked for SEP-12 first. Called when it begins and whenever its customer's KYC status may have changed.
 */
export async function continueTransfer(deps: Deps, id: string): Promise<void> {
  const transfer = await findTransfer(deps.database.db, id)
  if (!transfer || transfer.sep === '24' || !['new', 'identifying'].includes(transfer.state)) return
  if (transfer.sep === '31') return continueDirect(deps, transfer)
  const customer = await customerOf(deps, transfer)
  if (!customer) return
  const { status } = await kycOf(deps, customer)
  if (status !== 'ACCEPTED')
    return identify(deps, id, 'Identify yourself by SEP-12 first.', missingFields(customer))
  const lacking = await missingTravelData(deps, transfer)
  if (lacking.length > 0) return identify(deps, id, askBySep12(lacking), lacking)
  const unsettled =
    transfer.direction === 'withdrawal' ? await settleDestination(deps, transfer, customer) : null
  if (unsettled) return askForDestination(deps, id, unsettled)
  await confirmOrEnd(deps, id)
}

const askBySep12 = (names: readonly string[]) =>
  `The travel rule asks for more about the customer for this amount. Send it by SEP-12: ${names.join(', ')}.`

async function confirmOrEnd(deps: Deps, id: string): Promise<void> {
  try {
    await confirm(deps, id)
  } catch (error) {
    if (error instanceof CapacityError) return waitForCapacity(deps, id)
    if (!(error instanceof Problem) || error.status !== 400) throw error
    await endTransfer(deps, id, error)
  }
}

/**
 * Continues with a direct payment (SEP-31): its sender and receiver are known by what the sending anchor sent of them,
 * the receiver's account too.
 */
async function continueDirect(deps: Deps, transfer: Transfer): Promise<void> {
  const { id, account, customer_id, receiver_id } = transfer
  const [sender, receiver] = await Promise.all(
    [customer_id, receiver_id].map(each => (each ? findCustomerById(deps, each) : null)),
  )
  if (!sender || !receiver)
    return endTransfer(deps, id, new Problem('customer-not-found', 'A customer of the payment was deleted.'))
  const type = receiverTypeOf(deps, transfer.rail)
  const [ofSender, ofReceiver] = await Promise.all([
    directAnswer(deps, account, SENDER_TYPE, sender),
    directAnswer(deps, account, type, receiver),
  ])
  if (ofSender.status === 'REJECTED')
    return endTransfer(deps, id, new Problem('forbidden', ofSender.message ?? 'The sender is not accepted.'))
  const required = [ofSender, ofReceiver].flatMap(({ status, fields = {} }) =>
    status === 'ACCEPTED' ? [] : Object.keys(fields),
  )
  if (required.length > 0)
    return identify(
      deps,
      id,
      `Correct the sender or the receiver by SEP-12: ${required.join(', ')}.`,
      required,
    )
  const { destination } = destinationOf(deps, type, receiver.fields)
  const lacking = await missingTravelData(deps, transfer)
  if (lacking.length > 0) return identify(deps, id, askBySep12(lacking), lacking)
  await setDestination(deps.database.db, deps.sealer, id, destination)
  await confirmOrEnd(deps, id)
}

/** Accepts a direct payment (SEP-31). Resolves to where it is paid to, or null while a customer has to be corrected. */
export async function startDirectPayment(
  deps: Deps,
  reported: PlatformTransaction,
): Promise<{ account: string; memo: string } | null> {
  const { id } = await acceptTransaction(deps, reported)
  await continueTransfer(deps, id)
  const memo = (await findTransfer(deps.database.db, id))?.ledger_memo
  return memo ? { account: deps.config.anchor.accounts.distribution, memo } : null
}

/** The transfer's customer. One who was deleted by SEP-12 and came back is linked to it again. */
async function customerOf({ database, sealer }: Deps, transfer: Transfer): Promise<Customer | null> {
  const { id, customer_id, account, account_memo } = transfer
  const store = { database, sealer }
  if (customer_id) return findCustomerById(store, customer_id)
  const customer = await findCustomer(store, account, account_memo)
  if (customer) await linkCustomer(database.db, id, customer.id)
  return customer
}

/** Keeps a transfer that the treasury cannot cover yet. It is tried again until it expires. */
async function waitForCapacity(deps: Deps, id: string): Promise<void> {
  const notice = 'waits-for-treasury'
  await deps.database.db.transaction().execute(async tx => {
    const transfer = await lockTransfer(tx, id)
    if (!['new', 'identifying'].includes(transfer.state) || transfer.notice === notice) return
    await setNotice(tx, id, notice)
    const method =
      transfer.state === 'new' ? 'notify_interactive_flow_completed' : 'notify_customer_info_updated'
    await queueSepCalls(tx, id, [[method, { message: notices[notice], kyc_verified: true }]])
  })
  deps.wake.emit('sepCalls')
}

/** What is asked of the wallet: by SEP-12 where it named no account itself. */
interface Unsettled {
  message: string
  required: string[]
}

/** Stores where the money goes, from the wallet's fields or SEP-12; if no bank would accept it, returns what is wrong instead. */
async function settleDestination(
  deps: Deps,
  transfer: Transfer,
  { fields }: Customer,
): Promise<Unsettled | null> {
  // SEP-6 has no field for the holder's name; SEP-12 may have provided it.
  const asked = (deps.rails.get(transfer.rail)?.destinationFields ?? []).map(field =>
    field.name === 'dest_name' ? { ...field, optional: true } : field,
  )
  const name = [fields.first_name, fields.last_name].filter(Boolean).join(' ')
  const given = openDestination(deps.sealer, transfer)
  const account = given.dest ? {} : accountOf(fields)
  const { destination, wrong } = readDestination(asked, { dest_name: name, ...account, ...given })
  if (wrong.length > 0)
    return { message: describeFaults(wrong), required: given.dest ? [] : sep9NamesOf(wrong) }
  if (!isDeepStrictEqual(destination, given))
    await setDestination(deps.database.db, deps.sealer, transfer.id, destination)
  return null
}

/** Asks the wallet for an account by SEP-12, or for another one by SEP-6's `PATCH`, once for each reason. */
async function askForDestination(deps: Deps, id: string, { message, required }: Unsettled): Promise<void> {
  await deps.database.db.transaction().execute(async tx => {
    const transfer = await lockTransfer(tx, id)
    if (!['new', 'identifying'].includes(transfer.state) || transfer.message === message) return
    await noteMessage(tx, id, message)
    if (required.length === 0)
      return queueSepCalls(tx, id, [['request_transaction_info_update', { message }]])
    const asked = { message, required_customer_info_updates: required }
    if (transfer.state === 'new')
      await move(tx, transfer, 'identifying', { message }, [['request_customer_info_update', asked]])
    else await queueSepCalls(tx, id, [['request_customer_info_update', asked]])
  })
  deps.wake.emit('sepCalls')
}

/** Accepts another account that the wallet sent, and continues. */
export async function changeDestination(
  deps: Deps,
  id: string,
  fields: Readonly<Record<string, string>>,
): Promise<void> {
  const changed = await deps.database.db.transaction().execute(async tx => {
    const transfer = await lockTransfer(tx, id)
    if (!['new', 'identifying'].includes(transfer.state)) return false
    const given = openDestination(deps.sealer, transfer)
    const destination = { ...given, ...fields }
    if (isDeepStrictEqual(destination, given)) return false
    await setDestination(tx, deps.sealer, id, destination)
    await noteMessage(tx, id, null)
    return true
  })
  if (changed) await continueTransfer(deps, id)
}

async function identify(deps: Deps, id: string, message: string, required: string[]): Promise<void> {
  await deps.database.db.transaction().execute(async tx => {
    const transfer = await lockTransfer(tx, id)
    if (transfer.state !== 'new') return
    await move(tx, transfer, 'identifying', {}, [
      ['request_customer_info_update', { message, required_customer_info_updates: required }],
    ])
  })
  deps.wake.emit('sepCalls')
}

/** Ends a transfer that cannot continue: as `expired` if its quote is, else as `failed`. */
async function endTransfer(deps: Deps, id: string, problem: Problem): Promise<void> {
  const { message } = problem
  const expired = problem instanceof QuoteExpired
  await deps.database.db.transaction().execute(async tx => {
    const transfer = await lockTransfer(tx, id)
    if (!['new', 'identifying'].includes(transfer.state)) return
    await move(tx, transfer, expired ? 'expired' : 'failed', { message }, [
      [expired ? 'notify_transaction_expired' : 'notify_transaction_error', { message }],
    ])
  })
  deps.wake.emit('sepCalls')
}

const FIRST = '00000000-0000-0000-0000-000000000000'
/** Where the next round continues. */
const continued = new WeakMap<Deps, string>()

/** Continues transfers whose customer is identified by now: so many a round that all get their turn. */
export async function continueIdentified(deps: Deps): Promise<void> {
  const ids = await identifyingTransfers(deps.database.db, continued.get(deps) ?? FIRST)
  continued.set(deps, ids.length < IDENTIFYING_AT_ONCE ? FIRST : (ids.at(-1) ?? FIRST))
  for (const id of ids) await continueTransfer(deps, id)
}
