import { Asset, type OperationRecord } from '@stellar/stellar-sdk/base'
import type { AnchorConfig } from '@windlass/contracts/internal/anchor-config.ts'
import { servedAssets } from '@windlass/contracts/internal/served-assets.ts'
import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import { readTransfer } from '@windlass/stellar/asset-contract.ts'
import { ledgerAssetOf } from '@windlass/stellar/assets.ts'
import { ledgerOf } from '@windlass/stellar/check-answers.ts'
import type { HorizonAccount } from '@windlass/stellar/horizon-account.ts'
import { PAGE, type AccountTransaction } from '@windlass/stellar/horizon.ts'
import { LedgerError } from '@windlass/stellar/ledger-error.ts'
import { readEnvelope, type EnvelopeOperation } from '@windlass/stellar/read-envelope.ts'
import { shownBySecond } from '@windlass/stellar/settle.ts'
import { signersIn } from '@windlass/stellar/signatures.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { recordSweep, recordUnrecorded } from '../money/journal/ledger-entries.ts'
import type { LedgerAsset, Tables } from '../tables.ts'
import { isColdAccount } from '../money/treasury/treasury.ts'
import { SWEEP_MEMO } from './ledger-payments.ts'
import { channelsIn, hasForeignChannels, recordForeign } from './channels.ts'
import { openIncidents } from './incidents.ts'
import { requireClosed } from './newest-ledger.ts'
import { restoredAt } from './restored.ts'
import { causeOf, isOfAsset, memoText, type NewUnrecorded } from './unrecorded.ts'

/** Transactions that are recorded at once. */
const CHUNK = 20

/**
 * What must be known of the account's transactions.
 * `to-sign`: all of them. `to-sign-together`: the same, for payments that are signed in channels at the same time and share
 * one look at the ledger. `of-channels`: all, whatever is known of the account's own sequence numbers, since channels have
 * others. `to-read`: what Horizon still shows, to find what is missing.
 */
type Need = 'to-sign' | 'to-sign-together' | 'of-channels' | 'to-read'

/**
 * Makes sure that every transaction that used the distribution account is known, and records the payments among those
 * that this database did not make. Until then nothing new is signed: it could be one of them. Returns the account whose
 * sequence number this holds for; null where it is not on the ledger.
 *
 * @param upTo the sequence number of a transaction of the account that must be among them
 * @throws {LedgerError} `ledger-unavailable` where Horizon does not show the account's history up to its last number, or
 *   answers of a time before `upTo`.
 */
export async function recordUnknown(deps: Deps, need: Need, upTo?: string): Promise<HorizonAccount | null> {
  const account = await (need === 'to-sign-together' ? recordOnce(deps) : recordSince(deps, need))
  if (upTo !== undefined && (!account || BigInt(account.sequence) < BigInt(upTo))) throw behind()
  return account
}

function recordOnce(deps: Deps): Promise<HorizonAccount | null> {
  const before = looking.get(deps.database)
  if (before) return before
  const look = recordSince(deps, 'to-sign').finally(() => looking.delete(deps.database))
  looking.set(deps.database, look)
  return look
}

const looking = new WeakMap<Deps['database'], Promise<HorizonAccount | null>>()

async function recordSince(deps: Deps, need: Need): Promise<HorizonAccount | null> {
  const { db } = deps.database
  const account = await deps.horizon.account(deps.config.anchor.accounts.distribution)
  if (!account || isUnused(account)) return account
  const isLooked = need !== 'of-channels' && !(await hasForeignChannels(db))
  if (isLooked && (await isAccounted(db, account))) return account
  const known = await findKnown(deps, account)
  if (known.isCut && need !== 'to-read') await requireCompared(db, known.elder)
  const isProven = !known.isCut || need !== 'to-read'
  const end = await recordAfter(deps, account, known, isProven)
  const isGone =
    end.sequence === known.sequence && known.isCut && known.latest >= (account.ledger ?? Infinity)
  if (BigInt(end.sequence) < BigInt(account.sequence) && !isGone) throw behind()
  if (isProven) await setAccounted(db, account.id, { ...end, sequence: account.sequence })
  return account
}

/** An account's numbers start with its first ledger's, times 2³². */
const isUnused = ({ sequence }: HorizonAccount): boolean => BigInt(sequence) % 2n ** 32n === 0n

