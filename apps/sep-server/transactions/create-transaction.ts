import type { TransactionKind, TransactionSep } from '@windlass/contracts/anchor/anchor-platform.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import {
  baseAccount,
  isAccount,
  isContract,
  isStellarAccount,
  checkMemo,
  plainMemo,
} from '@windlass/stellar/addresses.ts'
import type { Tables, NewTransaction, Transaction } from '../tables.ts'
import { callbackUrl } from '../requests/callback-url.ts'
import { pauseOf } from '../clients/terms.ts'
import type { Deps } from '../deps.ts'
import { badRequest } from '../errors.ts'
import { problemOfText } from '../requests/form.ts'
import { demandOf } from '../requests/limits.ts'
import { bindQuote, findOpenQuote } from '../sep38/quotes.ts'
import { sealDetails } from './details.ts'
import { publishEvent } from './events.ts'
import { assetName } from '@windlass/contracts/internal/served-assets.ts'
import { assetIn } from '../requests/asset.ts'
import { checkOpenTransactions, insertTransaction } from './transactions.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import { plainAmount, readAmount, readLimitedAmount } from '../requests/amounts.ts'
import { randomUUID } from 'node:crypto'

/** The parameters of a new deposit, withdrawal or direct payment. */
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
  /** Receiver of a direct payment. */
  receiver_id?: string
}

export interface NewTransfer {
  sep: TransactionSep
  side: 'deposit' | 'withdrawal'
  status: Transaction['status']
  request: TransferRequest
  fields: Record<string, string>
  /** The currency paid in or out (`iso4217:…`) unless the request names one. */
  fiatAsset: string
}

const CONTRACT_UNPAID =
  'the anchor cannot pay this contract account (C…): account must be the one that is logged in, or an account (G… or M…)'

/** Creates a transaction and sends it to the business server. Throws 400 naming the wrong field. */
export async function createTransaction(
  deps: Deps,
  wallet: Principals['wallet'],
  transfer: NewTransfer,
  clientAddress: string,
): Promise<Transaction> {
  const { anchor } = deps.config
  const { request, side } = transfer
  const exchange = side === 'deposit' ? request.source_asset : request.destination_asset
  const asset = assetName(assetIn(anchor, request.asset_code, request.asset_issuer))
  checkTexts({ ...request, ...transfer.fields })
  checkDestination(deps, wallet, transfer)
  await checkPaidAccount(deps, wallet, transfer)
  const paused = pauseOf(await deps.terms.current(), side)
  if (paused !== null) throw badRequest(paused)
  const { amount, fiat } = await readTerms(deps, wallet, transfer, asset)
  if (exchange && fiat !== exchange) throw badRequest('the quote is for other assets')
  const [source, destination] = side === 'deposit' ? [fiat, asset] : [asset, fiat]
  const [memo, memoType] = plainMemoOf(request.memo, request.memo_type)
  const [refundMemo, refundMemoType] = plainMemoOf(request.refund_memo, request.refund_memo_type)
  const id = randomUUID()
  const row: NewTransaction = {
    id,
    sep: transfer.sep,
    kind: kindOf(transfer, exchange),
    status: transfer.status,
    account: wallet.account,
    account_memo: wallet.memo,
    client_domain: wallet.clientDomain,
    client_name: request.wallet_name ?? null,
    lang: request.lang ?? null,
    type: request.type ?? null,
    stellar_account: request.account ?? wallet.account,
    memo,
    memo_type: memoType,
    refund_memo: refundMemo,
    refund_memo_type: refundMemoType,
    claimable_balance_supported: request.claimable_balance_supported === 'true',
    customer_id: request.customer_id ?? null,
    receiver_id: request.receiver_id ?? null,
    amount_expected: amount,
    source_asset: source,
    destination_asset: destination,
    quote_id: request.quote_id ?? null,
    details: sealDetails(deps.sealer, id, transfer.fields),
    callback: null,
    paid_by: null,
    customer_info_updates: null,
    on_change_callback: request.on_change_callback
      ? callbackUrl('on_change_callback', request.on_change_callback, deps.config.local)
      : null,
  }
  const { sendingAnchor, ...rates } = deps.newTransactions
  const counted = transfer.sep === '31' ? { ...rates, account: sendingAnchor } : rates
  await demandOf(counted, wallet, clientAddress)
  return deps.database.db.transaction().execute(tx => insert(tx, deps.sealer, row))
}

const plainMemoOf = (memo: string | undefined, type = 'text') =>
  memo === undefined ? ([null, null] as const) : ([plainMemo(memo, type), type] as const)

function kindOf({ sep, side }: NewTransfer, exchange: string | undefined): TransactionKind {
  if (sep === '31') return 'receive'
  return exchange && sep === '6' ? `${side}-exchange` : side
}

async function insert(tx: Db<Tables>, sealer: Sealer, row: NewTransaction): Promise<Transaction> {
  await checkOpenTransactions(tx, { account: row.account, memo: row.account_memo ?? null }, row.sep)
  const inserted = await insertTransaction(tx, row)
  if (row.quote_id) await bindQuote(tx, row.quote_id, inserted)
  await publishEvent(tx, sealer, 'transaction_created', inserted)
  return inserted
}

