import { ProblemDocument } from '@windlass/contracts/common.ts'
import type { Endpoint } from '@windlass/contracts/endpoint.ts'
import { problems, type ProblemCode } from '@windlass/contracts/problems.ts'
import type { AdminRole } from '@windlass/contracts/realm.ts'
import { STATUS_CODES } from 'node:http'
import type { Comments } from './comments.ts'
import type { Declared } from './contracts.ts'
import type { DocumentPlan } from './documents.ts'
import { exampleOf } from './examples.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Reference } from './references.ts'
import type { Components } from './schemas.ts'

export interface PrintedResponse {
  description: string
  headers?: Record<string, Reference>
  content?: Content
}

export type Content = Record<string, { schema: JsonSchema; example?: unknown }>

/** Headers that answers have, named as `components.headers`. */
export const responseHeaders = {
  'X-Request-Id': {
    description: 'Names this request in our logs; your own where you sent one',
    schema: { type: 'string' },
    example: '0b1f5c0e-6c2e-4b7e-9d2a-5f1f0a3c7d11',
  },
  Link: {
    description: 'The next page (RFC 8288), `<…>; rel="next"`; absent on the last one',
    schema: { type: 'string' },
    example: '</api/v1/transactions?cursor=MjAyNi0w>; rel="next"',
  },
  ETag: { description: 'Names this state, for `If-None-Match`', schema: { type: 'string' } },
  'Set-Cookie': { description: 'The session', schema: { type: 'string' } },
  'Retry-After': {
    description: 'Seconds to wait before another try',
    schema: { type: 'integer' },
    example: 5,
  },
  RateLimit: {
    description: 'What is left (`r`) and for how many seconds (`t`) until it is full again',
    schema: { type: 'string' },
    example: '"login";r=9;t=60',
  },
  'RateLimit-Policy': {
    description: 'How many requests (`q`) fit in a window of seconds (`w`)',
    schema: { type: 'string' },
    example: '"login";q=10;w=60',
  },
  'Idempotency-Replayed': {
    description: '`true`: this is the answer of an earlier request with the same key',
    schema: { type: 'string', enum: ['true'] },
  },
  Deprecation: {
    description: 'Since when this address is deprecated (RFC 9745)',
    schema: { type: 'string' },
    example: '@1795305600',
  },
  'WWW-Authenticate': { description: 'Which credential is missing', schema: { type: 'string' } },
} as const
type HeaderName = keyof typeof responseHeaders

const headers = (names: readonly HeaderName[]): Record<string, Reference> =>
  Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))

/** The answer to a conditional request whose state the client has. */
export const unchanged: PrintedResponse = {
  description: 'Not Modified',
  headers: headers(['X-Request-Id', 'ETag']),
}

export const needsRole = (endpoint: Endpoint): endpoint is Endpoint & { role: AdminRole } =>
  endpoint.realm === 'admin' && endpoint.role !== undefined && endpoint.role !== 'viewer'

export const pages = ({ query }: Endpoint): boolean =>
  (query as JsonSchema | undefined)?.properties?.cursor !== undefined

export const pascal = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

export const FILE_FIELDS = { type: 'string', format: 'binary' } as const

export function printSuccesses(declared: Declared, components: Components): Record<string, PrintedResponse> {
  const { endpoint, name, comments } = declared
  const common: HeaderName[] = ['X-Request-Id']
  if (pages(endpoint)) common.push('Link')
  if (endpoint.conditional) common.push('ETag')
  if (endpoint.cookies) common.push('Set-Cookie')
  if (endpoint.idempotent === 'replay') common.push('Idempotency-Replayed')
  if (endpoint.deprecated) common.push('Deprecation')
  if (isLimited(endpoint)) common.push('RateLimit', 'RateLimit-Policy')
  const statuses = Object.entries(endpoint.response)
  return Object.fromEntries(
    statuses.map(([status, schema]): [string, PrintedResponse] => {
      const suffix = statuses.length > 1 ? status : ''
      const about = comments.members.get('response')?.members.get(status)
      const content = contentOf(
        endpoint,
        schema as JsonSchema,
        `${pascal(name)}${suffix}Answer`,
        components,
        about,
      )
      return [
        status,
        {
          description: STATUS_CODES[status] ?? 'Success',
          headers: headers(common),
          ...(content ? { content } : {}),
        },
      ]
    }),
  )
}

