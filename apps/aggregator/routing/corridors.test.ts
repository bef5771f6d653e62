import { amountOf, parseAmount } from '@windlass/money/amount.ts'
import { parseRate } from '@windlass/money/rate.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Condition, Description } from '../registry/entry.ts'
import { RegistryIndex } from '../registry/registry-index.ts'
import { readSeen } from '../registry/seen.ts'
import { Corridors } from './corridors.ts'

const START = Date.UTC(2026, 2, 1)
const upi = { asset: 'USDC', rail: 'UPI' }
let now: number
let index: RegistryIndex
let corridors: Corridors

const described = (id: string, changes: Partial<Description & Condition> = {}): Description & Condition => ({
  id,
  slug: id,
  name: id,
  domain: `${id}.example`,
  apiUrl: '',
  status: 'active',
  regions: ['IN'],
  assets: [{ code: 'USDC', issuer: '', anchoredTo: 'USD' }],
  rails: ['UPI'],
  limits: { min: amountOf(1n), max: amountOf(1n) },
  fees: { fixed: parseAmount('1'), percentage: parseRate('0') },
  withdrawal: null,
  railFees: new Map(),
  settlement: 'instant',
  signingKey: null,
  summarySecret: null,
  seen: readSeen(null, null, undefined),
  domainVerified: false,
  external: null,
  createdAt: new Date(START),
  updatedAt: new Date(START),
  capacity: parseAmount('100'),
  further: new Map(),
  available: true,
  lastCheckedAt: new Date(START),
  ...changes,
})

beforeEach(() => {
  now = START
  index = new RegistryIndex({ requireDomainProof: false })
  corridors = new Corridors(index)
  index.put(described('a'))
  index.put(described('b'))
  index.put(described('other', { rails: ['SEPA'] }))
})

const take = () => corridors.snapshot(upi, new Date(now))
const probe = (anchorId: string, changes: { available?: boolean; capacity?: string } = {}) =>
  index.observe({
    anchorId,
    checkedAt: new Date((now += 1)),
    available: changes.available ?? true,
    ...(changes.capacity ? { capacity: parseAmount(changes.capacity) } : {}),
  })

describe('the snapshot of a corridor', () => {
  it('serves while nothing in it changes', () => {
    const first = take()
    probe('a')
    probe('a', { capacity: '100' })
    probe('other', { capacity: '1' })
    expect(take()).toBe(first)
  })

  it('follows the checks of a clock that was set back, and no check that only came late', () => {
    const HOURS = 2 * 3_600_000
    const available = () => [...index.entries()].find(({ id }) => id === 'a')?.available
    probe('a')
    now -= HOURS
    probe('a', { available: false })
    expect(available()).toBe(false)
    now -= 1_000
    probe('a')
    expect(available()).toBe(false)
  })

  it.each<[string, () => void]>([
    ['stops answering', () => probe('a', { available: false })],
    ['reports another capacity', () => probe('a', { capacity: '99' })],
    [
      'is registered with another fee',
      () => index.put(described('a', { fees: { fixed: amountOf(2n), percentage: parseRate('0') } })),
    ],
    ['is suspended', () => index.put(described('a', { status: 'suspended' }))],
    ['is removed', () => index.remove('a')],
    ['joins', () => index.put(described('c'))],
    [
      'has its capacity held by a firm quote',
      () =>
        index.hold({
          quoteId: 'q',
          anchorId: 'a',
          asset: 'USDC:',
          amount: amountOf(1n),
          expiresAt: new Date(now + 1_000),
        }),
    ],
  ])('is taken again as soon as an anchor of it %s', (_what, change) => {
    const first = take()
    change()
    expect(take()).not.toBe(first)
  })

  it('is taken again when a firm quote has expired', () => {
    index.hold({
      quoteId: 'q',
      anchorId: 'a',
      asset: 'USDC:',
      amount: amountOf(1n),
      expiresAt: new Date(now + 1_000),
    })
    const held = take()
    now += 1_000
    expect(take().contenders[0]?.capacity).toBe((held.contenders[0]?.capacity ?? 0n) + 1n)
  })

  it('has uptimes at most five seconds old', () => {
    const first = take()
    probe('a')
    now = START + 4_999
    expect(take()).toBe(first)
    now = START + 5_000
    expect(take().contenders[0]).toMatchObject({ facts: { uptime: [1, 1] } })
  })

  it('serves on while an uptime moves by less than one check that came out otherwise would move it', () => {
    for (let n = 0; n < 240; n += 1) index.uptime.record(index.slotOf('a'), START - 1 - n, n !== 0)
    const first = take()
    probe('a')
    now += 5_000
    expect(take()).toBe(first)
    index.uptime.record(index.slotOf('a'), now, false)
    now += 5_000
    expect(take().contenders[0]).toMatchObject({ facts: { uptime: [240, 242] } })
  })

  it('is taken again once it is ten minutes old', () => {
    const first = take()
    now += 600_000
    expect(take()).toBe(first)
    now += 5_000
    expect(take()).not.toBe(first)
  })

  it('is stored whole in turns where several corridors have changed by a third', () => {
    const corridor = (rail: string) => Array.from({ length: 6 }, (_, n) => ({ id: `${rail}-${n}`, rail }))
    const all = [...corridor('SEPA'), ...corridor('PIX')]
    for (const { id, rail } of all) index.put(described(id, { rails: [rail] }))
    index.remove('other')
    const takeBoth = () =>
      ['SEPA', 'PIX'].map(rail => corridors.snapshot({ asset: 'USDC', rail }, new Date(now)))
    const [, pix] = takeBoth()
    for (const { id } of all) if (/[01]$/.test(id)) probe(id, { capacity: '99' })
    expect(takeBoth().map(({ base }) => base)).toEqual([null, pix])
    now += 2_000
    probe('PIX-0', { capacity: '98' })
    expect(takeBoth().map(({ base }) => base)).toEqual([null, null])
  })

  it('is not kept for what nobody supports', () => {
    const nobody = { asset: 'NONE', rail: 'UPI' }
    expect(corridors.snapshot(nobody, new Date(now)).contenders).toEqual([])
    index.put(described('new', { assets: [{ code: 'NONE', issuer: '', anchoredTo: 'USD' }] }))
    expect(corridors.snapshot(nobody, new Date(now)).contenders).toHaveLength(1)
  })
})