/** Whether everything up to the account's sequence number is known. */
async function isAccounted(db: Db<Tables>, { id, sequence }: HorizonAccount): Promise<boolean> {
  const row = await db
    .selectNoFrom(({ exists, or, selectFrom }) =>
      or([
        exists(
          selectFrom('ledger_envelopes')
            .innerJoin('ledger_payments', 'ledger_payments.id', 'payment_id')
            .select('ledger_envelopes.hash')
            .where('source', '=', id)
            .where('sequence', '=', sequence)
            .where('ledger_envelopes.state', '=', 'applied')
            // What was paid through the channels before is not known by it.
            .where('purpose', '<>', 'close-channels'),
        ),
        exists(
          selectFrom('observed')
            .select('account')
            .where('account', '=', id)
            .where('accounted_sequence', '=', sequence),
        ),
      ]).as('known'),
    )
    .executeTakeFirstOrThrow()
  return Boolean(row.known)
}

/** A place in the account's history: everything up to it is known. */
interface Place {
  cursor: string
  /** The number of the account's last transaction up to there. */
  sequence: string
}

interface Known extends Place {
  /** Horizon's oldest and newest ledger. */
  elder: number
  latest: number
  /** Whether Horizon has dropped ledgers after that place. */
  isCut: boolean
}

/** The newest place that is known: where the last comparison ended, or the ledger on which a transaction of ours was built. */
async function findKnown(deps: Deps, { id }: HorizonAccount): Promise<Known> {
  const { db } = deps.database
  const { elder, latest } = await (deps.history ?? deps.horizon).history()
  const observed = await db
    .selectFrom('observed')
    .select(['accounted_cursor', 'accounted_sequence'])
    .where('account', '=', id)
    .executeTakeFirst()
  const places: Place[] = [
    { cursor: observed?.accounted_cursor ?? '0', sequence: observed?.accounted_sequence ?? '0' },
  ]
  const newest = await db
    .selectFrom('ledger_envelopes')
    .innerJoin('ledger_payments', 'ledger_payments.id', 'payment_id')
    .select(['ledger_envelopes.hash', 'sequence', 'ledger_sequence'])
    .where('source', '=', id)
    .where('ledger_envelopes.state', '=', 'applied')
    // What closes channels is signed before everything is known.
    .where('purpose', '<>', 'close-channels')
    .orderBy(sql`sequence::numeric`, 'desc')
    .limit(1)
    .executeTakeFirst()
  if (newest && (await deps.horizon.transaction(newest.hash))) {
    // A channel may have been used between the ledger that it was built on and its own.
    const cursor = String((BigInt(newest.ledger_sequence) + 1n) << 32n)
    places.push({ cursor, sequence: newest.sequence })
  }
  const place = places.reduce((last, each) => (BigInt(each.cursor) > BigInt(last.cursor) ? each : last))
  return { ...place, elder, latest, isCut: elder > 2 && ledgerOf(place.cursor) < elder }
}

/**
 * Records what is unknown after a place, oldest first; where Horizon refuses the rest, what was recorded is not asked
 * for again. Returns the newest place.
 */
async function recordAfter(deps: Deps, { id }: HorizonAccount, known: Known, keep: boolean): Promise<Place> {
  const { db } = deps.database
  let { cursor, sequence } = known
  for (;;) {
    const page = await deps.horizon.transactionsOf(id, cursor === '0' ? '' : cursor, 'asc')
    await requireClosed(deps.horizon, page)
    const paid = page.filter(each => isPaidBy(deps, each))
    const ours = await findOurs(db, paid)
    const unknown = paid.filter(({ hash, innerHash }) => !ours.has(hash) && !ours.has(innerHash ?? ''))
    for (let start = 0; start < unknown.length; start += CHUNK) {
      const chunk = unknown.slice(start, start + CHUNK)
      await Promise.all(chunk.map(each => requireMade(deps, each)))
      const payments = (await Promise.all(chunk.map(each => paymentsIn(deps, each)))).flat()
      const last = chunk.at(-1)
      sequence = chunk.findLast(({ source }) => source === id)?.sourceSequence ?? sequence
      await db.transaction().execute(async tx => {
        for (const payment of payments) await record(deps, tx, payment)
        for (const each of chunk) await recordChannels(deps, tx, each)
        if (keep && last) await setAccounted(tx, id, { cursor: last.cursor, sequence })
      })
      if (payments.length > 0)
        deps.logger.error({ payments: payments.length }, 'the ledger has payments that are not recorded here')
    }
    cursor = page.at(-1)?.cursor ?? cursor
    sequence = page.findLast(({ source }) => source === id)?.sourceSequence ?? sequence
    if (page.length < PAGE) return { cursor, sequence }
    if (keep) await setAccounted(db, id, { cursor, sequence })
  }
}

