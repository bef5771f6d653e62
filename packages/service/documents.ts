import swagger from '@fastify/swagger'
import { ProblemDocument } from '@windlass/contracts/common.ts'
import type { Endpoint } from '@windlass/contracts/endpoint.ts'
import { problems, type ProblemCode } from '@windlass/contracts/problems.ts'
import type { Realm } from '@windlass/contracts/realm.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { readFile } from 'node:fs/promises'
import packageFile from '../../package.json' with { type: 'json' }
import { Problem } from './problem.ts'
import type { ServerOptions } from './server.ts'

const cookieScheme = (name: string) => ({ type: 'apiKey', in: 'cookie', name }) as const
const securitySchemes = {
  operator: cookieScheme('ns_session'),
  admin: cookieScheme('ns_admin'),
  customer: cookieScheme('ns_customer'),
  internal: { type: 'apiKey', in: 'header', name: 'x-service-secret' },
  service: { type: 'apiKey', in: 'header', name: 'x-service-secret' },
  'anchor-admin': { type: 'apiKey', in: 'header', name: 'x-service-secret' },
  developer: { type: 'http', scheme: 'bearer' },
  wallet: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
} as const satisfies Record<Exclude<Realm, 'public'>, unknown>

/** `/openapi.json` (OpenAPI 3.1), the browsable reference at `/docs`, and a page for each problem. */
export async function publishDocuments(app: FastifyInstance, options: ServerOptions): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: `Windlass ${options.name}`,
        version: packageFile.version,
        description: options.description ?? '',
      },
      components: { securitySchemes },
    },
  })
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
  app.get('/docs/problems/:code', { schema: { hide: true } }, async (request, reply) => {
    const page = await problemPage((request.params as { code: string }).code)
    return reply.type('text/markdown; charset=utf-8').header('content-disposition', 'inline').send(page)
  })
  publishReference(app)
}

// The reference is one script of its own that styles itself; nothing is fetched from elsewhere.
const REFERENCE_CSP =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:"

/** Its script is megabytes that would lie in the memory of every server: loaded when somebody first asks for it. */
function publishReference(app: FastifyInstance): void {
  let opening: Promise<FastifyInstance> | undefined
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    opening ??= import('./reference.ts').then(({ openReference }) => openReference())
    const reference = await opening
    const { statusCode, headers, rawPayload } = await reference.inject({ url: request.url })
    if (statusCode >= 400) throw new Problem('not-found', 'There is no such page of the reference.')
    for (const name of ['content-type', 'location']) if (headers[name]) reply.header(name, headers[name])
    return reply.code(statusCode).header('content-security-policy', REFERENCE_CSP).send(rawPayload)
  }
  app.get('/docs', { schema: { hide: true } }, answer)
  app.get('/docs/*', { schema: { hide: true } }, answer)
  app.addHook('onClose', async () => (await opening)?.close())
}

async function problemPage(code: string): Promise<string> {
  if (!Object.hasOwn(problems, code)) throw new Problem('not-found', 'There is no such problem.')
  const file = new URL(`../../docs/problems/${code}.md`, import.meta.url)
  return readFile(file, 'utf8').catch(() => `# ${problems[code as ProblemCode].title}\n`)
}

const everywhere: readonly ProblemCode[] = ['validation-failed', 'too-many-requests', 'internal-error']

/** A route's schema as Fastify serializes and `@fastify/swagger` prints it. */
export function routeSchema(endpoint: Endpoint): FastifySchema {
  const schema: FastifySchema & Record<string, unknown> = {
    summary: endpoint.summary,
    tags: [endpoint.realm],
    response: { ...successes(endpoint), ...refusals(endpoint) },
  }
  if (endpoint.params) schema.params = endpoint.params
  if (endpoint.query) schema.querystring = endpoint.query
  if (endpoint.body && !endpoint.raw) schema.body = endpoint.body
  if (endpoint.realm !== 'public') schema.security = [{ [endpoint.realm]: [] }]
  return schema
}

function successes(endpoint: Endpoint): Record<string, unknown> {
  if (endpoint.events)
    return { 200: { content: { 'text/event-stream': { schema: endpoint.response[200] } } } }
  if (endpoint.file) return { 200: { description: 'The file', content: { [endpoint.file]: { schema: {} } } } }
  return Object.fromEntries(
    Object.entries(endpoint.response).map(([status, schema]) => [
      status,
      status === '204'
        ? { type: 'null', description: 'Done; no body' }
        : { description: 'Success', ...schema },
    ]),
  )
}

function refusals(endpoint: Endpoint): Record<string, unknown> {
  const codes = [
    ...everywhere,
    ...(endpoint.realm === 'public' ? [] : (['unauthenticated'] as const)),
    ...(endpoint.problems ?? []),
  ]
  const byStatus = Map.groupBy(codes, code => problems[code].status)
  return Object.fromEntries(
    [...byStatus]
      .filter(([status]) => !(status in endpoint.response))
      .map(([status, list]) => [
        status,
        {
          description: list.join(', '),
          content: { 'application/problem+json': { schema: ProblemDocument } },
        },
      ]),
  )
}
