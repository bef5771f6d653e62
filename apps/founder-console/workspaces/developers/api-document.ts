/** What the reference and the explorer read of an OpenAPI 3.1 document. */
export interface ApiDocument {
  paths: Record<string, Record<string, ApiOperation>>
  components?: { schemas?: Record<string, Schema> }
}

interface ApiOperation {
  operationId: string
  summary: string
  description?: string
  tags?: string[]
  security?: object[]
  'x-required-scopes'?: string[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema?: Schema; example?: unknown }> }
  responses: Record<string, { description: string; content?: Record<string, { example?: unknown }> }>
}

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema?: Schema
  example?: unknown
}

interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  format?: string
  minimum?: number
  maximum?: number
  maxLength?: number
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
}

const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const
type Method = (typeof methods)[number]

export interface Operation extends ApiOperation {
  method: Method
  path: string
  /** The schema of a JSON body; undefined: there is none. */
  bodyExample: string | undefined
}

/** The operations that an API key can call, by their tag. Files are uploaded with the key, not from a page. */
export function operationsOf(document: ApiDocument): Map<string, Operation[]> {
  const all = Object.entries(document.paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).flatMap(([name, operation]) => {
      const method = methods.find(known => known === name.toUpperCase())
      const body = operation.requestBody?.content
      const isCallable = operation.security?.some(each => 'apiKey' in each)
      if (!method || !isCallable || (body && !('application/json' in body))) return []
      const example = body?.['application/json']?.example
      const bodyExample = body && JSON.stringify(example ?? {}, null, 2)
      return [{ ...operation, method, path, bodyExample }]
    }),
  )
  return Map.groupBy(all, ({ tags }) => tags?.[0] ?? '')
}

/** Parameters that a person fills in. */
export const fillable = ({ parameters = [] }: Operation): Parameter[] =>
  parameters.filter(({ in: place }) => place !== 'header')

/** The path of a request, with its query. Throws where a value of the path is missing. */
export function requestPath(operation: Operation, values: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams()
  for (const { name, in: place } of fillable(operation)) {
    const value = values[name]?.trim()
    if (place === 'query' && value) query.set(name, value)
  }
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name]?.trim() ?? ''),
  )
  const search = query.toString()
  return search ? `${path}?${search}` : path
}

/** A property of a body or an answer in a line: its type and what is allowed. */
export function typeOf(schema: Schema | undefined, document: ApiDocument): string {
  if (!schema) return ''
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    const known = document.components?.schemas?.[name]
    return known && !known.properties ? typeOf(known, document) : name
  }
  if (schema.enum) return schema.enum.map(String).join(' | ')
  if (schema.const !== undefined) return String(schema.const)
  if (schema.anyOf) return schema.anyOf.map(each => typeOf(each, document)).join(' | ')
  if (schema.items) return `${typeOf(schema.items, document)}[]`
  const type = [schema.type ?? ''].flat().join(' | ')
  return schema.format ? `${type} (${schema.format})` : type
}

/** The properties of a JSON body, with what a reference stands for. */
export function bodyProperties(operation: Operation, document: ApiDocument) {
  const given = operation.requestBody?.content['application/json']?.schema
  const schema = given?.$ref ? document.components?.schemas?.[given.$ref.split('/').at(-1) ?? ''] : given
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    required: schema?.required?.includes(name) ?? false,
    type: typeOf(property, document),
    description: property.description,
  }))
}
