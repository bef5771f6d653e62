import { text as readText } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import type { Entry } from '../registry/entry.ts'
import { json } from '../testing/anchor-server.ts'
import { externalAnchor, issuer, key, price, send } from '../testing/external-anchor.ts'
import { dueAnchors, LOOK_MS } from './look-at-anchors.ts'
import { lookAsWallet } from './look.ts'

const stand = externalAnchor()
const rails = ['UPI']

let made = 0
/** An anchor of ours at the stand's domain, of which the registry has these terms. */
async function register(changes: object = {}): Promise<() => Entry> {
  const { aggregator, server } = stand
  const id = `own${(made += 1)}`
  await aggregator.register({
    ...{ id, slug: id, domain: server.host, signingKey: key.publicKey, apiUrl: server.url, rails },
    ...{ assets: [{ code: 'COIN', issuer, anchoredTo: 'USD' }], fees: { fixed: '0.2', percentage: '0.01' } },
    ...changes,
  })
  server.on('/health', json({ status: 'ok' }))
  server.on(
    '/sep38/info',
    json({
      assets: [{ asset: 'iso4217:INR', country_codes: ['IN'], sell_delivery_methods: [{ name: 'UPI' }] }],
    }),
  )
  server.on('/auth', (request, response) =>
    request.method === 'POST'
      ? send(response, { token: 'a.b.c' })
      : stand.sendChallenge(response, stand.accountIn(request.url), key.secret),
  )
  server.on('/sep24/transactions/deposit/interactive', json({ id: 't1', url: 'https://x.example/page' }))
  names('88.5')
  return () => stand.aggregator.deps.index.get(id) as Entry
}

/** What the anchor's SEP-38 server names for a coin. */
const names = (each: string) =>
  stand.server.on('/sep38/price', (request, response) => price(response, stand.amountIn(request.url), each))
const look = async (entry: () => Entry, times = 1) => {
  for (let i = 0; i < times; i += 1) await lookAsWallet(stand.aggregator.deps, entry())
}
const shown = async ({ id }: Entry) => (await stand.aggregator.get(`/anchors/${id}`)).body.anchor.differences
const route = async (asset = 'COIN') =>
  (await stand.aggregator.post('/route', { amount: '100', asset, rail: 'UPI', currency: 'INR' })).body

it('an anchor whose terms are what wallets see has no difference', async () => {
  const entry = await register()
  await look(entry, 4)
  expect(entry().seen).toMatchObject({ row: {}, differences: [], refusesStarts: false })
  expect(stand.server.requests.map(({ line }) => line)).toContain(
    'POST /sep24/transactions/deposit/interactive',
  )
  expect(await shown(entry())).toBeUndefined()
})

it('an anchor that names a price beyond its terms again and again is compared by it, and shown', async () => {
  const liar = await register({ fees: { fixed: '0', percentage: '0' }, rails: ['UPI', 'LIE'] })
  await stand.aggregator.register({
    ...{ id: 'rival', slug: 'rival', apiUrl: stand.server.url, rails: ['LIE'] },
    ...{ assets: [{ code: 'COIN', issuer, anchoredTo: 'USD' }], fees: { fixed: '0', percentage: '0.02' } },
  })
  for (const id of [liar().id, 'rival']) {
    const entry = stand.aggregator.deps.index.get(id)
    if (entry) await stand.aggregator.deps.health.probeNow(entry)
  }
  const winner = async () =>
    (await stand.aggregator.post('/route', { amount: '100', asset: 'COIN', rail: 'LIE' })).body
  names('100')
  await look(liar, 2)
  expect((await winner()).anchorId).toBe(liar().id)
  await look(liar)
  const share = await shown(liar())
  expect(share).toMatchObject([{ kind: 'price', since: expect.any(String) }])
  expect(Number(share[0].share)).toBeGreaterThan(0.13)
  const after = await winner()
  expect(after.anchorId).toBe('rival')
  expect(after.reasoning).toContain('of the exchange rate')
  // What it says may be true again.
  names('88.5')
  stand.server.on('/sep38/price', (_request, response) =>
    send(response, { price: '88.5', fee: { total: '0', asset: `stellar:COIN:${issuer}` } }),
  )
  await look(liar)
  expect(await shown(liar())).toBeUndefined()
  expect((await winner()).anchorId).toBe(liar().id)
})

