import { fakeClock } from '@windlass/testing/fake-clock.ts'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  agreedRates,
  createLiveRates,
  createRateSource,
  type DatedRates,
  loadRateSettings,
  parseRates,
  type RateSettings,
} from './exchange-rates.ts'
import { createLogger } from '../observe/logger.ts'

const clock = fakeClock()
const ago = (seconds: number) => new Date(clock.now().getTime() - seconds * 1000)
const logger = createLogger('test', 'silent')
const percent = { quorum: 2, tolerance: { numerator: 1n, digits: 2 } }

/** What each path answers; absent: 500. */
const answers = new Map<string, string>()
let server: Server
let base: string
beforeAll(async () => {
  server = createServer((request, response) => {
    const answer = answers.get(request.url ?? '')
    response.writeHead(answer === undefined ? 500 : 200).end(answer)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

const live = (settings: RateSettings) =>
  createLiveRates({
    ...{ source: createRateSource(settings, clock), maxAgeSeconds: settings.maxAgeSeconds },
    ...{ clock, logger },
  })
const stated = (rates: object, seconds = 0) =>
  JSON.stringify({ base: 'USD', timestamp: Math.floor(ago(seconds).getTime() / 1000), rates })

describe('a document of rates', () => {
  it('has a time and positive rates for one dollar', () => {
    const at = new Date('2026-11-20T10:00:00.000Z')
    const text = `{"at":"${at.toISOString()}","rates":{"INR":"88.50","EUR":0.92,"BTC":0.0000004,"gold":1}}`
    expect(parseRates(text)).toEqual({ at, rates: { INR: '88.5', EUR: '0.92', BTC: '0.0000004' } })
    const timestamp = at.getTime() / 1000
    expect(parseRates(JSON.stringify({ base: 'USD', timestamp, rates: {} }))).toEqual({ at, rates: {} })
  })

  it.each([
    ['no time', { rates: { INR: 88 } }],
    ['another base', { base: 'EUR', timestamp: 1, rates: { INR: 88 } }],
    ['a rate of 0', { timestamp: 1, rates: { INR: 0 } }],
    ['a negative rate', { timestamp: 1, rates: { INR: -88 } }],
    ['a rate that is a word', { timestamp: 1, rates: { INR: 'much' } }],
    ['no rates', { timestamp: 1 }],
  ])('is refused with %s', (_, document) => {
    expect(() => parseRates(JSON.stringify(document))).toThrow()
  })
})

describe('several sources', () => {
  const of = (INR: string, seconds = 0): DatedRates => ({ at: ago(seconds), rates: { INR } })

  it('agree on the median, as old as the oldest of them', () => {
    const rates = agreedRates([of('88.4'), of('88.60', 50), of('88.5')], percent)
    expect(rates).toEqual({ at: ago(50), rates: { INR: '88.5' } })
    expect(agreedRates([of('88.4'), of('9000'), of('88.5')], percent).rates).toEqual({ INR: '88.5' })
  })

  it('have no rate where fewer than the quorum are near the median, and nothing where fewer answer', () => {
    expect(agreedRates([of('80'), of('88'), of('96')], percent).rates).toEqual({})
    expect(agreedRates([of('88'), { at: ago(0), rates: { EUR: '0.92' } }], percent).rates).toEqual({})
    expect(() => agreedRates([of('88')], percent)).toThrow('1 of at least 2')
  })

  it('are asked over HTTP: one that is down, late or silly is left out', async () => {
    const urls = ['/a', '/b', '/c'].map(path => base + path)
    const rates = live({ from: { urls, ...percent }, maxAgeSeconds: 600 })
    const next = async (...documents: (string | undefined)[]) => {
      clock.advance(31_000)
      answers.clear()
      for (const [index, text] of documents.entries()) if (text) answers.set(`/${'abc'[index]}`, text)
      await rates.refresh()
      return rates.table.INR
    }
    expect(await next(stated({ INR: 88 }), undefined, stated({ INR: 88.1 }))).toBe('88')
    expect(await next(stated({ INR: 90 }), '{', stated({ INR: 90 }, 601))).toBe('88')
    expect(await next(stated({ INR: 91 }), stated({ INR: 91 }), 'x'.repeat(2_000_000))).toBe('91')
    // Nothing since: the last rate ends by its age, and is back with the next answer.
    clock.advance(520_000)
    expect(await next()).toBe('91')
    expect(await next()).toBeUndefined()
    expect(rates.current()).toBeNull()
    expect(await next(stated({ INR: 92 }), stated({ INR: 92 }))).toBe('92')
  })
})

describe('a file of rates', () => {
  it('is read again while someone asks, and never used when it is old or of the future', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rates-'))
    const path = join(folder, 'rates.json')
    const rates = live({ from: { path }, maxAgeSeconds: 100 })
    const after = async (text: string) => {
      clock.advance(31_000)
      writeFileSync(path, text)
      await Promise.all([rates.refresh(), rates.refresh()])
      return rates.table.INR
    }
    expect(rates.table.INR).toBeUndefined()
    expect(await after(stated({ INR: 88 }, 101))).toBeUndefined()
    expect(await after(stated({ INR: 88 }, -3600))).toBeUndefined()
    expect(await after(stated({ INR: 88 }))).toBe('88')
    expect(await after(stated({ INR: 87 }, 50))).toBe('88')
    writeFileSync(path, stated({ INR: 89 }))
    await rates.refresh()
    expect(rates.table.INR).toBe('88')
    clock.advance(39_000)
    expect(rates.table.INR).toBeUndefined()
    rmSync(folder, { recursive: true })
  })
})

describe('fixed exchange rates with a time', () => {
  it('are the settings’, until they are too old', async () => {
    const env = { FX_RATE_INR_USDC: '88.5', FX_RATE_EUR_USDC: '0.92', FX_RATE_USDC: 'x' }
    const settings = loadRateSettings({
      ...{ ...env, FX_RATES_AT: clock.now().toISOString(), FX_RATES_MAX_AGE_SECONDS: '100' },
    })
    if (!settings) throw new Error('they have a time')
    const rates = live(settings)
    await rates.refresh()
    expect([rates.table.INR, rates.table.EUR, rates.table.USD]).toEqual(['88.5', '0.92', undefined])
    clock.advance(101_000)
    expect(rates.table.INR).toBeUndefined()
  })
})

describe('the settings of exchange rates', () => {
  const urls = 'https://one.example/, https://two.example/latest, https://three.example/'

  it('are a file or addresses, of which by default the greater part has to agree within a percent', () => {
    expect(loadRateSettings({})).toBeNull()
    expect(loadRateSettings({ FX_RATES_PATH: '/rates.json' })).toEqual({
      ...{ from: { path: '/rates.json' }, maxAgeSeconds: 3600 },
    })
    expect(loadRateSettings({ FX_RATES_URLS: urls, FX_RATES_TOLERANCE_PERCENT: '0.5' })).toMatchObject({
      from: { quorum: 2, tolerance: { numerator: 5n, digits: 3 } },
    })
  })

  it.each([
    [{ FX_RATES_PATH: '/rates.json', FX_RATES_URLS: urls }, /both/],
    [{ FX_RATES_AT: '2026-11-23T08:00:00Z', FX_RATES_URLS: urls }, /FX_RATES_AT/],
    [{ FX_RATES_AT: 'today' }, /FX_RATES_AT/],
    [{ FX_RATES_AT: '2026-11-23T08:00:00Z', FX_RATE_INR_USDC: '0' }, /FX_RATE_INR_USDC/],
    [{ FX_RATES_URLS: 'ftp://one.example' }, /FX_RATES_URLS/],
    [{ FX_RATES_URLS: urls, FX_RATES_QUORUM: '4' }, /FX_RATES_QUORUM/],
    [{ FX_RATES_URLS: urls, FX_RATES_QUORUM: '0' }, /FX_RATES_QUORUM/],
    [{ FX_RATES_URLS: urls, FX_RATES_TOLERANCE_PERCENT: 'some' }, /FX_RATES_TOLERANCE_PERCENT/],
    [{ FX_RATES_PATH: '/rates.json', FX_RATES_MAX_AGE_SECONDS: '0' }, /FX_RATES_MAX_AGE_SECONDS/],
  ])('refuse %j', (env, message) => {
    expect(() => loadRateSettings(env)).toThrow(message)
  })
})
