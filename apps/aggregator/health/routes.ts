import * as contracts from '@windlass/contracts/aggregator/registry.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { RegistryDeps } from '../registry/deps.ts'
import { publish } from '../registry/entry.ts'
import { findEntry } from '../registry/find.ts'
import { healthOf, historyOf, minutesOf } from './history.ts'

export function serveHealth(on: On, deps: RegistryDeps): void {
  on(contracts.getRegistryEntry).serve(async ({ params }) => {
    const entry = findEntry(deps.index, params.id)
    return { anchor: publish(entry), ...(await healthOf(deps, entry)) }
  })

  on(contracts.getAnchorHistory).serve(async ({ params }) =>
    historyOf(deps, findEntry(deps.index, params.id)),
  )

  on(contracts.getAnchorHealth).serve(async ({ params }) => minutesOf(deps, findEntry(deps.index, params.id)))
}
