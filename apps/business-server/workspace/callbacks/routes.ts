import {
  CLIENT_ADDRESS_HEADER,
  isDeposit,
  MAX_FILE_BYTES,
  type PlatformEvent,
  type PlatformTransaction,
  type RateRequest,
  SEP_RUN_HEADER,
} from '@windlass/contracts/anchor/anchor-platform.ts'
import type { PublicTerms } from '@windlass/contracts/anchor/anchor-settings.ts'
import { streamBody } from '@windlass/service/http/bodies.ts'
import { isUuid } from '@windlass/service/postgres/uuid.ts'
import { sameSecret } from '@windlass/service/http/client-address.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import { currentOrigin } from '@windlass/service/observe/request-context.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { deleteWaitingFile, receiveFile } from '../../people/customers/files.ts'
import { answerCustomer, deleteCustomer, putCustomer } from '../../people/customers/sep12.ts'
import type { Deps } from '../../deps.ts'
import { payDeposit } from '../../transfers/sandbox/pay-deposit.ts'
import { answerRate } from '../../transfers/quotes/answer-rate.ts'
import { unpriced } from '../../money/pricing/unpriced.ts'
import { currentSettings } from '../../money/settings/settings.ts'
import { acceptTransaction } from '../../transfers/accept.ts'
import { setOrigin } from '../../transfers/change.ts'
import { changeDestination, continueTransfer, startDirectPayment } from '../../transfers/continue.ts'
import { detachCustomer } from '../../transfers/detach-customer.ts'
import { whetherServed } from '../../transfers/countries.ts'
import { withTravelData } from '../../transfers/travel-data.ts'

/** The Callback API, for the SEP server alone: it needs the link secret, and the proxy does not route it. */
export function serveCallbacks(app: FastifyInstance, deps: Deps): void {
  const guard = async (request: FastifyRequest) => {
    const key = request.headers['x-api-key']
    if (typeof key !== 'string' || !sameSecret(key, deps.config.secrets.link)) {
      throw new Problem('unauthenticated', 'Send the link secret in X-Api-Key.')
    }
    const run = request.headers[SEP_RUN_HEADER]
    if (typeof run === 'string') deps.sepRuns.see(run, deps.clock.now())
  }
  const guarded = { onRequest: guard }
  const json = { ...guarded, config: { body: 'json' as const } }
  const uploads = { ...guarded, config: { body: 'streamed' as const }, bodyLimit: MAX_FILE_BYTES }

  app.get('/customer', guarded, async request => {
    const { id, account, memo, or_described, type } = texts(request.query)
    const orDescribed = or_described !== undefined
    const { answer, isDirect } = await answerCustomer(deps, { id, account, memo, type, orDescribed })
    return withTravelData(deps, await whetherServed(deps, answer, !isDirect))
  })
  app.put('/customer/files/:id', uploads, async request => {
    const { name = 'file' } = texts(request.query)
    return receiveFile(deps, { id: fileId(request), name }, streamBody(request))
  })
  app.delete('/customer/files/:id', guarded, async (request, reply) => {
    await deleteWaitingFile(deps.database.db, fileId(request))
    return reply.code(204).send()
  })
  app.put('/customer', json, async request => {
    const {
      id,
      account,
      memo,
      memo_type: _,
      type,
      lang: __,
      transaction_id: ___,
      ...given
    } = texts(request.body)
    if (!account) throw invalid('account', 'is needed')
    const client = request.headers[CLIENT_ADDRESS_HEADER]
    return putCustomer(
      deps,
      { id, account, memo, type },
      given,
      typeof client === 'string' ? client : undefined,
    )
  })
  app.delete('/customer/:id', guarded, async request =>
    deleteCustomer(deps, texts(request.params).id ?? '', detachCustomer),
  )
  app.get('/terms', guarded, async (): Promise<PublicTerms> => {
    const { version, settings } = await currentSettings(deps, deps.database.db)
    return { version, settings, unpriced: unpriced(deps) }
  })
  app.get('/rate', guarded, async request => answerRate(deps, rateRequest(texts(request.query))))
  app.post('/direct-payments', json, async request => {
    const transaction = request.body
    if (!isTransaction(transaction)) throw invalid('body', 'is not a transaction')
    return startDirectPayment(deps, transaction)
  })
  app.post('/sandbox/deposits/:id/payment', json, async request => {
    const { slow } = (request.body ?? {}) as { slow?: unknown }
    const payment = { amount: texts(request.body).amount, slow: slow === true }
    return payDeposit(deps, texts(request.params).id ?? '', payment)
  })
  app.post('/event', json, async (request, reply) => {
    if (!isEvent(request.body)) throw invalid('body', 'is not an event')
    await receiveEvent(deps, request.body)
    return reply.code(204).send()
  })
}

function fileId(request: FastifyRequest): string {
  const { id = '' } = texts(request.params)
  if (!isUuid(id)) throw invalid('id', 'must be a UUID')
  return id
}

/** Checks only what the SEP server has always sent, in this version and the one before. */
function isEvent(body: unknown): body is PlatformEvent {
  const { type, payload } = (body ?? {}) as { type?: unknown; payload?: { transaction?: unknown } | null }
  if (typeof type !== 'string' || typeof payload !== 'object' || payload === null) return false
  const { transaction } = payload
  return transaction === undefined || isTransaction(transaction)
}

function isTransaction(body: unknown): body is PlatformTransaction {
  const { id, kind, creator } = (body ?? {}) as {
    id?: unknown
    kind?: unknown
    creator?: { account?: unknown }
  }
  return typeof id === 'string' && typeof kind === 'string' && typeof creator?.account === 'string'
}

async function receiveEvent(deps: Deps, event: PlatformEvent): Promise<void> {
  const { transaction } = event.payload
  if (!transaction) return
  const { id, sep, kind, status, fields = {} } = transaction
  // The wallet sent another account (SEP-6 `PATCH`).
  if (event.type === 'transaction_status_changed' && sep === '6' && status === 'pending_anchor') {
    if (!isDeposit(kind))
      await changeDestination(deps, (await acceptTransaction(deps, transaction)).id, fields)
    return
  }
  if (event.type !== 'transaction_created') return
  const { origin: begun } = await acceptTransaction(deps, transaction)
  const origin = currentOrigin()
  const isKnown = begun?.requestId === origin?.requestId && begun?.traceparent === origin?.traceparent
  if (origin && !isKnown) await setOrigin(deps.database.db, id, origin)
  if (sep !== '24') await continueTransfer(deps, id)
}

function rateRequest(query: Record<string, string>): RateRequest {
  const { type, sell_asset, buy_asset } = query
  if (type !== 'indicative' && type !== 'firm') throw invalid('type', 'must be indicative or firm')
  if (!sell_asset || !buy_asset) throw invalid('sell_asset', 'and buy_asset are needed')
  return { ...query, type, sell_asset, buy_asset }
}

/** Only texts: the SEP server sends nothing else. */
function texts(value: unknown): Record<string, string> {
  const given = Object.entries((value ?? {}) as Record<string, unknown>)
  return Object.fromEntries(given.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}
