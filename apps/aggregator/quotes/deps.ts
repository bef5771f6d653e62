import type { Rate } from '@windlass/service/http/rates.ts'
import type { RoutingDeps } from '../routing/deps.ts'
import type { FxProvider } from './fx.ts'

/** What quoting is given. */
export interface QuotesDeps extends RoutingDeps {
  fx: FxProvider
  /** Firm quotes of one client: each holds an anchor's capacity. */
  firmQuoteRate: Rate
}
