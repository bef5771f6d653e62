import type { KycStatus } from '@windlass/contracts/kyc.ts'
import type { Deps } from '../deps.ts'
import { changeCustomer, localStatus } from '../customers/customers.ts'
import type { Customer } from '../customers/customer.ts'
import { baseAccount } from '@windlass/stellar/sep10-challenge.ts'
import { decide } from './decide.ts'
import { isUntold } from './deliver-to-centre.ts'

export interface Standing {
  status: KycStatus
  /** Null: the centre does not know the wallet; the customer signs in with an e-mail code first. */
  centralId: string | null
}

/** An approval is used without asking the centre for this long. */
const FRESH_MS = 10 * 60_000

/**
 * How a customer stands: what was approved here lately counts without asking; else the centre is asked, and its word is
 * taken over unless it has not heard ours yet. With the centre silent, what is known here counts.
 */
export async function standingOf(deps: Deps, customer: Customer): Promise<Standing> {
  const { db } = deps.database
  const known = await localStatus(db, customer.central_id)
  const local = known?.status
  const fresh = known && deps.clock.now().getTime() - known.updated_at.getTime() < FRESH_MS
  if (local === 'ACCEPTED' && fresh) return { status: local, centralId: customer.central_id }
  // One account with memos is many people's: the wallet's owner at the centre is not them.
  const asked =
    customer.memo === null
      ? await deps.central.byWallet(baseAccount(customer.account)).catch(() => undefined)
      : undefined
  if (!asked) return { status: local ?? 'NEEDS_INFO', centralId: customer.central_id }
  if (asked.customerId !== customer.central_id) {
    await changeCustomer(deps, customer.id, { centralId: asked.customerId })
  }
  if (isDecided(asked.status) && !(await isUntold(db, asked.customerId))) await adopt(deps, asked)
  const here = await localStatus(db, asked.customerId)
  return { status: here && isDecided(here.status) ? here.status : asked.status, centralId: asked.customerId }
}

const isDecided = (status: KycStatus) => status === 'ACCEPTED' || status === 'REJECTED'

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
