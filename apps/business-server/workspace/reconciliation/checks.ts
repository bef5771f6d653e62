import { servedAssets, type ServedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { amountOf, formatAmount, parseAmount, subtract, type Amount } from '@windlass/money/amount.ts'
import { LedgerError } from '@windlass/stellar/ledger-error.ts'
import { accountBalances, statedBeyondJournal } from '../../bank-files/balances.ts'
import { type Doubtful, doubtfulDecisions, doubtfulMatches } from '../../bank-files/doubtful.ts'
import { findGaps } from '../../bank-files/missing-statements.ts'
import type { Deps } from '../../deps.ts'
import { markedBy } from '../../money/approvals/approvals.ts'
import { balanceOf, unitOf } from '../../money/journal/journal.ts'
import { ledgerDifferences } from '../../payments/chain.ts'
import { reclaimedUnits } from '../../payments/ledger-payments.ts'
import { openOrders, ordersSince } from '../../payments/rail-orders.ts'
import { receivedOver, unconfirmedReceipts } from '../../payments/rail-receipts.ts'
import { receiveReport } from '../../payments/receive-report.ts'
import type { Rail, RailPayment } from '../../rails/rail.ts'
import type { RailOrder } from '../../tables.ts'
import { listOpenDebts, restOf } from '../../transfers/debts.ts'
import { owedToCustomers } from '../../transfers/figures.ts'
import { changedSinceClose } from '../../money/journal/closes.ts'
import { compareDisputes } from './disputes.ts'
import type { Found } from './store.ts'

/** One comparison. */
interface Check {
  name: string
  /** Kinds of differences that it finds: others of these kinds have ended. */
  kinds: readonly Found['kind'][]
  /** Null: the other side cannot be known now. */
  find(deps: Deps): Promise<Found[] | null>
}

const OPEN_DAYS = 3
const DAY_MS = 86_400_000
/** Razorpay and banks report within days; what is older was compared before. */
const COMPARED_DAYS = 7

const size = (amount: Amount): string => formatAmount(amountOf(amount < 0n ? -amount : amount))
const side = (amount: Amount): string => (amount > 0n ? 'more' : 'less')

/** Each comparison of journal, ledger and rails. */
export const checksOf = (deps: Deps): Check[] => [
  { name: 'Distribution account', kinds: ['treasury'], find: compareTreasury },
  { name: 'Customers', kinds: ['customers'], find: compareCustomers },
  { name: 'Bank accounts', kinds: ['bank-account'], find: compareBankAccounts },
  { name: 'Missing statements', kinds: ['statement-missing'], find: findMissingStatements },
  { name: 'Balances of banks', kinds: ['bank-balance'], find: compareBankBalances },
  { name: 'Decisions about lines', kinds: ['decision-doubtful'], find: findDoubtful },
  { name: 'Payments by a person’s word', kinds: ['payment-unconfirmed'], find: findUnconfirmed },
  { name: 'Closed periods', kinds: ['closed-period'], find: findChangedPeriods },
  { name: 'Payouts under way', kinds: ['payout-open'], find: findOpenPayouts },
  {
    name: 'Payouts at providers',
    kinds: ['payout-unknown', 'payout-missing', 'payout-amount'],
    find: each => comparePayouts(each, [...deps.rails.values()]),
  },
  { name: 'Disputes at providers', kinds: ['payment-disputed'], find: compareDisputes },
  { name: 'Deposits taken back', kinds: ['deposit-taken-back'], find: findDebts },
]

async function findDebts({ database }: Deps): Promise<Found[]> {
  return (await listOpenDebts(database.db)).map(debt => ({
    ...({ kind: 'deposit-taken-back', subject: debt.transfer_id, unit: debt.currency } as const),
    amount: formatAmount(amountOf(-restOf(debt))),
    detail: `The bank took ${formatAmount(parseAmount(debt.amount))} ${debt.currency} of a deposit back over ${debt.rail} (${debt.reason}). The customer still owes ${formatAmount(restOf(debt))}.${ofTransaction(debt)}`,
  }))
}

async function compareTreasury(deps: Deps): Promise<Found[] | null> {
  const differences = await ledgerDifferences(deps).catch((error: unknown) => {
    if (error instanceof LedgerError) return null
    throw error
  })
  if (differences === null) return null
  return differences.flatMap(({ asset, difference }) =>
    foundIn('treasury', asset, difference, 'The distribution account holds', 'the journal'),
  )
}

/** What the journal owes customers is what transactions under way have received and not paid yet. */
async function compareCustomers({ database, config }: Deps): Promise<Found[]> {
  const found: Found[] = []
  for (const asset of servedAssets(config.anchor)) {
    const { key } = asset
    const difference = await database.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async tx => {
        const owed = (await owedToCustomers(tx, key)) + (await reclaimedUnits(tx, key))
        return subtract(amountOf(-(await balanceOf(tx, 'customers', unitOf(key)))), amountOf(owed))
      })
    const than = 'the transactions under way'
    found.push(...foundIn('customers', asset, difference, 'The journal owes customers', than))
  }
  return found
}