function contentOf(
  endpoint: Endpoint,
  schema: JsonSchema,
  name: string,
  components: Components,
  comments: Comments | undefined,
): Content | undefined {
  if (endpoint.file) return { [endpoint.file]: { schema: FILE_FIELDS } }
  if (schema.type === 'undefined') return undefined
  const printed = components.printAs(name, schema, comments)
  const example = exampleOf(printed, components.schemas)
  if (!endpoint.events) return { 'application/json': { schema: printed, example } }
  const text = `id: 7\ndata: ${JSON.stringify(example)}\n\n`
  const description = 'Server-sent events; the data of each is JSON'
  return {
    'text/event-stream': {
      schema: { type: 'string', description, 'x-event-data': printed } as JsonSchema,
      example: text,
    },
  }
}

/** Where each answer shows what is left. A shared limit is shown at 429 only. */
const isLimited = ({ problems: own }: Endpoint): boolean => own?.includes('too-many-requests') ?? false

/** What an endpoint may refuse with: the contract's own problems, and those that follow from its parts. */
function problemsOf(endpoint: Endpoint, plan: DocumentPlan): ProblemCode[] {
  const codes: ProblemCode[] = ['malformed-request', 'internal-error', 'dependency-unavailable']
  const writes = endpoint.method !== 'GET'
  if (plan.name === 'platform') codes.push('duplicate-cookie')
  if (plan.name === 'platform' && writes) codes.push('forbidden-origin')
  if (endpoint.query || endpoint.body || endpoint.idempotent) codes.push('validation-failed')
  if (endpoint.path.includes(':')) codes.push('not-found')
  if (endpoint.limit === 'shared') codes.push('too-many-requests')
  if (writes) codes.push('body-too-large')
  if (endpoint.body) codes.push('unsupported-media-type')
  if (endpoint.idempotent) codes.push('idempotency-key-in-flight', 'idempotency-key-reused')
  if (endpoint.idempotent === 'secret' || endpoint.idempotent === 'relayed')
    codes.push('idempotency-key-secret')
  if (endpoint.who) codes.push('anchor-not-found')
  if (endpoint.who && (endpoint.who !== 'member' || endpoint.area || endpoint.method !== 'GET'))
    codes.push('forbidden')
  if (endpoint.confirm) codes.push('confirmation-needed')
  if (endpoint.secondPerson) codes.push('second-person-needed')
  if (endpoint.realm === 'developer') codes.push('forbidden')
  if (needsRole(endpoint)) codes.push('role-needed')
  if (endpoint.realm !== 'public') codes.push(plan.errors === 'sep' ? 'forbidden' : 'unauthenticated')
  return [...new Set([...codes, ...(endpoint.problems ?? [])])].sort()
}

/** What operations refuse alike is printed once. */
export function printRefusals(
  { endpoint }: Declared,
  plan: DocumentPlan,
  components: Components,
): Record<string, Reference> {
  const byStatus = Map.groupBy(problemsOf(endpoint, plan), code => problems[code].status)
  const refusals = [...byStatus].filter(([status]) => !(status in endpoint.response))
  return Object.fromEntries(
    refusals.map(([status, codes]) => [
      String(status),
      components.addResponse(codes.map(pascal).join('Or'), {
        description: codes
          .map(code => `${problems[code].title}${plan.errors === 'sep' ? '' : ` (\`${code}\`)`}`)
          .join('; '),
        headers: headers(refusalHeaders(status, codes)),
        content: plan.errors === 'sep' ? sepError(components) : problemContent(codes, components),
      }),
    ]),
  )
}

function refusalHeaders(status: number, codes: readonly ProblemCode[]): HeaderName[] {
  const names: HeaderName[] = ['X-Request-Id']
  if (status === 401) names.push('WWW-Authenticate')
  if (status === 429) names.push('Retry-After', 'RateLimit', 'RateLimit-Policy')
  if (status === 503 || codes.includes('idempotency-key-in-flight')) names.push('Retry-After')
  return names
}

function sepError(components: Components): Content {
  const schema = components.add('SepError', {
    type: 'object',
    description: 'How the SEPs say what is wrong',
    required: ['error'],
    properties: {
      error: { type: 'string', description: 'A sentence for the person who uses the wallet' },
      type: { type: 'string', description: '`authentication_required` where a valid token is missing' },
    },
  })
  return { 'application/json': { schema, example: { error: 'amount must be at least 1' } } }
}

/** One schema for every problem, so that generated clients have one type; `code` is narrowed beside the reference. */
function problemContent(codes: readonly ProblemCode[], components: Components): Content {
  const schema = components.print(ProblemDocument as JsonSchema)
  return {
    'application/problem+json': { schema: { ...schema, properties: { code: { enum: [...codes] } } } },
  }
}
