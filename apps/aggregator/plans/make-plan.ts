import type {
  Plan,
  TransferPlan,
  TransferPlanRequest,
} from '@windlass/contracts/aggregator/transfer-plans.ts'
import { AmountError, formatAmount, type Amount } from '@windlass/money/amount.ts'
import { parseMoney } from '@windlass/money/number-text.ts'
import { ratio } from '@windlass/money/price.ts'
import { multiply } from '@windlass/money/rate.ts'
import { Problem, unavailable } from '@windlass/service/http/problem.ts'
import type { Rate } from '@windlass/service/http/rates.ts'
import { demandDatabase } from '../database/demand.ts'
import { timeOrderedId } from '../ids.ts'
import type { FxProvider } from '../quotes/fx.ts'
import type { RegistryDeps } from '../registry/deps.ts'
import { ledgerName, type Conversion, type FindConversions } from './conversions.ts'
import {
  depositOf,
  legsAt,
  renderDeposit,
  renderWithdrawal,
  withdrawalOf,
  type End,
  type Leg,
  type PricedDeposit,
  type PricedWithdrawal,
} from './legs.ts'
import { insertPlan } from './queries.ts'

/** What transfer plans are given. */
export interface PlanDeps extends Pick<
  RegistryDeps,
  'index' | 'clock' | 'database' | 'databaseUp' | 'logger'
> {
  fx: FxProvider
  /** Null where no Horizon is configured: then both anchors must have the same asset. */
  findConversions: FindConversions | null
  /** Plans of one client: each asks the ledger. */
  planRate: Rate
}

/** Assets that are converted from, and to: Horizon takes fifteen. */
const MOST_FROM = 6
const MOST_TO = 15
const SHOWN = 5

interface Found {
  deposit: PricedDeposit
  conversion: Conversion | null
  withdrawal: PricedWithdrawal
}

/**
 * Plans a transfer from rail to rail and stores the plan. Of every deposit with every withdrawal that the same asset or a
 * path on the ledger joins, the one that pays out the most is the best. Throws `validation-failed`, `no-eligible-anchor`,
 * `too-many-requests`, and `dependency-unavailable` where only the ledger could say whether there is one.
 */
export async function makePlan(
  deps: PlanDeps,
  request: TransferPlanRequest,
  client: string,
): Promise<TransferPlan> {
  demandDatabase(deps)
  const [from, to] = [readEnd(request.from), readEnd(request.to)]
  const money = readMoney(request.amount, from.currency)
  await deps.planRate.demand(client)
  const { index, fx } = deps
  index.advance(deps.clock.now())
  const deposits = bestDeposits(
    legsAt(index, fx, from, request.external === true, 'deposit').flatMap(
      leg => depositOf(index, leg, money) ?? [],
    ),
  )
  const withdrawals = legsAt(index, fx, to, request.external === true, 'withdrawal')
  demandBoth(deposits, withdrawals, { money, from, to })
  const { conversions, isAsked, isSilent } = await convertAll(deps, deposits, withdrawals)
  const found = pairs(deposits, withdrawals, conversions).slice(0, SHOWN)
  const [best] = found
  if (!best && isSilent) throw unavailable('The Stellar network, which knows how assets are exchanged,')
  if (!best) throw none(`No asset leads from ${name(from)} to ${name(to)} for this amount.`)
  const now = deps.clock.now()
  const plan: TransferPlan = {
    id: timeOrderedId(now),
    createdAt: now.toISOString(),
    amount: formatAmount(money),
    from,
    to,
    plans: found.map(each => render(each, money)),
    reasoning: explain({ money, from, to, deposits, withdrawals, found, isAsked }),
  }
  await insertPlan(deps.database.db, plan)
  return plan
}

function readMoney(given: string | number, currency: string): Amount {
  try {
    return parseMoney(given, currency)
  } catch (error) {
    if (!(error instanceof AmountError)) throw error
    throw new Problem('validation-failed', `amount ${error.message}.`, {
      errors: [{ path: 'amount', message: error.message }],
    })
  }
}

const readEnd = ({ currency, rail, region }: TransferPlanRequest['from']): End => ({
  currency: currency.toUpperCase(),
  rail: rail.toUpperCase(),
  ...(region ? { region: region.toUpperCase() } : {}),
})

/** The best deposit of each asset, those that keep the most of the money first. */
function bestDeposits(deposits: readonly PricedDeposit[]): PricedDeposit[] {
  const best = new Map<string, PricedDeposit>()
  for (const deposit of deposits) {
    const known = best.get(deposit.asset)
    const isBetter = !known || deposit.units > known.units
    const isSame = known?.units === deposit.units && deposit.entry.id < known.entry.id
    if (isBetter || isSame) best.set(deposit.asset, deposit)
  }
  const worth = ({ units, fxRate }: PricedDeposit) => multiply(units, fxRate)
  return [...best.values()].sort((a, b) => compare(worth(b), worth(a)) || byId(a, b))
}

async function convertAll(
  { findConversions, logger }: PlanDeps,
  deposits: readonly PricedDeposit[],
  withdrawals: readonly Leg[],
): Promise<{ conversions: Conversion[]; isAsked: boolean; isSilent: boolean }> {
  if (!findConversions) return { conversions: [], isAsked: false, isSilent: false }
  const isExternal = ({ entry }: Leg) => Number(entry.external !== null)
  // Anyone registers an anchor of another platform: such anchors never displace our own.
  const ownFirst = withdrawals.toSorted((a, b) => isExternal(a) - isExternal(b))
  const wanted = [...new Set(ownFirst.map(({ asset }) => asset))].slice(0, MOST_TO)
  const asked = deposits.slice(0, MOST_FROM).map(async ({ asset, units }) => {
    const others = wanted.filter(each => each !== asset)
    return others.length === 0 ? [] : findConversions(asset, units, others)
  })
  const answers = await Promise.allSettled(asked)
  const failed = answers.find(({ status }) => status === 'rejected')
  if (failed) logger.warn({ err: (failed as PromiseRejectedResult).reason }, 'the ledger named no paths')
  return {
    conversions: answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : [])),
    isAsked: !failed,
    isSilent: failed !== undefined,
  }
}