/** A difference of an asset; of the first one the subject is as before there were others. */
function foundIn(
  kind: 'treasury' | 'customers',
  { key, code }: ServedAsset,
  difference: Amount,
  what: string,
  than: string,
): Found[] {
  if (difference === 0n) return []
  const subject = key === null ? kind : `${kind}:${key}`
  const detail = `${what} ${size(difference)} ${code} ${side(difference)} than ${than}.`
  return [{ kind, subject, unit: unitOf(key), amount: formatAmount(difference), detail }]
}

async function compareBankAccounts(deps: Deps): Promise<Found[]> {
  const found = await deps.database.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(tx => statedBeyondJournal(deps, tx))
  return found
    .filter(({ difference }) => difference !== 0n)
    .map(({ account, currency, difference }) => ({
      ...{ kind: 'bank-account', subject: account, unit: currency, amount: formatAmount(difference) },
      detail: `The statements of ${account} come to ${size(difference)} ${currency} ${side(difference)} than the journal.`,
    }))
}

/** A bank's own word: what it says that an account has at the end of a day. */
async function compareBankBalances(deps: Deps): Promise<Found[]> {
  const accounts = await deps.database.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(tx => accountBalances(deps, tx))
  return accounts.flatMap(({ account, currency, bank, journal, opening, first }): Found[] => {
    const gap = bank ? subtract(bank.balance, journal) : amountOf(0n)
    if (!bank || gap === 0n) return []
    const money = (amount: Amount) => `${formatAmount(amount)} ${currency}`
    const had =
      !opening && first && first.balance !== 0n
        ? ` Before its first statement the account had ${money(first.balance)}: say that as its opening balance.`
        : ''
    const detail = `The bank has ${money(bank.balance)} on ${account} at the end of ${bank.day}, which is ${size(gap)} ${currency} ${side(gap)} than the journal.${had}`
    return [{ kind: 'bank-balance', subject: account, unit: currency, amount: formatAmount(gap), detail }]
  })
}

async function findMissingStatements({ database }: Deps): Promise<Found[]> {
  return (await findGaps(database.db)).map(({ account, currency, last, next }) => {
    const money = (amount: Amount) => `${formatAmount(amount)} ${currency}`
    return {
      kind: 'statement-missing',
      subject: `${account} ${next.day}`,
      unit: currency,
      amount: formatAmount(subtract(next.balance, last.balance)),
      detail: `A statement of ${account} is missing, ${daysBetween(last.day, next.day)}: the account closed with ${money(last.balance)} on ${last.day}, and opened with ${money(next.balance)} before ${next.day}.`,
    }
  })
}

/** The days after one and before another. */
function daysBetween(last: string, next: string): string {
  const shift = (day: string, days: number) =>
    new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)
  const [from, to] = [shift(last, 1), shift(next, -1)]
  if (from > to) return `of ${last} or ${next}`
  return from === to ? `of ${from}` : `of the days from ${from} to ${to}`
}

