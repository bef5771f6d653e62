import type { Principals } from '@windlass/contracts/realm.ts'
import type { RoutingPolicy } from '@windlass/contracts/routing.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'

/** Writes down who changed the policy. It follows the change, which another service has made already. */
export async function recordPolicy(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  admin: Principals['admin'],
  action: string,
  { id, version, weights, active }: RoutingPolicy,
): Promise<void> {
  const act = {
    actor: `admin:${admin.username}`,
    action,
    subject: `routing-policy:${id}`,
    details: { version, weights, active },
  }
  await database.db.transaction().execute(tx => record(tx, act, clock.now()))
}
