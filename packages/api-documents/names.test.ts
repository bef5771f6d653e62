import { expect, it } from 'vitest'
import { readContracts } from './contracts.ts'
import type { JsonSchema } from './json-schema.ts'

/** What people type as a name: it goes into lines of emails, of files and of payments. */
const NAME = /^(name|title|subject)$|[a-z](Name|_name)$/
/**
 * Names of rails, and of a column of a bank's file, are compared with what is there and written nowhere; the letters of a
 * federation name are checked where it is set. The last release takes any text as a wallet's name (SEP-24), which is shown
 * and goes nowhere else.
 */
const KNOWN = /\.(rails\.name|partyName)$|^setFederationName\.name$|\.wallet_name$/
/** Our own services send what was checked where it came in. */
const OURS = ['service', 'internal']

const BREAKS = ['a\r\nBcc: b@example.org', 'a\nb', 'a\tb', 'a\u2028b', 'a\u0000b']

/** Texts with such a name in a schema, as `path: schema`. */
function namesIn(schema: JsonSchema, path: string): [string, JsonSchema][] {
  const inner = [...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap(each => namesIn(each, path))
  const items = schema.items ? namesIn(schema.items, path) : []
  const properties = Object.entries(schema.properties ?? {}).flatMap(([name, each]) => [
    ...(NAME.test(name) ? textsOf(each).map((text): [string, JsonSchema] => [`${path}.${name}`, text]) : []),
    ...namesIn(each, `${path}.${name}`),
  ])
  return [...inner, ...items, ...properties]
}

/** The texts that a value may be, without those of a list. */
const textsOf = (schema: JsonSchema): JsonSchema[] =>
  schema.anyOf
    ? schema.anyOf.flatMap(textsOf)
    : schema.type === 'string' && !schema.enum && !schema.const
      ? [schema]
      : []

it('a name in the body of a request is one line', async () => {
  const { endpoints } = await readContracts()
  const names = endpoints.flatMap(({ name, endpoint }) =>
    endpoint.body && !OURS.includes(endpoint.realm) ? namesIn(endpoint.body as JsonSchema, name) : [],
  )
  expect(names.length).toBeGreaterThan(10)
  const open = names.filter(
    ([path, { pattern, format }]) =>
      !KNOWN.test(path) &&
      format === undefined &&
      BREAKS.some(text => pattern === undefined || new RegExp(pattern, 'u').test(text)),
  )
  expect(open.map(([path]) => path)).toEqual([])
})
