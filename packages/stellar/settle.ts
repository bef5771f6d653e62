import type { Transaction } from '@stellar/stellar-sdk/base'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  PAGE,
  type Horizon,
  type LedgerHead,
  type LedgerTransaction,
  type ProofSource,
  type Submission,
} from './horizon.ts'
import { LedgerError } from './ledger-error.ts'
import type { RecordedLedger } from './reset.ts'
import { askSecond, letsEnd, type SecondOpinion, type Shown } from './second-source.ts'
import { signersIn } from './signatures.ts'

/** A signed transaction as it was stored before it was first submitted. */
export interface StoredEnvelope {
  hash: string
  /** Base64 XDR. */
  xdr: string
  source: string
  /** A decimal string: it exceeds what a number holds. */
  sequence: string
  /** Unix seconds; the ledger accepts it no later. */
  maxTime: number
  ledger: RecordedLedger
  /** Absent before it is read from where it was stored. */
  storedAt?: Date
}

/** Where envelopes outlive the process. Each call commits before it resolves. */
export interface EnvelopeStore {
  /** The envelope that may still apply (`applied: false`) or has applied. */
  current(): Promise<(StoredEnvelope & { applied: boolean }) | null>
  put(envelope: StoredEnvelope): Promise<void>
  /** It applied. */
  confirm(hash: string): Promise<void>
  /** It can never apply; `why` is for the log. */
  retire(hash: string, why: string): Promise<void>
  /** Whether the network is proven to have started again since an envelope was built; absent: that is never concluded. */
  isBeforeReset?(envelope: StoredEnvelope): Promise<boolean>
}

export interface Settlement {
  horizon: ProofSource
  store: EnvelopeStore
  /**
   * Whether the ledger's state contradicts that an envelope did not apply, such as a balance that lacks what it paid:
   * then it stays open, whatever is said of it. Absent: never.
   */
  isContradicted?(): Promise<boolean>
  /**
   * Whether anyone else who is asked agrees that an envelope was applied in a ledger that the second source no longer has. Absent:
   * nobody else is asked.
   */
  isMade?(shown: Shown): Promise<boolean>
  /** Whether the ledger's state shows the effect already, by whatever transaction. */
  isDone(): Promise<boolean>
  /** A signed transaction whose time bounds end soon after the given ledger. */
  build(head: LedgerHead): Promise<Transaction>
  /** A fee bump of a stored envelope that is not applied yet; null where no higher fee is possible. */
  raiseFee?(xdr: string): Promise<string | null>
  /** The form in which a stored envelope is submitted: a fee bump, where another account pays its fee. */
  wrap?(xdr: string): Promise<string>
  /** Waits between two looks at the ledger, in milliseconds. */
  pause?(ms: number): Promise<unknown>
}

type Fate = 'applied' | 'over' | 'open'

// Only another use of the same source account makes a new envelope necessary; five in a row is a fault elsewhere.
const MAX_ENVELOPES = 5
const CONFIRM_POLLS_MS = [250, 500, 1_000, 2_000, 2_000, 2_000]
const MAX_HISTORY_PAGES = 50
/** Why an envelope of a network that started again is over. */
export const NETWORK_RESET = 'the network was reset'

/**
 * Applies one transaction exactly once, wherever the process dies: the envelope is stored before it is submitted,
 * the same envelope is submitted again, and a new one is built only when one answer of Horizon proves that the
 * stored one is over (docs/adr/0016). Resolves to `found` where the effect was there already.
 * Throws {@link LedgerError}.
 */
export async function settle(settlement: Settlement): Promise<'applied' | 'found'> {
  const { horizon, store } = settlement
  for (let built = 0; built <= MAX_ENVELOPES;) {
    let envelope: StoredEnvelope | null = await store.current()
    const fate = envelope === null ? 'over' : await fateOf(envelope, settlement)
    if (fate === 'applied') return 'found'
    // Submitted before without success: the fee may be too low.
    let xdr = fate === 'open' && envelope !== null ? await settlement.raiseFee?.(envelope.xdr) : null
    if (envelope === null || fate === 'over') {
      if (await settlement.isDone()) return 'found'
      envelope = await prepare(settlement)
      xdr = null
      built++
    }
    xdr ??= (await settlement.wrap?.(envelope.xdr)) ?? envelope.xdr
    const submission = await horizon.submit(xdr)
    if (await submitUntilKnown(envelope, submission, settlement)) return 'applied'
  }
  throw new LedgerError(
    'submission-unconfirmed',
    'Other transactions of the account took the sequence number too often.',
  )
}

