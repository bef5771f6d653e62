import type { Principals } from '@windlass/contracts/realm.ts'
import type { Db } from '@windlass/service/database.ts'
import { isStellarAccount, checkMemo } from '@windlass/stellar/addresses.ts'
import type { SepDatabase } from '../database.ts'
import { callbackAddress } from '../callback-address.ts'
import type { Deps } from '../deps.ts'
import { refused } from '../sep-errors.ts'
import { takeQuote } from '../sep38/take-quote.ts'
import { agreedAmount } from './agreed-amount.ts'
import { announce } from './announce.ts'
import { assetName, demandAsset } from './asset.ts'
import { insertTransaction } from './find.ts'
import type { NewTransaction, Transaction } from './transaction.ts'

/** What a wallet may say when it begins a deposit or withdrawal, by SEP-6 or SEP-24. */
export interface TransferRequest {
  asset_code?: string
  asset_issuer?: string
  source_asset?: string
  destination_asset?: string
  amount?: string
  quote_id?: string
  account?: string
  memo?: string
  memo_type?: string
  type?: string
  wallet_name?: string
  lang?: string
  claimable_balance_supported?: string
  customer_id?: string
  refund_memo?: string
  refund_memo_type?: string
  on_change_callback?: string
}

export interface Beginning {
  sep: '6' | '24'
  side: 'deposit' | 'withdrawal'
  status: Transaction['status']
  request: TransferRequest
  fields: Record<string, string>
  /** Of a deposit what is paid in, of a withdrawal what is paid out; the anchor's first rail's unless told. */
  fiatAsset: string
}

/** Writes a new transaction and tells the business server of it. Throws a refusal naming the field that is wrong. */
export async function begin(
  deps: Deps,
  wallet: Principals['wallet'],
  beginning: Beginning,
): Promise<Transaction> {
  const { anchor } = deps.config
  const { request, side } = beginning
  const exchange = side === 'deposit' ? request.source_asset : request.destination_asset
  demandAsset(anchor, request.asset_code, request.asset_issuer)
  checkWhere(request)
  const { amount, fiat } = await agreedAmount(deps, wallet, beginning)
  if (exchange && fiat !== exchange) throw refused('the quote is for other assets')
  const [source, destination] = side === 'deposit' ? [fiat, assetName(anchor)] : [assetName(anchor), fiat]
  const row: NewTransaction = {
    sep: beginning.sep,
    kind: exchange && beginning.sep === '6' ? `${side}-exchange` : side,
    status: beginning.status,
    account: wallet.account,
    account_memo: wallet.memo,
    client_domain: wallet.clientDomain,
    client_name: request.wallet_name ?? null,
    lang: request.lang ?? null,
    type: request.type ?? null,
    stellar_account: request.account ?? wallet.account,
    memo: request.memo ?? null,
    memo_type: request.memo === undefined ? null : (request.memo_type ?? 'text'),
    refund_memo: request.refund_memo ?? null,
    refund_memo_type: request.refund_memo_type ?? null,
    claimable_balance_supported: request.claimable_balance_supported === 'true',
    customer_id: request.customer_id ?? null,
    amount_expected: amount,
    source_asset: source,
    destination_asset: destination,
    quote_id: request.quote_id ?? null,
    fields: JSON.stringify(beginning.fields),
    on_change_callback: request.on_change_callback
      ? callbackAddress('on_change_callback', request.on_change_callback, deps.config.local)
      : null,
  }
  return deps.database.db.transaction().execute(tx => insert(tx, row))
}

async function insert(tx: Db<SepDatabase>, row: NewTransaction): Promise<Transaction> {
  const inserted = await insertTransaction(tx, row)
  if (row.quote_id) await takeQuote(tx, row.quote_id, inserted)
  await announce(tx, 'transaction_created', inserted)
  return inserted
}

function checkWhere(request: TransferRequest): void {
  if (request.account !== undefined && !isStellarAccount(request.account)) {
    throw refused('account must be a Stellar account (G… or M…)')
  }
  for (const name of ['memo', 'refund_memo'] as const) {
    const memo = request[name]
    const type = request[`${name}_type`]
    if (memo === undefined && type !== undefined) throw refused(`${name}_type stands without ${name}`)
    if (memo === undefined) continue
    const wrong = checkMemo(memo, type ?? 'text')
    if (wrong) throw refused(`${name} ${wrong}`)
  }
  if (request.memo !== undefined && request.account?.startsWith('M')) {
    throw refused('memo must not be given beside a muxed account')
  }
}
