import { Account, type Transaction, TransactionBuilder, type xdr } from '@stellar/stellar-sdk/base'
import { servedAssets } from '@windlass/contracts/internal/served-assets.ts'
import { amountOf, formatAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { deployOperation, MAX_RESOURCE_FEE } from '@windlass/stellar/asset-contract.ts'
import { ledgerAssetOf } from '@windlass/stellar/assets.ts'
import type { HorizonAccount } from '@windlass/stellar/horizon-account.ts'
import type { LedgerHead } from '@windlass/stellar/horizon.ts'
import { addSignature } from '@windlass/stellar/keys.ts'
import { isContract } from '@windlass/stellar/addresses.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import type { LedgerPayment, Tables } from '../tables.ts'
import { causeMark, ledgerAsset, VALID_SECONDS } from './build-payment.ts'
import { cancelPayment, queuePayment } from './ledger-payments.ts'
import { simulateCall } from './simulate-call.ts'

/*
 * The contract of an asset, by which contract accounts hold it, is on the ledger once someone has deployed it, which anyone
 * may. The first payment that lacks it has it deployed, by the queue of payments (docs/adr/0168).
 */

const causeOf = (contract: string): string => `deploy-contract:${contract}:`

/** Queues the deployment of the contract that a payment to a contract account lacks, unless one is under way or just ended. */
export async function planDeployment(deps: Deps, payment: LedgerPayment): Promise<void> {
  const { database } = deps
  const { anchor } = deps.config
  if (!isContract(payment.destination)) return
  const contract = ledgerAsset(anchor, payment.asset).contractId(anchor.network.passphrase)
  await database.db.transaction().execute(async tx => {
    const { count, isPlanned } = await readEarlier(tx, contract)
    if (isPlanned) return
    await queuePayment(deps, tx, {
      // Two payments that lack it at once have the same.
      cause: `${causeOf(contract)}${count}`,
      transfer_id: null,
      purpose: 'deploy-contract',
      destination: anchor.accounts.distribution,
      // The most that it may cost.
      amount: formatAmount(amountOf(MAX_RESOURCE_FEE)),
      asset: 'native',
      memo: null,
      memo_type: null,
      claimable: false,
    })
  })
}

/** One that was refused is tried again after an hour; one that was made may not be on this Horizon or RPC yet. */
async function readEarlier(tx: Db<Tables>, contract: string): Promise<{ count: number; isPlanned: boolean }> {
  return tx
    .selectFrom('ledger_payments')
    .select([
      sql<number>`count(*)::int`.as('count'),
      sql<boolean>`coalesce(bool_or(state = 'queued'
        or (state = 'canceled' and created_at > now() - interval '1 hour')
        or (state = 'paid' and paid_at > now() - interval '1 minute')), false)`.as('isPlanned'),
    ])
    .where('purpose', '=', 'deploy-contract')
    .where('cause', 'like', `${causeOf(contract)}%`)
    .executeTakeFirstOrThrow()
}

interface Form {
  source: HorizonAccount
  head: LedgerHead
  /** Stroops. */
  fee: bigint
  resources?: xdr.SorobanTransactionData
}

/** What a deployment uses. Throws as {@link simulateCall}. */
export const simulateDeployment = (deps: Deps, payment: LedgerPayment, form: Form) =>
  simulateCall(deps, unsigned(deps, payment, form))

/** The signed transaction that deploys a contract. */
export async function buildDeployment(deps: Deps, payment: LedgerPayment, form: Form): Promise<Transaction> {
  const transaction = unsigned(deps, payment, form)
  await addSignature(transaction, deps.distribution)
  return transaction
}

function unsigned(
  { config: { anchor } }: Deps,
  { cause }: LedgerPayment,
  { source, head, fee, resources }: Form,
): Transaction {
  const { passphrase } = anchor.network
  const treasury = anchor.accounts.distribution
  const asset = servedAssets(anchor)
    .map(ledgerAssetOf)
    .find(each => cause.startsWith(causeOf(each.contractId(passphrase))))
  if (!asset) throw new Error(`the anchor serves no asset for ${cause}`)
  return new TransactionBuilder(new Account(source.id, source.sequence), {
    fee: fee.toString(),
    networkPassphrase: passphrase,
    timebounds: {
      minTime: causeMark(cause),
      maxTime: Math.floor(head.closedAt.getTime() / 1_000) + VALID_SECONDS,
    },
    ...(resources ? { sorobanData: resources } : {}),
  })
    .addOperation(deployOperation(asset, source.id === treasury ? undefined : treasury))
    .build()
}

/** It is on the ledger, or cannot be deployed: what waits for it is tried at once. */
export async function tryWithContract(tx: Db<Tables>): Promise<void> {
  await tx
    .updateTable('ledger_payments')
    .set({ next_try_at: sql<Date>`now()` })
    .where('state', '=', 'queued')
    .where('wait_code', '=', 'refused')
    .where('destination', 'like', 'C%')
    .execute()
}

/** A deployment was refused, such as since someone else has deployed the contract meanwhile. */
export async function endDeployment({ database }: Deps, { id }: LedgerPayment): Promise<boolean> {
  return database.db.transaction().execute(async tx => {
    const isCanceled = await cancelPayment(tx, id)
    if (isCanceled) await tryWithContract(tx)
    return isCanceled
  })
}
