import {
  addTransactionNote,
  findPersonTransactions,
  getAnchorSummary,
  getTreasurySettings,
  readLedgerAgain,
  resolveAnchorIncident,
  setTreasurySettings,
  type AnchorSummary,
} from '@windlass/contracts/anchor/business-server.ts'
import { servedAssets, type AssetKey } from '@windlass/contracts/internal/served-assets.ts'
import { amountOf, formatAmount } from '@windlass/money/amount.ts'
import { formatRate } from '@windlass/money/rate.ts'
import { answer } from '@windlass/service/http/answer.ts'
import { cursorAfter, pageSize } from '@windlass/service/http/pages.ts'
import { unavailable } from '@windlass/service/http/problem.ts'
import { readScalar, together } from '@windlass/service/postgres/scalars.ts'
import type { On } from '@windlass/service/http/server.ts'
import { spendableXlm } from '@windlass/stellar/horizon-account.ts'
import type { Deps } from '../../deps.ts'
import { lastFee, waitingPayments } from '../../payments/ledger-payments.ts'
import { incidentForm } from '../../payments/incidents.ts'
import { listsLoaded, waitsWithoutList } from '../../people/compliance/lists.ts'
import { lagOfObserver } from '../../payments/observe.ts'
import { readAgain } from '../../payments/read-again.ts'
import { resolveByOperator } from '../../payments/unproven.ts'
import { servedKey } from '../../money/pricing/asset.ts'
import { exchangeRate } from '../../money/pricing/exchange-rate.ts'
import {
  getTreasurySettings as currentSettings,
  listVersions,
  treasurySettings,
} from '../../money/treasury/settings.ts'
import { changeTreasurySettings } from '../../payments/sweep.ts'
import { balance, dailyOutflow, unitOf } from '../../money/journal/journal.ts'
import { provenAccountsOf } from '../../people/customers/tiers.ts'
import { developerForm } from '../../transfers/developer-form.ts'
import { listTransfersOfPerson } from '../../transfers/list.ts'
import { addNote } from '../../transfers/notes.ts'
import {
  reservedAmounts,
  TOP_UP_MEMO,
  treasuriesBeside,
  type Treasury,
} from '../../money/treasury/treasury.ts'

export function serveSummary(on: On, deps: Deps): void {
  on(getAnchorSummary).serve(() => summarize(deps))
  on(getTreasurySettings).serve(async ({ query }) =>
    treasuryForm(deps, servedKey(deps.config.anchor, query.asset)),
  )
  on(setTreasurySettings).serve(async ({ query, body: { by, ...settings } }) => {
    const asset = servedKey(deps.config.anchor, query.asset)
    await changeTreasurySettings(deps, { asset, by }, settings)
    return treasuryForm(deps, asset)
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
  on(readLedgerAgain).serve(({ body }) => readAgain(deps, body))
  on(resolveAnchorIncident).serve(async ({ params, body }) =>
    incidentForm(await resolveByOperator(deps, params.id, body.by, body)),
  )
}

/**
 * Status and treasury for the health worker. 503 while the ledger does not answer, since nothing can be reserved then, and
 * while the SEP server ends again and again.
 */
async function summarize(deps: Deps): Promise<AnchorSummary> {
  if (deps.sepRuns.endsAgain(deps.clock.now()))
    throw unavailable('The SEP server, which ended several times in ten minutes,')
  const { routineHorizon: horizon } = deps
  // An anchor that nobody uses is asked every few seconds: one query for everything.
  const { lag, reserved, fee, waiting, lists, forecasts } = await readScalar(deps.database.db, stateOf(deps))
  const [treasuries, head] = await Promise.all([
    treasuriesBeside({ ...deps, horizon }, reserved),
    horizon.head(),
  ]).catch((cause: unknown) => {
    throw unavailable('The ledger', cause)
  })
  const [first] = treasuries
  const { account, capacity } = first
  const { anchoredTo } = first.asset
  const xlm = account ? spendableXlm(account, head.baseReserve) : 0n
  const forecastOf = (treasury: Treasury) => {
    const forecast = forecasts[unitOf(treasury.asset.key)]
    if (!forecast) throw new Error(`nothing was read of ${treasury.asset.code}`)
    return forecastForm(deps, treasury, forecast)
  }
  return {
    status: 'ok',
    treasury_capacity: formatAmount(capacity),
    assets: treasuries.map(treasury => ({
      ...holdingForm(treasury),
      ...(treasury.asset.key === null ? {} : { treasury: forecastOf(treasury) }),
    })),
    ledger: {
      connected: true,
      lastLedger: head.sequence,
      observerLag: lag,
      spendableXlm: formatAmount(amountOf(xlm > 0n ? xlm : 0n)),
      fee: { last: fee, max: formatAmount(amountOf(deps.config.maxFee)) },
    },
    treasury: forecastOf(first),
    waiting,
    ...(lists === 0 && waitsWithoutList(deps) ? { withoutLists: true } : {}),
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

const stateOf = (deps: Deps) =>
  together({
    lag: lagOfObserver(deps),
    reserved: reservedAmounts,
    fee: lastFee,
    waiting: waitingPayments,
    lists: listsLoaded,
    forecasts: together<Record<string, Forecast>>(
      Object.fromEntries(
        servedAssets(deps.config.anchor).map(({ key }) => [unitOf(key), readsForecast(deps, key)]),
      ),
    ),
  })

function holdingForm({ asset, balance, reserved, capacity, fault }: Treasury) {
  return {
    ...{ code: asset.code, issuer: asset.issuer, anchoredTo: asset.anchoredTo },
    ...{ balance: formatAmount(balance), reserved: formatAmount(reserved), capacity: formatAmount(capacity) },
    ...(fault ? { fault } : {}),
  }
}

async function treasuryForm(deps: Deps, asset: AssetKey) {
  return {
    settings: await currentSettings(deps, asset),
    history: await listVersions(deps.database.db, asset),
  }
}

/** The settings of an asset's treasury, what leaves it in a day, and what is in the cold account. */
const readsForecast = (deps: Deps, asset: AssetKey) =>
  together({
    settings: treasurySettings(deps, asset),
    outflow: dailyOutflow(asset),
    cold: balance('cold', unitOf(asset)),
  })
type Forecast = ReturnType<ReturnType<typeof readsForecast>['read']>

/** With how long the treasury lasts, and how to top it up. */
function forecastForm(
  deps: Deps,
  { capacity: free }: Treasury,
  { settings, outflow, cold }: Forecast,
): NonNullable<AnchorSummary['treasury']> {
  return {
    ...settings,
    cold: formatAmount(cold),
    outflowPerDay: outflow === null ? null : formatAmount(outflow),
    daysLeft: outflow !== null && outflow > 0n ? Number((free * 10n) / outflow) / 10 : null,
    topUp: { account: deps.config.anchor.accounts.distribution, memo: TOP_UP_MEMO },
  }
}
