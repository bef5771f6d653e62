import type { RegistryDeps } from '../registry/deps.ts'
import type { Corridors } from './corridors.ts'
import type { DecisionJournal } from './journal.ts'
import type { Misses } from './misses.ts'
import type { Policies } from './policies.ts'
import type { Ranker } from './ranker.ts'

/** What routing is given. */
export interface RoutingDeps extends RegistryDeps {
  config: RegistryDeps['config'] & { serviceSecret: string }
  corridors: Corridors
  ranker: Ranker
  policies: Policies
  journal: DecisionJournal
  misses: Misses
}