/** Each pair that an asset or a path joins, the most received first. */
function pairs(
  deposits: readonly PricedDeposit[],
  withdrawals: readonly Leg[],
  conversions: readonly Conversion[],
): Found[] {
  const byDeposit = new Map(deposits.map(deposit => [deposit.asset, deposit]))
  // Every anchor may have an asset of its own: comparing each with each would take seconds.
  const byAsset = Map.groupBy(withdrawals, ({ asset }) => asset)
  const arrivals = [
    ...deposits.map(deposit => ({
      deposit,
      conversion: null,
      asset: deposit.asset,
      units: deposit.units,
    })),
    ...conversions.flatMap(conversion => {
      const deposit = byDeposit.get(conversion.from)
      return deposit ? [{ deposit, conversion, asset: conversion.to, units: conversion.received }] : []
    }),
  ]
  const found = arrivals.flatMap(({ deposit, conversion, asset, units }) =>
    (byAsset.get(asset) ?? []).flatMap(leg => {
      const withdrawal = withdrawalOf(leg, units)
      return withdrawal ? [{ deposit, conversion, withdrawal }] : []
    }),
  )
  return found.sort(
    (a, b) =>
      compare(b.withdrawal.money, a.withdrawal.money) ||
      Number(a.conversion !== null) - Number(b.conversion !== null) ||
      byId(a.deposit, b.deposit) ||
      byId(a.withdrawal, b.withdrawal),
  )
}

const compare = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0)
const byId = (a: Leg, b: Leg) => (a.entry.id < b.entry.id ? -1 : a.entry.id > b.entry.id ? 1 : 0)

function render({ deposit, conversion, withdrawal }: Found, money: Amount): Plan {
  return {
    received: formatAmount(withdrawal.money),
    rate: ratio(withdrawal.money, money),
    deposit: renderDeposit(deposit),
    ...(conversion
      ? {
          conversion: {
            sendAsset: ledgerName(conversion.from),
            sendAmount: formatAmount(conversion.sent),
            destinationAsset: ledgerName(conversion.to),
            destinationAmount: formatAmount(conversion.received),
            path: conversion.path,
          },
        }
      : {}),
    withdrawal: renderWithdrawal(withdrawal),
  }
}

function demandBoth(
  deposits: readonly PricedDeposit[],
  withdrawals: readonly Leg[],
  { money, from, to }: { money: Amount; from: End; to: End },
): void {
  if (deposits.length === 0)
    throw none(`No anchor takes a deposit of ${formatAmount(money)} ${from.currency} over ${name(from)}.`)
  if (withdrawals.length === 0) throw none(`No anchor pays out ${to.currency} over ${name(to)}.`)
}

const none = (detail: string) => new Problem('no-eligible-anchor', detail)
const name = ({ rail, region }: End) => (region ? `${rail} in ${region}` : rail)

interface Explained {
  money: Amount
  from: End
  to: End
  deposits: readonly PricedDeposit[]
  withdrawals: readonly Leg[]
  found: readonly Found[]
  isAsked: boolean
}

/** What was looked at and each part of the price, in plain text. */
function explain({ money, from, to, deposits, withdrawals, found, isAsked }: Explained): string {
  const [best, second] = found
  if (!best) return ''
  const { deposit, conversion, withdrawal } = best
  const deposited = renderDeposit(deposit)
  const paidOut = renderWithdrawal(withdrawal)
  const lines = [
    `Asked for ${formatAmount(money)} ${from.currency} over ${name(from)} to ${to.currency} over ${name(to)}.`,
    `${deposits.length} ${deposits.length === 1 ? 'asset' : 'assets'} can be bought there, ${withdrawals.length} ${withdrawals.length === 1 ? 'offer pays' : 'offers pay'} out.`,
    ...(isAsked ? [] : ['No paths on the ledger are known: both anchors must have the same asset.']),
    `1. Deposit at ${deposited.slug}: ${deposited.sellAmount} ${from.currency} buy ${deposited.buyAmount} ${deposited.asset} at ${deposited.fxRate}, after a fee of ${deposited.fee.total}.`,
    ...(conversion
      ? [
          `2. On the ledger ${formatAmount(conversion.sent)} ${deposited.asset} become ${formatAmount(conversion.received)} ${paidOut.asset} by path, as offers are now.`,
        ]
      : ['2. Both anchors have this asset: nothing is converted.']),
    `3. Withdrawal at ${paidOut.slug}: ${paidOut.sellAmount} ${paidOut.asset} less a fee of ${paidOut.fee.total} bring ${paidOut.buyAmount} ${to.currency} at ${paidOut.fxRate}.`,
  ]
  for (const { slug, unknown } of [deposited, paidOut])
    if (unknown) lines.push(`${slug} is an external anchor, unknown: ${unknown.join(', ')}.`)
  lines.push(
    second
      ? `Chosen: it pays out the most; the next pays out ${formatAmount(second.withdrawal.money)} ${to.currency}.`
      : 'Chosen: nothing else leads there.',
  )
  return lines.join('\n')
}
