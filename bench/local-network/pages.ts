import { join } from 'node:path'
import { Asset, Keypair, Operation, type xdr } from '@stellar/stellar-sdk'
import { Ledger } from '@windlass/local-network/ledger/ledger.ts'
import { testPassphrase } from '@windlass/local-network/local-network.ts'
import { openDatabase } from '@windlass/local-network/store/database.ts'
import { report } from '../stand/report.ts'
import { size } from '../stand/run.ts'
import { Network, Payer } from './network.ts'

const PAGES = size(40, 1)
/** Milliseconds of the processor: what a page of this kind needs at a history of a hundred thousand, twice. */
const goals = { transactions: 30, joined: 40, others: 20 }

/** What a page of 200 costs the processor, from the history of one account with all its payments. */
export async function measurePages(folder: string, operations: number): Promise<void> {
  const home = join(folder, 'history')
  const [account, middle] = writeHistory(home, operations)
  const network = await Network.start(home, '1000')
  try {
    for (const [path, atMost] of [
      [`/accounts/${account}/transactions?order=desc&limit=200`, goals.transactions],
      [`/accounts/${account}/transactions?limit=200&cursor=${middle}`, goals.transactions],
      [`/accounts/${account}/operations?order=desc&limit=200`, goals.others],
      [`/accounts/${account}/operations?limit=200&cursor=${middle}`, goals.others],
      [`/accounts/${account}/payments?order=desc&limit=200`, goals.others],
      [`/accounts/${account}/payments?order=desc&limit=200&join=transactions`, goals.joined],
      [`/accounts/${account}/effects?order=desc&limit=200`, goals.others],
      [`/operations?limit=200&cursor=${middle}`, goals.others],
      [`/transactions?order=desc&limit=200`, goals.transactions],
    ] as const) {
      await network.send('GET', path)
      const worked = network.processorSeconds()
      for (let page = 0; page < PAGES; page++) {
        const { status } = await network.send('GET', path)
        if (status !== 200) throw new Error(`${path} was answered ${status}`)
      }
      const each = ((network.processorSeconds() - worked) / PAGES) * 1000
      const what = path.replace(account, ':id').replace(middle, 'middle')
      console.log(`${what}: ${each.toFixed(1)} ms of the processor`)
      report(`${what} against ${atMost} ms`, each / atMost, { atMost: 1 })
    }
    console.log(`memory with ${operations} operations on disk: ${network.residentMegabytes().toFixed(0)} MB`)
  } finally {
    await network.stop()
  }
}

/**
 * Ten payments a transaction, a hundred transactions a ledger.
 * @returns the account that took part in all of it, and the id of an operation in the middle
 */
function writeHistory(home: string, operations: number): [account: string, middle: string] {
  const database = openDatabase(home)
  let now = Date.now() - operations
  const clock = () => (now += 1000)
  const ledger = new Ledger(database, { passphrase: testPassphrase, clock, resolution: 1000 })
  const root = new Payer(ledger.root, 0n)
  const others = Array.from({ length: 10 }, () => Keypair.random().publicKey())
  const submit = (list: xdr.Operation[]) => ledger.submit(ledger.read(root.transaction(list)))
  submit(others.map(destination => Operation.createAccount({ destination, startingBalance: '9' })))
  ledger.close()
  const payments = others.map(destination =>
    Operation.payment({ destination, asset: Asset.native(), amount: '0.0000001' }),
  )
  const transactions = Math.ceil(operations / payments.length)
  for (let written = 1; written <= transactions; written++) {
    submit(payments)
    if (written % 100 === 0 || written === transactions) ledger.close()
  }
  database.close()
  const middle = BigInt(Math.floor(ledger.latest.sequence / 2)) << 32n
  return [ledger.root.publicKey(), middle.toString()]
}
