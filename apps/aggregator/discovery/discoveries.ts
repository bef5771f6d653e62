import { Problem } from '@windlass/service/http/problem.ts'
import { BoundedCache } from '@windlass/service/work/bounded-cache.ts'
import type { Clock } from '@windlass/service/work/clock.ts'
import type { Outbound, OutboundAnswer } from '@windlass/service/outbound/outbound.ts'
import { MAX_DISCOVERY_BYTES, parseDiscovery, type Discovery } from './discovery-file.ts'

/** A file is returned without a new request for this long, unless its server sets less. */
const FRESH_MS = 60_000
/** A file that could not be read again for this long is no longer returned. */
const REFUSED_MS = 600_000
const MAX_BYTES = 64 * 1024 * 1024
/** What a read file takes for each of its bytes, about. */
const READ_SHARE = 4

interface Kept {
  discovery: Discovery
  /** Size of the file. */
  bytes: number
  readAt: number
  freshMs: number
  etag?: string
  lastModified?: string
}

interface DiscoveriesDeps {
  outbound: Outbound
  clock: Clock
  /** Where a domain serves its discovery file. */
  urlOf(domain: string): string
}

/** Discovery files by domain: cached for at most a minute, then requested again with the server's validators. */
export class Discoveries {
  readonly #deps: DiscoveriesDeps
  readonly #kept = new BoundedCache<Kept>({
    ...{ name: 'discovery-files', maxBytes: MAX_BYTES },
    sizeOf: ({ bytes }) => READ_SHARE * bytes,
  })
  readonly #underWay = new Map<string, Promise<Discovery>>()

  constructor(deps: DiscoveriesDeps) {
    this.#deps = deps
  }

  /** Throws `discovery-unreachable`. With `again` a cached file is requested again, however fresh. */
  async read(domain: string, again = false): Promise<Discovery> {
    const kept = this.#kept.get(domain)
    if (kept && !again && this.#age(kept) < kept.freshMs) return kept.discovery
    const underWay = this.#underWay.get(domain)
    if (underWay) return underWay
    const asking = this.#ask(domain, kept).finally(() => this.#underWay.delete(domain))
    this.#underWay.set(domain, asking)
    return asking
  }

  async #ask(domain: string, kept: Kept | undefined): Promise<Discovery> {
    try {
      const answer = await this.#deps.outbound.request(this.#deps.urlOf(domain), {
        timeout: 5_000,
        maxBytes: MAX_DISCOVERY_BYTES,
        headers: validators(kept),
      })
      return this.#keep(domain, this.#understand(answer, kept)).discovery
    } catch (error) {
      if (kept && this.#age(kept) < REFUSED_MS) return kept.discovery
      const why = error instanceof Problem ? error.message : 'It cannot be reached.'
      throw new Problem('discovery-unreachable', `The discovery file of ${domain} cannot be read. ${why}`, {
        cause: error,
      })
    }
  }

  #understand(answer: OutboundAnswer, kept: Kept | undefined): Kept {
    const readAt = this.#deps.clock.now().getTime()
    const freshMs = freshFor(answer)
    if (answer.status === 304 && kept) return { ...kept, readAt, freshMs }
    if (answer.status !== 200) throw unreadable(`It answered ${answer.status}.`)
    return {
      discovery: parsed(answer.text),
      bytes: Buffer.byteLength(answer.text),
      readAt,
      freshMs,
      etag: header(answer, 'etag'),
      lastModified: header(answer, 'last-modified'),
    }
  }

  #keep(domain: string, kept: Kept): Kept {
    this.#kept.set(domain, kept)
    return kept
  }

  #age(kept: Kept): number {
    return Math.abs(this.#deps.clock.now().getTime() - kept.readAt)
  }
}

function parsed(text: string): Discovery {
  try {
    return parseDiscovery(text)
  } catch (cause) {
    throw unreadable('It is not TOML.', cause)
  }
}

const unreadable = (why: string, cause?: unknown) => new Problem('discovery-unreachable', why, { cause })

function validators(kept: Kept | undefined): Record<string, string> {
  return {
    ...(kept?.etag ? { 'if-none-match': kept.etag } : {}),
    ...(kept?.lastModified ? { 'if-modified-since': kept.lastModified } : {}),
  }
}

/** What Cache-Control (RFC 9111) allows, and no longer than {@link FRESH_MS}: an anchor's keys may change. */
function freshFor(answer: OutboundAnswer): number {
  const control = header(answer, 'cache-control')?.toLowerCase() ?? ''
  if (/\bno-(store|cache)\b/.test(control)) return 0
  const [, seconds] = /\bmax-age=(\d{1,9})/.exec(control) ?? []
  return Math.min(FRESH_MS, seconds === undefined ? FRESH_MS : Number(seconds) * 1000)
}

function header(answer: OutboundAnswer, name: string): string | undefined {
  const value = answer.headers[name]
  return Array.isArray(value) ? value[0] : value
}
