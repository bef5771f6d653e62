import {
  getSep24Info,
  getSep24Transaction,
  listSep24Transactions,
  startInteractiveDeposit,
  startInteractiveWithdrawal,
} from '@windlass/contracts/sep24.ts'
import type { On } from '@windlass/service/server.ts'
import type { Deps } from '../deps.ts'
import { readFields } from '../sep-fields.ts'
import { lookUp, lookUpMany } from '../transactions/look-up.ts'
import { sep24Info } from './info.ts'
import { startInteractive } from './start-interactive.ts'

export function serveSep24(on: On, deps: Deps): void {
  on(getSep24Info).serve(() => sep24Info(deps.config.anchor))
  on(startInteractiveDeposit).serve(async ({ principal, raw, request }) =>
    startInteractive(deps, principal, 'deposit', await readFields(request, raw)),
  )
  on(startInteractiveWithdrawal).serve(async ({ principal, raw, request }) =>
    startInteractive(deps, principal, 'withdrawal', await readFields(request, raw)),
  )
  on(getSep24Transaction).serve(async ({ principal, query }) => ({
    transaction: await lookUp(deps, '24', principal, query),
  }))
  on(listSep24Transactions).serve(async ({ principal, query }) => ({
    transactions: await lookUpMany(deps, '24', principal, query),
  }))
}
