import { createClient, ProblemError } from '@windlass/client/client.ts'
import {
  createWebhookEndpoint,
  getWorkspace,
  listDeveloperCustomers,
  listDeveloperTransactions,
  listWebhookDeliveries,
} from '@windlass/contracts/anchor/developer-api.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asPlatform } from '../../testing/as-platform.ts'
import { type BusinessApp, startBusinessApp } from '../../testing/business-app.ts'

let business: BusinessApp
let address: string
beforeAll(async () => {
  business = await startBusinessApp({ keys: { verify: () => Promise.resolve(null) } })
  address = `http://localhost:${await business.server.listen(0, 'localhost')}`
})
afterAll(() => business.close())

const sending = (headers: Record<string, string>) => createClient({ baseUrl: address, headers })

const statusOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 200,
    (error: unknown) => (error instanceof ProblemError ? error.status : -1),
  )

describe('the platform, on behalf of the anchor’s operators', () => {
  const proof = () => asPlatform(business.deps.config.secrets)
  const platform = () => sending(proof())

  it('reads transactions and deliveries', async () => {
    expect(await platform().call(listDeveloperTransactions)).toEqual([])
    expect(await platform().call(listWebhookDeliveries)).toEqual([])
  })

  it('changes nothing', async () => {
    const body = { url: 'https://hooks.example/' }
    expect(await statusOf(platform().call(createWebhookEndpoint, { body }))).toBe(403)
  })

  it('is not anyone who has the summary secret alone, or the proof alone, as the aggregator has the first', async () => {
    for (const missing of Object.keys(proof())) {
      const headers = { ...proof(), [missing]: 'x'.repeat(32) }
      expect(await statusOf(sending(headers).call(listDeveloperTransactions))).toBe(401)
      expect(await statusOf(sending(headers).call(listDeveloperCustomers))).toBe(401)
      expect(await statusOf(sending(headers).call(getWorkspace))).toBe(401)
    }
  })

  it('is refused through the proxy', async () => {
    const proxied = sending({ ...proof(), 'x-forwarded-host': 'mumbai.anchors.localhost' })
    expect(await statusOf(proxied.call(listDeveloperTransactions))).toBe(401)
    expect(await statusOf(proxied.call(getWorkspace))).toBe(401)
  })
})
