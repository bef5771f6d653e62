import { openDatabase } from '@windlass/service/postgres/database.ts'
import { startDueWork } from '@windlass/service/work/due-work.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { fakeClock } from '@windlass/testing/fake-clock.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrations } from '../../migrations.ts'
import type { Tables } from '../../tables.ts'
import { readRailSettings } from '../settings.ts'
import { createSimulatedRail } from './rail.ts'

let test: Awaited<ReturnType<typeof testDatabase>>
let database: ReturnType<typeof openDatabase<Tables>>
let queries = 0
beforeAll(async () => {
  test = await testDatabase(...migrations)
  database = openDatabase<Tables>(test.url, { name: 'simulated', channels: ['due_work'] })
  database.pool.on('acquire', () => queries++)
})
afterAll(async () => {
  await database.close()
  await test.drop()
})

it('a simulated rail reports each payment until its webhook accepts it, and rests in between', async () => {
  const received: string[] = []
  const webhook = createServer((request, response) => {
    void request.toArray().then(chunks => {
      received.push(JSON.parse(Buffer.concat(chunks).toString()).type)
      response.writeHead(received.length === 1 ? 503 : 200).end()
    })
  }).listen(0)
  await once(webhook, 'listening')
  const url = `http://localhost:${(webhook.address() as AddressInfo).port}`
  const settings = readRailSettings({}, { rails: ['UPI'], mainnet: false, fallbackSecret: 'f'.repeat(32) })
  const rail = createSimulatedRail({
    settings: settings.get('UPI')!,
    anchor: { id: 'a', name: 'Mumbai Pay', anchoredTo: 'USD', publicUrl: 'http://mumbai.anchors.localhost' },
    db: database.db,
    clock: fakeClock(),
    logger: createLogger('test', 'silent'),
  })
  const work = [rail.simulation!.reports(url)]
  const reports = startDueWork({ database, work, logger: createLogger('test', 'silent') })
  await sleep(200)
  const before = queries
  await sleep(1_200)
  expect(queries).toBe(before)

  await rail.simulation!.payIn({ reference: 'W1', amount: '10' }, false)
  expect(await rail.simulation!.hasPayIn('W1')).toBe(true)
  expect(await rail.simulation!.hasPayIn('W2')).toBe(false)
  await expect.poll(() => received).toEqual(['payment.received', 'payment.received'])
  await reports.stop()
  webhook.close()
})
