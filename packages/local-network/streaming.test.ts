import { Keypair } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startLocalNetwork } from './local-network.ts'
import { Laboratory, native, operation, pay } from './testing/laboratory.ts'
import { readEvents, type ServerEvent } from './testing/events.ts'

let lab: Laboratory
let payer: Keypair
let payee: Keypair
const payments = 25
beforeAll(async () => {
  lab = await Laboratory.open()
  payer = await lab.funded()
  payee = await lab.funded()
  for (let each = 1; each <= payments; each++) await payOnce(BigInt(each))
})
afterAll(() => lab.close())

const payOnce = (amount: bigint) =>
  lab.succeed({
    source: payer.publicKey(),
    signers: [payer],
    operations: [operation(pay(payee, native, amount))],
  })

const tokenOf = (event: ServerEvent | undefined): unknown => {
  const data = event?.data
  return typeof data === 'object' && data !== null && 'paging_token' in data ? data.paging_token : undefined
}

const recordsOf = (body: Record<string, unknown>): Record<string, unknown>[] => {
  const embedded = body['_embedded']
  if (typeof embedded !== 'object' || embedded === null || !('records' in embedded)) return []
  return Array.isArray(embedded.records) ? embedded.records : []
}

describe('streams', () => {
  const stream = (path: string) => `${lab.network.url}${path}`

  it('begin with hello, send what there is, and continue as ledgers close', async () => {
    const latest = await lab.get(`/accounts/${payee.publicKey()}/payments?order=desc&limit=2`)
    const cursor = String(recordsOf(latest.body)[1]?.['paging_token'])
    const reading = readEvents(
      stream(`/accounts/${payee.publicKey()}/payments?cursor=${cursor}`),
      events => events.length === 3,
    )
    await payOnce(777n)
    const { events } = await reading
    expect(events[0]).toEqual({ retry: '1000', event: 'open', data: 'hello' })
    expect(events[1]).toMatchObject({ data: { type: 'payment' } })
    expect(events[2]).toMatchObject({ data: { amount: '0.0000777' } })
    expect(events[2]?.id).toBe(tokenOf(events[2]))
  })

  it('from now on send only what comes, and resume where the client last was', async () => {
    const path = `/accounts/${payee.publicKey()}/payments?cursor=now`
    const opened = Promise.withResolvers<void>()
    const reading = readEvents(stream(path), events => {
      opened.resolve()
      return events.length === 2
    })
    await opened.promise
    await payOnce(801n)
    const first = (await reading).events[1]
    expect(first).toMatchObject({ data: { amount: '0.0000801' } })
    await payOnce(802n)
    await payOnce(803n)
    const { events } = await readEvents(stream(path), all => all.length === 3, {
      'last-event-id': first?.id ?? '',
    })
    expect(events.slice(1)).toMatchObject([
      { data: { amount: '0.0000802' } },
      { data: { amount: '0.0000803' } },
    ])
  })

  it('end with byebye at their limit', async () => {
    const { events, ended } = await readEvents(
      stream(`/accounts/${payee.publicKey()}/payments?limit=3`),
      () => false,
    )
    expect(ended).toBe(true)
    expect(events).toHaveLength(5)
    expect(events.at(-1)).toMatchObject({ event: 'close', data: 'byebye' })
  })

  it('of one account send it whenever it changes', async () => {
    const opened = Promise.withResolvers<void>()
    const reading = readEvents(stream(`/accounts/${payee.publicKey()}`), events => {
      if (events.length === 2) opened.resolve()
      return events.length === 3
    })
    await opened.promise
    await payOnce(900n)
    const [, before, after] = (await reading).events
    expect(before?.data).toMatchObject({ id: payee.publicKey() })
    expect(after?.data).not.toEqual(before?.data)
  })

  it('lose and repeat nothing for the SDK across many reconnections', async () => {
    const from = recordsOf((await lab.get(`/accounts/${payee.publicKey()}/payments?order=desc&limit=1`)).body)
    const seen: string[] = []
    const expected = Array.from({ length: 15 }, (_, each) => BigInt(10_000 + each))
    const all = Promise.withResolvers<void>()
    const stop = lab.horizon
      .payments()
      .forAccount(payee.publicKey())
      .cursor(String(from[0]?.['paging_token']))
      .limit(2)
      .stream({
        onmessage: message => {
          if ('amount' in message) seen.push(message.amount)
          if (seen.length === expected.length) all.resolve()
        },
      })
    for (const amount of expected) await payOnce(amount)
    await all.promise
    stop()
    expect(seen).toEqual(expected.map(amount => `0.00${amount}`))
  })

  it('end when the network is reset, and begin again on the new chain', async () => {
    const network = await startLocalNetwork({ closeEvery: 'at-once' })
    const opened = Promise.withResolvers<void>()
    const reading = readEvents(`${network.url}/payments?cursor=now`, () => (opened.resolve(), false))
    await opened.promise
    network.reset()
    const { events, ended } = await reading
    expect(ended).toBe(true)
    expect(events.at(-1)).toMatchObject({ event: 'close', data: 'byebye' })
    const again = readEvents(`${network.url}/payments`, all => all.length === 2)
    await fetch(`${network.friendbotUrl}?addr=${network.keypair('alice').publicKey()}`)
    expect((await again).events[1]).toMatchObject({ data: { type: 'create_account' } })
    await network.stop()
  })

  it('with a bad cursor are refused before they begin', async () => {
    const response = await fetch(stream('/payments?cursor=nonsense'), {
      headers: { accept: 'text/event-stream' },
    })
    expect(response.status).toBe(400)
  })
})
