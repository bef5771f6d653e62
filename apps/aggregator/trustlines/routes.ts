import { getTrustlineState } from '@windlass/contracts/aggregator/trustlines.ts'
import type { On } from '@windlass/service/http/server.ts'
import { trustlineState, type TrustlineDeps } from './trustline-state.ts'

export const serveTrustlines = (on: On, deps: TrustlineDeps): void =>
  void on(getTrustlineState).serve(({ query, request }) => trustlineState(deps, query, request.clientAddress))