/** What people said that lines are, and what the line, an open transaction or the record of the money says. */
async function findDoubtful(deps: Deps): Promise<Found[]> {
  const { db } = deps.database
  const found = [...(await doubtfulDecisions(deps, db)), ...(await doubtfulMatches(deps, db))]
  return found.map(({ line, transactionId, by }) => {
    const { id, account, currency, booked_on: day, direction, own_account: as, decided_by: person } = line
    const amount = parseAmount(line.amount)
    const money = `${formatAmount(amount)} ${currency} of ${day} on ${account}`
    const said =
      line.ignored_as === 'own'
        ? `A person said that ${money} is the business’s own (${as ?? 'kept'}).`
        : `${person === null ? 'The line' : 'A person said that the line'} of ${money} is of transaction ${line.transfer_id}.`
    return {
      ...{ kind: 'decision-doubtful', subject: id, unit: currency },
      amount: formatAmount(direction === 'in' ? amount : amountOf(-amount)),
      detail: `${said} ${WHY_DOUBTFUL[by]}${ofTransaction({ transfer_id: transactionId })}`,
    }
  })
}

const WHY_DOUBTFUL: Record<Doubtful['by'], string> = {
  reference: 'The line names a transaction.',
  amount: 'A transaction waits for exactly this amount.',
  payer: 'Nothing ties the two, and the payer has another name than the customer.',
  account: 'Nothing ties the two, and this account has paid for other customers only.',
  record: 'The money is recorded otherwise.',
}

/** Days within which a rail confirms money. */
const daysOf = (rail: string): number => (/^(UPI|IMPS)$/.test(rail) ? 1 : OPEN_DAYS)

/** From the day on which a person says it. What no act of a person explains is an alarm at once. */
async function findUnconfirmed({ database: { db } }: Deps): Promise<Found[]> {
  const receipts = await unconfirmedReceipts(db)
  const marked = await markedBy(
    db,
    receipts.flatMap(({ transfer_id: id }) => id ?? []),
  )
  return receipts.map(({ rail, payment_id, transfer_id, amount, currency, seen_at }) => {
    const money = `${formatAmount(parseAmount(amount))} ${currency}`
    const [saidBy, day] = [
      marked.get(`${transfer_id} ${payment_id}`) ?? null,
      seen_at.toISOString().slice(0, 10),
    ]
    const said =
      saidBy === null
        ? `It is recorded since ${day} that a person said that ${money} came over ${rail} (${payment_id}), and no act of a person says so.`
        : `A person said on ${day} that ${money} came over ${rail} (${payment_id}).`
    return {
      ...{ kind: 'payment-unconfirmed', subject: `${rail}:${payment_id}`, unit: currency },
      amount: formatAmount(amountOf(-parseAmount(amount))),
      detail: `${said} ${rail} has not confirmed it.${ofTransaction({ transfer_id })}`,
      said_by: saidBy,
      due_at: saidBy === null ? null : new Date(seen_at.getTime() + daysOf(rail) * DAY_MS),
    }
  })
}

async function findChangedPeriods({ database }: Deps): Promise<Found[]> {
  return (await changedSinceClose(database.db)).map(({ to, account, unit, amount }) => ({
    ...{ kind: 'closed-period', subject: `${to} ${account}`, unit, amount },
    detail: `The balance of ${account} at the end of ${to} is not the one that was signed when the period was closed: it differs by ${amount}.`,
  }))
}

const ofTransaction = ({ transfer_id: id }: { transfer_id: string | null }): string =>
  id === null ? '' : ` Transaction ${id}.`

const nounOf = ({ kind }: RailOrder): string => (kind === 'payout' ? 'payout' : 'return')

async function findOpenPayouts({ database }: Deps): Promise<Found[]> {
  return (await openOrders(database.db, OPEN_DAYS)).map(order => ({
    kind: 'payout-open',
    subject: order.id,
    unit: order.currency,
    amount: formatAmount(amountOf(-parseAmount(order.amount))),
    detail: `A ${nounOf(order)} of ${formatAmount(parseAmount(order.amount))} ${order.currency} over ${order.rail} has not ended since ${order.created_at.toISOString().slice(0, 10)}.${ofTransaction(order)}`,
  }))
}

