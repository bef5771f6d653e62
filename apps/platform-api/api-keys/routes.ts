import {
  createApiKey,
  listApiKeys,
  reportKeyActs,
  revokeApiKey,
  rollApiKey,
  verifyApiKey,
} from '@windlass/contracts/platform/api-keys.ts'
import { linkNext, pageSize, pageStart } from '@windlass/service/http/pages.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { recordKeyActs } from './acts.ts'
import { listKeys, createKey, revokeKey, rollKey } from './manage.ts'
import { verifyKey } from './verify.ts'

export function apiKeyRoutes(on: On, deps: Deps): void {
  on(createApiKey).serve(({ principal, params, body }) =>
    createKey(deps, principal.userId, params.anchorId, body),
  )
  on(listApiKeys).serve(async ({ principal, params, query, request, reply }) => {
    const found = await listKeys(deps, principal.userId, params.anchorId, pageStart(query), pageSize(query))
    linkNext(request, reply, query, found)
    return found.map(({ key }) => key)
  })
  on(revokeApiKey).serve(async ({ principal, params }) => {
    await revokeKey(deps, principal.userId, params.anchorId, params.id)
    return { ok: true }
  })
  on(rollApiKey).serve(({ principal, params, body }) =>
    rollKey(deps, principal.userId, params.anchorId, params.id, body.overlapSeconds),
  )
  on(reportKeyActs).serve(async ({ principal, body }) => {
    await recordKeyActs(deps, principal, body.acts)
    return { ok: true }
  })
  on(verifyApiKey).serve(({ principal, body }) => verifyKey(deps, principal, body.key))
}
