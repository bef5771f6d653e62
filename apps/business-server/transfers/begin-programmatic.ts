import { Problem } from '@windlass/service/problem.ts'
import { findCustomerById } from '../customers/customers.ts'
import type { Deps } from '../deps.ts'
import { standingOf } from '../kyc/standing.ts'
import { confirm } from './confirm.ts'
import { move } from './move.ts'
import { findTransfer, lockTransfer } from './find.ts'

/**
 * Goes on with a transfer that has no pages (SEP-6): known customers get the payment instructions at once, others are
 * asked for SEP-12 first. Called when it begins and whenever its customer's standing may have changed.
 */
export async function goOn(deps: Deps, id: string): Promise<void> {
  const { db } = deps.database
  const transfer = await findTransfer(db, id)
  if (!transfer || transfer.sep !== '6' || !['new', 'identifying'].includes(transfer.state)) return
  const customer = transfer.customer_id ? await findCustomerById(db, transfer.customer_id) : null
  if (!customer) return
  const { status } = await standingOf(deps, customer)
  if (status !== 'ACCEPTED') return identify(deps, id)
  try {
    await confirm(deps, id)
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 400) throw error
    await giveUp(deps, id, error.message)
  }
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
