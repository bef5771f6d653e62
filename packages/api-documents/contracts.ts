import type { Endpoint } from '@windlass/contracts/endpoint.ts'
import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readComments, type Comments } from './comments.ts'
import type { JsonSchema } from './json-schema.ts'

const FOLDER = fileURLToPath(new URL('../contracts/', import.meta.url))

/** An exported endpoint: its name is its `operationId`. */
export interface Declared {
  module: string
  name: string
  endpoint: Endpoint
  comments: Comments
}

/** An exported schema. */
export interface NamedSchema {
  module: string
  name: string
  schema: JsonSchema
  comments: Comments
}

export interface Contracts {
  endpoints: Declared[]
  schemas: NamedSchema[]
}

/** Everything that the files of packages/contracts export. */
export async function readContracts(): Promise<Contracts> {
  const contracts: Contracts = { endpoints: [], schemas: [] }
  const files = globSync('{,*/}*.ts', { cwd: FOLDER }).filter(file => !file.endsWith('.test.ts'))
  for (const [module, file] of files.map(file => [basename(file, '.ts'), file] as const).sort()) {
    const exported = (await import(FOLDER + file)) as Record<string, unknown>
    const comments = readComments(FOLDER + file)
    // In the order of the file, which a module's own object does not keep.
    for (const [name, about] of [...comments].map(
      ([name, each]) => [name, { module, name, comments: each }] as const,
    )) {
      const value = exported[name]
      if (isEndpoint(value)) contracts.endpoints.push({ ...about, endpoint: value })
      else if (isNamedSchema(name, value)) contracts.schemas.push({ ...about, schema: value })
    }
  }
  return contracts
}

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'realm' in value && 'method' in value && 'path' in value

/** Objects, unions of them and enumerations deserve a name; a text does not, nor does what only describes an address. */
function isNamedSchema(name: string, value: unknown): value is JsonSchema {
  if (typeof value !== 'object' || value === null || /Params$|Query$|^Page$/.test(name)) return false
  const { type, enum: values, anyOf } = value as JsonSchema
  if (type === 'object') return true
  return (Array.isArray(values) && values.length > 1) || Boolean(anyOf?.some(each => each.type === 'object'))
}
