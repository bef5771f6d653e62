import { anchorEndpoints, type AnchorEndpoints } from '@windlass/contracts/anchor-endpoints.ts'
import { OutboundError, type Outbound, type OutboundRequest } from '@windlass/service/outbound.ts'
import { generateKey, type AccountKey } from '@windlass/stellar/keys.ts'

/** What the checker knows of the anchor before it knocks. */
export interface AnchorToVisit {
  /** `https://mumbai.example.com`, without a trailing slash. */
  publicUrl: string
  homeDomain: string
  networkPassphrase: string
  /** The key that the discovery file must name (`G…`). */
  signingKey: string
  asset: { code: string; issuer: string }
  /** An amount within the anchor's limits. */
  amount: string
}

export interface Tools {
  /** Reaches the anchor as the public does. */
  outbound: Outbound
  now(): Date
  /** Milliseconds for everything; what is not done by then counts as not met. 60,000 unless told. */
  budget?: number
}

/** A demand that is not met; the message says what was found instead. */
export class Unmet extends Error {}

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  /** The body of a JSON answer; undefined where it is none. */
  json: unknown
}

/** One round through an anchor, with a wallet of its own that nobody has seen before. */
export interface Visit {
  anchor: AnchorToVisit
  endpoints: AnchorEndpoints
  wallet: AccountKey
  now(): Date
  /** Throws {@link Unmet} where no whole answer comes in time. */
  ask(url: string, request?: OutboundRequest & { token?: string; json?: unknown }): Promise<Answer>
  /** What several demands look at, fetched for the first of them. */
  once<T>(what: string, fetch: () => Promise<T>): Promise<T>
}

const ANSWER_MS = 8_000
/** What SEP-1 allows a discovery file, and enough for every other answer. */
export const MAX_BYTES = 100 * 1024

export function startVisit(anchor: AnchorToVisit, { outbound, now, budget = 60_000 }: Tools): Visit {
  const end = performance.now() + budget
  const fetched = new Map<string, Promise<unknown>>()
  return {
    anchor,
    endpoints: anchorEndpoints(anchor.publicUrl),
    wallet: generateKey(),
    now,
    ask: async (url, { token, json, ...request } = {}) => {
      const left = Math.floor(end - performance.now())
      if (left <= 0) throw new Unmet('Not tried: the whole check took longer than it may.')
      const headers = {
        ...request.headers,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      }
      const body = json === undefined ? request.body : JSON.stringify(json)
      const timeout = Math.min(ANSWER_MS, left)
      try {
        const answer = await outbound.request(url, {
          ...request,
          headers,
          body,
          timeout,
          maxBytes: MAX_BYTES,
        })
        return { ...answer, json: parsed(answer.text) }
      } catch (error) {
        if (error instanceof OutboundError) throw new Unmet(`${pathOf(url)} gave no answer: ${error.message}`)
        throw error
      }
    },
    once: <T>(what: string, fetch: () => Promise<T>) => {
      const found = (fetched.get(what) as Promise<T> | undefined) ?? fetch()
      fetched.set(what, found)
      return found
    },
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const pathOf = (url: string): string => new URL(url).pathname

/** Throws {@link Unmet} unless it holds. */
export function demand(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Unmet(otherwise)
}

/** The member of an object that came as JSON; undefined where it is none or has none of that name. */
export function member(value: unknown, ...path: string[]): unknown {
  let found = value
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = (found as Record<string, unknown>)[name]
  }
  return found
}

/** A refusal as the SEPs want it: one of the statuses, and `{error}` in JSON. */
export function demandRefusal(answer: Answer, what: string, ...statuses: number[]): void {
  const expected = statuses.join(' or ')
  demand(
    statuses.includes(answer.status),
    `${what} was answered with ${answer.status} instead of ${expected}.`,
  )
  demand(typeof member(answer.json, 'error') === 'string', `${what}: the refusal has no {"error": "…"}.`)
}

export function demandOk(answer: Answer, what: string): void {
  const { status, json } = answer
  demand(status === 200, `${what} was answered with ${status} instead of 200.`)
  demand(typeof json === 'object' && json !== null, `${what} was not answered in JSON.`)
}
