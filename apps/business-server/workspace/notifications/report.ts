import { payoutFailed } from './sentences.ts'
import type { NotificationReport } from '@windlass/contracts/platform/notifications.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Deps } from '../../deps.ts'
import { failedOrders } from '../../payments/rail-orders.ts'
import type { RailOrder } from '../../tables.ts'
import { type Condition, type Earlier, evaluateConditions } from './conditions.ts'

/** How often a report without changes is repeated, in case the platform lost one. */
const REPEAT_MS = 600_000
const EVENTS_AT_ONCE = 200
const CONDITIONS_AT_ONCE = 200
const DETAIL_LENGTH = 1_000

/**
 * Evaluates the anchor's conditions and sends the platform what has changed since it last accepted a report. The platform
 * stores which are open, so only what it has accepted is kept here.
 */
export function createReporter(deps: Deps): () => Promise<void> {
  const earlier: Earlier = { conditions: [], differences: new Map() }
  const accepted = new Map<string, string>()
  const sent = new Set<string>()
  let repeatAt = 0
  return async () => {
    const { evaluated, conditions: found, unsure } = await evaluateConditions(deps, earlier)
    const conditions = found.slice(0, CONDITIONS_AT_ONCE).map(acceptable)
    const others = earlier.conditions.filter(({ kind }) => !evaluated.includes(kind))
    earlier.conditions = [...others, ...conditions]
    const orders = await failedOrders(deps.database.db, EVENTS_AT_ONCE)
    const events = orders.filter(({ id }) => !sent.has(id)).map(order => acceptable(failedPayout(order)))
    const texts = evaluated.map(name => [name, textOf([...conditions, ...unsure], name)] as const)
    const changed = texts.some(([name, text]) => accepted.get(name) !== text)
    if (!changed && events.length === 0 && performance.now() < repeatAt) return
    await deps.notifier.report({ evaluated, conditions, unsure, events })
    for (const [name, text] of texts) accepted.set(name, text)
    for (const { subject } of events) sent.add(subject)
    repeatAt = performance.now() + REPEAT_MS
  }
}

const textOf = (conditions: readonly Pick<Condition, 'kind'>[], name: string) =>
  JSON.stringify(conditions.filter(({ kind }) => kind === name))

/** Banks, wallets and other servers write parts of the text: one that the platform refuses would block every report. */
const acceptable = <T extends { detail: string; spanish?: string }>(given: T): T => ({
  ...given,
  detail: line(given.detail),
  ...(given.spanish !== undefined && { spanish: line(given.spanish) }),
})

const line = (text: string): string =>
  text
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, DETAIL_LENGTH)
    .toWellFormed()

function failedPayout(order: RailOrder): NotificationReport['events'][number] {
  const { id, kind, rail, currency, state, failure, transfer_id, created_at } = order
  return {
    ...{ kind: 'payout-failed', subject: id, at: created_at.toISOString() },
    ...payoutFailed({
      money: `${formatAmount(parseAmount(order.amount))} ${currency}`,
      rail,
      what: state === 'paid' ? 'sent-back' : kind === 'payout' ? 'payout' : 'refund',
      failure: (failure ?? '').slice(0, 300),
      transaction: transfer_id,
    }),
  }
}
