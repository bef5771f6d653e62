import type { Principals } from '@windlass/contracts/realm.ts'
import type {
  SepTransaction,
  TransactionQuery,
  TransactionsQuery,
} from '@windlass/contracts/wallet/sep-transactions.ts'
import { kinds } from '@windlass/contracts/anchor/anchor-platform.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import type { Deps } from '../deps.ts'
import { badRequest } from '../errors.ts'
import { inLanguage } from '../requests/language.ts'
import { readTime } from '../requests/times.ts'
import { assetName } from '@windlass/contracts/internal/served-assets.ts'
import { assetsNamed } from '../requests/asset.ts'
import type { Transaction } from '../tables.ts'
import { openDetails } from './details.ts'
import { findOwned, listOwned } from './transactions.ts'
import { sepForm } from './sep-form.ts'

/** One transaction of the wallet. Throws 400 without an id, and 404. */
export async function getWalletTransaction(
  deps: Deps,
  sep: '6' | '24',
  wallet: Principals['wallet'],
  query: TransactionQuery,
): Promise<SepTransaction> {
  const { id, stellar_transaction_id, external_transaction_id } = query
  if (!id && !stellar_transaction_id && !external_transaction_id) {
    throw badRequest('id, stellar_transaction_id or external_transaction_id is required')
  }
  const row = await findOwned(deps.database.db, sep, wallet, query)
  if (!row) throw new Problem('not-found', 'There is no transaction with this id.')
  return walletForm(deps, row, query.lang)
}

/** Transactions of the wallet, newest first. Throws 400 for a wrong asset, kind or time. */
export async function listWalletTransactions(
  deps: Deps,
  sep: '6' | '24',
  wallet: Principals['wallet'],
  query: TransactionsQuery,
): Promise<SepTransaction[]> {
  const { account } = query
  if (account && account !== wallet.account && account !== baseAccount(wallet.account))
    throw new Problem('forbidden', 'account is not the account of the token')
  const rows = await listOwned(deps.database.db, sep, wallet, {
    assets: assetsNamed(deps.config.anchor, query.asset_code).map(assetName),
    kinds: kindsOf(query.kind),
    no_older_than: query.no_older_than ? readTime('no_older_than', query.no_older_than) : undefined,
    limit: Math.min(Number(query.limit ?? 100), 200),
    paging_id: query.paging_id || undefined,
  })
  if (!rows) throw badRequest('paging_id is not a transaction of this account')
  return Promise.all(rows.map(row => walletForm(deps, row, query.lang)))
}

/** A transaction as its wallet sees it, with a link to its status page; by default in the language of its start. */
export async function walletForm(deps: Deps, row: Transaction, lang = row.lang): Promise<SepTransaction> {
  const details = openDetails(deps.sealer, row)
  return inLanguage(lang, sepForm(row, details, deps.pages.moreInfoUrl(row, deps.clock.now())))
}

function kindsOf(kind: TransactionsQuery['kind']) {
  if (!kind || kind.length === 0) return undefined
  const wanted = [kind].flat().flatMap(each => each.split(',').map(name => name.trim()))
  const known = kinds.filter(each => wanted.includes(each))
  if (known.length !== wanted.length) throw badRequest(`kind must be of ${kinds.join(', ')}`)
  return known
}
