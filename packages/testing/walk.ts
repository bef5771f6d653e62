import type { Endpoint } from '@windlass/contracts/endpoint.ts'
import { type ProblemCode, problems } from '@windlass/contracts/problems.ts'
import {
  adminRoles,
  includesRole,
  type AdminRole,
  type ApiKeyScope,
  type Realm,
} from '@windlass/contracts/realm.ts'
import fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import { globSync } from 'node:fs'
import { answerChecks, type AnswerChecks } from './answer-checks.ts'
import { fileURLToPath } from 'node:url'

const CONTRACTS = fileURLToPath(new URL('../contracts/', import.meta.url))

/** Every endpoint that a file of packages/contracts exports: a new one is included once it is declared. */
export async function declaredEndpoints(): Promise<Endpoint[]> {
  const files = globSync('{,*/}*.ts', { cwd: CONTRACTS }).filter(file => !file.endsWith('.test.ts'))
  const modules = await Promise.all(files.map(file => import(`${CONTRACTS}${file}`) as Promise<object>))
  const endpoints = modules.flatMap(module => Object.values(module)).filter(isEndpoint)
  if (endpoints.length < 100) throw new Error(`only ${endpoints.length} endpoints were found`)
  return [...new Set(endpoints)]
}

/** Those that an application serves. */
export async function endpointsOf(app: InjectableApp): Promise<Endpoint[]> {
  return (await declaredEndpoints()).filter(({ method, path }) => app.hasRoute({ method, url: path }))
}

/** Asks an application without a network. */
export function sendTo(app: InjectableApp): Walk['send'] {
  return async ({ method, url, headers, payload }) => {
    const answer = await app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) })
    const contentType = String(answer.headers['content-type'] ?? '')
    const cacheControl = String(answer.headers['cache-control'] ?? '')
    const isCounted = answer.headers.ratelimit !== undefined
    return { status: answer.statusCode, body: answer.body, contentType, cacheControl, isCounted }
  }
}

type InjectableApp = Pick<FastifyInstance, 'inject' | 'hasRoute'>

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'realm' in value && 'method' in value && 'path' in value

interface WalkedRequest {
  endpoint: Endpoint
  method: Endpoint['method']
  url: string
  headers: Record<string, string>
  payload?: string
}

interface WalkedAnswer {
  status: number
  body: string
  contentType?: string
  cacheControl?: string
  /** It says how many requests are left. */
  isCounted?: boolean
}

export interface Walk {
  endpoints: readonly Endpoint[]
  send(request: WalkedRequest): Promise<WalkedAnswer>
  /** The credential headers of each realm of the service; `renew` after a 401, since some endpoints sign out. */
  credentials: Partial<Record<Realm, (renew?: 'renew') => Promise<Record<string, string>>>>
  /** The headers of a developer's key with these scopes alone: endpoints that need another must answer 403. */
  keyWith?(scopes: readonly ApiKeyScope[]): Record<string, string>
  /** The credential headers of an administrator of each role. */
  roles?: Readonly<Record<AdminRole, () => Promise<Record<string, string>>>>
  /** Ids of another tenant, by the name of the path parameter. */
  foreignIds: Readonly<Record<string, readonly string[]>>
  /** Ids that the credentials may use: the documents' examples are asked with them. */
  ownIds?: Readonly<Record<string, string>>
  /** The files of docs/api that declare the endpoints: every answer is checked against them. */
  documents?: readonly string[]
}

interface OtherRoutes extends Partial<Pick<Walk, 'credentials'>> {
  /** Sent with every request. */
  headers?: Record<string, string>
  /** Routes that need a credential: each is tried without it, and with it and garbage. */
  guarded?: { routes: readonly string[]; credential: Record<string, string> }
  /** Routes whose answers do not end, such as event streams. */
  except?: readonly string[]
}

/**
 * Walks every route of a service that no contract declares, such as pages and the interfaces between an anchor's
 * servers. A new one is walked by being served.
 */
