import type { Comments } from './comments.ts'
import type { NamedSchema } from './contracts.ts'
import type { JsonSchema } from './json-schema.ts'
import type { PrintedResponse } from './responses.ts'
import type { Reference } from './references.ts'

/** What one document has under `components`, filled as operations are printed. */
export interface Components {
  schemas: Record<string, JsonSchema>
  responses: Record<string, PrintedResponse>
  /** Prints a schema: one that a contract exports as a reference to its name, others where they stand. */
  print(schema: JsonSchema, comments?: Comments): JsonSchema
  /** As `print`, but an object of its own gets this name. */
  printAs(name: string, schema: JsonSchema, comments?: Comments): JsonSchema
  /** Adds a schema that no contract has. */
  add(name: string, schema: JsonSchema): JsonSchema
  addResponse(name: string, response: PrintedResponse): Reference
}

const NONE: Comments = { members: new Map() }

/** `named` in the order in which names are looked for: those of the document's own contracts first. */
export function createComponents(named: readonly NamedSchema[]): Components {
  const byShape = new Map<string, NamedSchema>()
  for (const each of named) {
    const shape = JSON.stringify(each.schema)
    if (!byShape.has(shape)) byShape.set(shape, each)
  }
  const schemas: Record<string, JsonSchema> = {}
  const responses: Record<string, PrintedResponse> = {}

  const add = (name: string, schema: JsonSchema) => {
    addOnce(schemas, name, schema)
    return { $ref: `#/components/schemas/${name}` }
  }
  const addResponse = (name: string, response: PrintedResponse) => {
    addOnce(responses, name, response)
    return { $ref: `#/components/responses/${name}` }
  }
  const print = (schema: JsonSchema, comments: Comments = NONE): JsonSchema => {
    const known = byShape.get(JSON.stringify(schema))
    if (!known) return printHere(schema, comments, print)
    const reference = { $ref: `#/components/schemas/${known.name}` }
    if (!schemas[known.name]) {
      schemas[known.name] = {}
      const printed = printHere(known.schema, known.comments, print)
      delete schemas[known.name]
      add(known.name, printed)
    }
    return comments.text && comments.text !== known.comments.text
      ? { ...reference, description: comments.text }
      : reference
  }
  const printAs = (name: string, schema: JsonSchema, comments: Comments = NONE): JsonSchema => {
    const printed = print(schema, comments)
    const isPlain = printed.$ref !== undefined || schema.type !== 'object'
    return isPlain ? printed : add(name, printed)
  }
  return { schemas, responses, print, printAs, add, addResponse }
}

function addOnce<T>(all: Record<string, T>, name: string, part: T): void {
  const known = all[name]
  if (known && JSON.stringify(known) !== JSON.stringify(part))
    throw new Error(`two parts are named ${name}: rename one of the contracts`)
  all[name] = part
}

type Print = (schema: JsonSchema, comments?: Comments) => JsonSchema

/** TypeBox's schema as OpenAPI's readers understand it best. */
function printHere(schema: JsonSchema, comments: Comments, print: Print): JsonSchema {
  const inner: Comments = { members: comments.members }
  const printed: JsonSchema = {}
  for (const [key, value] of Object.entries(schema))
    if (!KEYWORDS_OF_PARTS.has(key)) Object.assign(printed, { [key]: value })
  if (comments.text && !printed.description) printed.description = comments.text
  if (schema.enum && !schema.type) printed.type = typeof schema.enum[0]
  if (schema.const !== undefined && !schema.type) printed.type = typeof schema.const
  if (schema.type === 'integer' && (schema.maximum ?? 0) > 2 ** 31) printed.format = 'int64'
  if (schema.items) printed.items = print(schema.items, inner)
  if (schema.properties) printed.properties = printProperties(schema, comments, print)
  if (schema.patternProperties) {
    const [values] = Object.values(schema.patternProperties)
    printed.additionalProperties = values ? print(values, inner) : true
  } else if (schema.additionalProperties !== undefined) {
    printed.additionalProperties = schema.additionalProperties
  }
  if (schema.allOf) printed.allOf = schema.allOf
  if (schema.anyOf) return { ...printed, ...printUnion(schema.anyOf, inner, print) }
  return printed
}

const KEYWORDS_OF_PARTS = new Set([
  'anyOf',
  'allOf',
  'items',
  'properties',
  'patternProperties',
  'additionalProperties',
])

/** A text that may be null is one type; generators know that better than a union. */
function printUnion(branches: JsonSchema[], comments: Comments, print: Print): JsonSchema {
  // Rules such as "one of these is required" are no types.
  if (branches.every(branch => branch.type === undefined && branch.required)) return { anyOf: branches }
  const others = branches.filter(branch => branch.type !== 'null').map(branch => print(branch, comments))
  const [only] = others
  const isNullable = others.length < branches.length
  if (others.length === 1 && isNullable && only && typeof only.type === 'string' && !only.properties) {
    const nullable = { ...only, type: [only.type, 'null'] }
    return only.enum ? { ...nullable, enum: [...only.enum, null] } : nullable
  }
  return { anyOf: isNullable ? [...others, { type: 'null' }] : others }
}

/**
 * Names that differ only in case and underscores collide in generated code: the first is printed, and says how else it
 * may be written.
 */
function printProperties(
  { properties = {} }: JsonSchema,
  comments: Comments,
  print: Print,
): Record<string, JsonSchema> {
  const printed: Record<string, JsonSchema> = {}
  const spellings = new Map<string, string>()
  for (const [name, property] of Object.entries(properties)) {
    const plain = name.replaceAll('_', '').toLowerCase()
    const first = spellings.get(plain)
    const shown = first === undefined ? undefined : printed[first]
    if (shown) {
      shown.description = `${sentence(shown.description)}Also accepted as \`${name}\`.`
      continue
    }
    spellings.set(plain, name)
    printed[name] = { ...print(property, comments.members.get(name)) }
  }
  return printed
}

const sentence = (text: string | undefined): string => (text ? `${text.replace(/\.$/, '')}. ` : '')
