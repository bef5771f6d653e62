import type { Transaction } from '@stellar/stellar-sdk/base'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Horizon, LedgerHead, Submission } from './horizon.ts'
import { LedgerError } from './ledger-error.ts'

/** A signed transaction as it was stored before it was first submitted. */
export interface StoredEnvelope {
  hash: string
  /** Base64 XDR. */
  xdr: string
  source: string
  /** A decimal string: it exceeds what a number holds. */
  sequence: string
  /** Unix seconds; the ledger takes it no later. */
  maxTime: number
  /** A ledger that was closed when it was built: another hash under its number means that the network was reset. */
  ledger: { sequence: number; hash: string }
}

/** Where envelopes outlive the process. Each call commits before it resolves. */
export interface EnvelopeStore {
  /** The envelope that may still apply or has applied. */
  current(): Promise<StoredEnvelope | null>
  put(envelope: StoredEnvelope): Promise<void>
  /** It applied. */
  confirm(hash: string): Promise<void>
  /** It can never apply; `why` is for the log. */
  retire(hash: string, why: string): Promise<void>
}

export interface Settlement {
  horizon: Horizon
  store: EnvelopeStore
  /** Whether the ledger's state shows the effect already, whoever brought it about. */
  isDone(): Promise<boolean>
  /** A signed transaction whose time bounds end soon after the given ledger. */
  build(head: LedgerHead): Promise<Transaction>
}

// Only another use of the same source account makes a new envelope necessary; five in a row is a fault elsewhere.
const MAX_ENVELOPES = 5
const CONFIRM_POLLS_MS = [250, 500, 1_000, 2_000, 2_000, 2_000]

/**
 * Brings about one transaction's effect exactly once, whenever the process dies: the envelope is stored before it
 * is submitted, the same envelope is submitted again, and a new one is built only when the stored one can never
 * apply. Resolves to `found` where the effect was there already. Throws {@link LedgerError}.
 */
export async function settle(settlement: Settlement): Promise<'applied' | 'found'> {
  const { store } = settlement
  for (let built = 0; built <= MAX_ENVELOPES;) {
    let envelope = await store.current()
    const fate = envelope ? await fateOf(envelope, settlement) : 'dead'
    if (fate === 'applied') return 'found'
    if (envelope === null || fate === 'dead') {
      if (await settlement.isDone()) return 'found'
      envelope = await prepare(settlement)
      built++
    }
    if (await submitUntilKnown(envelope, settlement)) return 'applied'
  }
  throw new LedgerError('submission-unconfirmed', 'The transaction was overtaken by others too often.')
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
    ledger: { sequence: head.sequence, hash: head.hash },
  }
  await store.put(envelope)
  return envelope
}

/** True: applied. False: it turned out that it never will be. */
async function submitUntilKnown(envelope: StoredEnvelope, settlement: Settlement): Promise<boolean> {
  const submission = await settlement.horizon.submit(envelope.xdr)
  if (submission.outcome === 'applied') {
    await settlement.store.confirm(envelope.hash)
    return true
  }
  for (const wait of CONFIRM_POLLS_MS) {
    const fate = await fateOf(envelope, settlement, submission)
    if (fate !== 'open') return fate === 'applied'
    await sleep(wait)
  }
  const why = submission.outcome === 'unknown' ? submission.detail : submission.codes.join(', ')
  throw new LedgerError(
    'submission-unconfirmed',
    `The Stellar network has not confirmed the transaction yet (${why}).`,
  )
}

/**
 * What became of an envelope. What can end it is read before its hash is looked up: Horizon takes a ledger in as a
 * whole, so an envelope that had ended by then and is not found was never applied.
 */
async function fateOf(
  envelope: StoredEnvelope,
  { horizon, store }: Settlement,
  submission?: Submission,
): Promise<'applied' | 'dead' | 'open'> {
  const end = await endOf(envelope, horizon)
  const found = await horizon.transaction(envelope.hash)
  if (found?.successful) {
    await store.confirm(envelope.hash)
    return 'applied'
  }
  const codes = submission?.outcome === 'refused' ? submission.codes : []
  if (found || (codes[0] !== undefined && !PASSING.has(codes[0]))) {
    const why = codes.join(', ') || 'it was applied without success'
    await store.retire(envelope.hash, why)
    throw new LedgerError('transaction-refused', `The Stellar network refused the transaction: ${why}.`, {
      retryable: false,
    })
  }
  if (end === null) return 'open'
  await store.retire(envelope.hash, end)
  return 'dead'
}

async function endOf(envelope: StoredEnvelope, horizon: Horizon): Promise<string | null> {
  const [account, head, hash] = await Promise.all([
    horizon.account(envelope.source),
    horizon.head(),
    horizon.ledgerHash(envelope.ledger.sequence),
  ])
  if (hash !== envelope.ledger.hash) return 'the network was reset'
  if (!account) return 'its source account is gone'
  if (BigInt(account.sequence) >= BigInt(envelope.sequence)) return 'its sequence number was used'
  if (head.closedAt.getTime() / 1_000 > envelope.maxTime) return 'its time bounds have passed'
  return null
}

// These pass with time, or the account's sequence number and the time bounds settle them.
const PASSING = new Set([
  'tx_bad_seq',
  'tx_too_late',
  'tx_too_early',
  'tx_insufficient_fee',
  'tx_no_source_account',
])