export async function walkOtherRoutes(
  { app, routes }: { app: InjectableApp; routes: readonly string[] },
  { credentials = {}, headers = {}, guarded, except = [] }: OtherRoutes = {},
): Promise<string[]> {
  const declared = new Set((await declaredEndpoints()).map(({ method, path }) => `${method} ${path}`))
  const others = [...new Set(routes)].filter(
    route => !declared.has(route) && !/^(HEAD|OPTIONS) /.test(route) && !except.includes(route),
  )
  const missing = [...(guarded?.routes ?? []), ...except].filter(route => !routes.includes(route))
  const faults = missing.map(route => `${route} is not served`)
  const send: Walk['send'] = request =>
    sendTo(app)({ ...request, headers: { ...headers, ...request.headers } })
  for (const route of others) {
    const endpoint = undeclared(route)
    const own = guarded?.routes.includes(route) ? guarded.credential : undefined
    const walk: Walk = {
      endpoints: [own ? { ...endpoint, realm: 'service' } : endpoint],
      send,
      credentials: { ...credentials, ...(own ? { service: async () => own } : {}) },
      foreignIds: {},
    }
    faults.push(...(await walkEndpoints(walk)))
  }
  return faults
}

/** A route of which nothing is known: any body that JSON can hold, any query. */
function undeclared(route: string): Endpoint {
  const [method = '', path = ''] = route.split(' ')
  const anything = { type: 'object', properties: {}, additionalProperties: true }
  return {
    realm: 'public',
    method: method as Endpoint['method'],
    path: path.replaceAll('*', ':rest'),
    summary: '',
    ...(method === 'GET' || method === 'DELETE' ? { query: ANY_QUERY } : { body: anything }),
    response: {},
  } as unknown as Endpoint
}

const ANY_QUERY = {
  type: 'object',
  properties: Object.fromEntries(
    ['account', 'id', 'token', 'transaction_id', 'limit', 'cursor', 'domain'].map(name => [
      name,
      { type: 'string' },
    ]),
  ),
}

const ANSWERS_WITHIN_MS = 10_000
const GARBAGE_PER_ENDPOINT = 12

/** The other realms whose credential a realm accepts. */
const ALSO: Partial<Record<Realm, readonly Realm[]>> = { internal: ['service'] }

/**
 * Calls every endpoint without a credential, with that of every other realm, with another tenant's ids and with random
 * values of the declared shape. Returns one line for each fault: a foreign credential or id that is accepted, an
 * undeclared 5xx, a missing response.
 */
export async function walkEndpoints(walk: Walk): Promise<string[]> {
  const faults: string[] = []
  const checks = walk.documents && answerChecks(walk.documents)
  if (checks) faults.push(...(await tryExamples(walk, checks)))
  walk = checkLimits(checkCaching(checks ? checkAnswers(walk, checks, faults) : walk, faults), faults)
  for (const endpoint of walk.endpoints) {
    if (endpoint.realm === 'public' && Object.keys(endpoint.response).length > 0 && !endpoint.limit)
      faults.push(`${nameOf(endpoint)} needs no credential and declares no limit`)
    faults.push(...(await tryCredentials(walk, endpoint)))
    faults.push(...(await tryScopes(walk, endpoint)))
    faults.push(...(await tryRoles(walk, endpoint)))
    faults.push(...(await tryForeignIds(walk, endpoint)))
    faults.push(...(await tryGarbage(walk, endpoint)))
  }
  return faults
}

/** Reports each answer that its document does not declare, once for each endpoint and status. */
function checkAnswers(walk: Walk, checks: AnswerChecks, faults: string[]): Walk {
  const reported = new Set<string>()
  const send: Walk['send'] = async request => {
    const answer = await walk.send(request)
    const { endpoint } = request
    const key = `${nameOf(endpoint)} ${answer.status}`
    const fault = checks.faultOf(endpoint, { contentType: '', ...answer })
    if (fault && !reported.has(key)) faults.push(`${nameOf(endpoint)} ${fault}`)
    if (fault) reported.add(key)
    return answer
  }
  return { ...walk, send }
}

