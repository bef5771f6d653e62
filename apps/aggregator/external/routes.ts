import { registerExternalAnchor } from '@windlass/contracts/aggregator/registry.ts'
import { answer } from '@windlass/service/http/answer.ts'
import type { On } from '@windlass/service/http/server.ts'
import { publish } from '../registry/entry.ts'
import { registerExternal, type ExternalDeps } from './register.ts'

export function serveExternal(on: On, deps: ExternalDeps): void {
  on(registerExternalAnchor).serve(async ({ body, request }) => {
    const { entry, isNew, steps } = await registerExternal(deps, body.homeDomain, request.clientAddress)
    return answer(isNew ? 201 : 200, { anchor: publish(entry), steps })
  })
}
