import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { Keypair } from '@stellar/stellar-sdk'
import { foundersOf } from '@windlass/e2e/founders.ts'
import { type Answer, type Floor, startFloor } from './peers/floor.ts'
import { type Answered, askerOf, logIn, type Ask, type Wallet } from './peers/wallets.ts'
import { firstByte } from './stand/first-byte.ts'
import { childrenOf, processorTime } from './stand/process-costs.ts'
import { report } from './stand/report.ts'
import { size } from './stand/run.ts'
import { PATIENCE_MS, raise } from './stand/stack.ts'

/*
 * What wallets ask an anchor's SEP server most: processor time of all processes for each request, against bare Fastify
 * processes that make the same signatures, send as many statements in as many transactions, ask each other as often and
 * answer the same bytes. Each is warm: a server that has just started runs code that is not compiled. What the processes use
 * while nobody asks is taken off. Flags: --requests 2000 --lanes 16 --only 'SEP-38 price'.
 */
const { values } = parseArgs({
  options: { requests: { type: 'string' }, lanes: { type: 'string' }, only: { type: 'string' } },
})
/** How many there are of a request that costs half a millisecond: others are as many as cost as much together. */
const REQUESTS = Number(values.requests ?? size(2_000, 20))
const LANES = Number(values.lanes ?? size(16, 2))
const WALLETS = size(32, 4)
/** Transfers that one wallet starts: it may have so many open. */
const STARTS_EACH = 10
/** The weight of a start. */
const STARTS = 5
const GOAL = 1.3
const BY_NODE = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'])
/** How long it is seen what the processes use while nobody asks. */
const QUIET_MS = size(10_000, 100)
/** By then what requests leave behind is done: lines of logs, and of starts the messages. */
const BEHIND_MS = size(300, 100)
const MESSAGES_MS = size(3_000, 100)
/** What a customer's wallet is known by at the platform. */
const PLATFORM: Floor = { reads: 3 }

interface Case {
  name: string
  floor: Floor
  /** How many times half a millisecond a request costs, about. */
  weight: number
  /** It is two requests. */
  isTwo?: true
  behindMs?: number
  prepare?(): Promise<void>
  act(ask: Ask, n: number): Promise<unknown>
}

const stack = await raise({ ANCHOR_SLEEP_AFTER_SECONDS: '36000' })
const bare = await startFloor(stack.variables.ANCHORS_DATABASE_URL ?? '')
try {
  const founders = foundersOf(stack.variables)
  const { anchorId, job } = await founders.redeem(await founders.invite(), PATIENCE_MS)
  const servers = ['sep', 'business'].map(role => runFile(`anchors/${anchorId}-${role}`))
  const { ask, answered, close } = askerOf(servers[0]?.port ?? 0)
  const floor = askerOf(bare.port)
  const parts = ['signer', 'ledger-gateway', 'platform-api'].map(runFile)
  const own = new Map([...servers, ...parts].map(({ name, pid }) => [name, pid]))
  const asset = `stellar:${job.result.assetCode}:${job.result.issuer}`
  const cases = await casesOf(ask, job.result.assetCode ?? '', asset)
  const idle = await idleOf(new Map([...own, ...bare.counted]))
  for (const each of cases) {
    if (values.only && !each.name.includes(values.only)) continue
    await each.prepare?.()
    // Keeps it awake: what goes to its port is not seen by who puts anchors to sleep.
    await firstByte(stack.variables, job.result.homeDomain ?? '')
    const ours = await measure(own, idle, each, n => each.act(ask, n))
    await bare.tell(each.floor, answerOf(answered()))
    const theirs = await measure(bare.counted, idle, each, async () => {
      await floor.ask({ path: '/' })
      if (each.isTwo) await floor.ask({ path: '/answer' })
    })
    console.log(`  ${each.name}: ${ours.perSecond.toFixed(0)}/s, ${ours.parts}`)
    console.log(`    bare: ${theirs.perSecond.toFixed(0)}/s, ${theirs.parts}`)
    const detail = `${ours.ms.toFixed(2)} ms against ${theirs.ms.toFixed(2)}`
    report(
      `peers: processor time of bare handlers, ${each.name}`,
      ours.ms / theirs.ms,
      { atMost: GOAL },
      detail,
    )
  }
  close()
  floor.close()
} finally {
  bare.stop()
  await stack.remove()
}
process.exit()

