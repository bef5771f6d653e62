import * as contracts from '@windlass/contracts/aggregator/registry.ts'
import { answer } from '@windlass/service/http/answer.ts'
import { linkNext } from '@windlass/service/http/pages.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { RegistryDeps } from './deps.ts'
import { publish } from './entry.ts'
import { listEntries } from './list.ts'
import { register, remove } from './register.ts'

export function serveRegistry(on: On, deps: RegistryDeps): void {
  on(contracts.registerAnchor).serve(async ({ body }) => {
    const { entry, isNew } = await register(deps, body)
    return answer(isNew ? 201 : 200, { anchor: publish(entry) })
  })

  on(contracts.listAnchors).serve(({ query, request, reply }) => {
    const entries = listEntries(deps.index, query)
    linkNext(request, reply, query, entries)
    return { anchors: entries.map(publish), ...(deps.databaseUp() ? {} : { stale: true }) }
  })

  on(contracts.removeRegistryEntry).serve(async ({ params }) => {
    await remove(deps, params.id)
    return { ok: true }
  })
}
