import type { Deps } from '../deps.ts'
import type { Entry } from './entry.ts'
import { updateDomainCheck } from './queries.ts'

/** Records whether an anchor's domain is proven. */
export async function recordDomainCheck(
  { database, index, clock }: Pick<Deps, 'database' | 'index' | 'clock'>,
  entry: Entry,
  verified: boolean,
): Promise<void> {
  if (entry.domainVerified === verified) return
  await updateDomainCheck(database.db, entry.id, verified, clock.now())
  const known = index.get(entry.id)
  if (known) index.put({ ...known, domainVerified: verified })
}
