import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { RegistryIndex } from '../registry/registry-index.ts'
import { withExamples } from './examples.ts'

const guide = readFileSync(new URL('../../../docs/guides/wallet-developers.md', import.meta.url), 'utf8')
const entry = {
  ...{ id: 'a', status: 'active', available: true, createdAt: new Date(0) },
  ...{ assets: [{ code: 'HARB', issuer: 'G', anchoredTo: 'EUR' }], rails: ['SEPA'], regions: ['DE'] },
}
const indexOf = (entries: object[]) => ({ entries: () => entries }) as unknown as RegistryIndex

it('the first example names an anchor of this platform, at its address', () => {
  const text = withExamples(guide, indexOf([entry]), 'https://aggregator.example')
  const [example = ''] = /```sh\n[\s\S]*?\n```/.exec(text) ?? []
  expect(example).toContain('AGGREGATOR=https://aggregator.example')
  expect(example).toContain('/anchors?rail=SEPA&region=DE&available=true')
  expect(example).toContain('"currency":"EUR","asset":"HARB","rail":"SEPA"')
  expect(example).not.toMatch(/LOTUS|UPI|INR|localhost/)
})

it('without an anchor the guide keeps its example', () => {
  const text = withExamples(guide, indexOf([{ ...entry, available: false }]), 'https://aggregator.example')
  expect(text).toContain('"asset":"LOTUS","rail":"UPI"')
})
