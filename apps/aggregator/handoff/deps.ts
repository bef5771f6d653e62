import type { RoutingDeps } from '../routing/deps.ts'
import type { Discoveries } from '../discovery/discoveries.ts'

/** What the handoff is given. */
export interface HandoffDeps extends RoutingDeps {
  discoveries: Discoveries
  /** Where a domain serves its discovery file. */
  urlOf(domain: string): string
}
