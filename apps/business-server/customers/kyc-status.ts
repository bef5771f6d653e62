import type { KycStatus } from '@windlass/contracts/kyc.ts'
import type { RegisteredCustomer } from '../clients/customer-registry.ts'
import { changeCustomer, localStatus, ownsAccount } from './customers.ts'
import { adopt } from './decide.ts'
import { isReportPending } from './report-decisions.ts'
import type { Customer } from './seal-details.ts'
import type { Deps } from '../deps.ts'

export interface CustomerKyc {
  status: KycStatus
  /** Null: the centre does not know the wallet; the customer signs in with an e-mail code first. */
  centralId: string | null
}

/** An approval is used without asking the centre for this long. */
const FRESH_MS = 10 * 60_000

/**
 * How a customer stands: what was approved here lately counts without asking; else the centre is asked, and its word
 * is taken over unless it has not heard ours yet. With the centre silent, what is known here counts.
 */
export async function kycOf(deps: Deps, customer: Customer): Promise<CustomerKyc> {
  const { db } = deps.database
  const known = await localStatus(db, customer.central_id)
  const local = known?.status
  const age = known ? deps.clock.now().getTime() - known.updated_at.getTime() : Infinity
  if (local === 'ACCEPTED' && age < FRESH_MS) return { status: local, centralId: customer.central_id }
  const asked = ownsAccount(customer)
    ? await deps.customerRegistry.byWallet(customer.account).catch(() => undefined)
    : undefined
  if (!asked) return { status: local ?? 'NEEDS_INFO', centralId: customer.central_id }
  const { customerId } = asked
  if (customerId === customer.central_id) return settled(deps, asked, known?.updated_at ?? null)
  await changeCustomer(deps, customer.id, { centralId: customerId })
  return settled(deps, asked, (await localStatus(db, customerId))?.updated_at ?? null)
}

/** The centre's word, or ours where it has not heard ours yet or ours changed since it was asked. */
async function settled(deps: Deps, asked: RegisteredCustomer, since: Date | null): Promise<CustomerKyc> {
  const { db } = deps.database
  const { customerId, status, completedAt } = asked
  const worth = since !== null || status === 'ACCEPTED' || status === 'REJECTED'
  if (worth && !(await isReportPending(db, customerId))) {
    const word = {
      centralId: customerId,
      status,
      provider: null,
      sessionId: null,
      // What nobody gave a time for never stands in the way of a provider's report.
      completedAt: new Date(completedAt ?? 0),
      heardAt: deps.clock.now(),
    }
    await db.transaction().execute(tx => adopt(tx, word, since))
  }
  const here = await localStatus(db, customerId)
  return { status: here?.status ?? status, centralId: customerId }
}
