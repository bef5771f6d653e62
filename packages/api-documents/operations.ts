import type { Endpoint } from '@windlass/contracts/endpoint.ts'
import { adminRoles, includesRole, type AdminRole, type Realm } from '@windlass/contracts/realm.ts'
import type { Comments } from './comments.ts'
import type { Declared } from './contracts.ts'
import type { DocumentPlan } from './documents.ts'
import { exampleOf } from './examples.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Reference } from './references.ts'
import {
  FILE_FIELDS,
  needsRole,
  pages,
  pascal,
  printRefusals,
  printSuccesses,
  unchanged,
  type Content,
  type PrintedResponse,
} from './responses.ts'
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
const rolesFrom = (needed: AdminRole): string =>
  adminRoles
    .filter(role => includesRole(role, needed))
    .map(role => `\`${role}\``)
    .join(' or ')

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