/**
 * A transaction that this database does not know may end a payment as made. So it counts where the second source shows it;
 * where there is none, or no longer that ledger, the account's own key has to have signed it.
 *
 * @throws {LedgerError} `ledger-unavailable`
 */
async function requireMade({ config, horizon }: Deps, transaction: AccountTransaction): Promise<void> {
  const { distribution } = config.anchor.accounts
  // Others may end their account in ours.
  if (transaction.xdr === null || !signersIn(transaction.xdr).includes(distribution)) return
  const opinion = await shownBySecond(transaction, transaction, horizon)
  if (opinion === 'same' && horizon.second) return
  const isLeft = opinion === 'same' || opinion === 'gone'
  if (isLeft && transaction.isSignedBy([distribution])) return
  throw new LedgerError(
    'ledger-unavailable',
    `Horizon shows transaction ${transaction.hash} of the account, ${isLeft ? 'which its key did not sign' : 'which the second source of the ledger does not show'}.`,
  )
}

const PAYING = [
  'payment',
  'createAccount',
  'createClaimableBalance',
  'claimClaimableBalance',
  'invokeHostFunction',
  // Opens channels, with which others pay.
  'beginSponsoringFutureReserves',
]

/** Whether the distribution account is its source, pays in it with a channel's sequence number, or receives a channel's rest. */
function isPaidBy({ config }: Deps, { source, xdr }: AccountTransaction): boolean {
  const { accounts, network } = config.anchor
  if (source === accounts.distribution) return true
  if (xdr === null) return false
  const isTreasury = (account: string) => baseAccount(account) === accounts.distribution
  return readEnvelope(xdr, network.passphrase).operations.some(
    operation =>
      (isTreasury(operation.source) && PAYING.includes(operation.type)) ||
      isTreasury(heirOf(operation) ?? ''),
  )
}

/** Who gets what an account has that ends; null: none does. */
function heirOf({ type, read }: EnvelopeOperation): string | null {
  const operation = type === 'accountMerge' ? read() : null
  return operation?.type === 'accountMerge' ? operation.destination : null
}

async function recordChannels(
  { config }: Deps,
  tx: Db<Tables>,
  { successful, xdr }: AccountTransaction,
): Promise<void> {
  const { accounts, network } = config.anchor
  if (!successful || xdr === null) return
  await recordForeign(tx, channelsIn(readEnvelope(xdr, network.passphrase), accounts.distribution))
}

async function setAccounted(db: Db<Tables>, account: string, { cursor, sequence }: Place): Promise<void> {
  await db
    .updateTable('observed')
    .set({ accounted_cursor: cursor, accounted_sequence: sequence })
    .where('account', '=', account)
    .execute()
}

const behind = (): LedgerError =>
  new LedgerError('ledger-unavailable', 'Horizon does not show the last transaction of the account yet.')

/** The hashes among these that are of our envelopes. */
async function findOurs(db: Db<Tables>, transactions: AccountTransaction[]): Promise<Set<string>> {
  const hashes = transactions.flatMap(({ hash, innerHash }) => (innerHash ? [hash, innerHash] : [hash]))
  if (hashes.length === 0) return new Set()
  const rows = await db.selectFrom('ledger_envelopes').select('hash').where('hash', 'in', hashes).execute()
  return new Set(rows.map(({ hash }) => hash))
}

/** A payment in ledgers that nobody can read may be one of those that wait: an operator compares first. */
async function requireCompared(db: Db<Tables>, elder: number): Promise<void> {
  const observed = await db.selectFrom('observed').select('ledger_sequence').executeTakeFirst()
  // After a restore the observer opens the incident first.
  const isSeen = (observed?.ledger_sequence ?? -1) + 1 >= elder
  if ((isSeen || (await restoredAt(db)) === null) && (await openIncidents(db, 'history-gap')).length === 0)
    return
  throw new LedgerError(
    'ledger-unavailable',
    'Payments may have been made in ledgers that Horizon no longer has. Resolve the incident about missing history, then they continue.',
  )
}

