import { claimDue } from '@windlass/service/claim-due.ts'
import { Transaction, TransactionBuilder } from '@stellar/stellar-sdk/base'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { HorizonAccount } from '@windlass/stellar/horizon-account.ts'
import { LedgerError } from '@windlass/stellar/ledger-error.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import { settle } from '@windlass/stellar/settle.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { buildPayment } from './build-payment.ts'
import { envelopesOf } from './envelopes.ts'
import { reservationOf } from './ledger-payments.ts'
import { assetName } from '../pricing/asset.ts'
import type { SepCall } from '../sep-calls/sep-calls.ts'
import type { LedgerPayment, Tables } from '../tables.ts'
import { lockTransfer } from '../transfers/find.ts'
import { move } from '../transfers/move.ts'
import { assetBalance, release } from '../treasury/treasury.ts'

/** Looked for often at first, and less and less: some trustlines are opened the next day, some never. */
const TRUST_RETRY_SECONDS = { least: 3, most: 300 }
const FAULT_RETRY_SECONDS = 5
const TREASURY_RETRY_SECONDS = 10

/** Pays what is queued, one payment after the other: they share the distribution account's sequence numbers. */
export async function payQueued(deps: Deps): Promise<void> {
  for (let next = await takeNext(deps); next; next = await takeNext(deps)) {
    await payOne(deps, next).catch((error: unknown) => postpone(deps, next, error))
  }
}

async function takeNext({ database }: Deps): Promise<LedgerPayment | null> {
  const [next] = await claimDue<LedgerPayment, Tables>(database.db, {
    table: 'ledger_payments',
    dueAt: 'next_try_at',
    leaseSeconds: 10,
    limit: 1,
    where: sql`state = 'queued'`,
  })
  return next ?? null
}

async function payOne(deps: Deps, payment: LedgerPayment): Promise<void> {
  deps.faults.at('payment:taken')
  const store = envelopesOf(deps, payment.id)
  const open = await store.current()
  const reach = open ? 'payment' : await howToReach(deps, payment)
  if (reach === null) return waitForTrust(deps, payment)
  // A payment that the ledger must refuse costs a fee each time it is tried.
  if (!open && (await assetBalance(deps)) < parseAmount(payment.amount)) {
    deps.logger.error({ payment: payment.id }, 'the distribution account holds too little for a payment')
    return later(deps, payment, TREASURY_RETRY_SECONDS, 'the distribution account holds too little')
  }
  await settle({
    horizon: deps.horizon,
    store,
    // Nothing on the ledger but the envelope itself shows that it was this payment.
    isDone: async () => false,
    build: async head => {
      const source = await deps.horizon.account(deps.config.anchor.accounts.distribution)
      if (!source)
        throw new LedgerError('ledger-unavailable', 'The distribution account is not on the ledger.')
      return buildPayment(deps.config, payment, source, head, reach === 'claimable')
    },
  })
  const applied = await store.current()
  if (!applied) throw new Error('a settled payment has no envelope')
  await finish(deps, payment, applied.hash, claimableIdOf(deps, applied.xdr))
  deps.faults.at('payment:noted')
}

/** Whether the destination can hold the asset; else a claimable balance where the wallet understands it; else null. */
async function howToReach(
  { horizon, config }: Deps,
  payment: LedgerPayment,
): Promise<'payment' | 'claimable' | null> {
  const { accounts, plan } = config.anchor
  const base = baseAccount(payment.destination)
  const account = await horizon.account(base)
  if (
    account &&
    (base === accounts.issuer || holds(account, `${plan.asset.code}:${accounts.issuer}`, payment.amount))
  )
    return 'payment'
  return payment.claimable ? 'claimable' : null
}

function holds(account: HorizonAccount, asset: string, amount: string): boolean {
  const line = account.balances.find(each => each.asset === asset)
  if (!line?.authorized) return false
  const room = parseAmount(line.limit ?? line.balance) - parseAmount(line.balance)
  return room >= parseAmount(amount)
}

async function waitForTrust(deps: Deps, payment: LedgerPayment): Promise<void> {
  const waited = (deps.clock.now().getTime() - payment.created_at.getTime()) / 1000
  const { least, most } = TRUST_RETRY_SECONDS
  const pause = Math.round(Math.min(most, Math.max(least, waited / 20)))
  await later(deps, payment, pause, 'the account cannot hold the asset')
  if (payment.purpose !== 'deposit' || !payment.transfer_id) return
  await deps.database.db.transaction().execute(async tx => {
    const transfer = await lockTransfer(tx, payment.transfer_id ?? '')
    if (transfer.state !== 'funded') return
    await move(tx, transfer, 'awaiting_trust', {}, [
      ['request_trust', { message: 'Open a trustline for the asset to receive it.' }],
    ])
  })
  deps.wake.emit('sepCalls')
}

async function finish(
  deps: Deps,
  payment: LedgerPayment,
  hash: string,
  claimableBalanceId: string | null,
): Promise<void> {
  await deps.database.db.transaction().execute(async tx => {
    const paid = await tx
      .updateTable('ledger_payments')
      .set({ state: 'paid', hash, waits_for: null, paid_at: sql<Date>`now()` })
      .where('id', '=', payment.id)
      .where('state', '=', 'queued')
      .executeTakeFirst()
    if (paid.numUpdatedRows === 0n) return
    await release(tx, reservationOf(payment))
    if (!payment.transfer_id) return
    const transfer = await lockTransfer(tx, payment.transfer_id)
    if (payment.purpose === 'refund') {
      await move(tx, transfer, 'returned', {}, [refundSent(deps, payment, hash, transfer.message)])
      return
    }
    const trusted: SepCall[] =
      transfer.state === 'awaiting_trust' ? [['notify_trust_set', { success: true }]] : []
    const change = { ledger_hash: hash, claimable_balance_id: claimableBalanceId }
    await move(tx, transfer, 'completed', change, [
      ...trusted,
      [
        'notify_onchain_funds_sent',
        {
          stellar_transaction_id: hash,
          ...(claimableBalanceId ? { claimable_balance_id: claimableBalanceId } : {}),
        },
      ],
    ])
  })
  deps.wake.emit('sepCalls')
}

function refundSent({ config }: Deps, payment: LedgerPayment, hash: string, message: string | null): SepCall {
  const asset = assetName(config.anchor)
  const amount = { amount: formatAmount(parseAmount(payment.amount)), asset }
  const refund = { id: hash, amount, amount_fee: { amount: '0', asset } }
  return ['notify_refund_sent', { refund, ...(message ? { message } : {}) }]
}

function claimableIdOf({ config }: Deps, xdr: string): string | null {
  const transaction = TransactionBuilder.fromXdr(xdr, config.anchor.network.passphrase)
  if (!(transaction instanceof Transaction)) return null
  return transaction.operations[0]?.type === 'createClaimableBalance'
    ? transaction.getClaimableBalanceId(0)
    : null
}

async function postpone(deps: Deps, payment: LedgerPayment, error: unknown): Promise<void> {
  deps.logger.warn({ err: error, payment: payment.id }, 'a payment on the ledger waits')
  await later(deps, payment, FAULT_RETRY_SECONDS, (error as Error).message.slice(0, 200))
}

async function later(deps: Deps, { id }: LedgerPayment, seconds: number, why: string): Promise<void> {
  await deps.database.db
    .updateTable('ledger_payments')
    .set({ next_try_at: sql<Date>`now() + ${seconds} * interval '1 second'`, waits_for: why })
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .execute()
}
