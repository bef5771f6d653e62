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
import { parseArgs } from 'node:util'
import { report } from './aggregator/report.ts'
import { scratchPostgres } from './aggregator/scratch-postgres.ts'

/*
 * How many payouts of one anchor a ledger takes: payments that wait at once, on a network that closes as the public one
 * does, with Postgres durable as in production. The ledgers before all channels are open and the last one do not count.
 * Flags: --payments 1000 --close 5000.
 */
const { values } = parseArgs({ options: { payments: { type: 'string' }, close: { type: 'string' } } })
const PAYMENTS = Number(values.payments ?? 1_000)
const CLOSE_MS = Number(values.close ?? 5_000)
const GOAL = 50

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
for (let made = 0; made < PAYMENTS; made++)
  await queuePayment(deps.database.db, {
    ...{
      cause: `bench:${made}`,
      transfer_id: null,
      purpose: 'refund',
      asset: null,
      destination: customer.publicKey,
    },
    ...{ amount: '1', memo: null, memo_type: null, claimable: false },
  })
clearInterval(hurry)
const began = performance.now()
while (await isQueued()) await payQueued(deps)
const seconds = (performance.now() - began) / 1_000

const ledgers = await paymentsOfLedgers()
const steady = ledgers.slice(
  ledgers.findIndex(({ paid }) => paid >= Math.max(...ledgers.map(each => each.paid)) / 2),
  -1,
)
const median =
  [...steady].sort((one, other) => one.paid - other.paid)[Math.floor(steady.length / 2)]?.paid ?? 0
console.log(`payments in each ledger: ${ledgers.map(({ paid }) => paid).join(' ')}`)
console.log(`${PAYMENTS} payments in ${seconds.toFixed(1)} s, a ledger every ${CLOSE_MS / 1_000} s`)
report(`payouts of one anchor in a ledger (median ${median}, goal ${GOAL})`, median / GOAL, { atLeast: 1 })
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

async function isQueued(): Promise<boolean> {
  const { rowCount } = await deps.database.pool.query(
    "select 1 from ledger_payments where state = 'queued' limit 1",
  )
  return rowCount !== 0
}

/** How many payments each ledger has, oldest first, as Horizon shows them. */
async function paymentsOfLedgers(): Promise<{ ledger: number; paid: number }[]> {
  const paid = new Map<number, number>()
  for (let cursor = ''; ;) {
    const page = await horizon.transactionsOf(customer.publicKey, cursor, 'asc')
    for (const { ledger, successful, source } of page)
      if (successful && source !== customer.publicKey) paid.set(ledger, (paid.get(ledger) ?? 0) + 1)
    const last = page.at(-1)
    if (!last) break
    cursor = last.cursor
  }
  return [...paid].map(([ledger, count]) => ({ ledger, paid: count }))
}