const ORDER = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Payouts and returns of providers that list them. What a provider reports there and no webhook did is recorded on the way. */
async function comparePayouts(deps: Deps, rails: readonly Rail[]): Promise<Found[] | null> {
  const found: Found[] = []
  for (const rail of rails) {
    if (!rail.payments) continue
    const since = new Date(deps.clock.now().getTime() - COMPARED_DAYS * DAY_MS)
    const payments: RailPayment[] = []
    try {
      for await (const payment of rail.payments(since)) payments.push(payment)
    } catch (error) {
      deps.logger.warn({ err: error, rail: rail.name }, 'a rail does not list its payouts')
      return null
    }
    const named = payments.map(({ orderId }) => orderId).filter(id => ORDER.test(id))
    const orders = await ordersSince(deps.database.db, rail.name, since, named)
    const byId = new Map(orders.map(order => [order.id, order]))
    const returned = payments.flatMap(payment => payment.returned ?? [])
    const own = await receivedOver(deps.database.db, rail.name, returned)
    for (const payment of payments) {
      const order = orderOf(payment, byId)
      if (order && payment.report && isNews(order, payment, payments))
        await receiveReport(deps, rail.name, payment.report)
      found.push(...differenceOf(rail, payment, order, own))
    }
    found.push(...missingFrom(rail, payments, orders))
  }
  return found
}

/** Anyone with the provider's account can give a refund the id of a payout of ours. */
function orderOf({ orderId, returned }: RailPayment, orders: ReadonlyMap<string, RailOrder>) {
  const order = orders.get(orderId)
  return order?.kind === (returned === undefined ? 'payout' : 'return') ? order : undefined
}

/**
 * Whether no webhook reported it: how an order ended, or that a payout came back after it was paid. Of several payouts
 * for one order, one that was made counts more than one that failed.
 */
function isNews(order: RailOrder, { report }: RailPayment, payments: readonly RailPayment[]): boolean {
  if (report?.kind === 'paid') return order.state === 'sent'
  const all = payments.filter(({ orderId }) => orderId === order.id)
  return (
    (order.state === 'sent' || order.state === 'paid') && all.every(each => each.report?.kind === 'failed')
  )
}

/** @param own payments that were received here, by the rail's ids */
function differenceOf(
  { name }: Rail,
  payment: RailPayment,
  order: RailOrder | undefined,
  own: ReadonlySet<string>,
): Found[] {
  const left = (amount: string) => formatAmount(amountOf(-parseAmount(amount)))
  const money = `${payment.amount} ${payment.currency}`
  const row = { subject: payment.paymentId, unit: payment.currency }
  const noun = payment.returned === undefined ? 'payout' : 'return'
  if (!order) {
    // Others may use the account too: only what looks like an order of ours, or sends our money back, is a difference.
    const isOurs = payment.returned === undefined ? ORDER.test(payment.orderId) : own.has(payment.returned)
    if (!isOurs || payment.report?.kind === 'failed') return []
    const detail = `${name} has a ${noun} of ${money} (${payment.paymentId}) that is not recorded here.`
    return [{ ...row, kind: 'payout-unknown', amount: left(payment.amount), detail }]
  }
  const names = ofTransaction(order)
  if (order.state === 'failed' && payment.report?.kind === 'paid') {
    const detail =
      noun === 'payout'
        ? `${name} paid out ${money} (${payment.paymentId}), and it is recorded here as failed and refunded.${names}`
        : `${name} returned ${money} (${payment.paymentId}), and it is recorded here as failed.${names}`
    return [{ ...row, kind: 'payout-unknown', amount: left(payment.amount), detail }]
  }
  const difference = subtract(parseAmount(order.amount), parseAmount(payment.amount))
  if (difference === 0n) return []
  const detail = `${name} has a ${noun} of ${money} that is recorded with ${formatAmount(parseAmount(order.amount))}.${names}`
  return [{ ...row, kind: 'payout-amount', amount: formatAmount(difference), detail }]
}

function missingFrom(
  { name }: Rail,
  payments: readonly RailPayment[],
  orders: readonly RailOrder[],
): Found[] {
  const there = new Set(payments.map(({ orderId }) => orderId))
  return orders
    .filter(({ id, state }) => state === 'paid' && !there.has(id))
    .map(order => ({
      kind: 'payout-missing',
      subject: order.id,
      unit: order.currency,
      amount: formatAmount(parseAmount(order.amount)),
      detail: `A ${nounOf(order)} of ${formatAmount(parseAmount(order.amount))} ${order.currency} is recorded as paid, and ${name} does not have it.${ofTransaction(order)}`,
    }))
}
