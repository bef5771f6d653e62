import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Keypair } from '@stellar/stellar-sdk'
import { Ledger } from '@windlass/local-network/ledger/ledger.ts'
import { testPassphrase } from '@windlass/local-network/local-network.ts'
import { openDatabase } from '@windlass/local-network/store/database.ts'
import { report } from './stand/report.ts'
import { measureClients } from './local-network/clients.ts'
import { Network, Payer } from './local-network/network.ts'
import { measurePages } from './local-network/pages.ts'
import { inParallel } from './local-network/sampling.ts'
import { repeats, size } from './stand/run.ts'
import { median, percentile } from './stand/percentile.ts'

/*
 * What the network carries, from a client in this process to a network in another with its ledger on disk: payments
 * and friendbot with a close a second; 1, 8 and 32 clients whose ledgers close at once; pages of a history of a
 * million operations; and how long closing a ledger of 500 transactions takes.
 * Usage: npm run bench -- local-network [--seconds 40] [--operations 1000000]
 */
const seconds = Number(option('--seconds') ?? repeats(40, 20, 1))
const operations = Number(option('--operations') ?? size(1_000_000, 2_000))
const goals = { payments: 1_000, friendbot: 200, close: 500 }

const folder = mkdtempSync(join(tmpdir(), 'local-network-bench-'))
try {
  console.log(`local network on ${availableParallelism()} cores, ledger on disk`)
  const network = await Network.start(join(folder, 'http'), '1000')
  try {
    await measureFriendbot(network)
    await measurePayments(network)
  } finally {
    await network.stop()
  }
  measureCloses()
  await measureClients(folder, Math.min(seconds, 10))
  await measurePages(folder, operations)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function option(name: string): string | undefined {
  const at = process.argv.indexOf(name)
  return at < 0 ? undefined : process.argv[at + 1]
}

async function measureFriendbot(network: Network): Promise<void> {
  const started = performance.now()
  let funded = 0
  await inParallel(size(400, 4), async () => {
    while (performance.now() - started < Math.min(seconds, 5) * 1000) {
      const { status } = await network.send('GET', `/friendbot?addr=${Keypair.random().publicKey()}`)
      if (status !== 200) throw new Error(`friendbot answered ${status}`)
      funded += 1
    }
  })
  reportRate('friendbot', funded / ((performance.now() - started) / 1000), goals.friendbot)
}

async function measurePayments(network: Network): Promise<void> {
  const payers = await network.makePayers(size(2_000, 10))
  const memory: number[] = []
  const sampling = setInterval(() => memory.push(network.residentMegabytes()), 1000)
  const started = performance.now()
  const worked = network.processorSeconds()
  let paid = 0
  await inParallel(payers.length, async index => {
    const [payer, to] = [payers[index], payers[(index + 1) % payers.length]]
    while (payer && to && performance.now() - started < seconds * 1000) {
      await network.submit(payer.payments(to.id))
      paid += 1
    }
  })
  clearInterval(sampling)
  const each = (network.processorSeconds() - worked) / paid
  console.log(`processor time of the network: ${(each * 1000).toFixed(2)} ms a payment, HTTP and all`)
  report('payments a second that one core would carry against 1000', 1 / each / goals.payments, {
    atLeast: 1,
  })
  reportRate('payments', paid / ((performance.now() - started) / 1000), goals.payments)
  const part = Math.max(1, Math.floor(memory.length / 4))
  const second = median(memory.slice(part, 2 * part))
  const last = median(memory.slice(-part))
  console.log(`memory: ${second.toFixed(0)} MB in the second quarter, ${last.toFixed(0)} MB in the last`)
  report('memory in the last quarter of the payments against the second', last / second, { atMost: 1.15 })
}

/** Stores ledgers of 500 payments each, timing what happens between the last submission and the stored ledger. */
function measureCloses(): void {
  const database = openDatabase(join(folder, 'closes'))
  let now = Date.now()
  const ledger = new Ledger(database, {
    passphrase: testPassphrase,
    clock: () => (now += 1000),
    resolution: 1000,
  })
  const payer = new Payer(ledger.root, 0n)
  const times: number[] = []
  for (let round = 0; round < size(60, 2); round++) {
    for (let each = 0; each < 500; each++) ledger.submit(ledger.read(payer.payments(payer.id)))
    const started = performance.now()
    ledger.close()
    times.push(performance.now() - started)
  }
  database.close()
  const p99 = percentile(times, 0.99)
  console.log(`closing 500 transactions: median ${median(times).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`)
  report(`closing a ledger of 500 transactions, p99 against ${goals.close} ms`, p99 / goals.close, {
    atMost: 1,
  })
}

function reportRate(what: string, rate: number, goal: number): void {
  console.log(`${what}: ${rate.toFixed(0)} a second`)
  report(`${what} a second against ${goal}`, rate / goal, { atLeast: 1 })
}
