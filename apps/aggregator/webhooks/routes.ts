import * as contracts from '@windlass/contracts/aggregator/wallet-webhooks.ts'
import { answer } from '@windlass/service/http/answer.ts'
import { linkNext } from '@windlass/service/http/pages.ts'
import { deliveryForm } from '@windlass/service/outbound/webhook-endpoints.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { WebhookDeps } from './deps.ts'
import {
  addEndpoint,
  listDeliveries,
  listEndpoints,
  removeEndpoint,
  replay,
  webhookForm,
} from './endpoints.ts'
import { createKey, deleteKey, getKey, keyForm } from './keys.ts'
import { receiveCallback } from './receive-callback.ts'

export function serveWebhooks(on: On, deps: WebhookDeps): void {
  const { db } = deps.database
  on(contracts.createWalletKey).serve(async ({ body, request }) =>
    answer(201, await createKey(deps, body.name, request.clientAddress)),
  )
  on(contracts.getWalletKey).serve(async ({ principal }) => keyForm(deps, await getKey(db, principal.keyId)))
  on(contracts.deleteWalletKey).serve(async ({ principal }) => {
    await deleteKey(db, principal.keyId)
    return answer(204, undefined)
  })
  on(contracts.createWalletWebhook).serve(async ({ principal, body: { url, events = ['*'] } }) =>
    answer(201, await addEndpoint(deps, principal.keyId, url, events)),
  )
  on(contracts.listWalletWebhooks).serve(async ({ principal }) =>
    (await listEndpoints(db, principal.keyId)).map(webhookForm),
  )
  on(contracts.deleteWalletWebhook).serve(async ({ principal, params }) => {
    await removeEndpoint(db, principal.keyId, params.id)
    return answer(204, undefined)
  })
  on(contracts.listWalletDeliveries).serve(async ({ principal, query, request, reply }) => {
    const rows = await listDeliveries(db, principal.keyId, query)
    linkNext(request, reply, query, rows)
    return rows.map(deliveryForm)
  })
  on(contracts.replayWalletDelivery).serve(async ({ principal, params }) => {
    await deps.replayRate.demand(principal.keyId)
    return answer(202, deliveryForm(await replay(db, principal.keyId, params.id)))
  })
  on(contracts.receiveAnchorCallback).serve(async ({ request, params, raw }) => {
    await receiveCallback(deps, request, params, raw)
    return answer(204, undefined)
  })
}
