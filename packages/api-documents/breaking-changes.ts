import type { JsonSchema } from './json-schema.ts'
import type { OpenApi, Operation } from './operations.ts'

/**
 * What a client of the earlier document would notice, one line each: an operation, an answer, a field or a value that is
 * gone, a type that changed, a request that needs more or takes less.
 */
export function breakingChanges(before: OpenApi, after: OpenApi): string[] {
  const found: string[] = []
  for (const [path, methods] of Object.entries(before.paths)) {
    for (const [method, value] of Object.entries(methods)) {
      if (method === 'servers') continue
      const name = `${method.toUpperCase()} ${path}`
      const now = after.paths[path]?.[method] as Operation | undefined
      if (!now) found.push(`${name} is gone`)
      else
        found.push(...changesOf(value as Operation, now, before, after).map(change => `${name}: ${change}`))
    }
  }
  return found
}

function changesOf(was: Operation, now: Operation, before: OpenApi, after: OpenApi): string[] {
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
    if (!now.responses[status] && status < '300') found.push(`no longer answers ${status}`)
    for (const [type, { schema }] of Object.entries(content)) {
      const given = now.responses[status]?.content?.[type]
      if (given && status < '300') compare('answer', schema, given.schema, status)
      else if (now.responses[status] && !given) found.push(`${status} is no longer ${type}`)
    }
  }
  return found
}

type Side = 'request' | 'answer'
interface Placed {
  schema: JsonSchema
  document: OpenApi
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
  return found
}

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
