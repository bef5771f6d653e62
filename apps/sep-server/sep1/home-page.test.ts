import { railNames } from '@windlass/contracts/platform/application-fields.ts'
import { railKind, spanishRailLabels } from '@windlass/contracts/platform/anchor-rails.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type SepApp, startSepApp, testAnchor } from '../testing/sep-app.ts'

let sep: SepApp
beforeAll(async () => {
  const plan = { ...testAnchor.plan, rails: ['UPI', 'IMPS', 'NEFT', 'SEPA', 'ACH'] }
  sep = await startSepApp({}, { anchor: { ...testAnchor, plan } })
})
afterAll(() => sep.close())

const pageIn = async (language: string) => {
  const answer = await sep.server.app.inject({ url: '/', headers: { 'accept-language': language } })
  return answer.body
}

it('names payment methods in the reader’s language', async () => {
  expect(await pageIn('en')).toContain('UPI (INR), IMPS bank transfer (INR)')
  const spanish = await pageIn('es-MX')
  expect(spanish).toContain('UPI (INR), transferencia IMPS (INR)')
  expect(spanish).not.toMatch(/\btransfer\b/)
})

it('names in Spanish each rail whose name has an English word', () => {
  const labels = railNames.map(name => railKind(name, 'USD').label)
  expect(labels.filter(label => /[a-z]{2}/.test(label) && !(label in spanishRailLabels))).toEqual([])
  expect(Object.keys(spanishRailLabels).filter(label => !labels.includes(label))).toEqual([])
})
