import { sameSecret } from '@windlass/service/http/client-address.ts'
import { millisecondsUntilDelivery } from '@windlass/service/work/outbox-rows.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { findTransaction } from '../transactions/transactions.ts'
import { openDetails } from '../transactions/details.ts'
import { platformForm } from '../transactions/events.ts'
import { answerBatch, listRecords } from './json-rpc.ts'

/** Topics of the outbox. */
const TOPICS = ['event', 'wallet-callback', 'customer-update', 'customer-callback']

/** The Platform API, for the business server only: it needs the link secret and answers 404 at the anchor's public host. */
export function servePlatformApi(app: FastifyInstance, deps: Deps): void {
  const { linkSecret, anchor } = deps.config
  const ours = new URL(anchor.sepServerUrl).host
  const publicHost = new URL(anchor.publicUrl).host
  const guard = async (request: FastifyRequest) => {
    const { host } = request.headers
    if (host === publicHost && publicHost !== ours)
      throw new Problem('not-found', 'There is nothing at this address.')
    const key = request.headers['x-api-key']
    if (typeof key !== 'string' || !sameSecret(key, linkSecret)) {
      throw new Problem('unauthenticated', 'Send the link secret in X-Api-Key.')
    }
  }
  const guarded = { onRequest: guard }
  const json = { ...guarded, config: { body: 'json' as const }, bodyLimit: 1024 * 1024 }
  app.post('/', json, async request => answerBatch(deps, request.body))
  app.get('/work', guarded, async () => ({
    dueInMs: await millisecondsUntilDelivery(deps.database.db, TOPICS),
  }))
  app.get('/transactions', guarded, async request => listRecords(deps.database.db, request.query))
  app.get('/transactions/:id', guarded, async request => {
    const { id } = request.params as { id: string }
    const row = await findTransaction(deps.database.db, id)
    if (!row) throw new Problem('not-found', 'There is no transaction with this id.')
    return { ...platformForm(row), fields: openDetails(deps.sealer, row) }
  })
}
