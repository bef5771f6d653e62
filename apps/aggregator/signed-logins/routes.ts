import * as contracts from '@windlass/contracts/aggregator/signed-logins.ts'
import { answer } from '@windlass/service/http/answer.ts'
import type { On } from '@windlass/service/http/server.ts'
import { collectLogin, deliverLogin, openLogin, type SignedLoginDeps } from './signed-logins.ts'

export function serveSignedLogins(on: On, deps: SignedLoginDeps): void {
  on(contracts.openSignedLogin).serve(async ({ body, request }) =>
    answer(201, await openLogin(deps, body, request.clientAddress)),
  )
  on(contracts.deliverSignedLogin).serve(async ({ params, body, request }) => {
    await deliverLogin(deps, params.id, body.xdr, request.clientAddress)
    return { ok: true }
  })
  on(contracts.collectSignedLogin).serve(async ({ params, body }) => {
    const sealed = await collectLogin(deps, params.id, body.secret)
    return { sealed: sealed?.toString('base64url') ?? null }
  })
}