/** Without those that Node sets by itself. */
function answerOf({ headers, text }: Answered): Answer {
  const set = Object.entries(headers).filter(([name]) => !BY_NODE.has(name))
  return { body: text, headers: Object.fromEntries(set.map(([name, value]) => [name, String(value)])) }
}

function runFile(name: string): { name: string; pid: number; port: number } {
  const read = JSON.parse(readFileSync(join(stack.home, 'run', `${name}.json`), 'utf8')) as {
    pid: number
    port: number
  }
  return { ...read, name: name.replace(/^.*-/, '') }
}

async function casesOf(ask: Ask, code: string, asset: string): Promise<Case[]> {
  const wallets: Wallet[] = []
  while (wallets.length < WALLETS) wallets.push(await logIn(ask, Keypair.random()))
  const starters: Wallet[] = []
  const addStarters = async () => {
    while (starters.length < (warmOf(STARTS) + requestsOf(STARTS)) / STARTS_EACH)
      starters.push(await logIn(ask, Keypair.random()))
  }
  const of = (n: number) => wallets[n % wallets.length] as Wallet
  const start = (a: Ask, { token }: Wallet) =>
    a({
      method: 'POST',
      path: '/sep24/transactions/deposit/interactive',
      token,
      body: { asset_code: code, amount: '100' },
    })
  const { id } = JSON.parse(await start(ask, of(0))) as { id: string }
  const info = JSON.parse(await ask({ path: '/sep38/info' })) as { assets: { asset: string }[] }
  const fiat = info.assets.map(each => each.asset).find(each => each.startsWith('iso4217:')) ?? ''
  const price = (n: number) => `sell_asset=${fiat}&sell_amount=${500 + (n % 400)}`
  const quote = (n: number) => ({
    context: 'sep24',
    sell_asset: fiat,
    buy_asset: asset,
    sell_amount: String(500 + (n % 400)),
  })
  return [
    { name: 'toml', floor: {}, weight: 1 / 3, act: a => a({ path: '/.well-known/stellar.toml' }) },
    {
      name: 'SEP-10 challenge',
      weight: 2,
      floor: { asks: [{ signatures: 1 }] },
      act: (a, n) => a({ path: `/auth?account=${of(n).key.publicKey()}` }),
    },
    {
      name: 'SEP-10 login',
      weight: 4,
      floor: { asks: [{ signatures: 1 }, { asks: ['the ledger'] }], checks: 2, writes: 1 },
      isTwo: true,
      act: a => logIn(a, Keypair.random()),
    },
    { name: 'SEP-24 info', floor: {}, weight: 1 / 3, act: a => a({ path: '/sep24/info' }) },
    {
      name: 'SEP-24 start',
      weight: STARTS,
      behindMs: MESSAGES_MS,
      prepare: addStarters,
      // Whether the account asks for memos; the transaction with its message, which is taken, sent and noted as delivered.
      floor: {
        ...{ transactions: [4, 2], reads: 1, writes: 2 },
        asks: [{ asks: ['the ledger'] }, { reads: 3, writes: 1 }],
      },
      act: (a, n) => start(a, starters[Math.floor(n / STARTS_EACH)] as Wallet),
    },
    {
      name: 'SEP-24 transaction',
      weight: 1,
      floor: { reads: 1 },
      act: a => a({ path: `/sep24/transaction?id=${id}`, token: of(0).token }),
    },
    {
      name: 'SEP-38 price',
      weight: 1,
      floor: { asks: [{}] },
      act: (a, n) => a({ path: `/sep38/price?${price(n)}&buy_asset=${asset}&context=sep24` }),
    },
    {
      name: 'SEP-38 prices',
      weight: 1,
      floor: { asks: [{}] },
      act: (a, n) => a({ path: `/sep38/prices?${price(n)}` }),
    },
    {
      name: 'SEP-38 quote',
      weight: 4,
      floor: { writes: 1, asks: [{ reads: 4, asks: [PLATFORM], transactions: [3] }] },
      act: (a, n) => a({ method: 'POST', path: '/sep38/quote', token: of(n).token, body: quote(n) }),
    },
    {
      name: 'SEP-12 PUT',
      weight: 4,
      floor: { reads: 1, asks: [{ reads: 1, asks: [PLATFORM], transactions: [8] }] },
      act: (a, n) =>
        a({
          method: 'PUT',
          path: '/sep12/customer',
          token: of(n).token,
          body: { first_name: 'Asha', last_name: `Rao${n % 7}` },
        }),
    },
    {
      name: 'SEP-12 GET',
      weight: 4,
      floor: { reads: 1, asks: [{ reads: 4, asks: [PLATFORM] }] },
      act: (a, n) => a({ path: '/sep12/customer', token: of(n).token }),
    },
  ]
}