/**
 * Whether no answer can prove an envelope's end any more: its sequence number was used, and the oldest ledger of the
 * history closed after its time bounds. Or the second source, which has to agree, has dropped ledgers in which it could be.
 */
export async function isBeyondHistory(
  envelope: StoredEnvelope,
  horizon: Pick<Horizon, 'account' | 'history' | 'ledger'> & { second?: Horizon['second'] },
): Promise<boolean> {
  const { second } = horizon
  if (second && (await second.history()).elder > envelope.ledger.sequence + 1)
    return !(await second.transaction(envelope.hash))
  const account = await horizon.account(envelope.source)
  if (!account || BigInt(account.sequence) < BigInt(envelope.sequence)) return false
  for (let tries = 0; tries < 3; tries++) {
    const oldest = await horizon.ledger((await horizon.history()).elder)
    if (oldest) return oldest.closedAt > validUntil(envelope)
    // It was dropped between the two answers.
  }
  return false
}

async function prepare({ horizon, store, build }: Settlement): Promise<StoredEnvelope> {
  const head = await horizon.head()
  const transaction = await build(head)
  const envelope = {
    hash: Buffer.from(transaction.hash()).toString('hex'),
    xdr: transaction.toXdr(),
    source: transaction.source,
    sequence: transaction.sequence,
    maxTime: Number(transaction.timeBounds?.maxTime ?? 0),
    ledger: { sequence: head.sequence, hash: head.hash, closedAt: head.closedAt.toISOString() },
  }
  await store.put(envelope)
  return envelope
}

/** True: applied. False: it is over. Throws while neither is proven. */
async function submitUntilKnown(
  envelope: StoredEnvelope,
  submission: Submission,
  settlement: Settlement,
): Promise<boolean> {
  // Where there is a second source, one Horizon's word is a reason to look.
  if (submission.outcome === 'applied' && !settlement.horizon.second) {
    await settlement.store.confirm(envelope.hash)
    return true
  }
  const codes = submission.outcome === 'refused' ? submission.codes : []
  for (const wait of CONFIRM_POLLS_MS) {
    const fate = await fateOf(envelope, settlement, codes)
    if (fate !== 'open') return fate === 'applied'
    if (codes[0] && !PASSING.has(codes[0]) && codes[0] !== APPLIED_AND_FAILED) break
    await (settlement.pause ?? sleep)(wait)
  }
  if (codes[0] && !PASSING.has(codes[0])) throw refused(codes)
  const why = submission.outcome === 'unknown' ? submission.detail : codes.join(', ') || UNSHOWN
  throw new LedgerError(
    'submission-unconfirmed',
    `The Stellar network has not confirmed the transaction yet (${why}).`,
  )
}

/** What happened to an envelope, as far as one answer proves it; its end is stored before this resolves. */
async function fateOf(
  envelope: StoredEnvelope & { applied?: boolean },
  settlement: Settlement,
  codes: string[] = [],
): Promise<Fate> {
  const { horizon, store } = settlement
  if (envelope.applied) {
    if (!(await store.isBeforeReset?.(envelope))) return 'applied'
    await store.retire(envelope.hash, NETWORK_RESET)
    return 'over'
  }
  const found = await horizon.transaction(envelope.hash)
  if (found?.successful) {
    if (!(await isShown(envelope, found, settlement))) return 'open'
    await store.confirm(envelope.hash)
    return 'applied'
  }
  if (found) {
    // On the ledger without success, it used its sequence number.
    const account = await horizon.account(envelope.source)
    const isUsed = account !== null && BigInt(account.sequence) >= BigInt(envelope.sequence)
    if (!isUsed || !(await mayEnd(envelope, settlement))) return 'open'
    await store.retire(envelope.hash, codes.join(', ') || 'it was applied without success')
    throw refused(codes)
  }
  const end = await endOf(envelope, horizon)
  const isOver = end === null ? await store.isBeforeReset?.(envelope) : await mayEnd(envelope, settlement)
  if (!isOver) return 'open'
  await store.retire(envelope.hash, end ?? NETWORK_RESET)
  return 'over'
}

/** Clocks may differ by so much; a second source forgets after a day at the earliest. */
const CLOCKS_DIFFER_MS = 3_600_000

