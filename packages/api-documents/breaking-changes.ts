import type { JsonSchema } from './json-schema.ts'
import type { OpenApi, Operation } from './operations.ts'
import { resolved } from './references.ts'

type Content = Record<string, { schema?: JsonSchema }>

interface ComparedOperation extends Pick<Operation, 'operationId' | 'security'> {
  parameters?: { name: string; in: string; required: boolean; schema: JsonSchema }[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, { content?: Content }>
}

/** What the comparison needs of a document; of the last release, only this is kept. */
export interface Compared {
  info: { version: string }
  paths: Record<string, Record<string, ComparedOperation>>
  components: { schemas: Record<string, JsonSchema> }
}

/** Leaves out texts, examples, headers, and what refusals hold beside their content types. */
export function comparedPartOf({ info, paths, components }: OpenApi): Compared {
  const outlines = mapValues(paths, methods =>
    mapValues(withoutServers(methods), operation => outlineOf(operation, components)),
  )
  const used = new Set<string>()
  const follow = (value: unknown) => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (used.has(name)) continue
      used.add(name)
      follow(components.schemas[name])
    }
  }
  follow(outlines)
  const schemas = Object.entries(components.schemas).filter(([name]) => used.has(name))
  return {
    info: { version: info.version },
    paths: outlines,
    components: { schemas: mapValues(Object.fromEntries(schemas), shapeOf) },
  }
}

function outlineOf(operation: Operation, shared: OpenApi['components']): ComparedOperation {
  const { operationId, security, parameters, requestBody, responses } = operation
  const contentOf = (content: Content): Content =>
    mapValues(content, ({ schema }) => (schema ? { schema: shapeOf(schema) } : {}))
  const answerOf = (response: Operation['responses'][string], status: string) => {
    const { content } = resolved(response, shared.responses)
    if (!content) return {}
    return { content: isRefusal(status) ? mapValues(content, () => ({})) : contentOf(content) }
  }
  return {
    operationId,
    security,
    ...(parameters && {
      parameters: parameters
        .map(each => resolved(each, shared.parameters))
        .map(({ name, in: place, required, schema }) => ({
          name,
          in: place,
          required,
          schema: shapeOf(schema),
        })),
    }),
    ...(requestBody && { requestBody: { ...requestBody, content: contentOf(requestBody.content) } }),
    responses: mapValues(responses, answerOf),
  }
}

function shapeOf({ description: _, example: __, deprecated: ___, ...schema }: JsonSchema): JsonSchema {
  const { anyOf, items, properties, additionalProperties } = schema
  return {
    ...schema,
    ...(anyOf && { anyOf: anyOf.map(shapeOf) }),
    ...(items && { items: shapeOf(items) }),
    ...(properties && { properties: mapValues(properties, shapeOf) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: shapeOf(additionalProperties) }),
  }
}

const isRefusal = (status: string): boolean => status >= '300'

const mapValues = <T, U>(all: Record<string, T>, map: (value: T, name: string) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(all).map(([name, value]) => [name, map(value, name)]))

const withoutServers = (methods: OpenApi['paths'][string]) => {
  const { servers: _, ...operations } = methods
  return operations as Record<string, Operation>
}

/**
 * What a client of the earlier document would notice, one line each: an operation, an answer, a field or a value that is
 * gone, a type that changed, a request that needs more or takes less.
 */
export function breakingChanges(before: Compared, document: OpenApi): string[] {
  const after = comparedPartOf(document)
  const found: string[] = []
  for (const [path, methods] of Object.entries(before.paths)) {
    for (const [method, was] of Object.entries(methods)) {
      const name = `${method.toUpperCase()} ${path}`
      const now = after.paths[path]?.[method]
      if (!now) found.push(`${name} is gone`)
      else found.push(...changesOf(was, now, before, after).map(change => `${name}: ${change}`))
    }
  }
  return found
}

