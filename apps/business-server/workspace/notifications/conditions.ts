import type { TreasurySettings } from '@windlass/contracts/anchor/business-server.ts'
import type { NotificationReport } from '@windlass/contracts/platform/notifications.ts'
import { servedAssets, type AssetKey } from '@windlass/contracts/internal/served-assets.ts'
import { amountOf, formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import { readScalar, together } from '@windlass/service/postgres/scalars.ts'
import { LedgerError } from '@windlass/stellar/ledger-error.ts'
import { spendableXlm } from '@windlass/stellar/horizon-account.ts'
import { actionsWaiting } from '../../money/approvals/approvals.ts'
import { openingsWaiting } from '../../bank-files/openings.ts'
import { returnAccountsWaiting } from '../../bank-files/return-accounts.ts'
import { reviewsWaiting, unmatchedLines } from '../../bank-files/find-lines.ts'
import { filesWaiting, rejectionsWaiting } from '../../rails/bank-file/files.ts'
import { casesOverdue } from '../../people/compliance/cases.ts'
import { hitsWaiting } from '../../people/compliance/hits.ts'
import { failedFetches } from '../../people/compliance/fetch-lists.ts'
import {
  listsLoaded,
  smallerListsWaiting,
  staleLists,
  waitsWithoutList,
} from '../../people/compliance/lists.ts'
import type { Deps } from '../../deps.ts'
import { unitOf } from '../../money/journal/journal.ts'
import { manualEntriesWaiting } from '../../money/journal/manual.ts'
import { sentBackWaiting } from '../../payments/sent-back.ts'
import { differencesSince, journalState } from '../../payments/chain.ts'
import { unboundOrders } from '../../payments/bound-orders.ts'
import { waitingForIdentity } from '../../payments/hold-payments.ts'
import { waitingForHolder } from '../../payments/other-holder.ts'
import { describeIncident } from '../../payments/incident-texts.ts'
import { readsOpenIncidents } from '../../payments/incidents.ts'
import { refusedActs } from '../key-acts/refused-messages.ts'
import { refusedCalls } from '../../outgoing/sep-calls/metrics.ts'
import { debtsOpen } from '../../transfers/debts.ts'
import { shortages } from '../../payments/ledger-payments.ts'
import { countPressing, treasuryDifferencesOlderThan } from '../reconciliation/store.ts'
import { isSweepReturned, queuedSweep } from '../../payments/sweep.ts'
import { describeWait, waitOf } from '../../payments/waits.ts'
import { readSafeguarding } from '../../money/reserves/safeguarding.ts'
import { treasurySettings } from '../../money/treasury/settings.ts'
import { readHoldings, type Holding } from '../../money/treasury/treasury.ts'
import { failingEndpoints } from '../../outgoing/webhooks/endpoints.ts'
import * as say from './sentences.ts'

export type Condition = NotificationReport['conditions'][number]
type Evaluated = Pick<NotificationReport, 'evaluated' | 'conditions' | 'unsure'>

/** What the last evaluation found. */
export interface Earlier {
  conditions: readonly Condition[]
  /** Between account and journal by the journal's unit, and when each was computed. */
  differences: Map<string, { amount: Amount; at: number }>
}

/** The conditions of the anchor now. Kinds that need the ledger are left out while it does not answer. */
export async function evaluateConditions(deps: Deps, earlier: Earlier): Promise<Required<Evaluated>> {
  // An anchor that nobody uses is looked at, too: one query for everything.
  const state = await readScalar(deps.database.db, stateOf(deps))
  const account = await readAccount(deps)
  const found = [
    ...(account ? [await ofAccount(deps, state, account, earlier)] : []),
    ofReviews(deps, state),
    ofWebhooks(state),
    await ofSafeguarding(deps),
    await ofDifferences(deps, state, account, earlier),
  ]
  return {
    evaluated: found.flatMap(({ evaluated }) => evaluated),
    conditions: found.flatMap(({ conditions }) => conditions),
    unsure: found.flatMap(({ unsure = [] }) => unsure),
  }
}

/** A difference counts once it has not changed for this long: a payment may be on its way. */
const DIFFERENCE_LASTS_MS = 600_000

/** Incidents that wait for an operator's decision. */
const REVIEWED = [
  'unproven-payment',
  'unreadable-payment',
  'unrecorded-payment',
  'held-receipt',
  'other-chain',
] as const

const stateOf = (deps: Deps) =>
  together({
    journal: journalState(deps),
    settings: together<Record<string, TreasurySettings>>(
      Object.fromEntries(
        servedAssets(deps.config.anchor).map(({ key }) => [unitOf(key), treasurySettings(deps, key)]),
      ),
    ),
    shortages,
    incidents: readsOpenIncidents(...REVIEWED),
    gaps: readsOpenIncidents('history-gap'),
    lines: reviewsWaiting,
    unmatched: unmatchedLines,
    cameBack: sentBackWaiting,
    files: filesWaiting,
    rejections: rejectionsWaiting,
    accounts: returnAccountsWaiting,
    openings: openingsWaiting,
    unbound: unboundOrders,
    actions: actionsWaiting,
    manual: manualEntriesWaiting,
    hits: hitsWaiting,
    overdue: casesOverdue,
    rejected: waitingForIdentity,
    holders: waitingForHolder,
    stale: staleLists(deps),
    lists: listsLoaded,
    smaller: smallerListsWaiting,
    fetches: failedFetches(deps),
    debts: debtsOpen,
    acts: refusedActs,
    calls: refusedCalls,
    failing: failingEndpoints,
    // What the hourly comparison of everything else found.
    differences: countPressing,
    recorded: treasuryDifferencesOlderThan(DIFFERENCE_LASTS_MS),
  })
type State = ReturnType<ReturnType<typeof stateOf>['read']>

interface Account {
  holdings: readonly Holding[]
  baseReserve: bigint
}

/** The distribution account; null while the ledger does not answer. */
async function readAccount(deps: Deps): Promise<Account | null> {
  const horizon = deps.routineHorizon
  try {
    const holdings = await readHoldings({ ...deps, horizon })
    return { holdings, baseReserve: (await horizon.head()).baseReserve }
  } catch (error) {
    if (error instanceof LedgerError) return null
    throw error
  }
}

/** A tenth of the threshold: a condition ends only when the treasury holds so much more, so that it does not flap. */
const MARGIN = 10n

/** What a condition of an asset is about: of the first one, as before there were others. */
const subjectOf = (asset: AssetKey): string => (asset === null ? 'treasury' : `treasury:${asset}`)

/** Finds conditions of each asset and of XLM. */
async function ofAccount(
  deps: Deps,
  state: State,
  { holdings, baseReserve }: Account,
  { conditions: earlier }: Earlier,
): Promise<Evaluated> {
  const conditions: Condition[] = []
  for (const holding of holdings) {
    const { key, code } = holding.asset
    const settings = state.settings[unitOf(key)]
    if (!settings) throw new Error(`nothing was read of ${code}`)
    const short = state.shortages.find(({ of }) => of === key)
    conditions.push(...(await ofAsset(deps, { ...holding, settings, short }, earlier)))
    if (key !== null) continue
    const spendable = holding.account ? spendableXlm(holding.account, baseReserve) : 0n
    const shortOfXlm = state.shortages.find(({ of }) => of === 'native')
    conditions.push(...ofXlm(deps, { spendable, limit: settings.xlmLow, short: shortOfXlm }))
  }
  return { evaluated: ['treasury-low', 'treasury-high', 'xlm-low'], conditions }
}

type Shortage = State['shortages'][number] | undefined

async function ofAsset(
  deps: Deps,
  {
    asset: { key, code },
    payable: balance,
    fault,
    settings,
    short,
  }: Holding & { settings: TreasurySettings; short: Shortage },
  earlier: readonly Condition[],
): Promise<Condition[]> {
  const subject = subjectOf(key)
  const wasLow = earlier.some(each => each.kind === 'treasury-low' && each.subject === subject)
  const low = parseAmount(settings.low)
  const isLow = balance < (wasLow ? low + low / MARGIN : low)
  const holds = say.accountHolds(formatAmount(balance), code)
  const conditions: Condition[] = []
  if (isLow || short || fault) {
    const little = short ? say.waitForMore(short.payments) : say.limitIs(settings.low, code)
    const why = fault ? say.frozen(code) : little
    conditions.push({ kind: 'treasury-low', subject, ...say.together(holds, why) })
  }
  const { ceiling, coldAccount } = settings
  if (ceiling === null || balance <= parseAmount(ceiling)) return conditions
  const sweep = await queuedSweep(deps.database.db, key)
  const returned = coldAccount !== null && (await isSweepReturned(deps.database.db, key, coldAccount))
  const wait = sweep && waitOf(sweep)
  if (coldAccount === null || wait || returned) {
    const waits = wait && !returned ? say.sweepWaits(describeWait(wait)) : say.sentBack
    const why = coldAccount === null ? say.noColdAccount : waits
    const said = say.together(holds, say.ceilingIs(ceiling, code), why)
    conditions.push({ kind: 'treasury-high', subject, ...said })
  }
  return conditions
}

function ofXlm(
  { config }: Deps,
  { spendable, limit, short }: { spendable: bigint; limit: string; short: Shortage },
): Condition[] {
  if (spendable >= parseAmount(limit) && !short) return []
  const xlm = formatAmount(amountOf(spendable > 0n ? spendable : 0n))
  const said = [say.spendable(config.anchor.accounts.distribution, xlm), say.limitIs(limit, 'XLM')]
  if (short) said.push(say.waitForXlm(short.payments, short.missing ?? '?'))
  return [{ kind: 'xlm-low', subject: 'xlm', ...say.together(...said) }]
}

function ofReviews(deps: Deps, state: State): Evaluated {
  const {
    incidents,
    lines,
    cameBack,
    files,
    unmatched,
    rejections,
    accounts,
    openings,
    unbound,
    actions,
    manual,
    hits,
    overdue,
    rejected,
    debts,
  } = state
  const review = 'review-waiting' as const
  const conditions: Condition[] = incidents
    .slice(0, 100)
    .map(each => ({ kind: review, subject: each.id, ...say.incident(describeIncident(each)) }))
  for (const { name, accountFault } of deps.rails.values())
    if (accountFault !== undefined)
      conditions.push({
        ...{ kind: review, subject: `rail-account-${name}` },
        ...say.wrongAccount(name, accountFault),
      })
  const counts = [
    [review, 'statement-lines', lines, say.statementLines],
    [review, 'unmatched-lines', unmatched, say.unmatchedLines],
    [review, 'returned-payments', cameBack, say.paymentsSentBack],
    [review, 'payout-files', files, say.payoutFiles],
    [review, 'payout-file-rejections', rejections, say.fileRejections],
    [review, 'return-accounts', accounts, say.returnAccounts],
    [review, 'opening-balances', openings, say.openingBalances],
    [review, 'unbound-orders', unbound, say.unboundOrders],
    [review, 'operator-actions', actions, say.decisions],
    [review, 'manual-entries', manual, say.manualEntries],
    ['compliance-waiting', 'screening-hits', hits, say.screeningHits],
    ['compliance-waiting', 'screening-cases', overdue, say.overdueCases],
    [review, 'rejected-customers', rejected, say.rejectedCustomers],
    [review, 'other-holders', state.holders, say.otherHolders],
    [review, 'deposits-taken-back', debts, say.takenBack],
    [review, 'refused-messages', state.acts + state.calls, say.refusedMessages],
  ] as const
  for (const [kind, subject, count, said] of counts)
    if (count > 0) conditions.push({ kind, subject, ...said(count) })
  conditions.push(...ofLists(deps, state))
  return { evaluated: ['review-waiting', 'compliance-waiting'], conditions }
}

function ofLists(deps: Deps, { stale, lists, smaller, fetches }: State): Condition[] {
  const kind = 'compliance-waiting'
  const conditions: Condition[] = stale.map(({ list, days }) => ({
    ...{ kind, subject: `sanctions-list-${list}` },
    ...say.staleList(list, days),
  }))
  if (lists === 0 && waitsWithoutList(deps))
    conditions.push({ kind, subject: 'sanctions-lists', ...say.noList })
  for (const { list, file, entries } of smaller)
    conditions.push({ kind, subject: `smaller-list-${list}`, ...say.smallerList(list, file, entries) })
  for (const { list, failure, details } of fetches) {
    const said = say.listNotFetched(list, failure === 'refused', details ?? failure)
    conditions.push({ kind, subject: `fetched-list-${list}`, ...said })
  }
  return conditions
}

function ofWebhooks({ failing }: State): Evaluated {
  const conditions = failing.map(({ id, url, error }) => ({
    kind: 'webhook-failing' as const,
    subject: id,
    ...say.deliveriesFail(new URL(url).host, error),
  }))
  return { evaluated: ['webhook-failing'], conditions }
}

async function ofSafeguarding(deps: Deps): Promise<Evaluated> {
  const kind = 'safeguarding-shortfall' as const
  const { isShort, currencies, total } = await readSafeguarding(deps)
  if (!isShort) return { evaluated: [kind], conditions: [] }
  const difference = `${total.difference} ${total.currency}`
  const said = say.shortfall({ currencies, difference })
  return { evaluated: [kind], conditions: [{ kind, subject: 'safeguarding', ...said }] }
}

async function ofDifferences(
  deps: Deps,
  state: State,
  account: Account | null,
  earlier: Earlier,
): Promise<Evaluated> {
  const found = await ofTreasuryDifference(deps, state, account, earlier)
  const open = state.differences
  if (found.evaluated.length === 0 || open === 0) return found
  const kind = 'reconciliation-difference' as const
  const condition = { kind, subject: 'reconciliation', ...say.openDifferences(open) }
  return { ...found, conditions: [...found.conditions, condition] }
}

async function ofTreasuryDifference(
  deps: Deps,
  { gaps, journal, recorded }: State,
  account: Account | null,
  earlier: Earlier,
): Promise<Evaluated> {
  const kind = 'reconciliation-difference' as const
  if (gaps.length > 0) {
    const conditions = gaps.map(gap => ({ kind, subject: gap.id, ...say.incident(describeIncident(gap)) }))
    return { evaluated: [kind], conditions }
  }
  const now = deps.clock.now().getTime()
  const differences = account && (await differencesSince(deps, journal, account.holdings))
  if (differences === null) return { evaluated: [], conditions: [] }
  const conditions: Condition[] = []
  const unsure: NonNullable<Evaluated['unsure']> = []
  for (const { asset, difference: amount } of differences) {
    const subject = subjectOf(asset.key)
    const wasOpen = earlier.conditions.some(each => each.kind === kind && each.subject === subject)
    const before = earlier.differences.get(subject)
    if (before?.amount !== amount) earlier.differences.set(subject, { amount, at: now })
    if (amount === 0n) continue
    // The server of an anchor that sleeps may never run for so long: the comparison found it when it was last awake.
    const isKnown = recorded.some(each => each.subject === subject && parseAmount(each.amount) === amount)
    const lasts = isKnown || (before?.amount === amount && now - before.at >= DIFFERENCE_LASTS_MS)
    // It may be on its way, and may have been open before this process started.
    if (!lasts && !wasOpen) unsure.push({ kind, subject })
    const size = formatAmount(amountOf(amount > 0n ? amount : -amount))
    const said = say.treasuryDiffers(size, asset.code, amount > 0n)
    if (lasts || wasOpen) conditions.push({ kind, subject, ...said })
  }
  return { evaluated: [kind], conditions, unsure }
}
