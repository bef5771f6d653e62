import {
  deposit,
  depositExchange,
  getSep6Info,
  getSep6Transaction,
  listSep6Transactions,
  patchSep6Transaction,
  withdraw,
  withdrawExchange,
} from '@windlass/contracts/wallet/sep6.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { inLanguage } from '../requests/language.ts'
import { getWalletTransaction, listWalletTransactions, walletForm } from '../transactions/look-up.ts'
import { sep6Info } from './info.ts'
import { patchTransaction } from './transfers.ts'
import { startDeposit, startWithdrawal } from './transfers.ts'

export function serveSep6(on: On, deps: Deps): void {
  on(getSep6Info).serve(async ({ query }) =>
    inLanguage(query.lang, sep6Info(deps.config.anchor, await deps.terms.current())),
  )
  on(deposit).serve(async ({ principal, query, request }) =>
    inLanguage(query.lang, await startDeposit(deps, request, principal, query, false)),
  )
  on(depositExchange).serve(async ({ principal, query, request }) =>
    inLanguage(query.lang, await startDeposit(deps, request, principal, query, true)),
  )
  on(withdraw).serve(async ({ principal, query, request }) =>
    inLanguage(query.lang, await startWithdrawal(deps, request, principal, query, false)),
  )
  on(withdrawExchange).serve(async ({ principal, query, request }) =>
    inLanguage(query.lang, await startWithdrawal(deps, request, principal, query, true)),
  )
  on(getSep6Transaction).serve(async ({ principal, query }) => ({
    transaction: await getWalletTransaction(deps, '6', principal, query),
  }))
  on(listSep6Transactions).serve(async ({ principal, query }) => ({
    transactions: await listWalletTransactions(deps, '6', principal, query),
  }))
  on(patchSep6Transaction).serve(async ({ principal, params, body }) => {
    const row = await patchTransaction(deps, principal, params.id, body.transaction)
    return { transaction: await walletForm(deps, row) }
  })
}
