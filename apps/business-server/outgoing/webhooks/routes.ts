import * as contracts from '@windlass/contracts/anchor/business-server.ts'
import { answer } from '@windlass/service/http/answer.ts'
import { linkNext } from '@windlass/service/http/pages.ts'
import { deliveryForm } from '@windlass/service/outbound/webhook-endpoints.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../../deps.ts'
import { addEndpoint, endpointForm, enqueueTest, listEndpoints, removeEndpoint, replay } from './endpoints.ts'

/** Webhook endpoints as operators manage them in the console. Developers manage the same with a key. */
export function serveWebhookAdmin(on: On, deps: Deps): void {
  const { db } = deps.database
  on(contracts.listAnchorWebhooks).serve(async ({ query, request, reply }) => {
    const rows = await listEndpoints(db, query)
    linkNext(request, reply, query, rows)
    return rows.map(endpointForm)
  })
  on(contracts.createAnchorWebhook).serve(async ({ body: { url, events = ['*'] } }) => {
    const { endpoint, secret } = await addEndpoint(deps, url, events, deps.config.local)
    return answer(201, { ...endpointForm(endpoint), secret })
  })
  on(contracts.deleteAnchorWebhook).serve(async ({ params }) => {
    await removeEndpoint(db, params.id)
    return answer(204, undefined)
  })
  on(contracts.testAnchorWebhook).serve(async ({ params }) =>
    answer(202, deliveryForm(await enqueueTest(db, params.id, deps.clock.now()))),
  )
  on(contracts.replayAnchorDelivery).serve(async ({ params }) =>
    answer(202, deliveryForm(await replay(db, params.id))),
  )
}
