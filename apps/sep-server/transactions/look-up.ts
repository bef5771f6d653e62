import type { Principals } from '@windlass/contracts/realm.ts'
import type {
  SepTransaction,
  TransactionQuery,
  TransactionsQuery,
} from '@windlass/contracts/sep-transactions.ts'
import { kinds } from '@windlass/contracts/anchor-platform.ts'
import { Problem } from '@windlass/service/problem.ts'
import type { Deps } from '../deps.ts'
import { refused } from '../sep-errors.ts'
import { demandAsset } from './asset.ts'
import { findOwned, listOwned } from './find.ts'
import { sepForm } from './sep-form.ts'

/** One of the wallet's own. Throws 400 without an id, 404 where there is none. */
export async function lookUp(
  deps: Deps,
  sep: '6' | '24',
  wallet: Principals['wallet'],
  query: TransactionQuery,
): Promise<SepTransaction> {
  const { id, stellar_transaction_id, external_transaction_id } = query
  if (!id && !stellar_transaction_id && !external_transaction_id) {
    throw refused('id, stellar_transaction_id or external_transaction_id is needed')
  }
  const row = await findOwned(deps.database.db, sep, wallet, query)
  if (!row) throw new Problem('not-found', 'There is no such transaction.')
  return sepForm(row, await deps.pages.moreInfoUrl(row, deps.clock.now()))
}

/** The wallet's own, newest first. Throws a refusal for a wrong asset, time or page. */
export async function lookUpMany(
  deps: Deps,
  sep: '6' | '24',
  wallet: Principals['wallet'],
  query: TransactionsQuery,
): Promise<SepTransaction[]> {
  demandAsset(deps.config.anchor, query.asset_code)
  const rows = await listOwned(deps.database.db, sep, wallet, {
    kinds: kindsOf(query.kind),
    no_older_than: timeOf(query.no_older_than),
    limit: Math.min(Number(query.limit ?? 100), 200),
    paging_id: query.paging_id || undefined,
  })
  const now = deps.clock.now()
  return Promise.all(rows.map(async row => sepForm(row, await deps.pages.moreInfoUrl(row, now))))
}

function kindsOf(kind: string | undefined) {
  if (!kind) return undefined
  const wanted = kind.split(',').map(each => each.trim())
  const known = kinds.filter(each => wanted.includes(each))
  if (known.length !== wanted.length) throw refused(`kind must be of ${kinds.join(', ')}`)
  return known
}

function timeOf(text: string | undefined): Date | undefined {
  if (!text) return undefined
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw refused('no_older_than must be an ISO 8601 time')
  return time
}