async function paymentsIn(
  { config, horizon }: Deps,
  { successful, hash, innerHash, xdr, ledger: sequence }: AccountTransaction,
): Promise<NewUnrecorded[]> {
  if (!successful || xdr === null) return []
  const { anchor } = config
  const ledger = await horizon.ledger(sequence)
  if (!ledger) throw behind()
  const envelope = readEnvelope(xdr, anchor.network.passphrase)
  const common = {
    hash: innerHash ?? hash,
    xdr: envelope.inner,
    source: envelope.source,
    sequence: envelope.sequence,
    max_time: envelope.maxTime,
    ledger_sequence: ledger.sequence,
    ledger_hash: ledger.hash,
    ledger_closed_at: ledger.closedAt,
    payment_id: null,
  }
  const { distribution } = anchor.accounts
  return envelope.operations.flatMap(({ source, read }, index): NewUnrecorded[] => {
    const own = { ...common, operation: index }
    if (baseAccount(source) !== distribution) return []
    const operation = read()
    if (operation.type === 'claimClaimableBalance')
      return [{ ...own, destination: distribution, amount: null, asset: null }]
    const called = transferIn(anchor, operation)
    if (called) return [{ ...own, ...called }]
    const paid = paidBy(operation)
    const paidIn = paid && keyOf(anchor, each => each.equals(paid.asset))
    if (!paid || paidIn === undefined) return []
    return [{ ...own, destination: paid.destination, amount: paid.amount, asset: paidIn }]
  })
}

function paidBy(operation: OperationRecord): { destination: string; amount: string; asset: Asset } | null {
  switch (operation.type) {
    case 'payment':
      return operation
    case 'createClaimableBalance': {
      const { asset, amount, claimants } = operation
      return { asset, amount, destination: claimants[0]?.destination ?? '' }
    }
    case 'createAccount': {
      const { destination, startingBalance: amount } = operation
      // A channel is opened with nothing.
      return parseAmount(amount) === 0n ? null : { asset: Asset.native(), amount, destination }
    }
    default:
      return null
  }
}

/** The key of an asset that the anchor serves, or of XLM; undefined: it is another one. */
function keyOf(anchor: AnchorConfig, isIt: (asset: Asset) => boolean): LedgerAsset | undefined {
  const served = servedAssets(anchor).find(each => isIt(ledgerAssetOf(each)))
  return served || !isIt(Asset.native()) ? served?.key : 'native'
}

/** What the distribution account transferred of an asset, or of XLM, by a call of that asset's contract. */
function transferIn(
  anchor: AnchorConfig,
  operation: OperationRecord,
): Pick<NewUnrecorded, 'destination' | 'amount' | 'asset'> | null {
  const transfer = readTransfer(operation)
  if (transfer?.from !== anchor.accounts.distribution) return null
  const { passphrase } = anchor.network
  const asset = keyOf(anchor, each => each.contractId(passphrase) === transfer.contract)
  if (asset === undefined) return null
  const amount = formatAmount(amountOf(transfer.amount))
  return { destination: transfer.to, amount, asset }
}

async function record(deps: Deps, tx: Db<Tables>, payment: NewUnrecorded): Promise<void> {
  const isSweep = await isLostSweep(deps, tx, payment)
  const added = await tx
    .insertInto('unrecorded_payments')
    .values({ ...payment, ...(isSweep ? { reported: true, closed: true, is_sweep: true } : {}) })
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirst()
  if (added.numInsertedOrUpdatedRows === 0n || !isOfAsset(payment)) return
  if (!isSweep) return recordUnrecorded(tx, causeOf(payment), payment)
  await recordSweep(tx, causeOf(payment), payment)
  deps.logger.warn({ hash: payment.hash }, 'a sweep to the cold account was made by a later state')
}

/** A sweep is queued for no one who waits: an older state lacks it, and needs no operator to explain it. */
async function isLostSweep(deps: Deps, tx: Db<Tables>, payment: NewUnrecorded): Promise<boolean> {
  const { memo } = readEnvelope(payment.xdr, deps.config.anchor.network.passphrase)
  const isSweep = memo.type === 'text' && memoText(memo) === SWEEP_MEMO && isOfAsset(payment)
  if (!isSweep || !(await isColdAccount(tx, payment.asset, payment.destination))) return false
  const known = await tx
    .selectFrom('ledger_payments')
    .selectAll()
    .where('purpose', '=', 'sweep')
    .where('asset', 'is not distinct from', payment.asset)
    .where('state', '=', 'queued')
    .executeTakeFirst()
  return known === undefined
}
