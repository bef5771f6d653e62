import { Asset, BASE_FEE, Keypair, Operation, TransactionBuilder, Account } from '@stellar/stellar-sdk'
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { startBare } from './bare.ts'

/** Milliseconds that raising an anchor cannot be faster than, each measured in this stack. */
export interface Unavoidable {
  /** Three accounts, then trustline and issue in one transaction: two closes in a row. */
  ledger: number
  /** A role and a database of its own. */
  database: number
  /** Two processes of Node with a server in each, started at once. */
  processes: number
}

export async function measureUnavoidable(variables: Readonly<Record<string, string>>): Promise<Unavoidable> {
  return {
    ledger: await timed(() => fundAndIssue(variables.HORIZON_URL ?? '', variables.FRIENDBOT_URL ?? '')),
    database: await timed(() => createDatabase(variables.ANCHORS_DATABASE_URL ?? '')),
    processes: await timed(startTwo),
  }
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await act()
  return performance.now() - began
}

async function fundAndIssue(horizon: string, friendbot: string): Promise<void> {
  const keys = Array.from({ length: 3 }, () => Keypair.random())
  await Promise.all(keys.map(key => ok(fetch(`${friendbot}?addr=${key.publicKey()}`))))
  const [issuer, distribution] = keys
  if (!issuer || !distribution) return
  const account: { sequence: string } = await (
    await ok(fetch(`${horizon}/accounts/${distribution.publicKey()}`))
  ).json()
  const { network_passphrase: networkPassphrase }: { network_passphrase: string } = await (
    await ok(fetch(horizon, { headers: { accept: 'application/json' } }))
  ).json()
  const asset = new Asset('BENCH', issuer.publicKey())
  const transaction = new TransactionBuilder(new Account(distribution.publicKey(), account.sequence), {
    fee: BASE_FEE,
    networkPassphrase,
  })
    .addOperation(Operation.changeTrust({ asset }))
    .addOperation(
      Operation.payment({
        source: issuer.publicKey(),
        destination: distribution.publicKey(),
        asset,
        amount: '1000000',
      }),
    )
    .setTimeout(60)
    .build()
  transaction.sign(issuer, distribution)
  await ok(
    fetch(`${horizon}/transactions`, {
      method: 'POST',
      body: new URLSearchParams({ tx: transaction.toXdr() }),
    }),
  )
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const name = `bench_${randomBytes(6).toString('hex')}`
  await client.query(`create role ${name} login password '${name}'`)
  await client.query(`create database ${name} owner ${name}`)
  await client.end()
}

async function startTwo(): Promise<void> {
  const pair = await Promise.all([startBare(), startBare()])
  await Promise.all(pair.map(({ base }) => ok(fetch(base))))
  for (const { stop } of pair) stop()
}

async function ok(answer: Promise<Response>): Promise<Response> {
  const response = await answer
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`)
  return response
}
