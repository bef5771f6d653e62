import type { JsonSchema } from './json-schema.ts'
import type { OpenApi, Operation, Parameter } from './operations.ts'

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/**
 * A document as OpenAPI 3.0, for generators that read no newer one: a type that may be null is `nullable`, and a license
 * has an address in place of an identifier. Rules that are no types, such as which fields exclude each other, are left out:
 * such generators make types of them. Of several content types of a body JSON stays: generated Python does not run where there
 * are more. Of a parameter that may be given once or several times the list stays: generated Go does not compile with a
 * shared parameter of several types.
 */
export function asOpenApi30(document: object): object {
  const older = convert(document as Json) as unknown as OpenApi & { info: { license: object } }
  for (const operation of Object.values(older.paths).flatMap(methods => Object.values(methods)))
    if (!Array.isArray(operation)) keepJson(operation)
  Object.values(older.components.parameters).forEach(keepList)
  older.info.license = { name: 'Apache 2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' }
  return { ...older, openapi: '3.0.3' }
}

function keepJson({ requestBody }: Operation): void {
  const json = requestBody?.content['application/json']
  if (requestBody && json) requestBody.content = { 'application/json': json }
}

function keepList(parameter: Parameter): void {
  parameter.schema = parameter.schema.anyOf?.find(({ type }) => type === 'array') ?? parameter.schema
}

function convert(value: Json): Json {
  if (Array.isArray(value)) return value.map(convert)
  if (typeof value !== 'object' || value === null) return value
  // Beside a reference OpenAPI 3.0 reads nothing but its own texts.
  if (typeof value.$ref === 'string' && value.properties) return { $ref: value.$ref }
  const { type, enum: values, anyOf, ...rest } = value as unknown as JsonSchema & { [name: string]: Json }
  const parts: Record<string, Json> = Object.fromEntries(
    Object.entries(rest as Json as object).map(([name, part]) => [name, convert(part as Json)]),
  )
  if (Array.isArray(parts.allOf) && JSON.stringify(parts.allOf).startsWith('[{"anyOf":[{"required"'))
    delete parts.allOf
  if (Array.isArray(type)) {
    const kept: Json = { type: type.find(each => each !== 'null') ?? 'string', nullable: true }
    if (values) kept.enum = values.filter(each => each !== null) as Json[]
    return { ...parts, ...kept }
  }
  if (anyOf?.some(branch => branch.type === 'null')) {
    const others = anyOf.filter(branch => branch.type !== 'null').map(branch => convert(branch as Json))
    return { ...parts, nullable: true, ...(others.length === 1 ? { allOf: others } : { anyOf: others }) }
  }
  return {
    ...parts,
    ...(type === undefined ? {} : { type: convert(type as Json) }),
    ...(values === undefined ? {} : { enum: values as Json[] }),
    ...(anyOf === undefined ? {} : { anyOf: convert(anyOf as Json) }),
  }
}
