import { xdr } from '@stellar/stellar-sdk/base'
import { BoundedCache } from '@windlass/service/work/bounded-cache.ts'
import { ledgerOf } from '@windlass/stellar/check-answers.ts'
import type { Proof } from '@windlass/stellar/archive/prove.ts'
import type { PaymentRecord } from '@windlass/stellar/horizon.ts'
import { askSecond, type SecondSource, type Shown } from '@windlass/stellar/second-source.ts'
import { createHash } from 'node:crypto'
import type { Deps } from '../deps.ts'
import { broughtBy } from './incoming-payment.ts'
import { leastOfPayments, leastReturned } from './dust.ts'
import { within } from './within.ts'
import { findUnsigned, signersOnce } from './unsigned.ts'

/**
 * `waits`: it may show the payment soon. A fault is in words for an operator; `lasts`: nobody who was asked contradicts the
 * payment, and none of them will ever confirm it.
 */
type Confirmation = 'confirmed' | 'waits' | { fault: string; reason: Doubt; lasts: boolean }

/** Who is asked where the second source no longer has a ledger. */
export interface Elders {
  /** Another Horizon than the one that shows the payments. */
  witness: Pick<SecondSource, 'transaction' | 'history'> | null
  /** Whether the archives of validators are asked too, which takes seconds for each payment. */
  proves: boolean
}

/** Who does not confirm a payment. */
export type Doubt = 'second-source' | 'signature'

/**
 * @param shownBy who shows the payments: it is no witness of itself. `horizon` is none of the full history, which it asks
 *   itself
 */
export const eldersOf = ({ routineHorizon, history }: Deps, shownBy: object): Elders => ({
  witness: shownBy === history ? routineHorizon : history,
  proves: false,
})

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
  elders: Elders,
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
        ? confirm(deps, first, elders)
        : confirmSigned(deps, first, same, { signersOf, elders }))
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
  { signersOf, elders }: { signersOf: ReturnType<typeof signersOnce>; elders: Elders },
): Promise<Confirmation> {
  const fault = await findUnsigned(deps, records, signersOf).catch((error: unknown) => {
    deps.logger.warn({ err: error, hash: first.transaction_hash }, 'Horizon does not show who may sign')
    return 'Horizon does not show who may sign for its sender'
  })
  if (fault === null) return 'confirmed'
  return deps.horizon.second ? confirm(deps, first, elders) : { fault, reason: 'signature', lasts: true }
}

async function confirm(deps: Deps, record: PaymentRecord, elders: Elders): Promise<Confirmation> {
  const { transaction, transaction_hash: hash, created_at } = record
  const isRecent = deps.clock.now().getTime() - Date.parse(created_at) < PATIENCE_MS
  const { second } = deps.horizon
  const doubt = { reason: 'second-source', lasts: false } as const
  if (!transaction || !second) return { ...doubt, fault: 'it has no transaction' }
  const { successful, result_xdr: result, paging_token: cursor } = transaction
  const shown: Shown = { hash, successful, result, cursor, closedAt: new Date(created_at) }
  try {
    const opinion = await askSecond(second, shown)
    if (opinion === 'same') return 'confirmed'
    if (opinion === 'behind' && isRecent) return 'waits'
    if (opinion === 'gone') return await confirmGone(deps, shown, elders)
    return { ...doubt, fault: FAULTS[opinion] }
  } catch (error) {
    deps.logger.warn({ err: error, hash }, 'the second source does not answer about a payment')
    return isRecent ? 'waits' : { ...doubt, fault: 'The second source of the ledger does not answer' }
  }
}

/** Stellar RPC keeps some days: what is older would wait for it without an end (docs/adr/0213). */
async function confirmGone(deps: Deps, shown: Shown, { witness, proves }: Elders): Promise<Confirmation> {
  const reason = 'second-source'
  const opinion = witness && (await askSecond(witness, shown))
  if (opinion === 'same') return 'confirmed'
  if (opinion === 'differs') return { fault: 'Another Horizon contradicts it', reason, lasts: false }
  if (proves && deps.prove && (await isProven(proveOnce(deps, deps.prove), shown))) return 'confirmed'
  return { fault: FAULTS.gone, reason, lasts: true }
}