/** Reports, once for each endpoint, requests that are counted where 429 is not declared, or the other way round. */
function checkLimits(walk: Walk, faults: string[]): Walk {
  const reported = new Set<Endpoint>()
  const send: Walk['send'] = async request => {
    const answer = await walk.send(request)
    const { endpoint } = request
    const isDeclared = endpoint.problems?.includes('too-many-requests') ?? false
    const uncounted = endpoint.limit === 'client' && answer.status < 400 && answer.isCounted === false
    if (((answer.isCounted && !isDeclared) || uncounted) && !reported.has(endpoint)) {
      faults.push(
        `${nameOf(endpoint)} ${uncounted ? 'declares a limit and counts nothing' : 'counts requests and does not declare 429'}`,
      )
      reported.add(endpoint)
    }
    return answer
  }
  return { ...walk, send }
}

/** Reports, once for each endpoint, an answer to someone with a credential that browsers and proxies may keep. */
function checkCaching(walk: Walk, faults: string[]): Walk {
  const reported = new Set<Endpoint>()
  const send: Walk['send'] = async request => {
    const answer = await walk.send(request)
    const { endpoint } = request
    const mayBeKept = answer.cacheControl !== undefined && !answer.cacheControl.includes('no-store')
    if (endpoint.realm !== 'public' && mayBeKept && !reported.has(endpoint)) {
      faults.push(`${nameOf(endpoint)} answers ${answer.status} without Cache-Control: no-store`)
      reported.add(endpoint)
    }
    return answer
  }
  return { ...walk, send }
}

/** Sends what the documents show, reads before writes: much of it succeeds, and is checked too. */
async function tryExamples(walk: Walk, checks: AnswerChecks): Promise<string[]> {
  const faults: string[] = []
  const checked = checkAnswers(walk, checks, faults)
  const readsFirst = walk.endpoints.toSorted(
    (a, b) => Number(a.method !== 'GET') - Number(b.method !== 'GET'),
  )
  let renew: 'renew' | undefined
  for (const endpoint of readsFirst) {
    // A stream ends when the connection does.
    if (endpoint.events) continue
    const example = checks.exampleOf(endpoint)
    const request = {
      endpoint,
      method: endpoint.method,
      url: urlOf(endpoint, { ...example.params, ...walk.ownIds }, example.query),
      ...(example.body === undefined ? {} : { payload: JSON.stringify(example.body) }),
    }
    const { status } = await ask(checked, request, (await walk.credentials[endpoint.realm]?.(renew)) ?? {})
    renew = status === 401 ? 'renew' : undefined
    if (status === 500) faults.push(`${nameOf(endpoint)} with its document's example: 500`)
  }
  return faults
}

async function tryCredentials(walk: Walk, endpoint: Endpoint): Promise<string[]> {
  const { realm } = endpoint
  if (realm === 'public') return []
  const others = Object.entries(walk.credentials).filter(
    ([other]) => other !== realm && !ALSO[realm]?.includes(other as Realm),
  )
  const [sample] = requestsFor(endpoint, 1, {})
  const faults: string[] = []
  for (const [other, headersOf] of [['no credential', async () => ({})] as const, ...others]) {
    const { status } = await ask(walk, sample!, await headersOf())
    // A wallet's endpoints answer 403, as the SEPs ask for.
    if (status !== 401 && status !== 403) faults.push(`${nameOf(endpoint)} with ${other}: ${status}`)
  }
  return faults
}

const SCOPES: readonly ApiKeyScope[] = ['read', 'write', 'webhooks', 'statements', 'agreements']

/** A key is refused with every scope but those that the endpoint names, and let in with each of them alone. */
async function tryScopes({ keyWith, ...walk }: Walk, endpoint: Endpoint): Promise<string[]> {
  const { scopes } = endpoint
  if (!scopes || !keyWith) return []
  const [sample] = requestsFor(endpoint, 1, {})
  const faults: string[] = []
  const others = SCOPES.filter(scope => !scopes.includes(scope))
  const lacking = await ask(walk, sample!, keyWith(others))
  if (lacking.status !== 403) faults.push(`${nameOf(endpoint)} with ${others}: ${lacking.status}`)
  for (const scope of scopes) {
    const { status } = await ask(walk, sample!, keyWith([scope]))
    if (status === 403) faults.push(`${nameOf(endpoint)} with ${scope}: 403`)
  }
  return faults
}