/**
 * Whether the second source shows an envelope as the first one does. Where it has dropped that ledger, it never will: then
 * the envelope has to have been stored before it closed, still valid, and nobody else may deny it.
 *
 * @throws {LedgerError} where it does not answer
 */
async function isShown(
  envelope: StoredEnvelope,
  found: LedgerTransaction,
  { horizon, isMade }: Settlement,
): Promise<boolean> {
  const opinion = await shownBySecond(envelope, found, horizon)
  if (opinion !== 'gone') return opinion === 'same'
  const shown = asShown(envelope, found)
  const { closedAt } = shown
  const { storedAt } = envelope
  const isInTime =
    storedAt !== undefined &&
    closedAt.getTime() > storedAt.getTime() - CLOCKS_DIFFER_MS &&
    closedAt <= validUntil(envelope)
  return isInTime && ((await isMade?.(shown)) ?? true)
}

const UNSHOWN = 'the second source of the ledger does not show it'

/**
 * Whether the second source shows a transaction of ours as the first one does: an envelope that our keys signed contradicts
 * nothing where it never reached the ledger. `same` where there is no second source.
 *
 * @throws {LedgerError} where it does not answer
 */
export async function shownBySecond(
  envelope: Pick<StoredEnvelope, 'hash'>,
  found: LedgerTransaction,
  { second }: Pick<Horizon, 'second'>,
): Promise<SecondOpinion> {
  return second ? askSecond(second, asShown(envelope, found)) : 'same'
}

const asShown = (
  { hash }: Pick<StoredEnvelope, 'hash'>,
  { successful, result = '', cursor = '0', closedAt = new Date(0) }: LedgerTransaction,
): Shown => ({ hash, successful, result, cursor, closedAt })

/** Whether what else is known agrees that it ended without success: the account, and the second source. */
async function mayEnd(
  envelope: StoredEnvelope,
  { horizon: { second }, isContradicted }: Settlement,
): Promise<boolean> {
  if (await isContradicted?.()) return false
  const { hash, ledger } = envelope
  return !second || letsEnd(second, { hash, from: ledger.sequence, until: validUntil(envelope) })
}

/** Why an envelope can never apply, by what its chain says; null while that is not proven. */
async function endOf(envelope: StoredEnvelope, horizon: ProofSource): Promise<string | null> {
  const account = await horizon.account(envelope.source)
  if (account && BigInt(account.sequence) < BigInt(envelope.sequence)) {
    const ledger = account.ledger === null ? null : await horizon.ledger(account.ledger)
    return ledger && ledger.closedAt > validUntil(envelope) ? 'its time bounds have passed' : null
  }
  return account && (await isSequenceUsed(envelope, horizon)) ? 'its sequence number was used' : null
}

/** Whether another transaction of the source, failed or not, took the envelope's sequence number: one that our keys signed. */
async function isSequenceUsed(envelope: StoredEnvelope, horizon: ProofSource): Promise<boolean> {
  const keys = signersIn(envelope.xdr)
  let cursor: string | undefined
  for (let pages = 0; pages < MAX_HISTORY_PAGES; pages++) {
    const page = await horizon.transactionsOf(envelope.source, cursor)
    for (const { hash, innerHash, source, sourceSequence, isSignedBy } of page) {
      if (source !== envelope.source) continue
      if (sourceSequence === envelope.sequence)
        return hash !== envelope.hash && innerHash !== envelope.hash && isSignedBy(keys)
      if (BigInt(sourceSequence) < BigInt(envelope.sequence)) return false
    }
    if (page.length < PAGE) return false
    cursor = page.at(-1)?.cursor
  }
  return false
}

function validUntil({ maxTime }: StoredEnvelope): Date {
  return new Date(maxTime * 1_000)
}

function refused(codes: string[]): LedgerError {
  const why = codes.join(', ') || 'it was applied without success'
  return new LedgerError('transaction-refused', `The Stellar network refused the transaction: ${why}.`, {
    retryable: false,
  })
}

// Horizon gives this code for a transaction that is on the ledger without success, and for some that never get there.
const APPLIED_AND_FAILED = 'tx_failed'

// These pass with time, or the account's sequence number and the time bounds settle them.
const PASSING = new Set([
  'tx_bad_seq',
  'tx_too_late',
  'tx_too_early',
  'tx_insufficient_fee',
  'tx_no_source_account',
])
