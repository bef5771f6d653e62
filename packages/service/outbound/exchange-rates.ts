import { formatRate, parseRate, type Rate } from '@windlass/money/rate.ts'
import type { FastifyBaseLogger } from 'fastify'
import { readFile } from 'node:fs/promises'
import type { Clock } from '../work/clock.ts'
import { ConfigError, integer, optional, type Env } from '../process/env.ts'
import { createOutage } from '../observe/outage.ts'

/** Currency units for one US dollar, by ISO 4217 code, and of when they are. */
export interface DatedRates {
  at: Date
  rates: Readonly<Record<string, string>>
}

/** Where exchange rates come from: a fixed table, a file, addresses that have to agree, or another of our services. */
interface RateSource {
  /** Throws where it has none. */
  read(): Promise<DatedRates>
}

export interface RateSettings {
  from:
    { path: string } | { fixed: DatedRates } | { urls: readonly string[]; quorum: number; tolerance: Rate }
  /** Rates that are older count as unknown. */
  maxAgeSeconds: number
}

/**
 * FX_RATES_PATH or FX_RATES_URLS, with FX_RATES_QUORUM and FX_RATES_TOLERANCE_PERCENT, or FX_RATES_AT, the time of the fixed
 * rates of FX_RATE_<code>_USDC; with FX_RATES_MAX_AGE_SECONDS. Null: the rates are the fixed ones, whatever their age.
 *
 * @throws {ConfigError}
 */
export function loadRateSettings(env: Env): RateSettings | null {
  const [path, list] = [optional(env, 'FX_RATES_PATH'), optional(env, 'FX_RATES_URLS')]
  const at = optional(env, 'FX_RATES_AT')
  if (path === undefined && list === undefined && at === undefined) return null
  if (path !== undefined && list !== undefined)
    throw new ConfigError('FX_RATES_PATH and FX_RATES_URLS are both set: rates come from one of them')
  if (at !== undefined && (path ?? list) !== undefined)
    throw new ConfigError('FX_RATES_AT is the time of fixed rates, and FX_RATES_PATH or FX_RATES_URLS is set')
  const maxAgeSeconds = integer(env, 'FX_RATES_MAX_AGE_SECONDS', 3600)
  if (maxAgeSeconds < 1) throw new ConfigError('FX_RATES_MAX_AGE_SECONDS must be at least 1')
  if (at !== undefined) return { from: { fixed: fixedRates(env, at) }, maxAgeSeconds }
  if (path !== undefined) return { from: { path }, maxAgeSeconds }
  const urls = [...new Set((list ?? '').split(',').map(each => each.trim()))].filter(Boolean)
  if (!urls.every(each => /^https?:\/\//.test(each) && URL.canParse(each)))
    throw new ConfigError('FX_RATES_URLS must be addresses (https://…), separated by commas')
  const quorum = integer(env, 'FX_RATES_QUORUM', Math.floor(urls.length / 2) + 1)
  if (quorum < 1 || quorum > urls.length)
    throw new ConfigError(`FX_RATES_QUORUM must be from 1 to ${urls.length}, the number of FX_RATES_URLS`)
  return { from: { urls, quorum, tolerance: toleranceOf(env) }, maxAgeSeconds }
}

function fixedRates(env: Env, at: string): DatedRates {
  if (!/^\d{4}-\d\d-\d\dT/.test(at) || Number.isNaN(Date.parse(at)))
    throw new ConfigError('FX_RATES_AT must be an ISO 8601 time such as 2026-11-23T08:00:00Z')
  const rates = Object.entries(env).flatMap(([name, value]) => {
    const code = /^FX_RATE_([A-Z]{3})_USDC$/.exec(name)?.[1]
    if (!code || !value) return []
    try {
      return [[code, rateOf(code, value)] as const]
    } catch {
      throw new ConfigError(`${name} must be a positive decimal number`)
    }
  })
  return { at: new Date(at), rates: Object.fromEntries(rates) }
}

function toleranceOf(env: Env): Rate {
  try {
    const { numerator, digits } = parseRate(optional(env, 'FX_RATES_TOLERANCE_PERCENT') ?? '1')
    return { numerator, digits: digits + 2 }
  } catch {
    throw new ConfigError('FX_RATES_TOLERANCE_PERCENT must be a decimal number such as 0.5')
  }
}

/**
 * Reads `{"base": "USD", "timestamp": 1790000000, "rates": {"INR": 88.5}}`, as most providers of rates answer. `at`, an
 * ISO 8601 time, may stand for `timestamp`, and texts for numbers. Without a time nobody knows whether they are old.
 *
 * @throws {Error} saying what is wrong.
 */
export function parseRates(text: string): DatedRates {
  const document: unknown = JSON.parse(text)
  if (typeof document !== 'object' || document === null) throw new Error('the rates are no object')
  const { base = 'USD', at, timestamp, rates } = document as Record<string, unknown>
  if (base !== 'USD') throw new Error('the rates are not for one USD')
  const time = typeof at === 'string' ? new Date(at) : new Date(Number(timestamp ?? NaN) * 1000)
  if (Number.isNaN(time.getTime())) throw new Error('the rates have no time (at or timestamp)')
  if (typeof rates !== 'object' || rates === null) throw new Error('there are no rates')
  const found = Object.entries(rates).filter(([code]) => /^[A-Z]{3}$/.test(code))
  return { at: time, rates: Object.fromEntries(found.map(([code, value]) => [code, rateOf(code, value)])) }
}

const MOST_DIGITS = 10
const DIGITS_BEYOND = /(\.\d{10})\d+$/

function rateOf(code: string, value: unknown): string {
  const text = typeof value === 'number' ? value.toFixed(MOST_DIGITS) : String(value)
  try {
    const rate = parseRate(text.replace(DIGITS_BEYOND, '$1'))
    if (rate.numerator > 0n) return formatRate(rate)
  } catch {
    // Reported below, like a rate of 0.
  }
  throw new Error(`the rate of ${code} is no positive decimal number`)
}

/** What several sources agree on: the median of each currency for which enough of them are near it, as old as the oldest. */
export function agreedRates(
  answers: readonly DatedRates[],
  { quorum, tolerance }: { quorum: number; tolerance: Rate },
): DatedRates {
  if (answers.length < quorum)
    throw new Error(`${answers.length} of at least ${quorum} sources have rates that are new enough`)
  const codes = new Set(answers.flatMap(({ rates }) => Object.keys(rates)))
  const rates: Record<string, string> = {}
  for (const code of codes) {
    const values = answers.flatMap(answer => answer.rates[code] ?? []).sort(compare)
    const median = values[Math.floor((values.length - 1) / 2)]
    if (median === undefined) continue
    const near = values.filter(each => isNear(each, median, tolerance))
    if (near.length >= quorum) rates[code] = median
  }
  return { at: new Date(Math.min(...answers.map(({ at }) => at.getTime()))), rates }
}

const SCALE = 18
const scaled = (text: string): bigint => {
  const { numerator, digits } = parseRate(text)
  return numerator * 10n ** BigInt(SCALE - digits)
}
const compare = (one: string, other: string): number => {
  const difference = scaled(one) - scaled(other)
  return difference < 0n ? -1 : Number(difference > 0n)
}

function isNear(one: string, other: string, { numerator, digits }: Rate): boolean {
  const difference = scaled(one) - scaled(other)
  return (difference < 0n ? -difference : difference) * 10n ** BigInt(digits) <= scaled(other) * numerator
}

const TIMEOUT_MS = 3_000
const MOST_BYTES = 1_000_000
/** How far another clock may be ahead of ours. */
const AHEAD_MS = 5 * 60_000

/** Whether rates may be used: not too old, and not of a time that is still to come, which would keep them forever. */
const isCurrent = ({ at }: DatedRates, maxAgeSeconds: number, now: Date): boolean =>
  at.getTime() >= now.getTime() - maxAgeSeconds * 1000 && at.getTime() <= now.getTime() + AHEAD_MS

/** The source that the settings name. */
export function createRateSource({ from, maxAgeSeconds }: RateSettings, clock: Clock): RateSource {
  if ('fixed' in from) return { read: async () => from.fixed }
  if ('path' in from) return { read: async () => parseRates(await readFile(from.path, 'utf8')) }
  return {
    read: async () => {
      const answers = await Promise.allSettled(from.urls.map(fetchRates))
      const read = answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
      return agreedRates(
        read.filter(each => isCurrent(each, maxAgeSeconds, clock.now())),
        from,
      )
    },
  }
}

async function fetchRates(url: string): Promise<DatedRates> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!response.ok) throw new Error(`${new URL(url).host} answered ${response.status}`)
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.length > MOST_BYTES) throw new Error(`${new URL(url).host} answered too much`)
  }
  return parseRates(text)
}

