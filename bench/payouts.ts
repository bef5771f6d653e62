import { Account, Asset, Operation, TransactionBuilder } from '@stellar/stellar-sdk'
import { createDeps, closeDeps } from '@windlass/business-server/deps.ts'
import { migrateOnce } from '@windlass/business-server/migrations.ts'
import { queuePayment } from '@windlass/business-server/payments/ledger-payments.ts'
import { payQueued } from '@windlass/business-server/payments/pay.ts'
import { receiveRailPayment } from '@windlass/business-server/payments/receive-rail-payment.ts'
import { developmentConfig } from '@windlass/business-server/testing/development-config.ts'
import { acceptTransaction } from '@windlass/business-server/transfers/accept.ts'
import { confirm } from '@windlass/business-server/transfers/confirm.ts'
import { startLocalNetwork } from '@windlass/local-network/local-network.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { fundFromFaucet } from '@windlass/stellar/friendbot.ts'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import { issueAsset } from '@windlass/stellar/issuing.ts'
import { generateKey, seedSigner, signTransaction } from '@windlass/stellar/keys.ts'
import { memoryEnvelopes } from '@windlass/stellar/testing/memory-envelopes.ts'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { report } from './stand/report.ts'
import { repeats, size } from './stand/run.ts'
import { scratchPostgres } from './stand/scratch-postgres.ts'

/*
 * How long customers wait for payouts of one anchor who agreed to deposits and pay all at once, few and many, and who come
 * by themselves (a Poisson stream), on a network that closes as the public one does, with Postgres durable as in production.
 * Flags: --stream 300 (customers) --rate 3 (a second) --few 24 --burst 240 --close 5000.
 */
const { values } = parseArgs({
  options: {
    stream: { type: 'string' },
    rate: { type: 'string' },
    few: { type: 'string' },
    burst: { type: 'string' },
    close: { type: 'string' },
  },
})
const STREAM = Number(values.stream ?? repeats(300, 90, 2))
const RATE = Number(values.rate ?? 3)
const FEW = Number(values.few ?? size(24, 2))
const BURST = Number(values.burst ?? size(240, 2))
const CLOSE_MS = Number(values.close ?? size(5_000, 200))
/** Ledgers within which the last customer is paid, of few and of many. */
const GOALS = { few: 2, many: 6 }

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
await measureBurst(FEW, GOALS.few)
await measureBurst(BURST, GOALS.many)
const { slowest, waited } = await measure(async () => {
  for (let count = 0; count < STREAM; count++) {
    await sleep((-Math.log(1 - Math.random()) / RATE) * 1_000)
    await come()
  }
})
const goal = GOALS.many * (CLOSE_MS / 1_000)
report(`${STREAM} customers by themselves: ${waited}, goal ${goal} s`, goal / slowest, { atLeast: 1 })
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
  await queuePayment(deps, deps.database.db, {
    ...{ cause: `bench:${made++}`, transfer_id: null, purpose: 'refund', asset: null },
    ...{ destination: customer.publicKey, amount: '1', memo: null, memo_type: null, claimable: false },
  })
  deps.wake.emit('ledgerPayments')
}

/** The customer of a deposit agrees. @returns what comes over the rail when they pay */
async function agree(): Promise<() => Promise<unknown>> {
  const id = randomUUID()
  const creator = { account: generateKey().publicKey }
  await acceptTransaction(deps, {
    ...{ id, sep: '24', kind: 'deposit', status: 'incomplete', started_at: '', updated_at: '' },
    ...{ amount_expected: { amount: '20' }, destination_account: customer.publicKey, type: 'upi' },
    ...{ creator, customers: { sender: creator } },
    claimable_balance_supported: false,
  })
  const { rail, reference, fiat_amount, currency } = await confirm(deps, id)
  const money = { paymentId: id, reference: reference ?? '', amount: fiat_amount ?? '', currency }
  return () => receiveRailPayment(deps, rail, { kind: 'received', ...money })
}

/** So many customers agree, and then pay at once. */
async function measureBurst(count: number, goal: number): Promise<void> {
  const agreed: (() => Promise<unknown>)[] = []
  while (agreed.length < count) agreed.push(await agree())
  // As the server does whenever a customer agrees.
  await payQueued(deps)
  const { ledgers, waited } = await measure(async () => {
    for (const pay of agreed) await pay()
  })
  report(`${count} customers at once: ${ledgers} ledgers, ${waited}`, goal / ledgers, { atLeast: 1 })
}

/** Customers come while what is queued is paid. */
async function measure(
  arrive: () => Promise<void>,
): Promise<{ ledgers: number; slowest: number; waited: string }> {
  const cursor = (await horizon.transactionsOf(customer.publicKey))[0]?.cursor ?? ''
  const { rows: started } = await deps.database.pool.query<{ now: Date }>('select now()')
  let arriving = true
  const arrived = arrive().finally(() => (arriving = false))
  while (arriving || (await isQueued())) {
    await payQueued(deps)
    await sleep(50)
  }
  await arrived
  const { rows } = await deps.database.pool.query<{ slowest: number; median: number }>(
    `select max(wait)::float as slowest, percentile_cont(0.5) within group (order by wait)::float as median
     from (select extract(epoch from paid_at - created_at) as wait from ledger_payments
       where purpose in ('deposit', 'refund') and created_at >= $1) paid`,
    [started[0]?.now],
  )
  const { slowest = 0, median = 0 } = rows[0] ?? {}
  const paid = await paymentsOfLedgers(cursor)
  console.log(`payouts in each ledger: ${paid.map(each => each.paid).join(' ')}`)
  const [first, last] = [paid[0]?.ledger ?? 0, paid.at(-1)?.ledger ?? 0]
  const waited = `wait ${median.toFixed(1)} s (median), ${slowest.toFixed(1)} s (slowest)`
  return { ledgers: last - first + 1, slowest, waited }
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
