import { spawn, type ChildProcess } from 'node:child_process'
import { createPrivateKey, randomBytes, sign, type KeyObject } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Asset, Keypair, Operation, TransactionBuilder, Account, xdr } from '@stellar/stellar-sdk'
import { Ledger } from '@windlass/local-network/ledger/ledger.ts'
import { testPassphrase } from '@windlass/local-network/local-network.ts'
import { openDatabase } from '@windlass/local-network/store/database.ts'
import { report } from './aggregator/report.ts'

/**
 * What the network carries: payments and friendbot over HTTP, from a client in this process to a network in another
 * with its ledger on disk; and how long closing a ledger of 500 transactions takes.
 * Usage: npm run bench -- local-network [--seconds 40] [--port 18090]
 */
const seconds = Number(option('--seconds') ?? 40)
const port = Number(option('--port') ?? 18_090)
const payers = 2_000
const goals = { payments: 1_000, friendbot: 200, close: 500 }

const folder = mkdtempSync(join(tmpdir(), 'local-network-bench-'))
const agent = new Agent({ keepAlive: true, maxSockets: 4_000 })
try {
  const network = await start()
  try {
    await measureFriendbot()
    await measurePayments(network)
  } finally {
    agent.destroy()
    network.kill('SIGTERM')
    await new Promise(resolve => network.once('exit', resolve))
  }
  measureCloses()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function option(name: string): string | undefined {
  const at = process.argv.indexOf(name)
  return at < 0 ? undefined : process.argv[at + 1]
}

async function start(): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    [
      fileURLToPath(import.meta.resolve('@windlass/local-network/main.ts')),
      '--port',
      String(port),
      '--home',
      join(folder, 'http'),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve)
    child.once('exit', (code, signal) => {
      if (!child.killed) console.log(`the network has ended: ${signal ?? code}`)
      reject(new Error('the network did not start'))
    })
  })
  console.log(`local network on ${availableParallelism()} cores, ledger on disk, one close a second`)
  return child
}

async function measureFriendbot(): Promise<void> {
  const started = performance.now()
  let funded = 0
  await inParallel(400, async () => {
    while (performance.now() - started < Math.min(seconds, 5) * 1000) {
      const { status } = await send('GET', `/friendbot?addr=${Keypair.random().publicKey()}`)
      if (status !== 200) throw new Error(`friendbot answered ${status}`)
      funded += 1
    }
  })
  reportRate('friendbot', funded / ((performance.now() - started) / 1000), goals.friendbot)
}

interface Payer {
  readonly id: string
  readonly key: KeyObject
  readonly hint: Buffer
  sequence: bigint
}

async function measurePayments(network: ChildProcess): Promise<void> {
  const accounts = await makePayers()
  const memory: number[] = []
  const sampling = setInterval(() => memory.push(residentMegabytes(network)), 1000)
  const started = performance.now()
  const worked = processorSeconds(network)
  let paid = 0
  await inParallel(accounts.length, async index => {
    const payer = accounts[index]
    if (!payer) return
    while (performance.now() - started < seconds * 1000) {
      const to = accounts[(index + 1) % accounts.length]
      const { status, body } = await send('POST', '/transactions', payment(payer, to?.id ?? ''))
      if (status !== 200) throw new Error(`a payment was answered ${status} ${body}`)
      paid += 1
    }
  })
  clearInterval(sampling)
  const each = (processorSeconds(network) - worked) / paid
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

/** Accounts to pay from, made a hundred to a transaction. */
async function makePayers(): Promise<Payer[]> {
  const funder = Keypair.random()
  await send('GET', `/friendbot?addr=${funder.publicKey()}`)
  const { body } = await send('GET', `/accounts/${funder.publicKey()}`)
  const source = new Account(funder.publicKey(), JSON.parse(body).sequence)
  const seeds = Array.from({ length: payers }, () => randomBytes(32))
  const keys = seeds.map(seed => Keypair.fromRawEd25519Seed(seed))
  for (let at = 0; at < keys.length; at += 100) {
    const builder = new TransactionBuilder(source, { fee: '100', networkPassphrase: testPassphrase })
    for (const key of keys.slice(at, at + 100))
      builder.addOperation(Operation.createAccount({ destination: key.publicKey(), startingBalance: '4' }))
    const transaction = builder.setTimeout(0).build()
    transaction.sign(funder)
    const { status } = await send('POST', '/transactions_async', transaction.toXDR())
    if (status !== 201) throw new Error(`making accounts was answered ${status}`)
  }
  await new Promise(resolve => setTimeout(resolve, 2500))
  return await Promise.all(
    keys.map(async (key, index) => ({
      id: key.publicKey(),
      key: privateKey(seeds[index] ?? Buffer.alloc(0)),
      hint: Buffer.from(key.signatureHint()),
      sequence: BigInt(JSON.parse((await send('GET', `/accounts/${key.publicKey()}`)).body).sequence),
    })),
  )
}

function privateKey(seed: Buffer): KeyObject {
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
  return createPrivateKey({ key: Buffer.concat([prefix, seed]), format: 'der', type: 'pkcs8' })
}

function payment(payer: Payer, to: string): string {
  payer.sequence += 1n
  const source = new Account(payer.id, (payer.sequence - 1n).toString())
  const transaction = new TransactionBuilder(source, { fee: '100', networkPassphrase: testPassphrase })
    .addOperation(Operation.payment({ destination: to, asset: Asset.native(), amount: '0.0000001' }))
    .setTimeout(0)
    .build()
  transaction.addDecoratedSignature(
    new xdr.DecoratedSignature({ hint: payer.hint, signature: sign(null, transaction.hash(), payer.key) }),
  )
  return transaction.toXDR()
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
  const payer: Payer = {
    id: ledger.root.publicKey(),
    key: privateKey(Buffer.from(ledger.root.rawSecretKey())),
    hint: Buffer.from(ledger.root.signatureHint()),
    sequence: 0n,
  }
  const times: number[] = []
  for (let round = 0; round < 60; round++) {
    for (let each = 0; each < 500; each++) ledger.submit(ledger.read(payment(payer, payer.id)))
    const started = performance.now()
    ledger.close()
    times.push(performance.now() - started)
  }
  database.close()
  const sorted = times.toSorted((a, b) => a - b)
  const p99 = sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0
  console.log(`closing 500 transactions: median ${median(times).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`)
  report(`closing a ledger of 500 transactions, p99 against ${goals.close} ms`, p99 / goals.close, {
    atMost: 1,
  })
}

function send(method: string, path: string, envelope?: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const form = envelope === undefined ? undefined : `tx=${encodeURIComponent(envelope)}`
    const outgoing = request(
      {
        agent,
        host: '127.0.0.1',
        port,
        path,
        method,
        headers: form ? { 'content-type': 'application/x-www-form-urlencoded', host: 'localhost' } : {},
      },
      answer => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(parts).toString() }),
        )
      },
    )
    outgoing.on('error', reject)
    outgoing.end(form)
  })
}

async function inParallel(count: number, act: (index: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, index) => act(index)))
}

function residentMegabytes(child: ChildProcess): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

/** What a process has used of the processor, whatever else runs beside it. */
function processorSeconds(child: ChildProcess): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const ticksASecond = 100
  return (Number(fields[11]) + Number(fields[12])) / ticksASecond
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function reportRate(what: string, rate: number, goal: number): void {
  console.log(`${what}: ${rate.toFixed(0)} a second`)
  report(`${what} a second against ${goal}`, rate / goal, { atLeast: 1 })
}
