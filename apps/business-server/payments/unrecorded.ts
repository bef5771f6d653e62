import {
  Asset,
  FeeBumpTransaction,
  type Memo,
  type OperationRecord,
  type Transaction,
  TransactionBuilder,
} from '@stellar/stellar-sdk/base'
import type { AnchorConfig } from '@windlass/contracts/anchor-config.ts'
import { assetField, servedAsset, servedAssets, type AssetKey } from '@windlass/contracts/served-assets.ts'
import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/database.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import { readTransfer } from '@windlass/stellar/asset-contract.ts'
import type { HorizonAccount } from '@windlass/stellar/horizon-account.ts'
import { PAGE, type AccountTransaction } from '@windlass/stellar/horizon.ts'
import { LedgerError } from '@windlass/stellar/ledger-error.ts'
import { sql, type Insertable, type Selectable } from 'kysely'
import type { Deps } from '../deps.ts'
import { recordExchange, recordSweep, recordUnrecorded } from '../journal/entries.ts'
import { unitOf } from '../journal/journal.ts'
import type {
  LedgerAsset,
  LedgerIncident,
  LedgerPayment,
  Tables,
  Transfer,
  UnrecordedPaymentTable,
} from '../tables.ts'
import { isColdAccount } from '../treasury/settings.ts'
import { depositsTo, noteMessage, PAID_ALREADY } from '../transfers/find.ts'
import { memoOf } from './build-payment.ts'
import { causeMark, SWEEP_MEMO } from './cause.ts'
import { channelsIn, hasForeignChannels, recordForeign } from './channels.ts'
import { IS_UNITS } from './ledger-payments.ts'
import { openIncident, openIncidents } from './incidents.ts'
import { restoredAt } from './restored.ts'

type Unrecorded = Selectable<UnrecordedPaymentTable>

/** How long money may take over a rail whose payment an operator explained already. */
const LATE_MONEY_MS = 30 * 24 * 60 * 60 * 1_000
/** Transactions that are recorded at once. */
const CHUNK = 20

/**
 * Makes sure that every transaction that used the distribution account is known, and records the payments among those
 * that this database did not make. Until then nothing new is signed: it could be one of them. Returns the account whose
 * sequence number this holds for; null where it is not on the ledger.
 *
 * @throws {LedgerError} `ledger-unavailable` where Horizon does not show the account's history up to that number.
 */
export const recordUnknown = (deps: Deps): Promise<HorizonAccount | null> => recordSince(deps, 'to-sign')

/** As {@link recordUnknown}, where ledgers are missing too: what is in the others is recorded, to find what is missing. */
export async function recordVisible(deps: Deps): Promise<void> {
  await recordSince(deps, 'to-read')
}

/** As {@link recordUnknown}; payments that are signed in channels at the same time share one look at the ledger. */
export function recordTogether(deps: Deps): Promise<HorizonAccount | null> {
  const before = looking.get(deps.database)
  if (before) return before
  const look = recordSince(deps, 'to-sign').finally(() => looking.delete(deps.database))
  looking.set(deps.database, look)
  return look
}

const looking = new WeakMap<Deps['database'], Promise<HorizonAccount | null>>()

/** As {@link recordUnknown}, whatever is known of the account's own sequence numbers: channels have others. */
export const recordAgain = (deps: Deps): Promise<HorizonAccount | null> => recordSince(deps, 'again')

/**
 * As {@link recordAgain}, at least up to the account's transaction with this sequence number.
 *
 * @throws {LedgerError} `ledger-unavailable` where the answer is of a time before it.
 */
export async function recordUpTo(deps: Deps, sequence: string): Promise<void> {
  const account = await recordAgain(deps)
  if (!account || BigInt(account.sequence) < BigInt(sequence)) throw behind()
}

