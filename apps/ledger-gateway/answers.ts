import { BoundedCache } from '@windlass/service/work/bounded-cache.ts'
import type { Clock } from '@windlass/service/work/clock.ts'
import { readBounded } from '@windlass/stellar/bounded-body.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Budget, Urgency } from './budget.ts'
import type { LedgerState } from './ledger-state.ts'
import type { Network } from './network.ts'

/** An answer of Horizon, or of the cache. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body: Buffer
  /** Unix ms. */
  at: number
}

const KEPT_HEADERS = [
  'content-type',
  'latest-ledger',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'retry-after',
]
const TIMEOUT_MS = 15_000
/** All together, and one: a stranger decides how large a page of an account is, by what they pay to it. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_PAGES_BYTES = 4 * 1024 * 1024
const MAX_ANSWER_BYTES = 256 * 1024
/** With transactions joined, only a page without news, for which idle anchors ask again and again. */
const MAX_JOINED_BYTES = 16 * 1024
/** Trustlines and signers change without a payment; a payment itself makes the account's answer old at once. */
const ACCOUNT_FRESH_MS: Record<Urgency, number> = { money: 0, person: 60_000, routine: 300_000 }
const FEES_FRESH_MS = 5_000
const ROOT = '/'
/** Each program asks for it whenever it has connected. */
const ROOT_FRESH_MS = 10_000
/** An instance of Horizon may be this far behind the one that streams. */
const LAG_MS = 30_000
const AFTER_CHANGE_FRESH_MS = 2_000
/** While payments are not received, pages of payments are read at this pace: anchors ask every 24 s. */
const DEAF_FRESH_MS = 5_000
/** After the stream of ledgers had a ledger, every instance has it. */
const INGESTED_MS = 1_000
/** Later the stream of ledgers may be silent. */
const NEXT_LEDGER_MS = 10_000
/** An answer that cannot be renewed is of use for a day. */
const STALE_MS = 86_400_000

/**
 * Answers Horizon's GET requests. Those that move money always ask Horizon, except for a transaction that no ledger since can
 * have; others are answered from the last answer
 * while it is fresh, and while Horizon refuses or fails, with its age in `Age`.
 */
