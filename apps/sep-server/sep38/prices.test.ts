import { plannedSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createBusinessServer } from '../clients/business-server.ts'
import { startSepApp, testAnchor, type SepApp } from '../testing/sep-app.ts'

let app: SepApp
let business: Server
let refusal: { code: string; detail: string }
beforeAll(async () => {
  business = createServer((_request, response) => {
    response.writeHead(400, { 'content-type': 'application/problem+json' }).end(JSON.stringify(refusal))
  })
  await new Promise<void>(done => business.listen(0, '127.0.0.1', done))
  const { port } = business.address() as AddressInfo
  app = await startSepApp({
    business: createBusinessServer(`http://127.0.0.1:${port}`, 'secret'),
    terms: { current: async () => plannedSettings(testAnchor.plan) },
  })
})
afterAll(async () => {
  await app.close()
  business.close()
})

const prices = async () => {
  const { code, issuer } = { code: testAnchor.plan.asset.code, issuer: testAnchor.accounts.issuer }
  const answer = await app.server.app.inject(
    `/sep38/prices?sell_asset=stellar:${code}:${issuer}&sell_amount=100`,
  )
  return [answer.statusCode, answer.json().error]
}

it('leaves out what has no rate by the code of the problem, whatever it says in words', async () => {
  refusal = { code: 'unsupported-pair', detail: 'Nobody exchanges these.' }
  expect(await prices()).toEqual([400, 'the anchor has no rate for this asset'])
  refusal = { code: 'validation-failed', detail: 'there is no rate limit left' }
  expect(await prices()).toEqual([400, 'there is no rate limit left'])
})