/** Each administrator's endpoint with each role: refused by name below the declared one, and by nobody else's. */
async function tryRoles(walk: Walk, endpoint: Endpoint): Promise<string[]> {
  const { realm, role: needed } = endpoint
  if (realm !== 'admin' || !walk.roles) return []
  if (!needed) return [`${nameOf(endpoint)} declares no role`]
  const [sample] = requestsFor(endpoint, 1, {})
  const faults: string[] = []
  for (const role of adminRoles) {
    const { status, body } = await ask(walk, sample!, await walk.roles[role]())
    const refused = status === 403 && body.includes('"code":"role-needed"')
    const named = body.includes(`"neededRole":"${needed}"`)
    if (includesRole(role, needed) ? refused : !refused || !named) {
      faults.push(`${nameOf(endpoint)} for the role ${needed}, as ${role}: ${status} ${body}`.slice(0, 300))
    }
  }
  return faults
}

async function tryForeignIds(walk: Walk, endpoint: Endpoint): Promise<string[]> {
  const own = walk.credentials[endpoint.realm]
  const names = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  if (!own || endpoint.realm === 'admin' || endpoint.realm === 'service') return []
  const known = names.filter(name => walk.foreignIds[name]?.length)
  if (known.length === 0) return []
  const faults: string[] = []
  for (const request of requestsFor(endpoint, 4, walk.foreignIds)) {
    const { status } = await ask(walk, request, await own())
    if (status < 400) faults.push(`${nameOf(endpoint)} with another tenant's ids: ${status}`)
  }
  return faults
}

async function tryGarbage(walk: Walk, endpoint: Endpoint): Promise<string[]> {
  const faults: string[] = []
  let renew: 'renew' | undefined
  for (const request of requestsFor(endpoint, GARBAGE_PER_ENDPOINT, {})) {
    const headers = (await walk.credentials[endpoint.realm]?.(renew)) ?? {}
    const { status, body } = await ask(walk, request, headers)
    renew = status === 401 ? 'renew' : undefined
    if (status >= 500 && !isDeclared(endpoint, status, body)) {
      faults.push(
        `${nameOf(endpoint)} ${request.url} ${request.payload ?? ''}: ${status} ${body}`.slice(0, 600),
      )
    }
  }
  return faults
}

/** An unavailable dependency (503, 502, 504) is no fault; a 500 always is. */
function isDeclared(endpoint: Endpoint, status: number, body: string): boolean {
  if (status in endpoint.response) return true
  const code = /"code":"([a-z-]+)"/.exec(body)?.[1] as ProblemCode | undefined
  if (status === 500 || code === undefined) return false
  return (
    code === 'dependency-unavailable' ||
    (endpoint.problems ?? []).includes(code) ||
    problems[code]?.status === status
  )
}

