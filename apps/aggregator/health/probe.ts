import { amountOf, parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { Offer } from '../external/offer.ts'
import type { StepResult } from '../external/walk.ts'
import { assetId, type FurtherCapacity } from '../registry/entry.ts'
import { outboundFailure, type Outbound, type OutboundAnswer } from '@windlass/service/outbound/outbound.ts'

/** Who is probed. */
export interface Probed {
  apiUrl: string
  summarySecret: string | null
}

/** The result of a probe. `failure` says in a word why an anchor counts as unavailable. */
export interface ProbeResult {
  available: boolean
  /** Capacity of the first asset. */
  capacity?: Amount
  further?: FurtherCapacity
  source?: 'summary' | 'health' | 'wallet'
  failure?: string
  latencyMs: number
  /** Steps of the check of an external anchor. */
  steps?: readonly StepResult[]
  offer?: Offer
}

/** For the whole probe; the summary may take the first part of it. */
export const PROBE_MS = 5_000
const SUMMARY_MS = 3_000
const MAX_BYTES = 65_536
const MAX_ASSETS = 32

/**
 * Asks an anchor's business server for its status: `{apiUrl}/admin/summary` with the anchor's own summary secret, and if
 * that fails `{apiUrl}/health`. If that states no capacity, the last known one stays. Never throws.
 */
export async function probe(outbound: Outbound, anchor: Probed): Promise<ProbeResult> {
  const startedAt = performance.now()
  const elapsed = () => Math.round(performance.now() - startedAt)
  const summary = await ask(outbound, `${anchor.apiUrl}/admin/summary`, SUMMARY_MS, anchor.summarySecret)
  if (typeof summary !== 'string' && summary.report) {
    return { ...verdict(summary.report), source: 'summary', latencyMs: elapsed() }
  }
  const left = PROBE_MS - elapsed()
  const health = left > 0 ? await ask(outbound, `${anchor.apiUrl}/health`, left, null) : 'timeout'
  if (typeof health === 'string') return { available: false, failure: health, latencyMs: elapsed() }
  const report = health.report ?? wordOf(health.text)
  if (!report) return { available: false, failure: 'nonsense', source: 'health', latencyMs: elapsed() }
  return { ...verdict(report), source: 'health', latencyMs: elapsed() }
}

export interface Report {
  ok: boolean
  capacity?: Amount
  further?: FurtherCapacity
}

function verdict({
  ok,
  capacity,
  further,
}: Report): Pick<ProbeResult, 'available' | 'capacity' | 'further' | 'failure'> {
  return { available: ok, capacity, ...(further ? { further } : {}), ...(ok ? {} : { failure: 'not-ok' }) }
}

/** An answer of 200 with the report in it, if it has one; else the failure in a word. */
async function ask(
  outbound: Outbound,
  url: string,
  timeout: number,
  secret: string | null,
): Promise<{ text: string; report: Report | null } | string> {
  const headers: Record<string, string> = { accept: 'application/json' }
  if (secret !== null) headers['x-service-secret'] = secret
  try {
    const answer = await outbound.request(url, { timeout, maxBytes: MAX_BYTES, headers })
    if (answer.status !== 200) return refusal(answer)
    const body = parseObject(answer.text)
    return { text: answer.text, report: body && readReport(body) }
  } catch (error) {
    return outboundFailure(error)
  }
}

function refusal({ status }: OutboundAnswer): string {
  return status >= 300 && status < 400 ? 'redirect' : `status-${status}`
}

const wellWords = new Set(['ok', 'healthy', 'up', 'pass', 'active', 'running', 'alive'])

/** A JSON object whose `status`, if any, means healthy, and whose capacity, if any, is an amount. */
export function readReport(body: Readonly<Record<string, unknown>>): Report | null {
  const { status, treasury_capacity: reported } = body
  const ok = status === undefined || (typeof status === 'string' && wellWords.has(status.toLowerCase()))
  if (reported === undefined || reported === null) return { ok }
  const capacity = readCapacity(reported)
  const further = readFurther(body.assets)
  return capacity === null ? null : { ok, capacity, ...(further ? { further } : {}) }
}

const ASSET = /^[A-Z0-9]{1,12}:G[A-Z2-7]{55}$/

/** What it can pay out of assets after the first one; null where it names none. One that is not readable counts as nothing. */
function readFurther(assets: unknown): FurtherCapacity | null {
  if (!Array.isArray(assets) || assets.length < 2) return null
  const named = (assets as unknown[]).slice(1, MAX_ASSETS).flatMap((each): [string, Amount][] => {
    const { code, issuer, capacity } = (each ?? {}) as Record<string, unknown>
    const id = assetId({ code: String(code), issuer: String(issuer) })
    return ASSET.test(id) ? [[id, readCapacity(capacity) ?? amountOf(0n)]] : []
  })
  return new Map(named)
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null && !Array.isArray(body)
      ? (body as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

function readCapacity(reported: unknown): Amount | null {
  if (typeof reported !== 'string' && typeof reported !== 'number') return null
  try {
    const capacity = parseAmount(reported)
    return capacity < 0n ? amountOf(0n) : capacity
  } catch {
    return null
  }
}

// A plain health page may say it in one word, or in none.
function wordOf(text: string): Report | null {
  const word = text
    .trim()
    .replace(/["'.!]/g, '')
    .toLowerCase()
  return word === '' || wellWords.has(word) ? { ok: true } : null
}
