import { claimDue } from '@windlass/service/work/claim-due.ts'
import type { SealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import type { Selectable } from 'kysely'
import type { Deps } from '../deps.ts'
import type { PlatformDb, Tables } from '../tables.ts'
import { keepIdentity } from './same-person.ts'

const contextOf = (customerId: string) => `verified-name:${customerId}`

export const sealName = (sealer: Sealer, customerId: string, name: string | null): Buffer | null =>
  name === null ? null : sealer.seal(name, contextOf(customerId))

export const sealedNames: SealedColumn = {
  table: 'kyc_records',
  column: 'sealed_name',
  key: ['customer_id'],
  contextOf: ({ customer_id = '' }) => contextOf(customer_id),
}

/** The name on the document of an accepted customer; null: nobody knows it. */
export async function verifiedNameOf(
  db: PlatformDb,
  sealer: Sealer,
  customerId: string,
): Promise<string | null> {
  const row = await db
    .selectFrom('kyc_records')
    .select('sealed_name')
    .where('customer_id', '=', customerId)
    .where('status', '=', 'ACCEPTED')
    .executeTakeFirst()
  return row?.sealed_name ? sealer.open(row.sealed_name, contextOf(customerId)) : null
}

/** Within what providers allow in a minute. */
const AT_ONCE = 30
const RETRY_SECONDS = 600

/**
 * Asks the provider for names and documents that no report had: it did not answer then, or an earlier release recorded the customer. One
 * that does not answer is asked again in ten minutes.
 */
export async function lookUpNames(deps: Deps): Promise<void> {
  await lookUp(deps, 'name_due_at')
  await lookUp(deps, 'identity_due_at')
}

async function lookUp(
  { database: { db }, kyc, sealer, clock }: Deps,
  dueAt: 'name_due_at' | 'identity_due_at',
): Promise<void> {
  if (!kyc) return
  const due = { table: 'kyc_records', key: 'customer_id', dueAt, now: clock.now() }
  const rows = await claimDue<Selectable<Tables['kyc_records']>, Tables>(db, {
    ...{ ...due, leaseSeconds: RETRY_SECONDS, longestSeconds: 2 * RETRY_SECONDS, limit: AT_ONCE },
  })
  for (const { customer_id: id, session_id: sessionId, provider } of rows) {
    const ours = sessionId !== null && provider === kyc.provider.name
    const confirmed = ours ? await kyc.provider.confirm(sessionId) : null
    const isTheirs = confirmed?.status === 'ACCEPTED' && confirmed.customerId === id
    const sealed = sealName(sealer, id, isTheirs ? confirmed.verifiedName : null)
    await db.transaction().execute(async tx => {
      const asked = await tx
        .updateTable('kyc_records')
        .set({ name_due_at: null, identity_due_at: null, ...(sealed ? { sealed_name: sealed } : {}) })
        .where('customer_id', '=', id)
        .where('session_id', 'is not distinct from', sessionId)
        .where('status', '=', 'ACCEPTED')
        .returning('customer_id')
        .executeTakeFirst()
      if (asked && isTheirs && sessionId !== null)
        await keepIdentity(tx, sealer, { ...confirmed, customerId: id, sessionId })
    })
  }
}