function requestsOf(weight: number): number {
  return Math.max(LANES, Math.round(REQUESTS / weight))
}

function warmOf(weight: number): number {
  return Math.max(LANES, Math.round(requestsOf(weight) / 2))
}

type Idle = ReadonlyMap<string, number>

/** Seconds of processor time in a second, while nobody asks. */
async function idleOf(pids: Map<string, number>): Promise<Idle> {
  const before = timesOf(pids)
  await sleep(QUIET_MS)
  const used = [...timesOf(pids)].map(([name, time]): [string, number] => [
    name,
    time - (before.get(name) ?? 0),
  ])
  return new Map(used.map(([name, seconds]) => [name, (seconds * 1_000) / QUIET_MS]))
}

function timesOf(pids: Map<string, number>): Map<string, number> {
  const own = [...pids].map(([name, pid]): [string, number] => [name, processorTime(pid)])
  return new Map([...own, ['postgres', postgresTime()]])
}

/** Milliseconds of processor time for each request, of these processes and of Postgres. */
async function measure(
  pids: Map<string, number>,
  idle: Idle,
  { weight, behindMs = BEHIND_MS }: Case,
  act: (n: number) => Promise<unknown>,
) {
  const [warm, count] = [warmOf(weight), requestsOf(weight)]
  await run(act, 0, warm)
  await sleep(behindMs)
  const [before, began] = [timesOf(pids), performance.now()]
  await run(act, warm, warm + count)
  const seconds = (performance.now() - began) / 1_000
  await sleep(behindMs)
  const took = (performance.now() - began) / 1_000
  const costs = [...timesOf(pids)].map(([name, time]) => ({
    name,
    ms: (Math.max(0, time - (before.get(name) ?? 0) - (idle.get(name) ?? 0) * took) * 1_000) / count,
  }))
  const parts = costs
    .filter(({ ms }) => ms >= 0.01)
    .map(({ name, ms }) => `${name} ${ms.toFixed(2)}`)
    .join(' + ')
  return { perSecond: count / seconds, parts, ms: costs.reduce((sum, { ms }) => sum + ms, 0) }
}

function postgresTime(): number {
  const [line = ''] = readFileSync(join(stack.home, 'postgres', 'postmaster.pid'), 'utf8').split('\n')
  return [Number(line), ...childrenOf(Number(line))].reduce((sum, pid) => sum + timeOf(pid), 0)
}

/** 0 where it has just ended: its parent has what it used. */
function timeOf(pid: number): number {
  try {
    return processorTime(pid)
  } catch {
    return 0
  }
}

async function run(act: (n: number) => Promise<unknown>, from: number, to: number): Promise<void> {
  let next = from
  const lane = async () => {
    for (let n = next++; n < to; n = next++) await act(n)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}