async function ask(
  walk: Walk,
  request: Omit<WalkedRequest, 'headers'>,
  credential: Record<string, string>,
): Promise<{ status: number; body: string }> {
  const content: Record<string, string> =
    request.payload === undefined ? {} : { 'content-type': 'application/json' }
  const { promise: late, resolve } = Promise.withResolvers<{ status: number; body: string }>()
  const timer = setTimeout(resolve, ANSWERS_WITHIN_MS, { status: 599, body: 'no answer in time' })
  try {
    return await Promise.race([walk.send({ ...request, headers: { ...content, ...credential } }), late])
  } finally {
    clearTimeout(timer)
  }
}

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`

/** Requests of the endpoint's shape, the same in every run. */
function requestsFor(
  endpoint: Endpoint,
  count: number,
  ids: Walk['foreignIds'],
): Omit<WalkedRequest, 'headers'>[] {
  const texts = fc.oneof(fc.constantFrom(...ODD_TEXTS), fc.uuid())
  const names = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const params = fc.record(
    Object.fromEntries(names.map(name => [name, ids[name]?.length ? fc.constantFrom(...ids[name]) : texts])),
  )
  const query = endpoint.query ? valuesOf(endpoint.query) : fc.constant(undefined)
  const body = endpoint.body ? valuesOf(endpoint.body) : fc.constant(undefined)
  const requests = fc.record({ params, query, body }).map(given => ({
    endpoint,
    method: endpoint.method,
    url: urlOf(endpoint, given.params, given.query),
    ...(given.body === undefined ? {} : { payload: JSON.stringify(given.body) }),
  }))
  return fc.sample(requests, { numRuns: count, seed: 20_260_301 })
}

function urlOf(endpoint: Endpoint, params: Record<string, string>, query: unknown): string {
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent((params[name] || '-').toWellFormed()),
  )
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries((query ?? {}) as object))
    search.set(name, String(value).toWellFormed())
  return search.size > 0 ? `${path}?${search}` : path
}

const ODD_TEXTS = [
  '',
  ' ',
  'a',
  '-',
  '0',
  '-1',
  '1e400',
  'NaN',
  '99999999999999999999999999.99999999',
  '0.00000001',
  'constructor',
  '__proto__',
  'toString',
  '../../etc/passwd',
  '..%2f..',
  "'; drop table anchors; --",
  '${7*7}',
  'a\0b',
  '\ud800',
  '\u202eabc',
  '💥'.repeat(40),
  'x'.repeat(5_000),
  'https://',
  'http://a:99999',
  'http://169.254.169.254/latest',
  'a@b',
  'someone@example.test',
  '2026-02-30T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '-271821-04-20T00:00:00Z',
  'GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF',
  'USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
  'stellar:native',
]
const ODD_NAMES = [
  'id',
  'account',
  'memo',
  'type',
  'payload',
  'method',
  'params',
  'jsonrpc',
  'event',
  'data',
  'SecretId',
  'constructor',
  'toString',
  '__proto__',
  'a\0b',
  '',
]
const ODD_NUMBERS = [0, -0, -1, 1, 100, 101, 1.5, 1e-9, 2 ** 31, 2 ** 53, 9_223_372_036_854_776_000, 1e308]
const ODD_VALUES: readonly unknown[] = [null, true, false, [], {}, { constructor: 'x' }, '', 0]

/** Parts of JSON Schema that contracts use. */
interface Schema {
  type?: string
  const?: unknown
  enum?: unknown[]
  format?: string
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: Schema | boolean
  patternProperties?: Record<string, Schema>
}

const GOOD_TEXTS: Record<string, string> = {
  email: 'someone@example.test',
  'date-time': '2026-03-01T12:00:00Z',
  uri: 'https://example.test/x',
}

/** Values of a schema's shape: mostly of the right type, sometimes of another. */
function valuesOf(given: unknown): fc.Arbitrary<unknown> {
  const schema = given as Schema
  const right = rightValues(schema)
  return fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: fc.constantFrom(...ODD_VALUES) })
}

function rightValues(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.additionalProperties === true && Object.keys(schema.properties ?? {}).length === 0) {
    return fc.oneof(
      fc.dictionary(fc.constantFrom(...ODD_NAMES), fc.constantFrom(...ODD_TEXTS, ...ODD_VALUES)),
      fc.jsonValue(),
    )
  }
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valuesOf))
  switch (schema.type) {
    case 'string':
      return fc.oneof(
        fc.constantFrom(...ODD_TEXTS),
        fc.constant(GOOD_TEXTS[schema.format ?? ''] ?? 'Text'),
        fc.stringMatching(/^[a-z0-9]{3,12}$/),
      )
    case 'integer':
    case 'number':
      return fc.constantFrom(...ODD_NUMBERS)
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}), { maxLength: 3 })
    case 'object':
      return objectsOf(schema)
    default:
      return fc.constantFrom(...ODD_VALUES)
  }
}

function objectsOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => [name, valuesOf(inner)]),
  )
  return fc.record(members, { requiredKeys: required })
}
