import { millisecondsUntilDue } from '@windlass/service/due-work.ts'
import { sql } from 'kysely'
import { sealLinesAgain } from '../bank-files/store.ts'
import { sealNamesAgain } from '../compliance/screening.ts'
import { sealVelocityKeyAgain } from '../compliance/velocity.ts'
import { sealUnderNewestKey } from '../customers/seal-details.ts'
import { sealVerifiedNamesAgain } from '../customers/verified-name.ts'
import type { Deps } from '../deps.ts'
import { sealFilesAgain } from '../rails/bank-file/files.ts'
import { sealDestinationsAgain } from '../transfers/destination.ts'
import { sealRecordsAgain } from '../travel-rule/records.ts'
import { sealSecretsAgain } from '../webhooks/endpoints.ts'

/** What encrypts here: another release may encrypt more, another key everything. */
const underOf = ({ config, sealVersion }: Deps): string => `${config.anchor.version} v${sealVersion}`

/**
 * When personal data is encrypted again: at once where another release or key did it last, ten minutes after this one
 * began, and once a day from then on.
 */
export const sealingDueAt = (deps: Deps) => sql<Date>`
  coalesce((select coalesce(done_at + interval '1 day', since + interval '10 minutes')
    from sealing where under = ${underOf(deps)}), 'epoch')`

/**
 * Encrypts under the newest key what an older one encrypted, or an older release did not, once this release and key are ten
 * minutes old: until then an older server may still run, or run again, which can decrypt what it encrypted. The time is in
 * the database, because servers that sleep run for seconds.
 */
export async function sealAgain(deps: Deps): Promise<void> {
  const { db } = deps.database
  const under = underOf(deps)
  await sql`
    insert into sealing (under) values (${under}) on conflict (one) do update
      set under = excluded.under, since = excluded.since, done_at = null where sealing.under <> excluded.under`.execute(
    db,
  )
  const wait = await millisecondsUntilDue(db, [{ dueAt: sealingDueAt(deps) }])
  if (wait === null || wait > 0) return
  await sealUnderNewestKey(deps)
  await sealVerifiedNamesAgain(deps)
  await sealDestinationsAgain(deps)
  await sealLinesAgain(deps)
  await sealNamesAgain(deps)
  await sealVelocityKeyAgain(deps)
  await sealRecordsAgain(deps)
  await sealFilesAgain(deps)
  await sealSecretsAgain(deps)
  await db
    .updateTable('sealing')
    .set({ done_at: sql<Date>`now()` })
    .where('under', '=', under)
    .execute()
}
