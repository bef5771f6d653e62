import type { TestRequest, TestStep } from '@windlass/contracts/platform/test-deposits.ts'
import type { Outbound } from '@windlass/service/outbound/outbound.ts'
import type { AccountKey } from '@windlass/stellar/keys.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { fieldsOf } from './asset.ts'
import { logIn } from './sep10.ts'
import {
  CheckFailed,
  ensure,
  ensureOk,
  member,
  startVisit,
  type AnchorToVisit,
  type Tools,
  type Visit,
} from './visit.ts'

interface DepositTools extends Pick<Tools, 'outbound' | 'now'> {
  /** Its customer's identity is verified. */
  wallet: AccountKey
  /** A simulated rail of the anchor. */
  rail: string
  ledger: {
    /** Puts the wallet's account on the ledger and opens its trustline, unless both are there. Returns what it did. */
    prepare(): Promise<string>
    /** What the wallet holds of the asset; `0` where it has no trustline. */
    balance(): Promise<string>
  }
  /** Called after each request, and once the transaction's id is known. */
  record(request: TestRequest, transactionId: string | null): Promise<void>
  stopping: AbortSignal
  /** Milliseconds between two looks at the transaction's status. */
  pollMs?: number
}

const BUDGET_MS = 150_000

/**
 * Deposits the anchor's least amount as a wallet and its user do: SEP-1, SEP-10, a trustline, SEP-24 with the anchor's
 * own pages, and a payment by the simulated bank. Throws {@link CheckFailed} with what was found instead.
 */
export async function runTestDeposit(anchor: AnchorToVisit, tools: DepositTools): Promise<void> {
  const { wallet, now, ledger } = tools
  const log = recorder(tools)
  const visit = startVisit(anchor, { outbound: log.outbound, now, wallet, budget: BUDGET_MS })
  log.enter('discovery')
  await discover(visit)
  log.enter('login')
  const { token } = await logIn(visit)
  log.enter('wallet')
  await log.act('POST', 'ledger:trustline', () => ledger.prepare())
  const before = await ledger.balance()
  log.enter('deposit')
  const { id, url } = await start(visit, token)
  log.transactionId = id
  log.enter('pages')
  await completePages(visit, url, id, tools.rail)
  log.enter('payment')
  await untilCompleted(visit, token, id, tools)
  const after = await log.act('GET', 'ledger:balance', () => ledger.balance())
  ensure(Number(after) > Number(before), `The wallet holds ${after} ${anchor.asset.code}, as before.`)
}

async function discover(visit: Visit): Promise<void> {
  const answer = await visit.ask(`${visit.anchor.publicUrl}/.well-known/stellar.toml`)
  ensure(answer.status === 200, `The discovery file was answered with ${answer.status} instead of 200.`)
  const server = visit.endpoints.transferServerSep24
  ensure(answer.text.includes(server), `The discovery file does not name ${server}.`)
}

async function start(visit: Visit, token: string): Promise<{ id: string; url: string }> {
  const server = visit.endpoints.transferServerSep24
  ensureOk(await visit.ask(`${server}/info`), '/info')
  const answer = await visit.ask(`${server}/transactions/deposit/interactive`, {
    method: 'POST',
    token,
    json: {
      ...fieldsOf(visit.anchor.asset),
      account: visit.wallet.publicKey,
    },
  })
  ensureOk(answer, 'The request for a deposit')
  const [id, url] = [member(answer.json, 'id'), member(answer.json, 'url')]
  ensure(typeof id === 'string' && typeof url === 'string', 'The answer has no id and url.')
  ensure(new URL(url).origin === new URL(visit.anchor.publicUrl).origin, 'The page is not at the anchor.')
  return { id, url }
}

/** The anchor's pages as its customer's browser sends them: amount, confirmation, and the simulated bank's payment. */
async function completePages(visit: Visit, url: string, id: string, rail: string): Promise<void> {
  const page = await visit.ask(url)
  ensure(page.status === 200, `The deposit page was answered with ${page.status} instead of 200.`)
  const cookie = [page.headers['set-cookie'] ?? []].flat().map(each => each.split(';')[0] ?? '')
  const forms: [name: string, form: Record<string, string>][] = [
    ['details', { amount: visit.anchor.amount, rail }],
    ['confirm', {}],
    ['paid', { how: 'paid' }],
  ]
  for (const [name, json] of forms) {
    const answer = await visit.ask(`${visit.anchor.publicUrl}/interactive/t/${id}/${name}`, {
      method: 'POST',
      headers: { cookie: cookie.join('; ') },
      json,
    })
    ensure(answer.status === 303, `The page refused the form “${name}”: ${problemIn(answer.text)}`)
  }
}

/** What a page says is wrong. */
const problemIn = (html: string): string =>
  (/role="alert"[^>]*>(.*?)<\/(?:p|div)>/s.exec(html)?.[1] ?? 'it gives no reason')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 300)

async function untilCompleted(
  visit: Visit,
  token: string,
  id: string,
  { stopping, pollMs = 1_000 }: DepositTools,
): Promise<void> {
  for (;;) {
    const answer = await visit.ask(`${visit.endpoints.transferServerSep24}/transaction?id=${id}`, { token })
    ensureOk(answer, 'The transaction')
    const status = String(member(answer.json, 'transaction', 'status'))
    if (status === 'completed') return
    const ended = ['error', 'expired', 'refunded', 'no_market'].includes(status)
    ensure(!ended, `The transaction ended as ${status}.`)
    await sleep(pollMs, undefined, { signal: stopping })
  }
}

/** Records every request of a visit under its step; the same answer to the same request once. */
function recorder({ outbound, record }: DepositTools) {
  let step: TestStep = 'discovery'
  let last = ''
  const log = {
    transactionId: null as string | null,
    enter: (next: TestStep) => void (step = next),
    outbound: {
      close: () => outbound.close(),
      request: async (url, init = {}) => {
        const began = performance.now()
        const shared = { method: init.method ?? 'GET', url: withoutSecrets(url), body: bodyOf(init.body) }
        try {
          const answer = await outbound.request(url, init)
          await write({ ...shared, status: answer.status, answer: cut(answer.text) }, began)
          return answer
        } catch (error) {
          await write({ ...shared, status: null, answer: cut(String((error as Error).message)) }, began)
          throw error
        }
      },
    } satisfies Outbound,
    /** Something that is no request to the anchor, as one. */
    act: async (method: string, url: string, act: () => Promise<string>): Promise<string> => {
      const began = performance.now()
      try {
        const answer = await act()
        await write({ method, url, body: null, status: 200, answer: cut(answer) }, began)
        return answer
      } catch (error) {
        const { message } = error as Error
        await write({ method, url, body: null, status: null, answer: cut(message) }, began)
        throw new CheckFailed(message)
      }
    },
  }
  const write = async (request: Omit<TestRequest, 'step' | 'durationMs'>, began: number): Promise<void> => {
    const what = JSON.stringify(request)
    if (what === last) return
    last = what
    const durationMs = Math.round(performance.now() - began)
    await record({ step, ...request, durationMs }, log.transactionId)
  }
  return log
}

const bodyOf = (body: string | undefined): string | null => (body === undefined ? null : cut(body))

const cut = (text: string): string => withoutSecrets(text.replace(/[^\P{C}\n\t]/gu, '')).slice(0, 4_000)

/** A token opens the wallet's account at the anchor: only its beginning is kept. */
const withoutSecrets = (text: string): string =>
  text.replace(/\b(eyJ[\w-]{6})[\w-]*\.[\w-]+\.[\w-]+/g, '$1…').slice(0, 40_000)
