import {
  createSep31Transaction,
  getSep31Info,
  getSep31Transaction,
  patchSep31Transaction,
  putSep31Callback,
} from '@windlass/contracts/wallet/sep31.ts'
import { answer } from '@windlass/service/http/answer.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { badRequest } from '../errors.ts'
import { inLanguage } from '../requests/language.ts'
import { directForm } from '../transactions/direct-form.ts'
import { findDirectPayment, setDirectCallback, startDirectPayment } from './direct-payments.ts'
import { sep31Info } from './info.ts'

export function serveSep31(on: On, deps: Deps): void {
  on(getSep31Info).serve(async ({ query }) =>
    inLanguage(query.lang, sep31Info(deps.config.anchor, await deps.terms.current())),
  )
  on(createSep31Transaction).serve(async ({ principal, body, request }) =>
    answer(201, await startDirectPayment(deps, request, principal, body)),
  )
  on(getSep31Transaction).serve(async ({ principal, params }) => {
    const row = await findDirectPayment(deps, principal, params.id)
    return { transaction: inLanguage(row.lang, directForm(row)) }
  })
  on(patchSep31Transaction).serve(async ({ principal, params }) => {
    await findDirectPayment(deps, principal, params.id)
    throw badRequest('the transaction asked for no update; correct customers by SEP-12')
  })
  on(putSep31Callback).serve(async ({ principal, params, body }) => {
    await setDirectCallback(deps, principal, params.id, body.url)
    return answer(204, undefined)
  })
}
