import {
  addTransactionNote,
  findPersonTransactions,
  getAnchorSummary,
  getTreasurySettings,
  resolveAnchorIncident,
  setTreasurySettings,
  type AnchorSummary,
} from '@windlass/contracts/business-server.ts'
import { amountOf, formatAmount, type Amount } from '@windlass/money/amount.ts'
import { formatRate } from '@windlass/money/rate.ts'
import { answer } from '@windlass/service/answer.ts'
import { cursorAfter, pageSize } from '@windlass/service/pages.ts'
import { unavailable } from '@windlass/service/problem.ts'
import type { On } from '@windlass/service/server.ts'
import { spendableXlm } from '@windlass/stellar/horizon-account.ts'
import type { Deps } from '../deps.ts'
import { lastFee, waitingPayments } from '../payments/ledger-payments.ts'
import { incidentForm } from '../payments/incidents.ts'
import { observerLag } from '../payments/observe.ts'
import { resolveByOperator } from '../payments/unproven.ts'
import { exchangeRate } from '../pricing/exchange-rate.ts'
import { getTreasurySettings as currentSettings, listVersions, TOP_UP_MEMO } from '../treasury/settings.ts'
import { changeTreasurySettings } from '../payments/sweep.ts'
import { balanceOf, dailyOutflow } from '../journal/journal.ts'
import { provenAccountsOf } from '../customers/tiers.ts'
import { developerForm } from '../transfers/developer-form.ts'
import { listTransfersOfPerson } from '../transfers/find.ts'
import { addNote } from '../transfers/notes.ts'
import { readTreasury } from '../treasury/treasury.ts'

export function serveSummary(on: On, deps: Deps): void {
  on(getAnchorSummary).serve(() => summarize(deps))
  on(getTreasurySettings).serve(async () => treasuryForm(deps))
  on(setTreasurySettings).serve(async ({ body: { by, ...settings } }) => {
    await changeTreasurySettings(deps, by, settings)
    return treasuryForm(deps)
  })
  on(addTransactionNote).serve(async ({ params, body }) =>
    answer(201, await addNote(deps.database.db, params.id, body)),
  )
  on(findPersonTransactions).serve(async ({ body: { personId, ...filter } }) => {
    const { db } = deps.database
    const accounts = await provenAccountsOf(db, personId)
    const rows = accounts.length === 0 ? [] : await listTransfersOfPerson(db, personId, accounts, filter)
    const last = rows.length === pageSize(filter) ? rows.at(-1) : undefined
    const next = last ? cursorAfter({ id: last.id, createdAt: last.created_at }) : null
    return { transactions: rows.map(developerForm), next }
  })
  on(resolveAnchorIncident).serve(async ({ params, body }) =>
    incidentForm(await resolveByOperator(deps, params.id, body.by, body)),
  )
}

/** Status and treasury for the health worker. 503 while the ledger does not answer: nothing can be reserved then. */
async function summarize(deps: Deps): Promise<AnchorSummary> {
  const { plan, accounts } = deps.config.anchor
  const { db } = deps.database
  const { routineHorizon: horizon } = deps
  // One after the other: a second connection would be opened at each look.
  const lag = await observerLag(deps)
  const [{ account, ...treasury }, head] = await Promise.all([
    readTreasury({ ...deps, horizon }),
    horizon.head(),
  ]).catch((cause: unknown) => {
    throw unavailable('The ledger', cause)
  })
  const { code, anchoredTo } = plan.asset
  const xlm = account ? spendableXlm(account, head.baseReserve) : 0n
  const held = {
    balance: formatAmount(treasury.balance),
    reserved: formatAmount(treasury.reserved),
    ...(treasury.fault ? { fault: treasury.fault } : {}),
  }
  return {
    status: 'ok',
    treasury_capacity: formatAmount(treasury.capacity),
    assets: [{ code, issuer: accounts.issuer, anchoredTo, ...held }],
    ledger: {
      connected: true,
      lastLedger: head.sequence,
      observerLag: lag,
      spendableXlm: formatAmount(amountOf(xlm > 0n ? xlm : 0n)),
      fee: { last: await lastFee(db), max: formatAmount(amountOf(deps.config.maxFee)) },
    },
    treasury: await forecast(deps, treasury.capacity),
    waiting: await waitingPayments(db),
    rails: [...deps.rails.values()].map(({ name, currency, simulation, bankAccount }) => {
      const rate = exchangeRate(deps.config.fx, anchoredTo, currency)
      return {
        ...{ name, currency, simulated: simulation !== undefined, rate: rate && formatRate(rate) },
        ...(bankAccount ? { bankFiles: true } : {}),
      }
    }),
    version: deps.config.anchor.version,
  }
}

async function treasuryForm(deps: Deps) {
  return { settings: await currentSettings(deps), history: await listVersions(deps.database.db) }
}

/** The settings, what is in the cold account, how long the treasury lasts, and how to top it up. */
async function forecast(deps: Deps, free: Amount): Promise<AnchorSummary['treasury']> {
  const { db } = deps.database
  const settings = await currentSettings(deps)
  const outflow = await dailyOutflow(db)
  return {
    ...settings,
    cold: formatAmount(await balanceOf(db, 'cold', 'asset')),
    outflowPerDay: outflow === null ? null : formatAmount(outflow),
    daysLeft: outflow !== null && outflow > 0n ? Number((free * 10n) / outflow) / 10 : null,
    topUp: { account: deps.config.anchor.accounts.distribution, memo: TOP_UP_MEMO },
  }
}