export function createAnswers(given: {
  horizonUrl: string
  network: Network
  budget: Budget
  ledger: LedgerState
  clock: Clock
  logger: FastifyBaseLogger
}) {
  const { horizonUrl, network, budget, ledger, clock } = given
  const known = new BoundedCache<Answer>({
    ...{ name: 'ledger-answers', maxBytes: MAX_BYTES },
    sizeOf: ({ body }) => body.length,
  })
  /** The path of the page that was read last, by account: those before it are of no use. */
  const pages = new BoundedCache<string>({
    ...{ name: 'ledger-pages', maxBytes: MAX_PAGES_BYTES },
    sizeOf: path => 2 * path.length,
  })
  const asking = new Map<string, Promise<Answer>>()

  const ask = async (path: string, urgency: Urgency, caller: string): Promise<Answer> => {
    // Before the request: what happens while it is under way may not be in its answer.
    const at = clock.now().getTime()
    const account = accountIn(path)
    if (account) ledger.watch(account)
    const response = await fetch(`${horizonUrl}${path}`, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    budget.note(response.status, response.headers, caller)
    const answer = {
      status: response.status,
      headers: keptHeaders(response.headers),
      body: await readBounded(response.body),
      at,
    }
    // The root is what says which network it is: who asks compares it too.
    if (path !== ROOT) await network.require(urgency)
    if ((answer.status === 200 || answer.status === 404) && !isOfStrangers(path)) remember(path, answer)
    return answer
  }
  const remember = (path: string, answer: Answer): void => {
    known.delete(path)
    const account = pageOf(path)
    const before = account && pages.get(account)
    if (before) known.delete(before)
    if (answer.body.length > (JOINED.test(path) ? MAX_JOINED_BYTES : MAX_ANSWER_BYTES)) return
    known.set(path, answer)
    if (account) pages.set(account, path)
  }
  /** Requests for the same thing at the same time are one. */
  const askOnce = (path: string, urgency: Urgency, caller: string): Promise<Answer> => {
    const before = asking.get(path)
    if (before) return before
    const answer = ask(path, urgency, caller).finally(() => asking.delete(path))
    asking.set(path, answer)
    return answer
  }
  const isFresh = (path: string, { at }: Answer, urgency: Urgency): boolean => {
    const age = clock.now().getTime() - at
    const account = accountIn(path)
    if (path === ROOT) return age < ROOT_FRESH_MS && network.fault === null
    if (!account) return path.startsWith('/fee_stats') && age < FEES_FRESH_MS
    // Until instances that are behind have the payment too.
    if (at <= ledger.changedAt(account) + LAG_MS)
      return age < AFTER_CHANGE_FRESH_MS && at > ledger.changedAt(account)
    if (!path.includes('/payments')) return age < ACCOUNT_FRESH_MS[urgency]
    return age < (ledger.live ? ACCOUNT_FRESH_MS.routine : DEAF_FRESH_MS)
  }
  /** A transaction that Horizon did not have: it can have it only after another ledger has closed. */
  const isStillMissing = (path: string, { status, at }: Answer): boolean => {
    if (status !== 404 || !TRANSACTION.test(path) || !ledger.head) return false
    const closedAgo = clock.now().getTime() - ledger.head.at
    return at > ledger.head.at + INGESTED_MS && closedAgo < NEXT_LEDGER_MS
  }
  const old = (path: string): Answer | null => {
    const before = known.get(path)
    return before && clock.now().getTime() - before.at < STALE_MS ? aged(before, clock) : null
  }

  return {
    /** Throws when Horizon does not answer and nothing is known. */
    get: async (path: string, urgency: Urgency, caller: string): Promise<Answer> => {
      const wait = budget.wait(urgency, caller)
      const before = known.get(path)
      if (urgency === 'money') {
        if (before && isStillMissing(path, before)) return aged(before, clock)
        return wait > 0 ? refusal(wait, clock) : ask(path, urgency, caller)
      }
      if (before && isFresh(path, before, urgency)) return aged(before, clock)
      if (wait > 0) return old(path) ?? refusal(wait, clock)
      try {
        const answer = await askOnce(path, urgency, caller)
        if (answer.status === 429 || answer.status >= 500) return old(path) ?? answer
        // Another request may have begun it before this one came.
        return aged(answer, clock)
      } catch (error) {
        const before = old(path)
        if (before === null) throw error
        given.logger.debug({ err: error, path }, 'Horizon does not answer; the last answer serves')
        return before
      }
    },
    /** The last ledger, in the page that `GET /ledgers?order=desc&limit=1` answers; null before the first. */
    head: (): Answer | null => {
      if (!ledger.head) return null
      const body = Buffer.from(JSON.stringify({ _embedded: { records: [ledger.head.record] } }))
      return aged(
        { status: 200, headers: { 'content-type': 'application/hal+json' }, body, at: ledger.head.at },
        clock,
      )
    },
    get size() {
      return known.size
    },
    get bytes() {
      return known.bytes
    },
  }
}

export type Answers = ReturnType<typeof createAnswers>

/** Strangers choose the amounts of paths, so no such answer is of use again, and they would displace all others. */
const isOfStrangers = (path: string): boolean => path.startsWith('/paths/')

const TRANSACTION = /^\/transactions\/[0-9a-f]{64}$/
const JOINED = /[?&]join=transactions\b/
/** The account whose payments a path lists. */
const pageOf = (path: string) => /^\/accounts\/(G[A-Z2-7]{55})\/payments(?:\?|$)/.exec(path)?.[1]

/** The account that an answer describes; undefined for other paths, whose changes the streams do not show. */
function accountIn(path: string): string | undefined {
  return /^\/accounts\/(G[A-Z2-7]{55})(?:\/payments)?(?:\?|$)/.exec(path)?.[1]
}

/** Seconds since Horizon said so, in `Age` (RFC 9111, section 5.1). */
function aged(answer: Answer, clock: Clock): Answer {
  const seconds = Math.max(0, Math.floor((clock.now().getTime() - answer.at) / 1_000))
  return { ...answer, headers: { ...answer.headers, age: String(seconds) } }
}

export function refusal(waitMs: number, clock: Clock): Answer {
  const seconds = Math.ceil(waitMs / 1_000)
  const problem = {
    type: 'https://stellar.org/horizon-errors/rate_limit_exceeded',
    title: 'Rate Limit Exceeded',
    status: 429,
    detail: `Horizon limits this machine's requests. Try again in ${seconds} s.`,
  }
  return {
    status: 429,
    headers: { 'content-type': 'application/problem+json', 'retry-after': String(seconds) },
    body: Buffer.from(JSON.stringify(problem)),
    at: clock.now().getTime(),
  }
}

export function keptHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    KEPT_HEADERS.flatMap(name => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )
}