/** Rates in memory that are read again while someone asks for them. */
export interface LiveRates {
  /** Reads like a table, without the currencies of which no rate is new enough. */
  readonly table: Readonly<Record<string, string>>
  /** Null: none is new enough. */
  current(): DatedRates | null
  /** Reads the source again where the last look is half a minute ago. Never throws: old rates end by their age. */
  refresh(): Promise<void>
}

const LOOKS_EVERY_MS = 30_000

export function createLiveRates(options: {
  source: RateSource
  maxAgeSeconds: number
  clock: Clock
  logger: FastifyBaseLogger
}): LiveRates {
  const { source, maxAgeSeconds, clock, logger } = options
  const outage = createOutage(logger, 'there are no exchange rates')
  let known: DatedRates | null = null
  let lookedAt = -Infinity
  let looking: Promise<void> | null = null
  const look = async () => {
    const read = await source.read()
    if (!isCurrent(read, maxAgeSeconds, clock.now()))
      throw new Error(`the exchange rates are of ${read.at.toISOString()}`)
    // A source that falls back to an older file brings nothing back.
    if (known === null || read.at >= known.at) known = read
    outage.over()
  }
  const current = () => (known && isCurrent(known, maxAgeSeconds, clock.now()) ? known : null)
  return {
    current,
    table: new Proxy<Record<string, string>>(
      {},
      { get: (_, code) => (typeof code === 'string' ? current()?.rates[code] : undefined) },
    ),
    refresh: () => {
      const now = clock.now().getTime()
      if (looking === null && now - lookedAt >= LOOKS_EVERY_MS) {
        lookedAt = now
        looking = look()
          .catch(outage.met)
          .finally(() => (looking = null))
      }
      return looking ?? Promise.resolve()
    },
  }
}

/** The rates of what the settings name; null: they are fixed, whatever their age. */
export function liveRatesFrom(
  settings: RateSettings | null,
  clock: Clock,
  logger: FastifyBaseLogger,
): LiveRates | null {
  if (!settings) return null
  const { maxAgeSeconds } = settings
  return createLiveRates({ source: createRateSource(settings, clock), maxAgeSeconds, clock, logger })
}
