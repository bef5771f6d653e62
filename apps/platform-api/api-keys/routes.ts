import {
  createApiKey,
  listApiKeys,
  reportKeyActs,
  revokeApiKey,
  rollApiKey,
  verifyApiKey,
} from '@windlass/contracts/platform/api-keys.ts'
import { linkNext, pageSize, pageStart } from '@windlass/service/http/pages.ts'
import { createRate } from '@windlass/service/http/rates.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { recordKeyActs } from './acts.ts'
import { listKeys, createKey, revokeKey, rollKey } from './manage.ts'
import { verifyKey } from './verify.ts'

/** What the keys of one anchor do in a day: entries are permanent. The anchor tells the rest later. */
const ACTS_OF_A_DAY = 10_000

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
  const told = createRate(deps.database.pool, 'key-acts', ACTS_OF_A_DAY, 86_400)
  on(reportKeyActs).serve(async ({ principal, body }) => {
    if (principal.kind === 'anchor') await told.demand(principal.anchorId, body.acts.length)
    await recordKeyActs(deps, principal, body.acts)
    return { ok: true }
  })
  on(verifyApiKey).serve(({ principal, body }) => verifyKey(deps, principal, body.key))
}
