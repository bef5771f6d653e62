import type { Quote, QuoteRequest } from '@windlass/contracts/aggregator/quotes.ts'
import { formatAmount } from '@windlass/money/amount.ts'
import { formatRate } from '@windlass/money/rate.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import { randomUUID } from 'node:crypto'
import { capacityIn, type Entry } from '../registry/entry.ts'
import { findNamedEntry } from '../registry/find.ts'
import { describeTransaction, readTransaction } from '../routing/transaction.ts'
import type { QuoteRow } from '../tables.ts'
import type { QuotesDeps } from './deps.ts'
import { price, offerAt, type Payment, type Price } from './price.ts'
import { insertQuote } from './insert-together.ts'
import { insertFirmQuote, idOfQuoted } from './queries.ts'
import { render } from './render.ts'
import { clientKey, isTooSmall, reservationLimit } from './reservations.ts'
import { demandQuotable, selectAnchor, type SelectionDeps } from './selection.ts'

/** How long a quote is good for. */
const QUOTE_SECONDS = 300
// Another client may reserve the rest of an anchor's capacity first: then the next best is tried.
const FIRM_TRIES = 3

type IssueDeps = SelectionDeps & Pick<QuotesDeps, 'config' | 'database' | 'firmQuoteRate'>

/**
 * Quotes a payment at the anchor that was asked for, or the first in the order of routing, and stores the quote.
 * Throws `validation-failed`, `unsupported-pair`, `no-eligible-anchor`, `anchor-not-found`, `reservation-limit`.
 */
export async function issueQuote(deps: IssueDeps, request: QuoteRequest, client: string): Promise<Quote> {
  const payment = readPayment(request)
  const asked = request.anchorId === undefined ? null : findNamedEntry(deps.index, request.anchorId)
  if (!request.firm) {
    const { entry, why } = choose(deps, payment, asked, new Set())
    const row = rowOf(deps, entry, payment, null, why)
    await insertQuote(deps.database.pool, row)
    return render(row, deps.clock.now())
  }
  await deps.firmQuoteRate.demand(client)
  return reserve(deps, payment, asked, clientKey(client, deps.config.serviceSecret))
}

async function reserve(
  deps: IssueDeps,
  payment: Payment,
  asked: Entry | null,
  client: string,
): Promise<Quote> {
  // Throws if no anchor could take the amount without a reservation either.
  const { entry: first } = choose(deps, payment, asked, new Set())
  const full = new Set<string>()
  for (const entry of deps.index.entries()) {
    // Nothing can be reserved at an anchor of another platform.
    if (entry.external || isTooSmall(capacityIn(entry, payment.asset), payment.amount)) full.add(entry.id)
  }
  if (asked?.external) throw notHere(asked)
  if (asked && full.has(asked.id)) throw reservationLimit(payment.amount)
  for (let tries = 0; tries < FIRM_TRIES; tries += 1) {
    const chosen = firstFree(deps, payment, asked, full)
    if (!chosen && tries === 0 && first.external) throw notHere(first)
    if (!chosen) break
    const row = rowOf(deps, chosen.entry, payment, client, chosen.why)
    if (await insertFirmQuote(deps.database.db, row)) {
      const { id: quoteId, anchor_id: anchorId, expires_at: expiresAt } = row
      deps.index.hold({ quoteId, anchorId, asset: idOfQuoted(row), amount: payment.amount, expiresAt })
      return render(row, deps.clock.now())
    }
    if (asked) break
    full.add(chosen.entry.id)
  }
  throw reservationLimit(payment.amount)
}

/** Nobody here holds the capacity of another platform's anchor. */
const notHere = ({ domain }: Entry) =>
  invalid(
    'firm',
    `is not possible: ${domain} is of another platform, where you ask for a firm quote by SEP-38`,
  )

function firstFree(deps: IssueDeps, payment: Payment, asked: Entry | null, full: ReadonlySet<string>) {
  try {
    return choose(deps, payment, asked, full)
  } catch (error) {
    if (error instanceof Problem && error.code === 'no-eligible-anchor') return null
    throw error
  }
}

/** Throws `validation-failed`. */
export function readPayment(request: QuoteRequest): Payment {
  const transaction = readTransaction(request, { currency: true })
  if (transaction.currency === undefined) throw new Error('a transaction that needs a currency has one')
  return { ...transaction, currency: transaction.currency }
}

function choose(deps: IssueDeps, payment: Payment, asked: Entry | null, full: ReadonlySet<string>) {
  if (asked) {
    demandQuotable(deps, payment, asked)
    return { entry: asked, why: `${asked.slug} was asked for and is eligible.` }
  }
  const { entry, eligible } = selectAnchor(deps, payment, full)
  const among = eligible === 1 ? 'is the only eligible anchor' : `comes first of ${eligible} eligible anchors`
  return { entry, why: `${entry.slug} ${among} that can be quoted, by the active routing policy.` }
}

function rowOf(
  deps: IssueDeps,
  entry: Entry,
  payment: Payment,
  client: string | null,
  why: string,
): QuoteRow {
  const offer = offerAt(deps.fx, entry, payment)
  if (!offer) throw new Problem('unsupported-pair', `There is no longer a rate for ${payment.currency}.`)
  const priced = price(entry, payment, offer)
  const now = deps.clock.now()
  return {
    id: randomUUID(),
    anchor_id: entry.id,
    amount: formatAmount(payment.amount),
    currency: payment.currency,
    asset: payment.asset,
    issuer: offer.issuer,
    rail: payment.rail,
    region: payment.region ?? null,
    fx_rate: formatRate(offer.fxRate),
    fee_fixed: formatAmount(priced.fee.fixed),
    fee_percentage: formatRate(priced.fee.percentage),
    fee_variable: formatAmount(priced.fee.variable),
    fee_total: formatAmount(priced.fee.total),
    sell_amount: formatAmount(priced.sellAmount),
    firm: client !== null,
    client,
    reasoning: reason(payment, priced, why),
    created_at: now,
    expires_at: new Date(now.getTime() + QUOTE_SECONDS * 1000),
  }
}

function reason(payment: Payment, { fee, fxRate, sellAmount }: Price, why: string): string {
  const amount = formatAmount(payment.amount)
  const total = formatAmount(fee.total)
  return [
    `Asked for ${describeTransaction(payment)}.`,
    why,
    `Fee = ${formatAmount(fee.fixed)} + ${amount} × ${formatRate(fee.percentage)} = ${total} ${payment.asset}.`,
    `To pay = (${amount} + ${total}) × ${formatRate(fxRate)} = ${formatAmount(sellAmount)} ${payment.currency}.`,
  ].join('\n')
}