it('a price within two per cent, or better than the terms, is no difference', async () => {
  const entry = await register()
  for (const each of ['89.9', '80']) {
    names(each)
    await look(entry, 3)
    expect(await shown(entry())).toBeUndefined()
  }
})

it.each([
  ['refuses the login', '/auth', 'status-403'],
  ['refuses to start a deposit', '/sep24/transactions/deposit/interactive', 'status-403'],
])(
  'an anchor that answers its health checks and %s is scored as one that is down',
  async (_, path, failure) => {
    const entry = await register()
    await stand.aggregator.deps.health.probeNow(entry())
    stand.server.on(path, json({ error: 'no' }, 403))
    await look(entry, 3)
    expect(await shown(entry())).toMatchObject([{ kind: 'start', failure }])
    const body = await route()
    const own = body.candidates.find(({ anchorId }: { anchorId: string }) => anchorId === entry().id)
    expect(own.scores.uptime).toBe(0)
  },
)

const START = '/sep24/transactions/deposit/interactive'
/** Lets wallets start deposits of some assets alone; returns those that are asked for. */
function takes(...taken: string[]): string[] {
  const asked: string[] = []
  stand.server.on(START, (request, response) => {
    void readText(request).then(body => {
      const { asset_code: code } = JSON.parse(body) as { asset_code: string }
      asked.push(code)
      const answer = taken.includes(code) ? json({ id: 't1', url: 'https://x.example/page' }) : json({}, 400)
      answer(request, response)
    })
  })
  return asked
}
const twoAssets = { assets: ['GOLD', 'COIN'].map(code => ({ code, issuer, anchoredTo: 'USD' })) }
const states = (gold: boolean) =>
  stand.server.on('/sep24/info', json({ deposit: { GOLD: { enabled: gold }, COIN: { enabled: true } } }))

it('an anchor that takes one of its assets is open, and one that takes none is not', async () => {
  const entry = await register(twoAssets)
  states(true)
  const asked = takes('COIN')
  await look(entry, 3)
  expect(asked.slice(0, 2)).toEqual(['GOLD', 'COIN'])
  expect(await shown(entry())).toBeUndefined()
  takes()
  await look(entry, 3)
  expect(await shown(entry())).toMatchObject([{ kind: 'start', failure: 'status-400' }])
})

it('an asset that an anchor says it takes is tried before one that it does not', async () => {
  const entry = await register(twoAssets)
  states(false)
  const asked = takes('COIN')
  await look(entry)
  expect(asked).toEqual(['COIN'])
})

it('what was seen outlives the process, and a registration that says the same', async () => {
  const entry = await register()
  names('120')
  await look(entry, 3)
  const { rows } = await stand.aggregator.deps.database.pool.query<{ seen: object }>(
    'select seen from anchors where id = $1',
    [entry().id],
  )
  expect(rows[0]?.seen).toMatchObject({ price: { looks: 3 } })
  await stand.aggregator.register({
    ...{ id: entry().id, slug: entry().slug, domain: stand.server.host, signingKey: key.publicKey, rails },
    ...{ apiUrl: stand.server.url, assets: [{ code: 'COIN', issuer, anchoredTo: 'USD' }] },
    fees: { fixed: '0.2', percentage: '0.01' },
  })
  expect(await shown(entry())).toMatchObject([{ kind: 'price' }])
})

it('each open anchor is looked at again after six hours, and one that takes no deposits is not', async () => {
  const { deps } = stand.aggregator
  const [open, closed] = [
    await register(),
    await register({ rails: [], withdrawal: { rails, fees: { fixed: '0', percentage: '0' } } }),
  ]
  await Promise.all([open, closed].map(entry => deps.health.probeNow(entry())))
  const at = (milliseconds: number) => ({
    ...deps,
    ownedShards: { has: () => true } as unknown as ReadonlySet<number>,
    clock: { ...deps.clock, now: () => new Date(Date.now() + milliseconds) },
  })
  const due = (milliseconds: number) => dueAnchors(at(milliseconds)).map(({ id }) => id)
  expect(due(0)).not.toContain(open().id)
  expect(due(LOOK_MS + 60_000)).toContain(open().id)
  expect(due(LOOK_MS + 60_000)).not.toContain(closed().id)
})
