import type { Idempotency } from '@windlass/service/http/idempotency.ts'
import { unavailable } from '@windlass/service/http/problem.ts'

interface Watched {
  databaseUp(): boolean
}

/** Refuses a write at once while the database is known to be away. Throws `dependency-unavailable`. */
export function demandDatabase({ databaseUp }: Watched): void {
  if (!databaseUp()) throw unavailable('The database')
}

/** The same, before an Idempotency-Key is looked up: an endpoint that takes one writes. */
export const demandingDatabase = (deps: Watched, { once }: Idempotency): Idempotency => ({
  once: async (...call) => {
    demandDatabase(deps)
    return once(...call)
  },
})
