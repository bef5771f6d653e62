import { createLogger } from '@windlass/service/observe/logger.ts'
import { createOutboundOnce } from '@windlass/service/outbound/outbound-once.ts'
import { fakeClock } from '@windlass/testing/fake-clock.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { ISSUER } from '../testing/aggregator.ts'
import { json, startAnchorServer, type AnchorServer } from '../testing/anchor-server.ts'
import { waitUntil } from '../testing/wait-until.ts'
import { readSleeping } from './asleep.ts'
import { createPoller } from './poller.ts'
import type { Check } from './queries.ts'
import { shardOf } from './schedule.ts'

const PERIOD_MS = 15_000
const LIST = '/anchors/asleep'

let server: AnchorServer
let checks: Check[]
let clock: ReturnType<typeof fakeClock>
const addressOf = (id: string) => `${server.url}/asleep/${id}/business`
const sleeping = (id: string, rest: object = {}) => ({
  anchorId: id,
  apiUrl: addressOf(id),
  treasury_capacity: '12.5',
  assets: [{ code: 'USDC', issuer: 'G1' }],
  ...rest,
})
const asked = (id: string) =>
  server.requests.filter(({ line }) => line === `GET /asleep/${id}/business/admin/summary`).length
const checksOf = (id: string) => checks.filter(({ anchorId }) => anchorId === id)

/** Continues at the beginning of the next period. */
async function nextPeriod(): Promise<void> {
  const lists = () => server.requests.filter(({ line }) => line === `GET ${LIST}`).length
  const before = lists()
  clock.set(new Date((Math.floor(clock.now().getTime() / PERIOD_MS) + 1) * PERIOD_MS))
  await waitUntil('the list is read', () => lists() > before)
}

beforeEach(async () => {
  server = await startAnchorServer()
  checks = []
  // Next to nobody has their turn in the last millisecond of a period.
  clock = fakeClock('2026-03-01T12:00:14.999Z')
  for (const id of ['one', 'two', 'theirs'])
    server.on(`/asleep/${id}/business/admin/summary`, json({ status: 'ok', treasury_capacity: '7' }))
  const outbound = createOutboundOnce({ allowPrivate: true })
  let ticks = 0
  const poller = createPoller({
    outbound,
    clock,
    logger: createLogger('aggregator', 'silent'),
    pollSeconds: PERIOD_MS / 1_000,
    urlOf: domain => domain,
    share: {
      owns: shard => shard !== shardOf('theirs'),
      revision: 0,
      confirm: async () => void (ticks += 1),
    },
    database: { up: true, steadySince: async () => true },
    listSleeping: readSleeping(server.url, 'service-secret'),
    record: check => void checks.push(check),
  })
  for (const id of ['one', 'two', 'theirs'])
    poller.put({ id, apiUrl: addressOf(id), summarySecret: null, scheduled: true, available: true })
  poller.start()
  await waitUntil('it polls', () => ticks > 0)
  return async () => {
    await poller.stop()
    await outbound.close()
    await server.close()
  }
})

describe('anchors that sleep', () => {
  it('are checked together, by one request with the service’s credential, and are not asked themselves', async () => {
    const further = { code: 'EURC', issuer: ISSUER, capacity: '3' }
    server.on(
      LIST,
      json([
        sleeping('one', {
          assets: [{ code: 'USDC', issuer: 'G1' }, { ...further, code: 'A\u0000' }, further],
        }),
        sleeping('theirs'),
        sleeping('unknown'),
      ]),
    )
    await nextPeriod()
    await waitUntil('it is recorded', () => checks.length > 0)
    expect(checks).toEqual([
      {
        anchorId: 'one',
        checkedAt: clock.now(),
        available: true,
        capacity: 125_000_000n,
        further: new Map([[`EURC:${ISSUER}`, 30_000_000n]]),
        source: 'summary',
        latencyMs: expect.any(Number),
      },
    ])
    expect(server.requests.map(({ headers }) => headers['x-service-secret'])).toEqual(['service-secret'])
    clock.advance(PERIOD_MS - 1)
    await waitUntil('the others have their turn', () => checksOf('two').length === 1)
    expect([asked('one'), asked('two'), asked('theirs')]).toEqual([0, 1, 0])
  })

  it('are asked themselves where the registry has another address', async () => {
    server.on(LIST, json([sleeping('one', { apiUrl: 'http://elsewhere' }), sleeping('two')]))
    await nextPeriod()
    await waitUntil('the other is recorded', () => checksOf('two').length === 1)
    clock.advance(PERIOD_MS - 1)
    await waitUntil('it has its turn', () => asked('one') === 1)
    expect(asked('two')).toBe(0)
  })

  it('are probed at once when they are no longer listed', async () => {
    server.on(LIST, json([sleeping('one'), sleeping('two')]))
    await nextPeriod()
    await waitUntil('both are recorded', () => checks.length === 2)
    server.on(LIST, json([sleeping('two')]))
    await nextPeriod()
    await waitUntil('it is probed', () => checksOf('one').length === 2)
    expect(checksOf('one').at(-1)).toMatchObject({ available: true, capacity: 70_000_000n })
    expect(asked('two')).toBe(0)
  })

  it.each([
    ['answers with an error', json({}, 500)],
    ['answers nonsense', json({ anchors: 'many' })],
  ])('count by their own answers where the control plane %s', async (_what, respond) => {
    server.on(LIST, json([sleeping('one')]))
    await nextPeriod()
    await waitUntil('it is recorded', () => checksOf('one').length === 1)
    server.on(LIST, respond)
    server.on('/asleep/one/business/admin/summary', json({}, 503))
    await nextPeriod()
    await waitUntil('it is probed', () => checksOf('one').length === 2)
    expect(checksOf('one').at(-1)).toMatchObject({ available: false })
  })
})

it('knows no anchors that sleep without the address of a control plane', () => {
  expect(readSleeping(undefined, 'service-secret')).toBeNull()
})