function checkTexts(texts: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value = ''] of Object.entries(texts)) {
    const wrong = problemOfText(name, value)
    if (wrong) throw badRequest(`${name} ${wrong}`)
  }
}

function checkDestination(
  { rpc }: Pick<Deps, 'rpc'>,
  wallet: Principals['wallet'],
  { side, request }: NewTransfer,
): void {
  const { account = wallet.account } = request
  // It is paid by a call that is simulated first, and only where it has proven by its login that it is there.
  const isPayable = rpc !== null && account === wallet.account
  if (isContract(account) && side === 'deposit' && !isPayable) throw badRequest(CONTRACT_UNPAID)
  const isOwn = account === wallet.account
  if (!isOwn && !isStellarAccount(account)) throw badRequest('account must be a Stellar account (G… or M…)')
  for (const name of ['memo', 'refund_memo'] as const) {
    const memo = request[name]
    const type = request[`${name}_type`]
    if (memo === undefined && type !== undefined) throw badRequest(`${name}_type needs ${name}`)
    if (memo === undefined) continue
    if (name === 'refund_memo' && type === undefined) throw badRequest('refund_memo needs refund_memo_type')
    const wrong = checkMemo(memo, type ?? 'text')
    if (wrong) throw badRequest(`${name} ${wrong}`)
  }
  if (request.memo !== undefined && request.account?.startsWith('M')) {
    throw badRequest('memo and a muxed account cannot be combined')
  }
  if (request.memo !== undefined && side === 'deposit' && isContract(account)) {
    throw badRequest('memo and a contract account cannot be combined')
  }
}

/**
 * What the ledger says of the account that a deposit is paid to. Throws 400 where it asks for memos (SEP-29) and none is
 * given, or where it is not there and the operator takes no such deposits. An account that cannot be read passes.
 */
async function checkPaidAccount(
  { readAccount, terms, logger }: Deps,
  wallet: Principals['wallet'],
  { side, request }: NewTransfer,
): Promise<void> {
  const { account = wallet.account, memo } = request
  if (side === 'withdrawal' || isContract(account)) return
  const mustExist = (await terms.current()).wallets?.newAccounts === false
  // A muxed account names its customer itself.
  const needsMemo = memo === undefined && isAccount(account)
  if (!mustExist && !needsMemo) return
  const found = await readAccount(baseAccount(account)).catch((error: unknown) => {
    logger.warn({ err: error }, 'the account of a deposit could not be read')
    return undefined
  })
  if (found === null && mustExist)
    throw badRequest('account is not on the ledger; create it before the deposit begins')
  if (found?.memoRequired && needsMemo)
    throw badRequest('memo is required: the account wants one with each payment (SEP-29)')
}

/** What the request says about the amount (in the asset on the ledger) and the currency on the other side. */
interface AskedAmount {
  amount: string | null
  /** `iso4217:…` */
  fiat: string
}

/**
 * Reads amount, assets and quote of a request together. A quote determines all of them, and an amount beside it must
 * equal the quote's. `deposit-exchange` gives its amount in the currency paid in (SEP-6), all others in the asset on the ledger.
 * Throws 400.
 */
async function readTerms(
  deps: Deps,
  wallet: Principals['wallet'],
  transfer: NewTransfer,
  asset: string,
): Promise<AskedAmount> {
  const { sep, side, request, fiatAsset } = transfer
  const exchange = side === 'deposit' ? request.source_asset : request.destination_asset
  const fiat = exchange ?? fiatAsset
  if (request.quote_id) return byQuote(deps, wallet, transfer)
  if (!request.amount) return { amount: null, fiat }
  const { limits } = await deps.terms.current()
  if (sep === '6' && side === 'deposit' && exchange) {
    const sell_amount = readAmount('amount', request.amount)
    const sell_delivery_method = request.type
    const pair = { sell_asset: exchange, buy_asset: asset, sell_amount, sell_delivery_method }
    const { buy_amount } = await deps.business.rate({ ...pair, type: 'indicative' })
    const bought = `amount is worth ${plainAmount(buy_amount)} ${asset}, which`
    return { amount: readLimitedAmount(bought, buy_amount, limits), fiat }
  }
  return { amount: readLimitedAmount('amount', request.amount, limits), fiat }
}

async function byQuote(
  deps: Deps,
  wallet: Principals['wallet'],
  { sep, side, request }: NewTransfer,
): Promise<AskedAmount> {
  const quote = await findOpenQuote(
    deps.database.db,
    request.quote_id ?? '',
    { ...wallet, sep },
    deps.clock.now(),
  )
  const deposit = side === 'deposit'
  const fits = sep === '24' ? [quote.sell_amount, quote.buy_amount] : [quote.sell_amount]
  const method = deposit ? quote.sell_delivery_method : quote.buy_delivery_method
  if (method && request.type && method !== request.type) {
    throw badRequest(`funding_method is not that of the quote; it must be ${method}`)
  }
  if (request.amount) {
    const given = parseAmount(readAmount('amount', request.amount))
    if (!fits.some(each => parseAmount(each) === given)) {
      throw badRequest('amount is not that of the quote; it must be its sell_amount')
    }
  }
  return {
    amount: plainAmount(deposit ? quote.buy_amount : quote.sell_amount),
    fiat: deposit ? quote.sell_asset : quote.buy_asset,
  }
}
