import * as contracts from '@windlass/contracts/wallet/sep2.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { dropName, findRecord, ownRecord, takeName } from './names.ts'

export function serveSep2(on: On, deps: Deps): void {
  on(contracts.getFederationRecord).serve(({ query }) => findRecord(deps, query.type, query.q))
  on(contracts.getFederationName).serve(({ principal }) => ownRecord(deps, principal))
  on(contracts.setFederationName).serve(({ principal, body }) => takeName(deps, principal, body.name))
  on(contracts.deleteFederationName).serve(async ({ principal }) => {
    await dropName(deps, principal)
    return { ok: true }
  })
}
