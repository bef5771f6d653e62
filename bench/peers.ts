import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { foundersOf } from '@windlass/e2e/founders.ts'
import { casesOf } from './peers/cases.ts'
import { type Answer, startFloor } from './peers/floor.ts'
import { isChosen } from './peers/load.ts'
import { type Cost, idleOf, measure } from './peers/measure.ts'
import { startPlatform } from './peers/platform.ts'
import { type Answered, type Ask, askerOf } from './peers/wallets.ts'
import { firstByte } from './stand/first-byte.ts'
import { report } from './stand/report.ts'
import { PATIENCE_MS, raise } from './stand/stack.ts'

/*
 * What wallets ask an anchor's SEP server most, beside two others on the same Postgres and the same ledger:
 * - Stellar's Anchor Platform, where BENCH_ANCHOR_PLATFORM names the folder with its jars: requests in a second. It has no
 *   business of its own: the one here keeps customers and does nothing else. Wallets' accounts are not on the ledger.
 * - bare Fastify processes that make the same signatures, send as many statements in as many transactions, ask each other as
 *   often and answer the same bytes: processor time of all processes for each request.
 * Each is warm: a server that has just started runs code that is not compiled. What the processes use while nobody asks is
 * taken off. Flags: --requests 2000 --lanes 16 --only 'SEP-38 price'.
 */
const NEAR_BARE = 1.3
/** How many times as much is asked of the Platform before, until its machine has compiled what is asked often. */
const WARMTH = 8
const BY_NODE = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'])

const stack = await raise({ ANCHOR_SLEEP_AFTER_SECONDS: '36000' })
const postgres = join(stack.home, 'postgres')
const floor = await startFloor(stack.variables.ANCHORS_DATABASE_URL ?? '')
const ends: (() => unknown)[] = [floor.stop]
try {
  const founders = foundersOf(stack.variables)
  const { anchorId, job } = await founders.redeem(await founders.invite(), PATIENCE_MS)
  const { assetCode: code = '', issuer = '', homeDomain = '' } = job.result
  const servers = ['sep', 'business'].map(role => runFile(`anchors/${anchorId}-${role}`))
  const parts = ['signer', 'ledger-gateway', 'platform-api'].map(runFile)
  const [our, bare] = [askerOf(servers[0]?.port ?? 0), askerOf(floor.port)]
  const asset = { code, issuer, fiat: await fiatOf(our.ask) }
  const platform = await startPlatform({
    ...asset,
    postgresUrl: stack.variables.ANCHORS_DATABASE_URL ?? '',
    horizonUrl: stack.variables.HORIZON_URL ?? '',
  })
  if (platform) ends.push(platform.stop)
  const ourCases = await casesOf(our.ask, asset)
  const their = platform && askerOf(platform.port)
  const theirCases = (their && (await casesOf(their.ask, asset, WARMTH))) ?? []
  const pids = new Map([...servers, ...parts].map(({ name, pid }) => [name, pid]))
  const idle = await idleOf({
    pids: new Map([...pids, ...floor.counted, ...(platform?.pids ?? [])]),
    postgres,
  })

  for (const [at, each] of ourCases.entries()) {
    if (!isChosen(each.name)) continue
    await each.prepare?.()
    // Keeps it awake: what goes to its port is not seen by who puts anchors to sleep.
    await firstByte(stack.variables, homeDomain)
    const cost = await measure({ pids, postgres }, idle, each, n => each.act(our.ask, n))
    console.log(`  ${each.name}: ${inWords(cost)}`)
    await floor.tell(each.floor, answerOf(our.answered()))
    const least = await measure({ pids: floor.counted, postgres }, idle, each, async () => {
      await bare.ask({ path: '/' })
      if (each.isTwo) await bare.ask({ path: '/answer' })
    })
    console.log(`    bare: ${inWords(least)}`)
    const same = theirCases[at]
    if (!platform || !their || !same) {
      reportBesideBare(each.name, cost, least)
      continue
    }
    await same.prepare?.()
    const others = { pids: platform.pids, postgres }
    const other = await measure(others, idle, same, n => same.act(their.ask, n), WARMTH)
    console.log(`    Anchor Platform: ${inWords(other)}`)
    reportBesidePlatform(each.name, cost, other, least)
  }
} finally {
  for (const end of ends) await end()
  await stack.remove()
}
process.exit()

function reportBesideBare(name: string, ours: Cost, bare: Cost): void {
  const detail = `${ours.ms.toFixed(2)} ms against ${bare.ms.toFixed(2)}`
  const what = `peers: processor time of bare handlers, ${name}`
  report(what, ours.ms / bare.ms, { atMost: NEAR_BARE }, detail)
}

function reportBesidePlatform(name: string, ours: Cost, theirs: Cost, bare: Cost): void {
  const [rates, times] = [
    [ours, theirs].map(({ perSecond }) => perSecond.toFixed(0)),
    [ours, theirs, bare].map(({ ms }) => ms.toFixed(2)),
  ]
  const detail = `${rates[0]}/s against ${rates[1]}; processor time ${times[0]} ms against ${times[1]}, bare handlers ${times[2]}`
  const what = `peers: requests/s of Stellar's Anchor Platform, ${name}`
  report(what, ours.perSecond / theirs.perSecond, { atLeast: 1 }, detail)
}

function inWords({ perSecond, parts }: Cost): string {
  return `${perSecond.toFixed(0)}/s, ${parts}`
}

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

/** The fiat asset that a server exchanges for its own. */
async function fiatOf(ask: Ask): Promise<string> {
  const { assets } = JSON.parse(await ask({ path: '/sep38/info' })) as { assets: { asset: string }[] }
  return assets.map(each => each.asset).find(each => each.startsWith('iso4217:')) ?? ''
}
