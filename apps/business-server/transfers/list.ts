import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { isUuid } from '@windlass/service/postgres/uuid.ts'
import { expressionBuilder } from 'kysely'
import type { Deps } from '../deps.ts'
import { after } from '../paging.ts'
import { accountsNamed } from '../people/customers/search.ts'
import type { Tables, Transfer, TransferState } from '../tables.ts'

interface TransferFilter extends PageQuery {
  status?: string
  kind?: 'deposit' | 'withdrawal'
  account?: string
  /** An id, a reference, a payment's hash or id, an amount or a day; of people also the customer's name or email. */
  text?: string
}

/** Newest first. `names`: whether the reader may look for names. */
export async function listTransfers(
  deps: Pick<Deps, 'database' | 'sealer'>,
  filter: TransferFilter,
  names: boolean,
): Promise<Transfer[]> {
  const query = transfersIn(deps.database.db, filter)
  const text = filter.text?.trim()
  if (!text) return query.execute()
  const customers = names ? await accountsNamed(deps, text) : []
  return query.where(matching(text, customers)).execute()
}

const AMOUNT = /^\d{1,12}(\.\d{1,7})?$/
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** What a receipt, a statement or a wallet names a transfer by. */
function matching(text: string, customers: readonly { id: string; account: string; memo: string | null }[]) {
  const { eb, or, and } = expressionBuilder<Tables, 'transfers'>()
  const day = DAY.test(text) ? new Date(`${text}T00:00:00Z`) : undefined
  const next = day && new Date(day.getTime() + 86_400_000)
  return or([
    eb('reference', '=', text.toUpperCase()),
    eb('ledger_memo', '=', /^\d{1,18}$/.test(text) ? text : null),
    eb('account', '=', text),
    eb('ledger_hash', '=', text.toLowerCase()),
    eb('rail_payment_id', '=', text),
    ...(isUuid(text) ? [eb('id', '=', text)] : []),
    ...(AMOUNT.test(text) ? [eb('amount', '=', text), eb('fiat_amount', '=', text)] : []),
    ...(day && next && !Number.isNaN(day.getTime())
      ? [and([eb('created_at', '>=', day), eb('created_at', '<', next)])]
      : []),
    ...customers.flatMap(({ id, account, memo }) => [
      eb('customer_id', '=', id),
      eb('receiver_id', '=', id),
      and([
        eb('account', '=', account),
        memo === null ? eb('account_memo', 'is', null) : eb('account_memo', '=', memo),
      ]),
    ]),
  ])
}

function transfersIn(db: Db<Tables>, filter: TransferFilter) {
  const start = pageStart(filter)
  let query = db.selectFrom('transfers').selectAll()
  if (filter.status) query = query.where('state', '=', filter.status as TransferState)
  if (filter.kind) query = query.where('direction', '=', filter.kind)
  if (filter.account) query = query.where('account', '=', filter.account)
  if (start) query = query.where(after(start))
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(pageSize(filter))
}

/** Those of a person over the accounts that are theirs, newest first; none that another person agreed to. */
export function listTransfersOfPerson(
  db: Db<Tables>,
  personId: string,
  accounts: readonly { account: string; memo: string | null }[],
  filter: Omit<TransferFilter, 'account'>,
): Promise<Transfer[]> {
  const { eb, or, and } = expressionBuilder<Tables, 'transfers'>()
  const own = accounts.map(({ account, memo }) =>
    and([
      eb('account', '=', account),
      memo === null ? eb('account_memo', 'is', null) : eb('account_memo', '=', memo),
    ]),
  )
  return transfersIn(db, filter)
    .where('sep', '!=', '31')
    .where(or(own))
    .where(or([eb('person', 'is', null), eb('person', '=', personId)]))
    .execute()
}
