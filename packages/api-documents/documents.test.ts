import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectral from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { breakingChanges, comparedPartOf } from './breaking-changes.ts'
import { readContracts, type Contracts } from './contracts.ts'
import { differencesOf, isMeant, pageOf } from './differences.ts'
import { documents } from './documents.ts'
import type { JsonSchema } from './json-schema.ts'
import { endpointsOf, fileOf, printAll, readMeantBreaks, readReleased } from './print.ts'
import { asOpenApi30 } from './openapi-3.0.ts'
import type { OpenApi, Operation } from './operations.ts'

let contracts: Contracts
let printed: Map<string, string>
beforeAll(async () => {
  contracts = await readContracts()
  printed = await printAll()
})

const names = documents.map(({ name }) => name)
/** Linters compute, and wait for nothing: on a busy machine they take as long as they take. */
const LINT = { timeout: 600_000 }
/** Each of them is under *Breaking* in the changelog too; a release explains and empties them. */
const meantBreaks = readMeantBreaks()
const documentOf = (name: string) => JSON.parse(printed.get(name)!) as OpenApi

it('has a document for every endpoint', () => {
  const documented = new Set(documents.flatMap(plan => endpointsOf(plan, contracts)))
  const left = contracts.endpoints.filter(each => !documented.has(each))
  expect(left.map(({ module, name }) => `${module}: ${name}`)).toEqual([])
  expect(contracts.endpoints.length).toBeGreaterThan(150)
})

it('names no break that there is not', () => {
  const changes = names.flatMap(name => breakingChanges(readReleased(name), documentOf(name)))
  expect(meantBreaks.filter(each => !changes.some(change => isMeant(change, [each])))).toEqual([])
})

describe.each(names)('the document %s', name => {
  it('is what docs/api has: run `npm run api` after a change of a contract', () => {
    expect(readFileSync(fileOf(name), 'utf8') === printed.get(name)).toBe(true)
  })

  it('breaks no client of the last release, but where that is meant', () => {
    const released = readReleased(name)
    expect(Object.keys(released.paths).length).toBeGreaterThan(10)
    const changes = breakingChanges(released, documentOf(name))
    expect(changes.filter(change => !isMeant(change, meantBreaks))).toEqual([])
  })

  it("passes Redocly's recommended rules", LINT, async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const found = await lintFromString({ source: printed.get(name)!, absoluteRef: `${name}.json`, config })
    const errors = found.filter(({ severity }) => severity === 'error')
    expect(errors.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([])
  })

  it("passes Spectral's default rules", LINT, async () => {
    const linter = new spectral.Spectral()
    linter.setRuleset({ extends: [oas] } as never)
    // Read already: Spectral would read it as YAML, in a multiple of the time.
    const parsed = { data: documentOf(name), ast: {}, lineMap: [], diagnostics: [] }
    const found = await linter.run({ parsed, getLocationForJsonPath: () => undefined })
    expect(found.map(({ code, message, path }) => [code, message, path.join('.')])).toEqual([])
  })

  it('has no shared parameter of several types in OpenAPI 3.0: generated Go does not compile with one', () => {
    const { components } = asOpenApi30(documentOf(name)) as OpenApi
    const mixed = Object.entries(components.parameters).filter(([, { schema }]) => schema.anyOf)
    expect(mixed.map(([named]) => named)).toEqual([])
  })

  it('says of each operation what it does, who may call it and what may go wrong', () => {
    for (const operation of operationsOf(documentOf(name))) {
      expect(operation).toMatchObject({
        operationId: expect.stringMatching(/^[a-z][A-Za-z0-9]+$/),
        summary: expect.stringMatching(/\S/),
        description: expect.stringMatching(/\S/),
        security: expect.any(Array),
      })
      expect(Object.keys(operation.responses).some(status => status >= '400')).toBe(true)
    }
  })

  it('names every type of five fields or more that an answer has', () => {
    const anonymous = operationsOf(documentOf(name)).flatMap(({ operationId, responses }) =>
      Object.entries(responses).flatMap(([status, response]) =>
        Object.values(('content' in response && response.content) || {}).flatMap(({ schema }) => {
          const { items, properties = {} } = schema as {
            items?: { properties?: object }
            properties?: object
          }
          const fields = Object.keys(items?.properties ?? properties).length
          return fields < 5 ? [] : [`${operationId} ${status}: ${fields} fields`]
        }),
      ),
    )
    expect(anonymous).toEqual([])
  })

  it('has no two fields of one object whose names generated code would write alike', () => {
    for (const [schema, { properties = {} }] of Object.entries(documentOf(name).components.schemas)) {
      const plain = Object.keys(properties).map(property => property.replaceAll('_', '').toLowerCase())
      expect([schema, new Set(plain).size]).toEqual([schema, plain.length])
    }
  })
})

