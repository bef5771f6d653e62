import { Problem } from '@windlass/service/http/problem.ts'
import { findCustomerById } from '../people/customers/customers.ts'
import { kycOf } from '../people/customers/kyc-status.ts'
import { isVerifying } from '../people/customers/verification.ts'
import type { Deps } from '../deps.ts'
import type { Situation } from './step.ts'
import { isQuoteValid } from '../transfers/quotes/firm-rates.ts'
import { acceptTransaction } from '../transfers/accept.ts'
import { openDestination } from '../transfers/destination.ts'
import { findTransfer } from '../transfers/find.ts'
import { missingTravelData } from '../transfers/travel-data.ts'

/** What a transfer's page depends on; a new transfer is read from the SEP server first. Throws 404. */
export async function situationOf(deps: Deps, id: string): Promise<Situation> {
  const { db } = deps.database
  const transfer = (await findTransfer(db, id)) ?? (await fromSepServer(deps, id))
  const customer = transfer.customer_id ? await findCustomerById(deps, transfer.customer_id) : null
  const kyc = customer ? await kycOf(deps, customer) : { status: 'NEEDS_INFO' as const, centralId: null }
  return {
    transfer,
    destination: openDestination(deps.sealer, transfer),
    customer,
    kyc,
    verifying: kyc.centralId !== null && (await isVerifying(db, kyc.centralId)),
    lacking: transfer.state === 'new' ? await missingTravelData(deps, transfer) : [],
    rail: deps.rails.get(transfer.rail) ?? null,
    lapsed: transfer.quote_id !== null && !(await isQuoteValid(db, transfer.quote_id, id)),
  }
}

async function fromSepServer(deps: Deps, id: string) {
  const reported = await deps.sepServer.transaction(id)
  if (!reported) throw new Problem('not-found', 'There is no such transaction.')
  return acceptTransaction(deps, reported)
}
