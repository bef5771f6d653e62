import type { Ingress } from '@windlass/service/outbound.ts'
import type { RoutingDeps } from '../routing/deps.ts'
import type { Discoveries } from '../discovery/discoveries.ts'

/** What the handoff is given. */
export interface HandoffDeps extends RoutingDeps {
  config: RoutingDeps['config'] & { local: boolean; outbound: { ingress?: Ingress } }
  discoveries: Discoveries
}
