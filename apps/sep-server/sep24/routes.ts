import { servedAssets, servesXlm } from '@windlass/contracts/internal/served-assets.ts'
import {
  getSep24Info,
  getSep24Transaction,
  listSep24Transactions,
  startInteractiveDeposit,
  startInteractiveWithdrawal,
} from '@windlass/contracts/wallet/sep24.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { readFields } from '../requests/form.ts'
import { getWalletTransaction, listWalletTransactions } from '../transactions/look-up.ts'
import { readValue, startInteractive } from './start-interactive.ts'
import type { AnchorConfig } from '@windlass/contracts/internal/anchor-config.ts'
import type { Direction } from '@windlass/contracts/anchor/anchor-settings.ts'
import { byCode } from '../requests/asset.ts'
import { isOpen, onceForTerms, type CurrentTerms } from '../clients/terms.ts'
import { terms } from '../sep6/info.ts'

export function serveSep24(on: On, deps: Deps): void {
  on(getSep24Info).serve(async () => sep24Info(deps.config.anchor, await deps.terms.current()))
  on(startInteractiveDeposit).serve(async ({ principal, raw, request }) =>
    startInteractive(deps, request, principal, 'deposit', await readFields(request, raw, readValue)),
  )
  on(startInteractiveWithdrawal).serve(async ({ principal, raw, request }) =>
    startInteractive(deps, request, principal, 'withdrawal', await readFields(request, raw, readValue)),
  )
  on(getSep24Transaction).serve(async ({ principal, query }) => ({
    transaction: await getWalletTransaction(deps, '24', principal, query),
  }))
  on(listSep24Transactions).serve(async ({ principal, query }) => ({
    transactions: await listWalletTransactions(deps, '24', principal, query),
  }))
}

/** `/info` of SEP-24: each asset, both ways. */
const sep24Info = onceForTerms((anchor: AnchorConfig, settings: CurrentTerms) => {
  const assets = (direction: Direction) =>
    byCode(servedAssets(anchor), asset => ({
      enabled: isOpen(anchor, settings, direction, asset),
      ...terms(anchor, settings, direction),
    }))
  return {
    deposit: assets('deposit'),
    withdraw: assets('withdrawal'),
    fee: { enabled: false },
    features: { account_creation: servesXlm(anchor), claimable_balances: true },
  }
})
