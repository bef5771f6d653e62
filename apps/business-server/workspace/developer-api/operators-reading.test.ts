import { createClient, ProblemError } from '@windlass/client/client.ts'
import {
  createWebhookEndpoint,
  getWorkspace,
  listDeveloperCustomers,
  listDeveloperTransactions,
  listWebhookDeliveries,
} from '@windlass/contracts/anchor/developer-api.ts'
import { platformKey, provingFetch } from '@windlass/service/http/platform-proof.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BusinessApp, startBusinessApp } from '../../testing/business-app.ts'

let business: BusinessApp
let address: string
beforeAll(async () => {
  business = await startBusinessApp({ keys: { verify: () => Promise.resolve(null) } })
  address = `http://localhost:${await business.server.listen(0, 'localhost')}`
})
afterAll(() => business.close())

const sending = (headers: Record<string, string>, key?: Buffer) =>
  createClient({
    ...{ baseUrl: address, headers },
    ...(key && { fetch: provingFetch(key, business.deps.clock) }),
  })

const statusOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 200,
    (error: unknown) => (error instanceof ProblemError ? error.status : -1),
  )

describe('the platform, on behalf of the anchor’s operators', () => {
  const reading = () => ({ 'x-service-secret': business.deps.config.secrets.summary })
  const key = () => platformKey(business.deps.config.secrets.service)
  const platform = () => sending(reading(), key())

  it('reads transactions and deliveries', async () => {
    expect(await platform().call(listDeveloperTransactions)).toEqual([])
    expect(await platform().call(listWebhookDeliveries)).toEqual([])
  })

  it('changes nothing', async () => {
    const body = { url: 'https://hooks.example/' }
    expect(await statusOf(platform().call(createWebhookEndpoint, { body }))).toBe(403)
  })

  it('is not anyone who has the summary secret alone, or the proof alone, as the aggregator has the first', async () => {
    for (const asker of [sending(reading()), sending({ 'x-service-secret': 'x'.repeat(32) }, key())]) {
      expect(await statusOf(asker.call(listDeveloperTransactions))).toBe(401)
      expect(await statusOf(asker.call(listDeveloperCustomers))).toBe(401)
      expect(await statusOf(asker.call(getWorkspace))).toBe(401)
    }
  })

  it('is refused through the proxy', async () => {
    const proxied = sending({ ...reading(), 'x-forwarded-host': 'mumbai.anchors.localhost' }, key())
    expect(await statusOf(proxied.call(listDeveloperTransactions))).toBe(401)
    expect(await statusOf(proxied.call(getWorkspace))).toBe(401)
  })
})
