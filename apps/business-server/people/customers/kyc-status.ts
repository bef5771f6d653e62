import type { KycStatus } from '@windlass/contracts/platform/kyc.ts'
import type { RegisteredCustomer } from '../../outgoing/clients/customer-registry.ts'
import type { Deps } from '../../deps.ts'
import { changeCustomer, localStatus, ownsAccount } from './customers.ts'
import { adopt } from './decide.ts'
import { lastLogin } from './link-wallet.ts'
import { samePersons } from './same-person.ts'
import type { Customer } from './seal-details.ts'
import { noteLinked } from './tiers.ts'

export interface CustomerKyc {
  status: KycStatus
  /** Null: the platform does not know the customer, who signs in with an email code first. */
  centralId: string | null
}

/** An approval is used for this long without asking the platform. */
const FRESH_MS = 10 * 60_000

/**
 * The KYC status of a customer: a recent approval without asking; else the platform's, by the wallet where it has one
 * owner, and by the customer who signed in here. What is known here counts while the platform does not answer.
 */
export async function kycOf(deps: Deps, customer: Customer): Promise<CustomerKyc> {
  const { db } = deps.database
  const known = await localStatus(db, customer.central_id)
  const local = known?.status
  const age = known ? Math.abs(deps.clock.now().getTime() - known.updated_at.getTime()) : Infinity
  if (local === 'ACCEPTED' && age < FRESH_MS) return { status: local, centralId: customer.central_id }
  try {
    return await askPlatform(deps, customer)
  } catch (error) {
    deps.logger.warn({ err: error }, 'the customer registry does not answer')
    return { status: local ?? 'NEEDS_INFO', centralId: customer.central_id }
  }
}

async function askPlatform(deps: Deps, customer: Customer): Promise<CustomerKyc> {
  const { db } = deps.database
  const owner =
    customer.unconfirmed && !ownsAccount(customer)
      ? await deps.customerRegistry.byShared(customer)
      : await ownerOf(deps, customer)
  if (owner?.walletVerified) {
    const since = (await localStatus(db, owner.customerId))?.updated_at ?? null
    if (owner.customerId !== customer.central_id) {
      const { unconfirmed } = customer
      const confirmed = unconfirmed ? { unconfirmed: false, pendingEmail: null } : {}
      await changeCustomer(deps, customer.id, { centralId: owner.customerId, ...confirmed })
    }
    return recordPerson(deps, owner, since)
  }
  // Linked without proof by a customer who is ACCEPTED: enough to pass within their limits, and nothing is written to
  // that customer.
  if (owner?.status === 'ACCEPTED') {
    await noteLinked(db, customer.id, owner.customerId)
    return { status: 'ACCEPTED', centralId: customer.central_id }
  }
  if (customer.central_id === null) return { status: 'NEEDS_INFO', centralId: null }
  const since = (await localStatus(db, customer.central_id))?.updated_at ?? null
  const registered = await deps.customerRegistry.byId(customer.central_id, customer)
  return registered ? recordPerson(deps, registered, since) : { status: 'NEEDS_INFO', centralId: null }
}

/** An account that customers share has no one owner. */
export async function ownerOf(deps: Deps, customer: Pick<Customer, 'account' | 'memo'>) {
  if (!ownsAccount(customer)) return null
  return deps.customerRegistry.byWallet(customer.account, () => lastLogin(deps, customer.account))
}

/** How many who are the same person are asked about at once. */
const MOST_ASKED = 5

/**
 * Records it, and what the platform says now of those who were the same person: the document that tied one of them may have been
 * declined since, and that one does not come any more.
 */
async function recordPerson(deps: Deps, given: RegisteredCustomer, since: Date | null): Promise<CustomerKyc> {
  const recorded = await record(deps, given, since)
  const { db } = deps.database
  const others = (await samePersons(db, given.customerId)).filter(id => id !== given.customerId)
  for (const id of others.slice(0, MOST_ASKED)) {
    const known = (await localStatus(db, id))?.updated_at ?? null
    if (known && deps.clock.now().getTime() - known.getTime() < FRESH_MS) continue
    const other = await deps.customerRegistry.byId(id, null)
    if (other?.customerId === id) await record(deps, other, known)
  }
  return recorded
}

/** Records the platform's status, unless the one here has changed since `since`. */
async function record(
  deps: Deps,
  { customerId, status, completedAt, verifiedName = null, identity }: RegisteredCustomer,
  since: Date | null,
): Promise<CustomerKyc> {
  const { db } = deps.database
  if (since !== null || status === 'ACCEPTED' || status === 'REJECTED') {
    const decision = {
      centralId: customerId,
      status,
      provider: null,
      sessionId: null,
      // Any report of the provider is newer than a decision without a time.
      completedAt: new Date(completedAt ?? 0),
      heardAt: deps.clock.now(),
      verifiedName,
      identity,
    }
    await db.transaction().execute(tx => adopt(tx, deps.sealer, decision, since))
  }
  const here = await localStatus(db, customerId)
  return { status: here?.status ?? status, centralId: customerId }
}
