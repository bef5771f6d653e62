import { Problem } from '@windlass/service/problem.ts'
import { findCustomerById } from '../customers/customers.ts'
import type { Deps } from '../deps.ts'
import { standingOf } from '../kyc/standing.ts'
import { quoteHolds } from '../rates/list-quotes.ts'
import { takeIn } from '../transfers/intake.ts'
import { findTransfer } from '../transfers/find.ts'
import type { Situation } from './step.ts'

/** How a transfer stands for its page; taken in from the SEP server when it is new. Throws 404. */
export async function situationOf(deps: Deps, id: string): Promise<Situation> {
  const { db } = deps.database
  const transfer = (await findTransfer(db, id)) ?? (await fromSepServer(deps, id))
  const customer = transfer.customer_id ? await findCustomerById(deps, transfer.customer_id) : null
  const standing = customer
    ? await standingOf(deps, customer)
    : { status: 'NEEDS_INFO' as const, centralId: null }
  return {
    transfer,
    customer,
    standing,
    verifying: standing.centralId !== null && (await isVerifying(deps, standing.centralId)),
    rail: deps.rails.get(transfer.rail) ?? null,
    lapsed: transfer.quote_id !== null && !(await quoteHolds(db, transfer.quote_id, id)),
  }
}

async function fromSepServer(deps: Deps, id: string) {
  const told = await deps.platform.transaction(id)
  if (!told) throw new Problem('not-found', 'There is no such transaction.')
  return takeIn(deps, told)
}

async function isVerifying({ database: { db } }: Deps, centralId: string): Promise<boolean> {
  const session = await db
    .selectFrom('kyc_sessions')
    .leftJoin('kyc_statuses', 'kyc_statuses.session_id', 'kyc_sessions.session_id')
    .select('kyc_sessions.session_id')
    .where('kyc_sessions.central_id', '=', centralId)
    .where('kyc_statuses.central_id', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return session !== undefined
}
