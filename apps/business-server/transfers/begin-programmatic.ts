import { Problem } from '@windlass/service/problem.ts'
import { findCustomerById } from '../customers/customers.ts'
import type { Customer } from '../customers/customer.ts'
import type { Deps } from '../deps.ts'
import { standingOf } from '../kyc/standing.ts'
import { readDestination, tell } from '../rails/destination-fields.ts'
import { confirm } from './confirm.ts'
import { move } from './move.ts'
import { findTransfer, lockTransfer } from './find.ts'
import type { Transfer } from './transfer.ts'

/**
 * Goes on with a transfer that has no pages (SEP-6): known customers get the payment instructions at once, others are
 * asked for SEP-12 first. Called when it begins and whenever its customer's standing may have changed.
 */
export async function goOn(deps: Deps, id: string): Promise<void> {
  const transfer = await findTransfer(deps.database.db, id)
  if (!transfer || transfer.sep !== '6' || !['new', 'identifying'].includes(transfer.state)) return
  const customer = transfer.customer_id ? await findCustomerById(deps, transfer.customer_id) : null
  if (!customer) return
  const { status } = await standingOf(deps, customer)
  if (status !== 'ACCEPTED') return identify(deps, id)
  try {
    if (transfer.direction === 'withdrawal') await settleDestination(deps, transfer, customer)
    await confirm(deps, id)
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 400) throw error
    await giveUp(deps, id, error.message)
  }
}

/** Where the money goes, as the wallet told it. Throws `validation-failed` for what no bank would take. */
async function settleDestination(deps: Deps, transfer: Transfer, { fields }: Customer): Promise<void> {
  // SEP-6 has no word for the holder's name: SEP-12 may have told it.
  const asked = (deps.rails.get(transfer.rail)?.destinationFields ?? []).map(field =>
    field.name === 'dest_name' ? { ...field, optional: true } : field,
  )
  const name = [fields.first_name, fields.last_name].filter(Boolean).join(' ')
  const { destination, wrong } = readDestination(asked, { dest_name: name, ...transfer.destination })
  if (wrong.length > 0) throw new Problem('validation-failed', tell(wrong))
  await deps.database.db
    .updateTable('transfers')
    .set({ destination: JSON.stringify(destination) })
    .where('id', '=', transfer.id)
    .where('state', 'in', ['new', 'identifying'])
    .execute()
}

async function identify(deps: Deps, id: string): Promise<void> {
  await deps.database.db.transaction().execute(async tx => {
    const transfer = await lockTransfer(tx, id)
    if (transfer.state !== 'new') return
    await move(tx, transfer, 'identifying', {}, [
      ['request_customer_info_update', { message: 'Identify yourself by SEP-12 first.' }],
    ])
  })
  deps.bells.calls()
}

async function giveUp(deps: Deps, id: string, message: string): Promise<void> {
  await deps.database.db.transaction().execute(async tx => {
    const transfer = await lockTransfer(tx, id)
    if (!['new', 'identifying'].includes(transfer.state)) return
    await move(tx, transfer, 'failed', { message }, [['notify_transaction_error', { message }]])
  })
  deps.bells.calls()
}
