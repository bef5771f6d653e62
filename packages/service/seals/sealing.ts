import { sql, type Kysely } from 'kysely'
import { millisecondsUntilDue } from '../work/due-work.ts'

/** Personal data that is encrypted again after a change of key or release. */
interface Sealing {
  /** The server's release. */
  version: string
  /** The newest key's version. */
  key: number
  /** Encrypts under the newest key what an older one encrypted, or an older release did not. */
  seal(): Promise<void>
}

/** What encrypts: another release may encrypt more, another key everything. */
const underOf = ({ version, key }: Omit<Sealing, 'seal'>): string => `${version} v${key}`

/**
 * A scalar query on the table `sealing`: at once where another release or key encrypted last, ten minutes after this one
 * began, and once a day from then on.
 */
export const sealingDueAt = (by: Omit<Sealing, 'seal'>) => sql<Date>`
  coalesce((select coalesce(done_at + interval '1 day', since + interval '10 minutes')
    from sealing where under = ${underOf(by)}), 'epoch')`

/**
 * Encrypts again once this release and key are ten minutes old: until then an older server may still run, or run again,
 * which can decrypt what it encrypted. The time is in the database, because servers that sleep run for seconds.
 */
export async function sealWhenDue<T>(db: Kysely<T>, sealing: Sealing): Promise<void> {
  const under = underOf(sealing)
  const isDue = async () => {
    const wait = await millisecondsUntilDue(db, [{ dueAt: sealingDueAt(sealing) }])
    return wait !== null && wait <= 0
  }
  // Before the row is locked: a server asks every minute.
  if (!(await isDue())) return
  await sql`
    insert into sealing (under) values (${under}) on conflict (one) do update
      set under = excluded.under, since = excluded.since, done_at = null where sealing.under <> excluded.under`.execute(
    db,
  )
  if (!(await isDue())) return
  await sealing.seal()
  await sql`update sealing set done_at = now() where under = ${under}`.execute(db)
}
