import {
  createApiKey,
  listApiKeys,
  revokeApiKey,
  rollApiKey,
  verifyApiKey,
} from '@windlass/contracts/api-keys.ts'
import type { On } from '@windlass/service/server.ts'
import type { Deps } from '../deps.ts'
import { listKeys, createKey, revokeKey, rollKey } from './manage.ts'
import { verifyKey } from './verify.ts'

export function apiKeyRoutes(on: On, deps: Deps): void {
  on(createApiKey).serve(({ principal, params, body }) =>
    createKey(deps, principal.userId, params.anchorId, body),
  )
  on(listApiKeys).serve(({ principal, params }) => listKeys(deps, principal.userId, params.anchorId))
  on(revokeApiKey).serve(async ({ principal, params }) => {
    await revokeKey(deps, principal.userId, params.anchorId, params.id)
    return { ok: true }
  })
  on(rollApiKey).serve(({ principal, params, body }) =>
    rollKey(deps, principal.userId, params.anchorId, params.id, body.overlapSeconds),
  )
  on(verifyApiKey).serve(({ principal, body }) => verifyKey(deps, principal, body.key))
}
