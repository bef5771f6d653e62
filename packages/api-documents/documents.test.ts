import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectral from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { breakingChanges } from './breaking-changes.ts'
import { readContracts, type Contracts } from './contracts.ts'
import { documents } from './documents.ts'
import { endpointsOf, fileOf, printAll, releasedFileOf } from './print.ts'
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
const documentOf = (name: string) => JSON.parse(printed.get(name)!) as OpenApi

it('has a document for every endpoint', () => {
  const documented = new Set(documents.flatMap(plan => endpointsOf(plan, contracts)))
  const left = contracts.endpoints.filter(each => !documented.has(each))
  expect(left.map(({ module, name }) => `${module}: ${name}`)).toEqual([])
  expect(contracts.endpoints.length).toBeGreaterThan(150)
})

describe.each(names)('the document %s', name => {
  it('is what docs/api has: run `npm run api` after a change of a contract', () => {
    expect(readFileSync(fileOf(name), 'utf8') === printed.get(name)).toBe(true)
  })

  it('breaks no client of the last release', () => {
    const released = JSON.parse(readFileSync(releasedFileOf(name), 'utf8')) as OpenApi
    expect(breakingChanges(released, documentOf(name))).toEqual([])
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
      Object.entries(responses).flatMap(([status, { content = {} }]) =>
        Object.values(content).flatMap(({ schema }) => {
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

it('finds what would break a client', () => {
  const before = documentOf('aggregator')
  const changed = (change: (document: OpenApi) => void): string[] => {
    const after = structuredClone(before)
    change(after)
    return breakingChanges(before, after)
  }
  const schemas = (document: OpenApi) => document.components.schemas
  expect(changed(({ paths }) => void delete paths['/quotes/{id}'])).toEqual(['GET /quotes/{id} is gone'])
  expect(changed(document => void delete schemas(document).Quote!.properties!.fxRate).join()).toContain(
    'fxRate is gone',
  )
  expect(
    changed(document => void (schemas(document).Quote!.properties!.firm = { type: 'string' })).join(),
  ).toContain('firm was boolean and is string')
  expect(changed(document => void (schemas(document).RouteRequest!.required = ['region'])).join()).toContain(
    'POST /route: body.region is required',
  )
  expect(
    changed(({ paths }) => void ((paths['/route']!.post as Operation).security = [{ serviceSecret: [] }])),
  ).toEqual(['POST /route: needs a credential'])
  expect(changed(document => void (schemas(document).Quote!.properties!.added = { type: 'string' }))).toEqual(
    [],
  )
})

function operationsOf({ paths }: OpenApi): Operation[] {
  return Object.values(paths).flatMap(methods =>
    Object.entries(methods).flatMap(([method, operation]) =>
      method === 'servers' ? [] : [operation as Operation],
    ),
  )
}
