import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { businessClient, readSummary } from './business.ts'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

const SUMMARY = {
  status: 'ok',
  treasury_capacity: '1000000',
  assets: [{ code: 'INRX', issuer: 'G', anchoredTo: 'INR', balance: '10', reserved: '0' }],
  ledger: { connected: true, lastLedger: 7, observerLag: 0.5 },
  rails: [],
  version: '0.1.0',
}

async function summaryOf(answers: RequestListener) {
  server = createServer(answers)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = businessClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'secret')
  return readSummary(client, AbortSignal.timeout(5_000))
}
const saying = (summary: object) => summaryOf((_, response) => response.end(JSON.stringify(summary)))

describe('a business server', () => {
  it('is believed what a summary says, and what a newer release adds to it', async () => {
    expect(await saying({ ...SUMMARY, later: 1 })).toEqual({ ...SUMMARY, later: 1 })
  })

  it.each([
    ['no summary', {}],
    ['another capacity', { ...SUMMARY, treasury_capacity: 'a lot' }],
    ['assets that are none', { ...SUMMARY, assets: [{ code: '<script>' }] }],
    ['no list of assets', { ...SUMMARY, assets: 'x'.repeat(1_000) }],
    ['another status', { ...SUMMARY, status: 'asleep' }],
  ])('that was taken over has nothing else kept: %s', async (_, said) => {
    await expect(saying(said)).rejects.toMatchObject({ code: 'validation-failed' })
  })

  it('that was taken over fills no memory, and sends nobody on', async () => {
    await expect(saying({ ...SUMMARY, version: 'x'.repeat(2 ** 20) })).rejects.toThrow('longer than 1048576')
    const asked: (string | undefined)[] = []
    const sentOn = summaryOf((request, response) => {
      asked.push(request.url)
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    await expect(sentOn).rejects.toThrow()
    expect(asked).toEqual(['/admin/summary'])
  })
})
