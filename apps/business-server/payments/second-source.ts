import { BoundedCache } from '@windlass/service/work/bounded-cache.ts'
import type { PaymentRecord } from '@windlass/stellar/horizon.ts'
import { askSecond } from '@windlass/stellar/second-source.ts'
import { createHash } from 'node:crypto'
import type { Deps } from '../deps.ts'
import { broughtBy } from './incoming-payment.ts'
import { leastOfPayments, leastReturned } from './dust.ts'
import { findUnsigned, signersOnce } from './unsigned.ts'

/** `waits`: it may show the payment soon. A fault is in words for an operator. */
type Confirmation = 'confirmed' | 'waits' | { fault: string; reason: Doubt }

/** Who does not confirm a payment. */
export type Doubt = 'second-source' | 'signature'

/** For so long after its ledger the second source may lack a payment, or not answer. */
const PATIENCE_MS = 60_000
const AT_ONCE = 8
const MAX_BYTES = 512 * 1024

/**
 * What was confirmed: transactions as they were shown, where the second source said so, and records of them, where
 * signatures did. A page is read again while a payment in it is set aside.
 */
const confirmed = new WeakMap<Deps['config'], BoundedCache<true>>()

/** Payments that may move money, without those that were received: they move it once (docs/adr/0193). */
export async function findMoving(deps: Deps, records: readonly PaymentRecord[]): Promise<PaymentRecord[]> {
  if (records.length === 0) return []
  const { db } = deps.database
  const least = await leastOfPayments(deps, db)
  const moving = records.filter(record => movesMoney(deps, record, least))
  if (moving.length === 0) return []
  const ids = moving.map(({ id }) => id)
  const rows = await db.selectFrom('ledger_receipts').select(['id', 'hash']).where('id', 'in', ids).execute()
  const received = new Set(rows.map(({ id, hash }) => `${id}:${hash}`))
  return moving.filter(({ id, transaction_hash: hash }) => !received.has(`${id}:${hash}`))
}

/**
 * What else says of payments that may move money ({@link findMoving}), by their id: the second source, or where it need not be
 * asked, the signatures of those who paid. What was confirmed before is missing.
 */
export async function confirmPayments(
  deps: Deps,
  records: readonly PaymentRecord[],
): Promise<ReadonlyMap<string, Confirmation>> {
  const found = new Map<string, Confirmation>()
  const known = confirmed.get(deps.config) ?? createConfirmed()
  confirmed.set(deps.config, known)
  const isKnown = (record: PaymentRecord) =>
    known.get(asShown(record)) ?? (known.get(asSigned(record)) && !isAbove(deps, record))
  const shown = Map.groupBy(
    records.filter(record => !isKnown(record)),
    asShown,
  )
  const queue = [...shown.values()]
  const signersOf = signersOnce(deps)
  const ask = async (): Promise<void> => {
    for (let same = queue.shift(); same; same = queue.shift()) {
      const [first] = same
      if (!first) continue
      const isAsked = same.some(each => isAbove(deps, each))
      const confirmation = await (isAsked
        ? confirm(deps, first)
        : confirmSigned(deps, first, same, signersOf))
      for (const { id } of same) found.set(id, confirmation)
      if (confirmation !== 'confirmed') continue
      for (const key of isAsked ? [asShown(first)] : same.map(asSigned)) known.set(key, true)
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, queue.length) }, ask))
  return found
}

/** One hash may be shown with several results, at several places and times: each is confirmed for itself. */
const asShown = ({ transaction_hash: hash, transaction, created_at }: PaymentRecord): string =>
  createHash('sha256')
    .update(JSON.stringify([hash, created_at, transaction?.paging_token, transaction?.result_xdr]))
    .digest('base64')

const asSigned = (record: PaymentRecord): string => `${record.id}:${asShown(record)}`

const createConfirmed = () =>
  new BoundedCache<true>({ name: 'confirmed-payments', maxBytes: MAX_BYTES, sizeOf: () => 0 })

/** What is neither paid out nor refunded moves nothing; an amount that cannot be read is set aside when it is received. */
function movesMoney(deps: Deps, record: PaymentRecord, least: bigint): boolean {
  const { fault, transaction_successful } = record
  if (fault !== null || !transaction_successful) return false
  try {
    return broughtBy(deps, record).some(
      ({ units, served }) => units >= (served === null ? leastReturned(deps.config, true) : least),
    )
  } catch {
    return false
  }
}

/** Whether the second source is asked about what moves money. */
function isAbove(deps: Deps, record: PaymentRecord): boolean {
  const { horizon, config } = deps
  if (!horizon.second) return false
  return broughtBy(deps, record).some(({ units }) => units > config.second.limit)
}

/** Without a signature that is known, such as one of an account that was merged since, the second source counts. */
async function confirmSigned(
  deps: Deps,
  first: PaymentRecord,
  records: readonly PaymentRecord[],
  signersOf: ReturnType<typeof signersOnce>,
): Promise<Confirmation> {
  const fault = await findUnsigned(deps, records, signersOf).catch((error: unknown) => {
    deps.logger.warn({ err: error, hash: first.transaction_hash }, 'Horizon does not show who may sign')
    return 'Horizon does not show who may sign for its sender'
  })
  if (fault === null) return 'confirmed'
  return deps.horizon.second ? confirm(deps, first) : { fault, reason: 'signature' }
}

async function confirm(deps: Deps, record: PaymentRecord): Promise<Confirmation> {
  const { transaction, transaction_hash: hash, created_at } = record
  const isRecent = deps.clock.now().getTime() - Date.parse(created_at) < PATIENCE_MS
  const { second } = deps.horizon
  const reason = 'second-source'
  if (!transaction || !second) return { fault: 'it has no transaction', reason }
  const { successful, result_xdr: result, paging_token: cursor } = transaction
  try {
    const opinion = await askSecond(second, {
      hash,
      successful,
      result,
      cursor,
      closedAt: new Date(created_at),
    })
    if (opinion === 'same') return 'confirmed'
    if (opinion === 'behind' && isRecent) return 'waits'
    return { fault: FAULTS[opinion], reason }
  } catch (error) {
    deps.logger.warn({ err: error, hash }, 'the second source does not answer about a payment')
    return isRecent ? 'waits' : { fault: 'The second source of the ledger does not answer', reason }
  }
}

const FAULTS = {
  differs: 'The second source of the ledger has no such transaction, or another result, place or time of it',
  behind: 'The second source of the ledger is behind',
  gone: 'The second source of the ledger no longer has this part of the history',
} as const
