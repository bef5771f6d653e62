import formbody from '@fastify/formbody'
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { explorerPage } from '../explorer/page.ts'
import { archiveRoutes } from './archive.ts'
import { friendbotRoutes } from './friendbot.ts'
import { requireOwnHost } from './hosts.ts'
import type { Instance } from './instance.ts'
import {
  badRequest,
  HorizonProblem,
  notFound,
  rateLimitExceeded,
  serverError,
  tooLarge,
  unsupportedMediaType,
} from './problems.ts'
import { historyRoutes } from './history-routes.ts'
import { baseUrl } from './requests.ts'
import { rootRecord } from './root.ts'
import { rpcRoutes } from './rpc.ts'
import { stateRoutes } from './state-routes.ts'
import { submissionRoutes } from './submission.ts'
import { version } from './version.ts'

/** Two megabytes: beyond any transaction, short of what would hurt. */
const bodyLimit = 2 * 1024 * 1024

/** The network over HTTP: Horizon's API, friendbot, a page for people. */
export async function buildServer(instance: Instance): Promise<FastifyInstance> {
  const app = Fastify({
    logger: { level: 'error' },
    bodyLimit,
    exposeHeadRoutes: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 300 },
    frameworkErrors: (error, request, reply) => answerError(error, request, reply),
  })
  app.removeAllContentTypeParsers()
  await app.register(formbody, { bodyLimit })
  app.setErrorHandler((error: FastifyError, request, reply) => answerError(error, request, reply))
  app.setNotFoundHandler((request, reply) => answerError(notFound(), request, reply))
  app.addHook('onRequest', async (request, reply) => {
    reply.header('access-control-allow-origin', '*')
    reply.header(
      'access-control-expose-headers',
      'Link,Date,Latest-Ledger,Retry-After,X-RateLimit-Limit,X-RateLimit-Remaining,X-RateLimit-Reset',
    )
    limitRate(instance, request, reply)
    if (request.method === 'OPTIONS') return preflight(reply)
  })
  app.addHook('onSend', async (request, reply, payload) => {
    if (request.url.startsWith('/rpc')) return payload
    if (String(reply.getHeader('content-type') ?? '').startsWith('application/json'))
      reply.header('content-type', 'application/hal+json; charset=utf-8')
    return payload
  })

  const served = methodsServed(app)

  app.get('/', (request, reply) => {
    reply.header('vary', 'accept')
    if (!(request.headers.accept ?? '').includes('text/html')) return rootRecord(instance, baseUrl(request))
    requireOwnHost(request, instance.allowedHosts)
    return reply.headers(explorerPage.headers).send(explorerPage.html)
  })
  app.get('/health', (_request, reply) => answerHealth(instance, reply))
  submissionRoutes(app, instance)
  friendbotRoutes(app, instance)
  historyRoutes(app, instance)
  archiveRoutes(app, instance)
  await app.register(async scope => stateRoutes(scope, instance))
  await app.register(async scope => rpcRoutes(scope, instance))
  refuseOtherMethods(app, new Map(served))
  return app
}

function methodsServed(app: FastifyInstance): ReadonlyMap<string, ReadonlySet<string>> {
  const served = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const known = served.get(url) ?? new Set()
    served.set(url, known)
    for (const each of [method].flat()) known.add(each)
  })
  return served
}

/** Answers 405 without a body, as Horizon's router does. */
function refuseOtherMethods(app: FastifyInstance, served: ReadonlyMap<string, ReadonlySet<string>>): void {
  for (const [url, methods] of served) {
    const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(each => !methods.has(each))
    const allow = [...methods].sort().join(', ')
    app.route({
      method: others,
      url,
      onRequest: async (_request, reply) => reply.code(405).header('allow', allow).send(),
      handler: () => undefined,
    })
  }
}

/** Friendbot is a service beside Horizon and has no limit. @throws HorizonProblem 429 */
function limitRate(instance: Instance, request: FastifyRequest, reply: FastifyReply): void {
  if (request.url.startsWith('/friendbot')) return
  const budget = instance.budget(request.ip)
  if (!budget) return
  reply.headers({
    'x-ratelimit-limit': String(budget.limit),
    'x-ratelimit-remaining': String(budget.remaining),
    'x-ratelimit-reset': String(budget.reset),
  })
  if (!budget.exceeded) return
  reply.header('retry-after', String(budget.reset))
  throw rateLimitExceeded()
}

/** Healthy while the store answers. */
function answerHealth({ database, latest }: Instance, reply: FastifyReply) {
  const body = (status: string) => ({
    status,
    service: 'local-network',
    version,
    database_connected: status === 'ok',
    core_up: true,
    core_synced: true,
    checks: { store: status, ledger: { sequence: latest.sequence } },
  })
  // Horizon sends this JSON as text.
  const send = (status: string) => reply.type('text/plain; charset=utf-8').send(JSON.stringify(body(status)))
  try {
    database.row('SELECT 1')
    return send('ok')
  } catch {
    reply.code(503)
    return send('failed')
  }
}

function preflight(reply: FastifyReply) {
  return reply
    .code(204)
    .headers({
      'access-control-allow-methods': 'GET, POST, OPTIONS',
      'access-control-allow-headers': '*',
      'access-control-max-age': '600',
    })
    .send()
}

function answerError(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  const problem = problemOf(error)
  if (problem.status >= 500 && !(error instanceof HorizonProblem)) request.log.error(error)
  void reply.code(problem.status).type('application/problem+json; charset=utf-8').send(problem.body())
}

function problemOf(error: Error): HorizonProblem {
  if (error instanceof HorizonProblem) return error
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500
  if (status === 413) return tooLarge()
  if (status === 415) return unsupportedMediaType()
  if (status === 404) return notFound()
  return status < 500 ? badRequest('request', 'the request could not be read') : serverError()
}
