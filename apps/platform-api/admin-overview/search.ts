import type { searchEverything } from '@windlass/contracts/platform/administrators.ts'
import type { AnswerOf } from '@windlass/contracts/endpoint.ts'
import { searchAnchors } from '../anchors/anchors.ts'
import { searchApplications } from '../applications/search.ts'
import { findCustomer, findCustomerByEmail } from '../customers/customers.ts'
import { searchUsers } from '../operators/users.ts'
import { findJob } from '../provisioning/jobs.ts'
import type { PlatformDb } from '../tables.ts'
import { holdersOf } from '../wallets/wallets.ts'

type Found = AnswerOf<typeof searchEverything>

/** Limit for each kind. */
const LIMIT = 8

/** Customers are private: only a whole address or id finds them. */
export async function search(db: PlatformDb, text: string): Promise<Found> {
  const [applications, anchors, users, job, customers] = await Promise.all([
    searchApplications(db, text, LIMIT),
    searchAnchors(db, text, LIMIT),
    searchUsers(db, text, LIMIT),
    findJob(db, text),
    findCustomers(db, text),
  ])
  return [
    ...applications.map(({ id, label }) => ({ kind: 'application' as const, id, label })),
    ...anchors.map(({ id, label }) => ({ kind: 'anchor' as const, id, label })),
    ...(job ? [{ kind: 'job' as const, id: job.job.jobId, label: job.job.result.homeDomain ?? text }] : []),
    ...users.map(({ id, fullName, email }) => ({
      kind: 'operator' as const,
      id,
      label: `${fullName} (${email})`,
    })),
    ...customers.map(({ id, email }) => ({ kind: 'customer' as const, id, label: email })),
  ]
}

async function findCustomers(db: PlatformDb, text: string) {
  const holders = /^[GM][A-Z2-7]{55,68}$/.test(text) ? await holdersOf(db, text) : []
  const found = await Promise.all([
    findCustomerByEmail(db, text.toLowerCase()),
    findCustomer(db, text),
    ...holders.slice(0, LIMIT).map(({ customerId }) => findCustomer(db, customerId)),
  ])
  return found.filter(customer => customer !== undefined)
}
