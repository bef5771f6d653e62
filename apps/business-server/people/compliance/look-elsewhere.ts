import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { lockScreening } from './lists.ts'
import { askForMoved, hoursElsewhere, PERSON, roundTrips, type WithSame } from './round-trips.ts'
import { holdFor, type Movement } from './velocity.ts'
import { currentRules, lockVelocity } from './velocity-rules.ts'

/*
 * Money that left here may come in at another anchor later. So the platform is asked every hour about those who moved money here,
 * and what exceeds a rule opens a case about their last transfer, though nothing is held any more.
 */

export const elsewhereDueAt = sql<Date | null>`
  select case when exists (
    select from (select rules from velocity_rules order by version desc limit 1) newest,
      jsonb_array_elements(newest.rules) as rule where rule ->> 'kind' = 'round-trip')
  then coalesce((select at + interval '1 hour' from elsewhere_asked), now()) end`

/** Looks for round trips that ended elsewhere. */
export async function lookElsewhere(
  deps: Deps,
  movementOf: (id: string) => Promise<Movement | null>,
  withSame: WithSame,
): Promise<void> {
  const { db } = deps.database
  const hours = await hoursElsewhere(db)
  const at = deps.clock.now()
  await db
    .insertInto('elsewhere_asked')
    .values({ at })
    .onConflict(conflict => conflict.column('only_one').doUpdateSet({ at }))
    .execute()
  if (hours === 0 || !(await askForMoved(deps, hours, withSame))) return
  let found = 0
  for (const id of await lastTransfers(deps, new Date(at.getTime() - hours * 3_600_000), withSame)) {
    // One transfer that cannot be counted hides nobody else's round trip.
    try {
      const movement = await movementOf(id)
      if (movement) found += await openCase(deps, { id, movement, at })
    } catch (error) {
      deps.logger.error({ err: error, transfer: id }, 'a transfer was not compared with what moved elsewhere')
    }
  }
  if (found > 0) deps.wake.emit('conditions')
}

/** The last transfer each way, in each asset, of each customer who moved money elsewhere too, under whatever address. */
async function lastTransfers({ database: { db } }: Deps, since: Date, withSame: WithSame): Promise<string[]> {
  const moved = await db.selectFrom('movements_elsewhere').select('person').distinct().execute()
  const persons = await withSame(moved.map(({ person }) => person))
  const keys = persons.map(each => `${PERSON}${each}`)
  const { rows } = await sql<{ id: string }>`
    select distinct on (p.key, m.direction, m.asset) m.transfer_id as id
    from velocity_movements m join velocity_parties p using (transfer_id)
    where m.at > ${since} and p.kind = 'customer' and p.key = any(${keys}::text[])
    order by p.key, m.direction, m.asset, m.at desc, m.transfer_id`.execute(db)
  return rows.map(({ id }) => id)
}

/** @returns how many hits are new. */
async function openCase(deps: Deps, counted: { id: string; movement: Movement; at: Date }): Promise<number> {
  return deps.database.db.transaction().execute(async tx => {
    await lockScreening(tx, 'shared')
    await lockVelocity(tx)
    const known = await tx
      .selectFrom('screening_hits')
      .select('id')
      .where('transfer_id', '=', counted.id)
      .where(sql<boolean>`velocity -> 'rule' ->> 'kind' = 'round-trip'`)
      .executeTakeFirst()
    if (known) return 0
    const findings = await roundTrips(deps, tx, await currentRules(tx), counted, 'counts')
    await holdFor(tx, counted.id, findings)
    return findings.length
  })
}
