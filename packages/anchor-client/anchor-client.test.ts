import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import * as client from './anchor-client.ts'

interface Operation {
  'x-required-scopes'?: string[]
}

it('has every operation that a key may call, and no other', () => {
  const { paths } = JSON.parse(
    readFileSync(new URL('../../docs/api/developer.json', import.meta.url), 'utf8'),
  ) as { paths: Record<string, Record<string, Operation>> }
  const documented = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation['x-required-scopes'])
      .map(([method]) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  )
  const exported = Object.values(client).flatMap(value =>
    typeof value === 'object' && 'realm' in value ? [`${value.method} ${value.path}`] : [],
  )
  expect(documented.length).toBeGreaterThan(40)
  expect(exported.toSorted()).toEqual(documented.toSorted())
})
