import { anchorEndpoints, type AnchorEndpoints } from '@windlass/contracts/internal/anchor-endpoints.ts'
import { OutboundError, type Outbound, type OutboundRequest } from '@windlass/service/outbound/outbound.ts'
import { generateKey, type AccountKey } from '@windlass/stellar/keys.ts'

/** What is known about the anchor before the check. */
export interface AnchorToVisit {
  /** `https://mumbai.example.com`, without a trailing slash. */
  publicUrl: string
  homeDomain: string
  networkPassphrase: string
  /** The key that the discovery file must name (`G…`). */
  signingKey: string
  asset: { code: string; issuer: string }
  /** The anchor's own accounts, which the discovery file must name. */
  accounts: readonly string[]
  /** An amount within the anchor's limits. */
  amount: string
  /** Where it serves each protocol, empty where it does not; by default where anchors of Windlass do. */
  endpoints?: AnchorEndpoints
}

export interface Tools {
  /** Reaches the anchor as the public does. */
  outbound: Outbound
  now(): Date
  /** Default: a key that is new to the anchor. */
  wallet?: AccountKey
  /** Milliseconds for all checks; those not finished by then fail. Default: 60,000. */
  budget?: number
}

/** A check of what wallets rely on. `run` throws {@link CheckFailed} if the anchor does not comply. */
export interface Check {
  name: string
  requirement: string
  impact: string
  run(visit: Visit): Promise<void>
}

/** The message says what was found instead. */
export class CheckFailed extends Error {}

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  /** The parsed body; undefined if it is not JSON. */
  json: unknown
}

/** One run of the checks as a wallet. */
export interface Visit {
  anchor: AnchorToVisit
  endpoints: AnchorEndpoints
  wallet: AccountKey
  now(): Date
  /** Throws {@link CheckFailed} if no complete answer arrives in time. */
  ask(url: string, request?: OutboundRequest & { token?: string; json?: unknown }): Promise<Answer>
  /** Fetches what several checks need only once. */
  once<T>(what: string, fetch: () => Promise<T>): Promise<T>
}

const ANSWER_MS = 8_000
/** The limit of SEP-1 for a discovery file; other answers are smaller. */
export const MAX_BYTES = 100 * 1024

export function startVisit(
  anchor: AnchorToVisit,
  { outbound, now, wallet = generateKey(), budget = 60_000 }: Tools,
): Visit {
  const end = performance.now() + budget
  const fetched = new Map<string, Promise<unknown>>()
  return {
    anchor,
    endpoints: anchor.endpoints ?? anchorEndpoints(anchor.publicUrl),
    wallet,
    now,
    ask: async (url, { token, json, ...request } = {}) => {
      const left = Math.floor(end - performance.now())
      if (left <= 0) throw new CheckFailed('Not tried: the time for all checks was over.')
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
        if (error instanceof OutboundError)
          throw new CheckFailed(`${pathOf(url)} did not answer: ${error.message}`)
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

/** Throws {@link CheckFailed} unless `holds`. */
export function ensure(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new CheckFailed(otherwise)
}

/** A value inside parsed JSON; undefined if the path does not exist. */
export function member(value: unknown, ...path: string[]): unknown {
  let found = value
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = (found as Record<string, unknown>)[name]
  }
  return found
}

/** An error answer as the SEPs define it: one of the statuses, and `{error}` in JSON. */
export function ensureRefused(answer: Answer, what: string, ...statuses: number[]): void {
  const expected = statuses.join(' or ')
  ensure(
    statuses.includes(answer.status),
    `${what} was answered with ${answer.status} instead of ${expected}.`,
  )
  ensure(typeof member(answer.json, 'error') === 'string', `${what}: the error answer has no {"error": "…"}.`)
}

export function ensureOk(answer: Answer, what: string): void {
  const { status, json } = answer
  ensure(status === 200, `${what} was answered with ${status} instead of 200.`)
  ensure(typeof json === 'object' && json !== null, `${what} was not answered in JSON.`)
}
