import { createClient, ProblemError } from '@windlass/client/client.ts'
import {
  createWebhookEndpoint,
  getWorkspace,
  listDeveloperTransactions,
  listWebhookDeliveries,
} from '@windlass/contracts/developer-api.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BusinessApp, startBusinessApp } from '../testing/business-app.ts'

let business: BusinessApp
let address: string
beforeAll(async () => {
  business = await startBusinessApp({ keys: { verify: () => Promise.resolve(null) } })
  address = `http://localhost:${await business.server.listen(0, 'localhost')}`
})
afterAll(() => business.close())

const holding = (secret: string, headers: Record<string, string> = {}) =>
  createClient({ baseUrl: address, headers: { 'x-service-secret': secret, ...headers } })

const statusOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 200,
    (error: unknown) => (error instanceof ProblemError ? error.status : -1),
  )

describe('the platform, on behalf of the anchor’s operators', () => {
  const platform = () => holding('m'.repeat(32))

  it('reads transactions and deliveries with the summary secret', async () => {
    expect(await platform().call(listDeveloperTransactions)).toEqual([])
    expect(await platform().call(listWebhookDeliveries)).toEqual([])
  })

  it('changes nothing', async () => {
    const body = { url: 'https://hooks.example/' }
    expect(await statusOf(platform().call(createWebhookEndpoint, { body }))).toBe(403)
  })

  it('is refused with another secret, and with the right one through the proxy', async () => {
    expect(await statusOf(holding('x'.repeat(32)).call(listDeveloperTransactions))).toBe(401)
    const proxied = holding('m'.repeat(32), { 'x-forwarded-host': 'mumbai.anchors.localhost' })
    expect(await statusOf(proxied.call(listDeveloperTransactions))).toBe(401)
    expect(await statusOf(proxied.call(getWorkspace))).toBe(401)
  })
})