it('says which scope a key needs, in the words of the operation and for tools', () => {
  const keyed = operationsOf(documentOf('developer')).filter(({ security }) => security.length > 0)
  expect(keyed.length).toBeGreaterThan(14)
  for (const { description, responses, 'x-required-scopes': scopes = [] } of keyed) {
    expect(scopes).not.toEqual([])
    for (const scope of scopes) expect(description).toContain(`\`${scope}\``)
    expect(responses).toHaveProperty('403')
  }
})

it('gives a type that stands in several places a name', () => {
  const unnamed = (schema: JsonSchema, path: string): [string, string][] => [
    ...(isType(schema) ? [[JSON.stringify(schema), path] as [string, string]] : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) => unnamed(each, `${path}.${name}`)),
    ...(schema.anyOf ?? []).flatMap(each => unnamed(each, path)),
    ...(schema.items ? unnamed(schema.items, `${path}[]`) : []),
  ]
  const isType = ({ properties = {} }: JsonSchema) => Object.keys(properties).length > 3
  for (const name of names) {
    const found = Object.entries(documentOf(name).components.schemas).flatMap(
      ([schema, { properties = {} }]) =>
        Object.entries(properties).flatMap(([field, each]) => unnamed(each, `${schema}.${field}`)),
    )
    expect(found.length).toBeGreaterThan(0)
    const repeated = [...Map.groupBy(found, ([text]) => text).values()].filter(({ length }) => length > 1)
    expect(repeated.map(alike => alike.map(([, path]) => path))).toEqual([])
  }
})

describe('the comparison with the last release', () => {
  const compare = (name: string, change: (document: OpenApi) => void): string[] => {
    const after = structuredClone(documentOf(name))
    change(after)
    return breakingChanges(comparedPartOf(documentOf(name)), after)
  }
  const schemaOf = ({ components }: OpenApi, name: string) => components.schemas[name]!
  const post = ({ paths }: OpenApi, path: string) => paths[path]!.post as Operation

  it.each<[string, string, (document: OpenApi) => void]>([
    ['an operation', 'GET /quotes/{id} is gone', ({ paths }) => delete paths['/quotes/{id}']],
    ['a field', 'fxRate is gone', document => delete schemaOf(document, 'Quote').properties!.fxRate],
    [
      'a type',
      'firm was boolean and is string',
      document => (schemaOf(document, 'Quote').properties!.firm = { type: 'string' }),
    ],
    [
      'a field that requests need',
      'POST /route: body.region is required',
      document => (schemaOf(document, 'RouteRequest').required = ['region']),
    ],
    [
      'a field of what may be null',
      'terms.fees.percentage is gone',
      document => (schemaOf(document, 'ExternalTerms').properties!.fees!.anyOf![0] = { type: 'object' }),
    ],
    [
      'a field of one of several forms',
      'POST /route: body.asset.issuer is gone',
      document => delete schemaOf(document, 'RouteRequest').properties!.asset!.anyOf![1]!.properties!.issuer,
    ],
    [
      'a credential',
      'POST /route: needs a credential',
      document => (post(document, '/route').security = [{ serviceSecret: [] }]),
    ],
    [
      'a parameter that many operations share',
      'needs the parameter cursor',
      ({ components }) => (components.parameters.Cursor!.required = true),
    ],
    [
      'the form of refusals',
      'POST /route: 400 is no longer application/problem+json',
      ({ components }) => {
        for (const response of Object.values(components.responses))
          response.content = { 'application/json': { schema: {} } }
      },
    ],
  ])('finds %s', (_, found, change) => {
    expect(compare('aggregator', change).join('\n')).toContain(found)
  })

  it('lists for a release what was added, changed and is gone, each once, and says why a break is meant', () => {
    const after = structuredClone(documentOf('aggregator'))
    const quote = schemaOf(after, 'Quote').properties!
    quote.added = { type: 'string' }
    quote.firm = { type: 'string' }
    delete quote.fxRate
    delete after.paths['/quotes/{id}']
    after.paths['/new'] = structuredClone(after.paths['/route']!)
    const differences = differencesOf(comparedPartOf(documentOf('aggregator')), after)
    expect(differences).toEqual({
      breaking: expect.arrayContaining(['GET /quotes/{id} is gone']),
      added: ['POST /new', 'type Quote · added: string, optional'],
      changed: ['type Quote · firm: boolean, always → string, always'],
      gone: ['GET /quotes/{id}', expect.stringMatching(/^type Quote · fxRate: /)],
    })
    const meant = [{ form: '.', why: 'nobody called it' }]
    expect(pageOf('0.1.0', '0.2.0', [{ title: 'Aggregator', differences }], meant)).toContain(
      '\n- `GET /quotes/{id} is gone`: nobody called it\n',
    )
  })

  it('lets documents grow', () => {
    const grow = (document: OpenApi) => (schemaOf(document, 'Quote').properties!.added = { type: 'string' })
    expect(compare('aggregator', grow)).toEqual([])
  })
})

function operationsOf({ paths }: OpenApi): Operation[] {
  return Object.values(paths).flatMap(methods =>
    Object.entries(methods).flatMap(([method, operation]) =>
      method === 'servers' ? [] : [operation as Operation],
    ),
  )
}
