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
import { repeats, size } from './stand/run.ts'
import { PATIENCE_MS, raise } from './stand/stack.ts'

/*
 * What wallets ask an anchor's SEP server most: processor time of all processes for each request, against bare Fastify
 * processes that make the same signatures, send as many statements in as many transactions, ask each other as often and
 * answer the same bytes. Each is warm: a server that has just started runs code that is not compiled. What the processes use
 * while nobody asks is taken off. Flags: --requests 3000 --lanes 16 --only 'SEP-38 price'.
 */
const { values } = parseArgs({
  options: { requests: { type: 'string' }, lanes: { type: 'string' }, only: { type: 'string' } },
})
const REQUESTS = Number(values.requests ?? repeats(3_000, 1_500, 20))
const LANES = Number(values.lanes ?? size(16, 2))
const WALLETS = size(32, 4)
/** Transfers that one wallet starts: it may have so many open. */
const STARTS_EACH = 10
const WARM = Math.max(LANES, REQUESTS)
const GOAL = 1.3
const BY_NODE = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'])
/** How long it is seen what the processes use while nobody asks. */
const QUIET_MS = size(3_000, 100)
/** By then what requests leave behind is done. */
const BEHIND_MS = size(5_000, 100)
/** What a customer's wallet is known by at the platform. */
const PLATFORM: Floor = { reads: 3 }

interface Case {
  name: string
  floor: Floor
  /** It is two requests. */
  isTwo?: true
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
  for (const each of await casesOf(ask, job.result.assetCode ?? '', asset)) {
    if (values.only && !each.name.includes(values.only)) continue
    await each.prepare?.()
    // Keeps it awake: what goes to its port is not seen by who puts anchors to sleep.
    await firstByte(stack.variables, job.result.homeDomain ?? '')
    const ours = await measure(own, n => each.act(ask, n))
    await bare.tell(each.floor, answerOf(answered()))
    const theirs = await measure(bare.counted, async () => {
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
    while (starters.length < (REQUESTS + WARM) / STARTS_EACH)
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
    { name: 'toml', floor: {}, act: a => a({ path: '/.well-known/stellar.toml' }) },
    {
      name: 'SEP-10 challenge',
      floor: { asks: [{ signatures: 1 }] },
      act: (a, n) => a({ path: `/auth?account=${of(n).key.publicKey()}` }),
    },
    {
      name: 'SEP-10 login',
      floor: { asks: [{ signatures: 1 }, { asks: ['the ledger'] }], checks: 2, writes: 1 },
      isTwo: true,
      act: a => logIn(a, Keypair.random()),
    },
    { name: 'SEP-24 info', floor: {}, act: a => a({ path: '/sep24/info' }) },
    {
      name: 'SEP-24 start',
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
      floor: { reads: 1 },
      act: a => a({ path: `/sep24/transaction?id=${id}`, token: of(0).token }),
    },
    {
      name: 'SEP-38 price',
      floor: { asks: [{}] },
      act: (a, n) => a({ path: `/sep38/price?${price(n)}&buy_asset=${asset}&context=sep24` }),
    },
    {
      name: 'SEP-38 prices',
      floor: { asks: [{}] },
      act: (a, n) => a({ path: `/sep38/prices?${price(n)}` }),
    },
    {
      name: 'SEP-38 quote',
      floor: { writes: 1, asks: [{ reads: 4, asks: [PLATFORM], transactions: [3] }] },
      act: (a, n) => a({ method: 'POST', path: '/sep38/quote', token: of(n).token, body: quote(n) }),
    },
    {
      name: 'SEP-12 PUT',
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
      floor: { reads: 1, asks: [{ reads: 4, asks: [PLATFORM] }] },
      act: (a, n) => a({ path: '/sep12/customer', token: of(n).token }),
    },
  ]
}

/** Milliseconds of processor time for each request, of these processes and of Postgres. */
async function measure(pids: Map<string, number>, act: (n: number) => Promise<unknown>) {
  const times = () => [...[...pids.values()].map(processorTime), postgresTime()]
  const since = (before: number[]) => times().map((time, at) => time - (before[at] ?? 0))
  await run(act, 0, WARM)
  // What requests leave behind, such as messages, is done before the quiet begins.
  await sleep(BEHIND_MS)
  const quiet = times()
  await sleep(QUIET_MS)
  const idle = since(quiet)
  const [before, began] = [times(), performance.now()]
  await run(act, WARM, WARM + REQUESTS)
  const took = performance.now() - began
  await sleep(BEHIND_MS)
  const quiets = (took + BEHIND_MS) / QUIET_MS
  const costs = since(before).map((time, at) =>
    Math.max(0, ((time - (idle[at] ?? 0) * quiets) * 1_000) / REQUESTS),
  )
  const parts = [...pids.keys(), 'postgres']
    .map((name, at) => ({ name, ms: costs[at] ?? 0 }))
    .filter(({ ms }) => ms >= 0.01)
    .map(({ name, ms }) => `${name} ${ms.toFixed(2)}`)
    .join(' + ')
  return { perSecond: (REQUESTS * 1_000) / took, parts, ms: costs.reduce((sum, ms) => sum + ms, 0) }
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
