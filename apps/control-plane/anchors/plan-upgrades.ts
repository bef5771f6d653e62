import type { Release } from '@windlass/contracts/anchor-life.ts'
import type { ServerState } from '@windlass/runtimes/runtime.ts'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Deps } from '../deps.ts'
import { presentRelease } from './release.ts'

const AT_ONCE = 4

/** Upgrades that nobody asked for: the platform's own release is another than what an anchor runs from. */
export const BY_ITSELF = 'control-plane'

/**
 * Asks for the upgrade of anchors that run from another release than the platform's. One goes ahead; the others follow
 * when it has succeeded, and none does any more once it failed anywhere: that is for administrators then.
 */
export async function planUpgrades({ database, config }: Deps): Promise<void> {
  const to = JSON.stringify(presentRelease(config))
  for (const anchorId of await due(database.db, to)) {
    await sql`
      insert into upgrades (id, anchor_id, from_release, to_release, requested_by)
      select ${randomUUID()}, id, release, ${to}::jsonb, ${BY_ITSELF} from anchors where id = ${anchorId}
      on conflict do nothing`.execute(database.db)
  }
}

async function due(db: Deps['database']['db'], to: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with tried as (
      select count(*) filter (where state = 'failed' and requested_by = ${BY_ITSELF}) as failed,
        count(*) filter (where state = 'succeeded') as succeeded,
        count(*) filter (where finished_at is null) as open
      from upgrades where to_release = ${to}::jsonb)
    select a.id from anchors a, tried
    where a.running and a.provisioned_at is not null and a.removed_at is null
      and a.release <> ${to}::jsonb and tried.failed = 0
      -- What an administrator chose for this anchor alone stays.
      and not exists (select from upgrades u where u.anchor_id = a.id
        and (u.finished_at is null
          or (u.state = 'succeeded' and u.to_release = a.release and u.requested_by <> ${BY_ITSELF})))
      -- Never back: while control planes are replaced, an old one beside a new one would.
      and not exists (select from upgrades u where u.anchor_id = a.id and u.state = 'succeeded'
        and u.requested_by = ${BY_ITSELF} and u.from_release = ${to}::jsonb)
    order by a.created_at
    limit greatest(0, (case when (select succeeded from tried) > 0 then ${AT_ONCE} else 1 end)::bigint
      - (select open from tried))`.execute(db)
  return rows.map(row => row.id)
}

/** Writes down what an anchor runs from that was raised before this was written down. */
export async function noteRelease(
  { database, config }: Deps,
  anchorId: string,
  states: readonly (ServerState | null)[],
): Promise<void> {
  const version = states.find(state => state?.running)?.version
  const release: Release = { ...presentRelease(config), ...(version ? { version } : {}) }
  await database.db
    .updateTable('anchors')
    .set({ release: JSON.stringify(release) })
    .where('id', '=', anchorId)
    .where('release', 'is', null)
    .execute()
}
