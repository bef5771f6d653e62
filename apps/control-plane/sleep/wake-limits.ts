import {
  clientNetwork,
  hostSecret,
  PROXY_SECRET_HEADER,
  sameSecret,
} from '@windlass/service/http/client-address.ts'
import type { IncomingMessage } from 'node:http'

const HOUR_MS = 60 * 60 * 1_000

/** Counts, for each client network, the different anchors that it has woken in the last hour. */
export class WakesOfClients {
  readonly #wakes = new Map<string, Map<string, number>>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  /** Counts a wake. Returns null, or the seconds after which this client may wake another anchor. */
  take(client: string, anchorId: string, now: number): number | null {
    this.#forget(now)
    const woken = this.#wakes.get(client) ?? new Map<string, number>()
    if (!woken.has(anchorId) && woken.size >= this.#most) {
      const [oldest = now] = woken.values()
      return Math.max(1, Math.ceil((oldest + HOUR_MS - now) / 1_000))
    }
    // The oldest stays first.
    woken.delete(anchorId)
    woken.set(anchorId, now)
    this.#wakes.set(client, woken)
    return null
  }

  /** Reading all of them is cheap: a wake takes seconds, and only some run at a time. */
  #forget(now: number): void {
    for (const [client, woken] of this.#wakes) {
      for (const [anchorId, at] of woken) if (at <= now - HOUR_MS) woken.delete(anchorId)
      if (woken.size === 0) this.#wakes.delete(client)
    }
  }
}

/**
 * The network of the client whose request came through the reverse proxy; null: a service of the platform asks. What is
 * forwarded counts beside the proof of our proxy for this host only.
 */
export function strangerOf(
  { headers, socket }: IncomingMessage,
  { proxySecret, host }: { proxySecret: string | undefined; host: string },
): string | null {
  const given = headers[PROXY_SECRET_HEADER]
  if (given === undefined) return null
  const isProven =
    typeof given === 'string' && proxySecret !== undefined && sameSecret(given, hostSecret(proxySecret, host))
  const forwarded = isProven
    ? String(headers['x-forwarded-for'] ?? '')
        .split(',')
        .at(-1)
        ?.trim()
    : undefined
  return clientNetwork(forwarded || (socket.remoteAddress ?? 'unknown'))
}