async function recordSince(deps: Deps, why: 'to-sign' | 'to-read' | 'again'): Promise<HorizonAccount | null> {
  const { db } = deps.database
  const account = await deps.horizon.account(deps.config.anchor.accounts.distribution)
  if (!account || isUnused(account)) return account
  const isLooked = why !== 'again' && !(await hasForeignChannels(db))
  if (isLooked && (await isAccounted(db, account))) return account
  const known = await findKnown(deps, account)
  if (known.isCut && why !== 'to-read') await requireCompared(db, known.elder)
  const isProven = !known.isCut || why !== 'to-read'
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
  /** Of the account's last transaction up to there. */
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

/** A paging token starts with its ledger's number, times 2³². */
const ledgerOf = (cursor: string): number => Number(BigInt(cursor) >> 32n)

/**
 * Records what is unknown after a place, oldest first; where Horizon refuses the rest, what was recorded is not asked
 * for again. Returns the newest place.
 */
async function recordAfter(deps: Deps, { id }: HorizonAccount, known: Known, keep: boolean): Promise<Place> {
  const { db } = deps.database
  let { cursor, sequence } = known
  for (;;) {
    const page = await deps.horizon.transactionsOf(id, cursor === '0' ? '' : cursor, 'asc')
    const paid = page.filter(each => isPaidBy(deps, each))
    const ours = await findOurs(db, paid)
    const unknown = paid.filter(({ hash, innerHash }) => !ours.has(hash) && !ours.has(innerHash ?? ''))
    for (let start = 0; start < unknown.length; start += CHUNK) {
      const chunk = unknown.slice(start, start + CHUNK)
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

const PAYING = ['payment', 'createClaimableBalance', 'claimClaimableBalance', 'invokeHostFunction']

/** Whether the distribution account is its source, pays in it with a channel's sequence number, or receives a channel's rest. */
function isPaidBy({ config }: Deps, { source, xdr }: AccountTransaction): boolean {
  const { accounts, network } = config.anchor
  if (source === accounts.distribution) return true
  return decode(xdr, network.passphrase).operations.some(
    operation =>
      (operation.source === accounts.distribution && PAYING.includes(operation.type)) ||
      (operation.type === 'accountMerge' && operation.destination === accounts.distribution),
  )
}

async function recordChannels(
  { config }: Deps,
  tx: Db<Tables>,
  { source, successful, xdr }: AccountTransaction,
): Promise<void> {
  const { accounts, network } = config.anchor
  if (!successful) return
  const { opened, closed } = channelsIn(decode(xdr, network.passphrase))
  await recordForeign(tx, { opened: source === accounts.distribution ? opened : [], closed })
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

type NewUnrecorded = Insertable<UnrecordedPaymentTable>

async function paymentsIn(
  { config, horizon }: Deps,
  { successful, hash, innerHash, xdr, ledger: sequence }: AccountTransaction,
): Promise<NewUnrecorded[]> {
  if (!successful) return []
  const { anchor } = config
  const ledger = await horizon.ledger(sequence)
  if (!ledger) throw behind()
  const transaction = decode(xdr, anchor.network.passphrase)
  const common = {
    hash: innerHash ?? hash,
    xdr: transaction.toXdr(),
    source: transaction.source,
    sequence: transaction.sequence,
    max_time: Number(transaction.timeBounds?.maxTime ?? 0),
    ledger_sequence: ledger.sequence,
    ledger_hash: ledger.hash,
    ledger_closed_at: ledger.closedAt,
    payment_id: null,
  }
  const { distribution } = anchor.accounts
  return transaction.operations.flatMap((operation, index): NewUnrecorded[] => {
    const own = { ...common, operation: index }
    if ((operation.source ?? transaction.source) !== distribution) return []
    if (operation.type === 'claimClaimableBalance')
      return [{ ...own, destination: distribution, amount: null, asset: null }]
    const called = transferIn(anchor, operation)
    if (called) return [{ ...own, ...called }]
    const paid = operation.type === 'payment' || operation.type === 'createClaimableBalance'
    if (!paid) return []
    const { asset, amount } = operation
    const paidIn = keyOf(anchor, each => each.equals(asset))
    if (paidIn === undefined) return []
    const destination =
      operation.type === 'payment' ? operation.destination : (operation.claimants[0]?.destination ?? '')
    return [{ ...own, destination, amount, asset: paidIn }]
  })
}

/** The key of an asset that the anchor serves, or of XLM; undefined: it is another one. */
function keyOf(anchor: AnchorConfig, isIt: (asset: Asset) => boolean): LedgerAsset | undefined {
  if (isIt(Asset.native())) return 'native'
  return servedAssets(anchor).find(({ code, issuer }) => isIt(new Asset(code, issuer)))?.key
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

function decode(xdr: string, passphrase: string): Transaction {
  const transaction = TransactionBuilder.fromXdr(xdr, passphrase)
  return transaction instanceof FeeBumpTransaction ? transaction.innerTransaction : transaction
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
  const { memo } = decode(payment.xdr, deps.config.anchor.network.passphrase)
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

/** XLM is not in the journal; what a balance that was taken back brought is recorded with its payment. */
const isOfAsset = <P extends Pick<NewUnrecorded, 'amount' | 'asset'>>(
  payment: P,
): payment is P & { amount: string; asset: AssetKey } =>
  typeof payment.amount === 'string' && payment.asset !== 'native'

const causeOf = ({ hash, operation }: Pick<Unrecorded, 'hash' | 'operation'>): string =>
  `unrecorded:${hash}:${operation}`

/**
 * Ends a payment as made where the ledger has it already, made from a later state of this database. False: it is not
 * there. Needs {@link recordUnknown} before.
 *
 * @throws {Error} where another amount or asset was paid for the same cause: it must not be paid again, and is not that
 *   payment.
 */
export async function adoptUnrecorded(deps: Deps, payment: LedgerPayment): Promise<boolean> {
  const { db } = deps.database
  const open = await db
    .selectFrom('unrecorded_payments')
    .selectAll()
    .where('payment_id', 'is', null)
    .where('destination', 'in', [payment.destination, baseAccount(payment.destination)])
    .orderBy('ledger_sequence')
    .execute()
  const sent = open.find(each => isFor(deps, each, payment))
  if (!sent) return false
  // A claim names neither.
  if (sent.amount !== null) {
    const found = `by transaction ${sent.hash}`
    if (sent.asset !== payment.asset) throw new Error(`another asset was paid already, ${found}`)
    if (parseAmount(sent.amount) !== parseAmount(payment.amount))
      throw new Error(`another amount was paid already, ${found}`)
  }
  await db.transaction().execute(tx => adopt(tx, sent, payment))
  deps.logger.warn({ payment: payment.id, hash: sent.hash }, 'a payment was made before, by a later state')
  return true
}

function isFor({ config }: Deps, sent: Unrecorded, payment: LedgerPayment): boolean {
  // A claimable balance names no muxed account.
  const { destination } = payment
  if (sent.destination !== destination && sent.destination !== baseAccount(destination)) return false
  const transaction = decode(sent.xdr, config.anchor.network.passphrase)
  const mark = Number(transaction.timeBounds?.minTime ?? 0)
  if (mark !== 0) return mark === causeMark(payment.cause)
  // Version 0.1 did not mark what it paid.
  const { memo } = transaction
  const expected = memoOf(payment)
  const sameMemo = memo.type === expected.type && memoText(memo) === memoText(expected)
  const sameAmount = sent.amount !== null && parseAmount(sent.amount) === parseAmount(payment.amount)
  return sameMemo && sameAmount && sent.asset === payment.asset && sent.ledger_closed_at > payment.created_at
}

/** A decoded text is bytes. */
const memoText = ({ type, value }: Memo): string =>
  type === 'text' && value instanceof Uint8Array ? Buffer.from(value).toString() : String(value)

async function adopt(tx: Db<Tables>, sent: Unrecorded, payment: LedgerPayment): Promise<void> {
  const adopted = await tx
    .updateTable('unrecorded_payments')
    .set({ payment_id: payment.id })
    .where('hash', '=', sent.hash)
    .where('operation', '=', sent.operation)
    .where('payment_id', 'is', null)
    .returning('closed')
    .executeTakeFirst()
  if (!adopted) throw new Error('the payment on the ledger was taken for another one')
  await tx
    .insertInto('ledger_envelopes')
    .values({
      hash: sent.hash,
      payment_id: payment.id,
      xdr: sent.xdr,
      source: sent.source,
      sequence: sent.sequence,
      max_time: Number(sent.max_time),
      ledger_sequence: sent.ledger_sequence,
      ledger_hash: sent.ledger_hash,
      ledger_closed_at: sent.ledger_closed_at.toISOString(),
      state: 'applied',
      why: 'made before, by a later state of this database',
    })
    .execute()
  // The payment's own entry follows.
  const entry = `adopted:${sent.hash}:${sent.operation}`
  if (isOfAsset(sent)) {
    const { asset, amount } = sent
    await recordUnrecorded(tx, entry, { asset, amount: `-${amount}` })
    if (adopted.closed) await recordExchange(tx, `${entry}:explained`, unitOf(asset), amount)
  }
  await tx
    .updateTable('ledger_incidents')
    .set({ resolved_at: sql<Date>`clock_timestamp()`, resolution: 'Its transaction is known again.' })
    .where('kind', '=', 'unrecorded-payment')
    .where('subject', '=', causeOf(sent))
    .where('resolved_at', 'is', null)
    .execute()
}

/** Opens an incident for each payment that no queued payment here accounts for. */
export async function reportUnrecorded(deps: Deps): Promise<void> {
  const { db } = deps.database
  const open = await db
    .selectFrom('unrecorded_payments')
    .selectAll()
    .where('payment_id', 'is', null)
    .where('reported', '=', false)
    .execute()
  for (const each of open) {
    const queued = await db
      .selectFrom('ledger_payments')
      .selectAll()
      .where('state', '=', 'queued')
      .where(({ or, eb }) => or([eb('destination', '=', each.destination), eb('claimable', '=', true)]))
      .execute()
    if (queued.some(payment => isFor(deps, each, payment))) continue
    await db.transaction().execute(async tx => {
      await tx
        .updateTable('unrecorded_payments')
        .set({ reported: true })
        .where('hash', '=', each.hash)
        .where('operation', '=', each.operation)
        .execute()
      const deposit = await depositOf(deps, tx, each)
      await openIncident(tx, incidentOf(deps, each, deposit))
      if (deposit) await noteMessage(tx, deposit.id, PAID_ALREADY)
    })
  }
}

function incidentOf(deps: Deps, sent: Unrecorded, transfer: Transfer | undefined) {
  const unit = sent.asset === 'native' ? 'XLM' : servedAsset(deps.config.anchor, sent.asset).code
  const amount = sent.amount === null ? null : formatAmount(parseAmount(sent.amount))
  const what =
    amount === null ? 'took a claimable balance back' : `paid ${amount} ${unit} to ${sent.destination}`
  const next = transfer
    ? `It is the payment of deposit ${transfer.id}. Have the rail report the deposit's money again ` +
      `(reference ${transfer.reference}, ${transfer.fiat_amount} ${transfer.currency}): the deposit is then completed ` +
      'without a second payment. If the customer has paid again since, return that payment.'
    : 'Find what it was for in the statements of your rails and in your logs, then resolve the incident.'
  return {
    kind: 'unrecorded-payment' as const,
    subject: causeOf(sent),
    message:
      `Transaction ${sent.hash} ${what} and is not recorded here: it was made after the state of the database that ` +
      `was restored, or by someone else who has the account's key. ${next}`,
    details: {
      transaction: sent.hash,
      amount,
      ...assetField(sent.asset),
      destination: sent.destination,
      closedAt: sent.ledger_closed_at,
      ...(transfer ? { deposit: transfer.id } : {}),
    },
  }
}

async function depositOf({ config }: Deps, tx: Db<Tables>, sent: Unrecorded): Promise<Transfer | undefined> {
  const mark = Number(decode(sent.xdr, config.anchor.network.passphrase).timeBounds?.minTime ?? 0)
  const deposits = await depositsTo(tx, sent.destination)
  return deposits.find(({ id }) => mark === causeMark(`deposit:${id}`))
}

/** The payment for this cause that the ledger shows and no payment here accounts for. */
export async function findUnrecorded(
  deps: Deps,
  tx: Db<Tables>,
  cause: string,
): Promise<Pick<Unrecorded, 'amount' | 'asset'> | undefined> {
  const open = await tx
    .selectFrom('unrecorded_payments')
    .select(['xdr', 'amount', 'asset'])
    .where('payment_id', 'is', null)
    .execute()
  const mark = causeMark(cause)
  return open.find(
    ({ xdr }) => Number(decode(xdr, deps.config.anchor.network.passphrase).timeBounds?.minTime ?? 0) === mark,
  )
}

/**
 * Whether money that belongs to no transaction here may belong to one that an older state lacks: the ledger has
 * payments that nobody has explained, or whose money nobody has found within 30 days, or has not been compared yet.
 */
export async function mayBelongToLost(db: Db<Tables>, now: Date): Promise<boolean> {
  const restored = await restoredAt(db)
  if (restored === null) return false
  if (!(await isCompared(db))) return true
  const paid = await db
    .selectFrom('unrecorded_payments')
    .select(({ fn }) => [
      fn.countAll<string>().filterWhere('amount', 'is not', null).filterWhere(IS_UNITS).as('all'),
      fn.countAll<string>().filterWhere('closed', '=', false).as('open'),
    ])
    .where('payment_id', 'is', null)
    .where('is_sweep', '=', false)
    .executeTakeFirstOrThrow()
  if (Number(paid.open) > 0) return true
  // An operator may explain a payment before the bank reports the money that it was for.
  const found = await db
    .selectFrom('rail_receipts')
    .select(({ fn }) => fn.countAll<string>().as('receipts'))
    .where('outcome', '=', 'kept')
    .executeTakeFirstOrThrow()
  return Number(paid.all) > Number(found.receipts) && restored.getTime() > now.getTime() - LATE_MONEY_MS
}

/** Whether all that the ledger has was read since an older state was restored. */
export async function isCompared(db: Db<Tables>): Promise<boolean> {
  const restored = await restoredAt(db)
  if (restored === null) return true
  const read = await db.selectFrom('observed').select('caught_up_at').executeTakeFirst()
  if (await hasForeignChannels(db)) return false
  return Boolean(read?.caught_up_at && read.caught_up_at >= restored)
}

/** The network was reset: what the old chain had is owed again. */
export async function forgetUnrecorded(tx: Db<Tables>): Promise<void> {
  await tx.deleteFrom('unrecorded_payments').where('payment_id', 'is', null).execute()
}

/** An operator explained the payment: what it was for was settled outside of this journal. */
export async function endUnrecorded(tx: Db<Tables>, { id, subject }: LedgerIncident): Promise<void> {
  const [, hash = '', operation] = subject.split(':')
  const row = await tx
    .selectFrom('unrecorded_payments')
    .selectAll()
    .where('hash', '=', hash)
    .where('operation', '=', Number(operation))
    .where('payment_id', 'is', null)
    .executeTakeFirst()
  await tx
    .updateTable('unrecorded_payments')
    .set({ closed: true })
    .where('hash', '=', hash)
    .where('operation', '=', Number(operation))
    .execute()
  if (row && isOfAsset(row)) await recordExchange(tx, `resolved:${id}`, unitOf(row.asset), `-${row.amount}`)
}
