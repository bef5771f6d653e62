import { Account, Asset, Operation, TransactionBuilder } from '@stellar/stellar-sdk'
import { createDeps, closeDeps } from '@windlass/business-server/deps.ts'
import { migrateOnce } from '@windlass/business-server/migrations.ts'
import { queuePayment } from '@windlass/business-server/payments/ledger-payments.ts'
import { payQueued } from '@windlass/business-server/payments/pay.ts'
import { developmentConfig } from '@windlass/business-server/testing/development-config.ts'
import { startLocalNetwork } from '@windlass/local-network/local-network.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { fundFromFaucet } from '@windlass/stellar/friendbot.ts'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import { issueAsset } from '@windlass/stellar/issuing.ts'
import { generateKey, seedSigner, signTransaction } from '@windlass/stellar/keys.ts'
import { memoryEnvelopes } from '@windlass/stellar/testing/memory-envelopes.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { report } from './stand/report.ts'
import { repeats, size } from './stand/run.ts'
import { scratchPostgres } from './stand/scratch-postgres.ts'

/*
 * How long customers wait for payouts of one anchor who come by themselves (a Poisson stream), and who come all at once, on a
 * network that closes as the public one does, with Postgres durable as in production.
 * Flags: --stream 300 (customers) --rate 3 (a second) --burst 240 --close 5000.
 */
const { values } = parseArgs({
  options: {
    stream: { type: 'string' },
    rate: { type: 'string' },
    burst: { type: 'string' },
    close: { type: 'string' },
  },
})
const STREAM = Number(values.stream ?? repeats(300, 120, 2))
const RATE = Number(values.rate ?? 3)
const BURST = Number(values.burst ?? size(240, 2))
const CLOSE_MS = Number(values.close ?? size(5_000, 200))
/** Ledgers within which the last of a burst is paid. */
const GOAL = 6

const keys = { issuer: generateKey(), distribution: generateKey(), signing: generateKey() }
const customer = generateKey()
const postgres = await scratchPostgres()
const network = await startLocalNetwork({ closeEvery: CLOSE_MS })
const hurry = setInterval(() => network.close(), 100)
const setUp = createHorizon(network)
for (const { publicKey } of [keys.issuer, keys.distribution, customer])
  await fundFromFaucet(network.friendbotUrl, setUp, publicKey)
await issueAsset({
  horizon: setUp,
  networkPassphrase: network.passphrase,
  store: memoryEnvelopes(),
  issuer: seedSigner(keys.issuer.secret),
  distribution: seedSigner(keys.distribution.secret),
  assetCode: 'MUMBAI',
  amount: '1000000',
  homeDomain: 'mumbai.anchors.localhost',
  reference: 'bench',
})
await openTrustline()

await migrateOnce({ DATABASE_URL: postgres.url })
const horizon = createHorizon(network)
const deps = createDeps(developmentConfig(postgres.url, keys), createLogger('business-server', 'silent'), {
  horizon,
  routineHorizon: horizon,
})
clearInterval(hurry)
let made = 0
await measure('at once', async () => {
  for (let count = 0; count < BURST; count++) await come()
})
await measure('by themselves', async () => {
  for (let count = 0; count < STREAM; count++) {
    await sleep((-Math.log(1 - Math.random()) / RATE) * 1_000)
    await come()
  }
})
await closeDeps(deps)
await network.stop()
await postgres.stop()

async function openTrustline(): Promise<void> {
  const account = await setUp.account(customer.publicKey)
  const transaction = new TransactionBuilder(new Account(customer.publicKey, account?.sequence ?? '0'), {
    fee: '100',
    networkPassphrase: network.passphrase,
  })
    .setTimeout(0)
    .addOperation(Operation.changeTrust({ asset: new Asset('MUMBAI', keys.issuer.publicKey) }))
    .build()
  signTransaction(transaction, customer.secret)
  await setUp.submit(transaction.toXdr())
}

/** A customer's deposit is to be paid from now on. */
async function come(): Promise<void> {
  await queuePayment(deps.database.db, {
    ...{ cause: `bench:${made++}`, transfer_id: null, purpose: 'refund', asset: null },
    ...{ destination: customer.publicKey, amount: '1', memo: null, memo_type: null, claimable: false },
  })
  deps.wake.emit('ledgerPayments')
}

/** Customers come while what is queued is paid. */
async function measure(how: string, arrive: () => Promise<void>): Promise<void> {
  const [before, cursor] = [made, (await horizon.transactionsOf(customer.publicKey))[0]?.cursor ?? '']
  let arriving = true
  const arrived = arrive().finally(() => (arriving = false))
  while (arriving || (await isQueued())) {
    await payQueued(deps)
    await sleep(50)
  }
  await arrived
  const ledgers = await paymentsOfLedgers(cursor)
  const { rows } = await deps.database.pool.query<{ slowest: number; median: number }>(
    `select max(wait)::float as slowest, percentile_cont(0.5) within group (order by wait)::float as median
     from (select extract(epoch from paid_at - created_at) as wait, cause from ledger_payments
       where cause like 'bench:%' and substr(cause, 7)::int >= $1) paid`,
    [before],
  )
  const { slowest = 0, median = 0 } = rows[0] ?? {}
  console.log(
    `${made - before} customers ${how}: payouts in each ledger ${ledgers.map(({ paid }) => paid).join(' ')}`,
  )
  const waited = `wait ${median.toFixed(1)} s (median), ${slowest.toFixed(1)} s (slowest)`
  // The ledger in which the channels are opened pays nobody.
  const goal = (GOAL + 1) * (CLOSE_MS / 1_000)
  report(`customers ${how}: ${waited}, goal ${goal} s`, goal / slowest, { atLeast: 1 })
}

async function isQueued(): Promise<boolean> {
  const { rowCount } = await deps.database.pool.query(
    "select 1 from ledger_payments where state = 'queued' limit 1",
  )
  return rowCount !== 0
}

/** How many payments each ledger has, oldest first, as Horizon shows them. */
async function paymentsOfLedgers(after: string): Promise<{ ledger: number; paid: number }[]> {
  const paid = new Map<number, number>()
  for (let cursor = after; ;) {
    const page = await horizon.transactionsOf(customer.publicKey, cursor, 'asc')
    for (const { ledger, successful, source } of page)
      if (successful && source !== customer.publicKey) paid.set(ledger, (paid.get(ledger) ?? 0) + 1)
    const last = page.at(-1)
    if (!last) break
    cursor = last.cursor
  }
  return [...paid].map(([ledger, count]) => ({ ledger, paid: count }))
}