/** Payments wait for archives as long as for anyone else; the proof continues. */
const PROOF_MS = 10_000

/**
 * Whether a payment of ours was made whose ledger the second source no longer has: no Horizon contradicts it, and archives,
 * where they are configured, prove what one alone shows.
 */
export async function isMade(deps: Deps, shown: Shown): Promise<boolean> {
  const { routineHorizon, history, prove } = deps
  const asked = history ? [routineHorizon, history] : [routineHorizon]
  const opinions = await Promise.all(asked.map(each => askSecond(each, shown)))
  if (opinions.some(opinion => opinion === 'differs' || opinion === 'behind')) return false
  if (!prove || opinions.filter(opinion => opinion === 'same').length > 1) return true
  // Not yet: it is asked again, and the proof continues.
  return within(performance.now() + PROOF_MS, isProven(proveOnce(deps, prove), shown)).catch(() => false)
}

/** Proofs that are under way, or were made last: who waited no longer for one has it the next time. */
const proofs = new WeakMap<Deps['config'], Map<string, Promise<Proof>>>()
const KEPT_PROOFS = 20

/** Asks for each proof once, and again where it failed. */
function proveOnce({ config }: Deps, prove: NonNullable<Deps['prove']>): NonNullable<Deps['prove']> {
  const known = proofs.get(config) ?? new Map<string, Promise<Proof>>()
  proofs.set(config, known)
  return sought => {
    const key = `${sought.hash}:${sought.ledger}`
    const begun = known.get(key)
    if (begun) return begun
    const proof = prove(sought)
    known.set(key, proof)
    proof.catch(() => known.delete(key))
    for (const oldest of known.keys()) if (known.size > KEPT_PROOFS) known.delete(oldest)
    return proof
  }
}

/** Throws where validators signed that it is not so, or archives do not answer. */
async function isProven(prove: NonNullable<Deps['prove']>, shown: Shown): Promise<boolean> {
  const proof = await prove({ hash: shown.hash, ledger: ledgerOf(shown.cursor) })
  const { result } = xdr.TransactionResultPair.fromXdr(proof.result, 'base64')
  const isOfTime = Date.parse(proof.closedAt) === Math.floor(shown.closedAt.getTime() / 1_000) * 1_000
  return proof.successful === shown.successful && isOfTime && result.toXdr('base64') === shown.result
}

/**
 * Whether the second source lets a full page be passed of which nothing proves itself: it has its ledgers, or had them, and
 * every transaction whose ledger it still has. Where it cannot read one itself, it does not contradict that.
 */
export async function letsPass(deps: Deps, records: readonly PaymentRecord[]): Promise<boolean> {
  const { second } = deps.horizon
  if (!second) return true
  try {
    const { elder, latest } = await second.history()
    const places = new Map(
      records.map(({ transaction_hash: hash, paging_token: at }) => [hash, ledgerOf(at)]),
    )
    if ([...places].some(([hash, place]) => place > latest || !/^[0-9a-f]{64}$/.test(hash))) return false
    const queue = [...places].flatMap(([hash, place]) => (place < elder ? [] : [hash]))
    let isContradicted = false
    const ask = async (): Promise<void> => {
      for (let hash = queue.shift(); hash !== undefined && !isContradicted; hash = queue.shift())
        isContradicted ||= (await second.transaction(hash).catch(() => undefined)) === null
    }
    await Promise.all(Array.from({ length: AT_ONCE }, ask))
    return !isContradicted
  } catch (error) {
    deps.logger.warn({ err: error }, 'the second source does not answer about a page of payments')
    return false
  }
}

const FAULTS = {
  differs: 'The second source of the ledger has no such transaction, or another result, place or time of it',
  behind: 'The second source of the ledger is behind',
  gone: 'The second source of the ledger no longer has this part of the history, and nobody else who is asked proves it',
} as const
