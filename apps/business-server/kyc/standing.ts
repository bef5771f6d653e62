import type { KycStatus } from '@windlass/contracts/kyc.ts'
import type { Deps } from '../deps.ts'
import { changeCustomer, localStatus } from '../customers/customers.ts'
import type { Customer } from '../customers/customer.ts'
import { baseAccount } from '@windlass/stellar/sep10-challenge.ts'
import { decide } from './decide.ts'

export interface Standing {
  status: KycStatus
  /** Null: the centre does not know the wallet; the customer signs in with an e-mail code first. */
  centralId: string | null
}

/**
 * How a customer stands: what is approved here stays so without asking; else the centre is asked, and its word is
 * taken over. With the centre silent, what is known here counts.
 */
export async function standingOf(deps: Deps, customer: Customer): Promise<Standing> {
  const { db } = deps.database
  const local = await localStatus(db, customer.central_id)
  if (local === 'ACCEPTED') return { status: local, centralId: customer.central_id }
  // One account with memos is many people's: the wallet's owner at the centre is not them.
  const asked =
    customer.memo === null
      ? await deps.central.byWallet(baseAccount(customer.account)).catch(() => undefined)
      : undefined
  if (asked === undefined) return { status: local ?? 'NEEDS_INFO', centralId: customer.central_id }
  if (asked === null) return { status: local ?? 'NEEDS_INFO', centralId: customer.central_id }
  if (asked.customerId !== customer.central_id) {
    await changeCustomer(db, customer.id, { central_id: asked.customerId })
  }
  if (asked.status === 'ACCEPTED' || asked.status === 'REJECTED') await adopt(deps, asked)
  const here = await localStatus(db, asked.customerId)
  return {
    status: asked.status === 'ACCEPTED' ? 'ACCEPTED' : (here ?? asked.status),
    centralId: asked.customerId,
  }
}

async function adopt(deps: Deps, asked: { customerId: string; status: KycStatus }): Promise<void> {
  const decision = {
    centralId: asked.customerId,
    status: asked.status,
    provider: null,
    sessionId: null,
    completedAt: deps.clock.now(),
  }
  await deps.database.db.transaction().execute(tx => decide(tx, decision))
}
