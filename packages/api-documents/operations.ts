import { ProblemDocument } from '@windlass/contracts/common.ts'
import type { Endpoint } from '@windlass/contracts/endpoint.ts'
import { problems, type ProblemCode } from '@windlass/contracts/problems.ts'
import { adminRoles, includesRole, type AdminRole, type Realm } from '@windlass/contracts/realm.ts'
import { STATUS_CODES } from 'node:http'
import type { Comments } from './comments.ts'
import type { Declared } from './contracts.ts'
import type { DocumentPlan } from './documents.ts'
import { exampleOf } from './examples.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Reference } from './references.ts'
import type { Components } from './schemas.ts'

/** An OpenAPI document as it is printed. */
export interface OpenApi {
  openapi: '3.1.0'
  info: { title: string; version: string; description: string; [more: string]: unknown }
  servers: unknown[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation | { url: string; description: string }[]>>
  components: {
    schemas: Record<string, JsonSchema>
    responses: Record<string, PrintedResponse>
    parameters: Record<string, Parameter>
    headers: Record<string, unknown>
    securitySchemes?: Record<string, unknown>
  }
}

export interface Operation {
  operationId: string
  summary: string
  description: string
  tags: string[]
  deprecated?: true
  security: Record<string, string[]>[]
  /** The key needs one of these. `security` has no place for them: linters accept scopes of OAuth alone. */
  'x-required-scopes'?: readonly string[]
  parameters?: (Parameter | Reference)[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, PrintedResponse | Reference>
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  deprecated?: boolean
  schema: JsonSchema
  example?: unknown
}

export interface PrintedResponse {
  description: string
  headers?: Record<string, Reference>
  content?: Content
}

type Content = Record<string, { schema: JsonSchema; example?: unknown }>

const cookie = (name: string, description: string) => ({ type: 'apiKey', in: 'cookie', name, description })
const serviceSecret = {
  type: 'apiKey',
  in: 'header',
  name: 'x-service-secret',
  description: "The platform services' secret, or one anchor's own",
}

/** Each realm's credential under the name that a document uses for it. */
export const securitySchemes = {
  operatorSession: cookie('ns_session', 'Set when an operator signs in'),
  adminSession: cookie('ns_admin', 'Set when an administrator signs in'),
  customerSession: cookie('ns_customer', 'Set when a customer signs in'),
  serviceSecret,
  signerCredential: {
    type: 'http',
    scheme: 'bearer',
    description: "What one of an anchor's servers proves itself with to the signer",
  },
  apiKey: { type: 'http', scheme: 'bearer', description: "A key for one anchor's API, from the console" },
  walletKey: {
    type: 'http',
    scheme: 'bearer',
    description: "A wallet developer's key (`POST /wallet-keys`)",
  },
  walletToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A token from SEP-10 or SEP-45',
  },
} as const

const schemeOf: Readonly<Record<Exclude<Realm, 'public'>, keyof typeof securitySchemes>> = {
  operator: 'operatorSession',
  admin: 'adminSession',
  customer: 'customerSession',
  internal: 'serviceSecret',
  service: 'serviceSecret',
  'anchor-admin': 'serviceSecret',
  'anchor-server': 'signerCredential',
  developer: 'apiKey',
  'wallet-developer': 'walletKey',
  wallet: 'walletToken',
}

const callers: Readonly<Record<Realm, string>> = {
  public: 'Needs no credential.',
  operator: "Needs an operator's session.",
  admin: "Needs an administrator's session.",
  customer: "Needs a customer's session.",
  internal: "Needs the platform services' secret or an anchor's own.",
  service: "Needs the platform services' secret.",
  'anchor-admin': "Needs the anchor's summary secret.",
  'anchor-server': "Needs the credential of one of the anchor's servers.",
  developer: "Needs a key for the anchor's API.",
  'wallet-developer': "Needs a wallet developer's key.",
  wallet: 'Needs a token from SEP-10 or SEP-45.',
}

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

/** One endpoint of a document. */
export function printOperation(declared: Declared, plan: DocumentPlan, components: Components): Operation {
  const { endpoint, name, module } = declared
  const tag = plan.modules[module]?.tag ?? 'Service'
  const parameters = printParameters(declared, components)
  const requestBody = printBody(declared, components)
  return {
    operationId: name,
    summary: endpoint.summary,
    description: describe(declared),
    tags: [tag],
    ...(endpoint.deprecated ? { deprecated: true as const } : {}),
    security: endpoint.realm === 'public' ? [] : [{ [schemeOf[endpoint.realm]]: [] }],
    ...(endpoint.scopes ? { 'x-required-scopes': endpoint.scopes } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(requestBody ? { requestBody } : {}),
    responses: {
      ...printSuccesses(declared, components),
      ...(endpoint.conditional ? { 304: unchanged } : {}),
      ...printRefusals(declared, plan, components),
    },
  }
}

const unchanged: PrintedResponse = {
  description: 'Not Modified',
  headers: headers(['X-Request-Id', 'ETag']),
}

/** The contract's own comment, then what follows from its parts. */
function describe({ endpoint, comments }: Declared): string {
  const sentences = [comments.text ?? `${endpoint.summary}.`, callers[endpoint.realm]]
  if (endpoint.scopes)
    sentences.push(`The key has the scope ${endpoint.scopes.map(scope => `\`${scope}\``).join(' or ')}.`)
  if (endpoint.who) sentences.push(founders(endpoint))
  if (needsRole(endpoint)) sentences.push(`The administrator's role must be ${rolesFrom(endpoint.role)}.`)
  if (endpoint.deprecated) sentences.unshift(`Deprecated: use \`${endpoint.deprecated.use}\`.`)
  if (pages(endpoint)) sentences.push('At most 100 at a time; `Link` leads to the next page.')
  if (endpoint.idempotent === 'replay')
    sentences.push('With an `Idempotency-Key`, a repeat within 24 hours gets the first answer.')
  if (endpoint.idempotent === 'relayed')
    sentences.push('With an `Idempotency-Key`, a repeat within 24 hours is not done again.')
  if (endpoint.idempotent === 'secret')
    sentences.push(
      'With an `Idempotency-Key`, a repeat within 24 hours is refused: the answer holds a secret.',
    )
  return sentences.map(text => (/[.:`]$/.test(text) ? text : `${text}.`)).join(' ')
}

/** Who in the anchor's organization may call it. */
function founders(endpoint: Endpoint): string {
  const { confirm, secondPerson } = endpoint
  const people = peopleOf(endpoint)
  const settled = secondPerson ? ' of a day or more' : ''
  const refusing = secondPerson === 'to-approve' ? '; any of them may refuse' : ''
  return `For ${people} of the organization${settled}${confirm === true ? ', after a recent confirmation' : ''}${refusing}.`
}

/** By their roles; auditors read what anyone reads. */
function peopleOf({ method, who = 'member', area, reads }: Endpoint): string {
  if (who === 'owner') return 'owners'
  if (area === 'any')
    return 'owners, admins and people of compliance, finance or support, each for their own acts,'
  const auditors = method === 'GET' || reads ? ', and auditors' : ''
  if (who === 'member' && area !== 'compliance')
    return method === 'GET' ? 'members' : 'members other than auditors'
  return area ? `owners, admins and people of ${area}${auditors}` : `owners and admins${auditors}`
}

/** Every administrator is a viewer at least. */
const needsRole = (endpoint: Endpoint): endpoint is Endpoint & { role: AdminRole } =>
  endpoint.realm === 'admin' && endpoint.role !== undefined && endpoint.role !== 'viewer'

const rolesFrom = (needed: AdminRole): string =>
  adminRoles
    .filter(role => includesRole(role, needed))
    .map(role => `\`${role}\``)
    .join(' or ')

const pages = ({ query }: Endpoint): boolean =>
  (query as JsonSchema | undefined)?.properties?.cursor !== undefined

function printParameters({ endpoint, comments }: Declared, components: Components): Parameter[] {
  const printAll = (place: 'path' | 'query', schema: JsonSchema, about: Comments | undefined) => {
    return Object.entries(schema.properties ?? {}).map(([name, property]): Parameter => {
      const { description, deprecated, ...rest } = components.print(property, about?.members.get(name))
      return {
        name,
        in: place,
        required: place === 'path' || (schema.required ?? []).includes(name),
        ...(description ? { description } : {}),
        ...(deprecated ? { deprecated } : {}),
        schema: rest,
        example: exampleOf(rest, components.schemas, name),
      }
    })
  }
  const parameters: Parameter[] = []
  const names = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const params = (endpoint.params as JsonSchema | undefined) ?? {
    properties: Object.fromEntries(names.map(name => [name, { type: 'string' }])),
  }
  parameters.push(...printAll('path', params, comments.members.get('params')))
  if (endpoint.query)
    parameters.push(...printAll('query', endpoint.query as JsonSchema, comments.members.get('query')))
  if (endpoint.conditional)
    parameters.push({
      name: 'If-None-Match',
      in: 'header',
      required: false,
      description: 'The `ETag` of the state that you have: 304 while it is the same',
      schema: { type: 'string' },
      example: 'W/"kq3v0RZ2bXo6Kf1mT8nLyD"',
    })
  if (endpoint.idempotent)
    parameters.push({
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description: 'A text of your own that names this request, such as a UUID',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
      example: '8a5e6f0c-3f0b-4a53-9a35-5f3a1f6f9f0e',
    })
  return parameters
}

/** What many operations take alike, such as the anchor of a path, is printed once. Returns it by its new name. */
export function shareParameters(operations: readonly Operation[]): Record<string, Parameter> {
  const printed = operations.flatMap(({ parameters = [] }) => parameters as Parameter[])
  const shared = new Map<string, Parameter>()
  for (const [name, sameName] of Map.groupBy(printed, ({ name }) => pascal(name))) {
    const [most] = [...Map.groupBy(sameName, each => JSON.stringify(each)).values()].toSorted(
      (one, other) => other.length - one.length,
    )
    if (most?.[1]) shared.set(name, most[0]!)
  }
  const texts = new Map([...shared].map(([name, parameter]) => [JSON.stringify(parameter), name]))
  for (const operation of operations)
    operation.parameters &&= operation.parameters.map(parameter => {
      const name = texts.get(JSON.stringify(parameter))
      return name ? { $ref: `#/components/parameters/${name}` } : parameter
    })
  return Object.fromEntries(shared)
}

const pascal = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

const FILE_FIELDS = { type: 'string', format: 'binary' } as const

function printBody({ endpoint, name, comments }: Declared, components: Components): Operation['requestBody'] {
  if (!endpoint.body) return undefined
  const body = endpoint.body as JsonSchema
  const schema = components.printAs(`${pascal(name)}Request`, body, comments.members.get('body'))
  if (endpoint.needs) addNeeds(schema, endpoint.needs, components)
  const example = exampleOf(schema, components.schemas)
  const types = endpoint.accepts ?? [
    'application/json',
    ...(endpoint.form ? ['application/x-www-form-urlencoded'] : []),
  ]
  const content = types.map((type, index) => [
    type,
    {
      schema: type === 'multipart/form-data' ? withFiles(schema, components, name, endpoint) : schema,
      ...(index === 0 ? { example } : {}),
    },
  ])
  const isNeeded = (body.required ?? []).length > 0 || endpoint.needs !== undefined || body.type !== 'object'
  return { required: isNeeded, content: Object.fromEntries(content) as Content }
}

/** One of each of these fields is needed. */
function addNeeds(schema: JsonSchema, needs: NonNullable<Endpoint['needs']>, components: Components): void {
  const whole = schema.$ref ? components.schemas[schema.$ref.split('/').at(-1)!]! : schema
  whole.allOf = needs.map(fields => ({ anyOf: fields.map(field => ({ required: [field] })) }))
}

/** Files of SEP-9. Others are accepted too; generators write no code for a field that is a text or a file. */
const SEP9_FILES = [
  'photo_id_front',
  'photo_id_back',
  'notary_approval_of_photo_id',
  'photo_proof_residence',
  'proof_of_income',
  'proof_of_liveness',
]

/** A multipart body whose further names are open may hold files. */
function withFiles(schema: JsonSchema, components: Components, name: string, endpoint: Endpoint): JsonSchema {
  const whole = schema.$ref ? components.schemas[schema.$ref.split('/').at(-1)!]! : schema
  const isOpen = typeof whole.additionalProperties === 'object'
  if (!isOpen || !endpoint.body) return schema
  return components.add(`${pascal(name)}Form`, {
    ...whole,
    properties: {
      ...whole.properties,
      ...Object.fromEntries(SEP9_FILES.map(file => [file, FILE_FIELDS])),
    },
  })
}

function printSuccesses(declared: Declared, components: Components): Record<string, PrintedResponse> {
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
function printRefusals(
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