function changesOf(
  was: ComparedOperation,
  now: ComparedOperation,
  before: Compared,
  after: Compared,
): string[] {
  const found: string[] = []
  const compare = (side: Side, a: JsonSchema | undefined, b: JsonSchema | undefined, path: string) =>
    found.push(
      ...schemaChanges(
        side,
        { schema: a ?? {}, document: before },
        { schema: b ?? {}, document: after },
        path,
      ),
    )
  if (was.operationId !== now.operationId) found.push(`operationId ${was.operationId} is ${now.operationId}`)
  if (was.security.length === 0 && now.security.length > 0) found.push('needs a credential')
  for (const parameter of now.parameters ?? []) {
    const known = was.parameters?.find(
      ({ name, in: place }) => name === parameter.name && place === parameter.in,
    )
    if (parameter.required && !known?.required) found.push(`needs the parameter ${parameter.name}`)
    if (known) compare('request', known.schema, parameter.schema, parameter.name)
  }
  for (const { name } of was.parameters ?? [])
    if (!now.parameters?.some(parameter => parameter.name === name))
      found.push(`the parameter ${name} is gone`)
  if (now.requestBody?.required && !was.requestBody?.required) found.push('needs a body')
  for (const [type, { schema }] of Object.entries(was.requestBody?.content ?? {})) {
    const taken = now.requestBody?.content[type]
    if (taken) compare('request', schema, taken.schema, 'body')
    else found.push(`takes no ${type}`)
  }
  for (const [status, { content = {} }] of Object.entries(was.responses)) {
    if (!now.responses[status] && !isRefusal(status)) found.push(`no longer answers ${status}`)
    for (const [type, { schema }] of Object.entries(content)) {
      const given = now.responses[status]?.content?.[type]
      if (given && !isRefusal(status)) compare('answer', schema, given.schema, status)
      else if (now.responses[status] && !given) found.push(`${status} is no longer ${type}`)
    }
  }
  return found
}

type Side = 'request' | 'answer'
interface Placed {
  schema: JsonSchema
  document: Compared
}

/** A request may take more than before, an answer may give more; neither may do less. */
function schemaChanges(side: Side, was: Placed, now: Placed, path: string): string[] {
  const [a, b] = [resolve(was), resolve(now)]
  const found: string[] = []
  const [types, newTypes] = [typesOf(a), typesOf(b)]
  if (types.size > 0 && newTypes.size > 0) {
    const [narrow, wide] = side === 'request' ? [types, newTypes] : [newTypes, types]
    const extra = [...narrow].filter(type => !wide.has(type) && !(type === 'integer' && wide.has('number')))
    if (extra.length > 0)
      return [`${path} was ${[...types].join(' or ')} and is ${[...newTypes].join(' or ')}`]
  }
  if (a.enum && b.enum && side === 'request')
    for (const value of a.enum)
      if (!b.enum.includes(value)) found.push(`${path} no longer takes ${String(value)}`)
  if (side === 'request' && !a.enum && b.enum) found.push(`${path} takes only ${b.enum.join(', ')}`)
  if (side === 'request') found.push(...boundsOf(a, b).map(bound => `${path} ${bound}`))
  const inside = (one: JsonSchema, other: JsonSchema, name: string) =>
    schemaChanges(side, { ...was, schema: one }, { ...now, schema: other }, name)
  for (const [name, property] of Object.entries(a.properties ?? {})) {
    const other = b.properties?.[name]
    if (other) found.push(...inside(property, other, `${path}.${name}`))
    else if (side === 'answer' || !b.additionalProperties) found.push(`${path}.${name} is gone`)
    const isNeeded = (schema: JsonSchema) => schema.required?.includes(name) ?? false
    if (other && side === 'answer' && isNeeded(a) && !isNeeded(b)) found.push(`${path}.${name} may be absent`)
  }
  if (side === 'request')
    for (const name of b.required ?? [])
      if (!a.required?.includes(name)) found.push(`${path}.${name} is required`)
  if (a.items && b.items) found.push(...inside(a.items, b.items, `${path}[]`))
  const [branches, newBranches] = [branchesOf(a), branchesOf(b)]
  if (branches.length === newBranches.length)
    branches.forEach((branch, index) => found.push(...inside(branch, newBranches[index]!, path)))
  return found
}

/** What a value may be; null is among its types. */
const branchesOf = ({ anyOf = [] }: JsonSchema): JsonSchema[] => anyOf.filter(({ type }) => type !== 'null')

function boundsOf(was: JsonSchema, now: JsonSchema): string[] {
  const smaller = (['maxLength', 'maximum'] as const).filter(
    key => (now[key] ?? Infinity) < (was[key] ?? Infinity),
  )
  const larger = (['minLength', 'minimum', 'minItems'] as const).filter(
    key => (now[key] ?? 0) > (was[key] ?? 0),
  )
  return [...smaller, ...larger].map(key => `has ${key} ${now[key]}`)
}

function resolve({ schema, document }: Placed): JsonSchema {
  const name = schema.$ref?.split('/').at(-1)
  return name ? (document.components.schemas[name] ?? {}) : schema
}

function typesOf({ type, anyOf }: JsonSchema): Set<string> {
  if (type !== undefined) return new Set([type].flat())
  return new Set((anyOf ?? []).flatMap(branch => (branch.$ref ? ['object'] : [branch.type ?? 'any'].flat())))
}
