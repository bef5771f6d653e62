import { FeeBumpTransaction, type Transaction, TransactionBuilder } from '@stellar/stellar-sdk/base'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/database.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import type { HorizonAccount } from '@windlass/stellar/horizon-account.ts'
import { PAGE, type AccountTransaction } from '@windlass/stellar/horizon.ts'
import { LedgerError } from '@windlass/stellar/ledger-error.ts'
import { sql, type Insertable, type Selectable } from 'kysely'
import type { Deps } from '../deps.ts'
import { recordExchange, recordUnrecorded } from '../journal/entries.ts'
import type { LedgerIncident, LedgerPayment, Tables, Transfer, UnrecordedPaymentTable } from '../tables.ts'
import { depositsTo, noteMessage, PAID_ALREADY } from '../transfers/find.ts'
import { memoOf } from './build-payment.ts'
import { causeMark } from './cause.ts'
import { openIncident, openIncidents } from './incidents.ts'

type Unrecorded = Selectable<UnrecordedPaymentTable>

const MAX_PAGES = 500
/** Transactions that are recorded at once. */
const CHUNK = 20

/**
 * When the database was last set back to an older state; null: never. `windlass restore` sets it for each database.
 */
export async function restoredAt(db: Db<Tables>): Promise<Date | null> {
  const { rows } = await sql<{ at: string | null }>`
    select nullif(current_setting('windlass.restored_at', true), '') as at`.execute(db)
  return rows[0]?.at ? new Date(rows[0].at) : null
}

/**
 * Makes sure that every transaction that used the distribution account is known, and records the payments among those
 * that this database did not make. Until then nothing new is signed: it could be one of them. Returns the account whose
 * sequence number this holds for; null where it is not on the ledger.
 *
 * @throws {LedgerError} `ledger-unavailable` where Horizon does not show the account's history up to that number.
 */
export async function recordUnknown(deps: Deps): Promise<HorizonAccount | null> {
  const { db } = deps.database
  const account = await deps.horizon.account(deps.config.anchor.accounts.distribution)
  if (!account || isUnused(account) || (await isAccounted(db, account))) return account
  const unknown = await findUnknown(deps, account)
  // Oldest first, and what is recorded is not asked for again: Horizon may refuse so many requests.
  for (let start = 0; start < unknown.length; start += CHUNK) {
    const chunk = unknown.slice(start, start + CHUNK)
    const payments = (await Promise.all(chunk.map(each => paymentsIn(deps, each)))).flat()
    await db.transaction().execute(async tx => {
      for (const payment of payments) await record(tx, payment)
      await setAccounted(tx, account, chunk.at(-1)?.sourceSequence)
    })
    if (payments.length > 0)
      deps.logger.error({ payments: payments.length }, 'the ledger has payments that are not recorded here')
  }
  await setAccounted(db, account)
  return account
}

async function setAccounted(
  db: Db<Tables>,
  account: HorizonAccount,
  sequence = account.sequence,
): Promise<void> {
  await db
    .updateTable('observed')
    .set({ accounted_sequence: sequence })
    .where('account', '=', account.id)
    .execute()
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
            .select('hash')
            .where('source', '=', id)
            .where('sequence', '=', sequence)
            .where('state', '=', 'applied'),
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

/** Back to the newest transaction that is known: it was built when all before it were. */
async function findUnknown(deps: Deps, account: HorizonAccount): Promise<AccountTransaction[]> {
  const { db } = deps.database
  const found: AccountTransaction[] = []
  let isNewest = true
  let cursor: string | undefined
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await deps.horizon.transactionsOf(account.id, cursor)
    for (const each of page) {
      if (each.source !== account.id) continue
      if (isNewest && BigInt(each.sourceSequence) < BigInt(account.sequence)) throw behind()
      isNewest = false
      const known = await isAccounted(db, { ...account, sequence: each.sourceSequence })
      if (known || (await isOurs(db, each))) return found
      found.unshift(each)
    }
    if (page.length < PAGE) {
      if (isNewest && !(await isCut(deps, account))) throw behind()
      await requireFullHistory(db)
      return found
    }
    cursor = page.at(-1)?.cursor
  }
  throw new LedgerError('ledger-unavailable', 'The distribution account has too much unread history.')
}

const behind = (): LedgerError =>
  new LedgerError('ledger-unavailable', 'Horizon does not show the last transaction of the account yet.')

/** Whether Horizon has dropped ledgers: the account's last transaction is then older than what the observer has read. */
async function isCut({ horizon }: Deps, { ledger }: HorizonAccount): Promise<boolean> {
  const { elder, latest } = await horizon.history()
  return elder > 2 && ledger !== null && latest >= ledger
}

async function isOurs(db: Db<Tables>, { hash, innerHash }: AccountTransaction): Promise<boolean> {
  const query = db.selectFrom('ledger_envelopes').select('hash')
  const row = await query.where('hash', 'in', innerHash ? [hash, innerHash] : [hash]).executeTakeFirst()
  return row !== undefined
}

/** A payment in a gap of the history may be one of those that wait. */
async function requireFullHistory(db: Db<Tables>): Promise<void> {
  if ((await openIncidents(db, 'history-gap')).length === 0) return
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
  return transaction.operations.flatMap((operation, index): NewUnrecorded[] => {
    const own = { ...common, operation: index }
    if (operation.type === 'claimClaimableBalance')
      return [{ ...own, destination: transaction.source, amount: null, asset: null }]
    const paid = operation.type === 'payment' || operation.type === 'createClaimableBalance'
    if (!paid) return []
    const { asset, amount } = operation
    const ours = asset.code === anchor.plan.asset.code && asset.issuer === anchor.accounts.issuer
    if (!ours && !asset.isNative()) return []
    const destination =
      operation.type === 'payment' ? operation.destination : (operation.claimants[0]?.destination ?? '')
    return [{ ...own, destination, amount, asset: ours ? null : 'native' }]
  })
}

function decode(xdr: string, passphrase: string): Transaction {
  const transaction = TransactionBuilder.fromXdr(xdr, passphrase)
  return transaction instanceof FeeBumpTransaction ? transaction.innerTransaction : transaction
}

async function record(tx: Db<Tables>, payment: NewUnrecorded): Promise<void> {
  const added = await tx
    .insertInto('unrecorded_payments')
    .values(payment)
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirst()
  if (added.numInsertedOrUpdatedRows === 0n || !isOfAsset(payment)) return
  await recordUnrecorded(tx, causeOf(payment), payment.amount)
}

/** XLM is not in the journal; what a balance that was taken back brought is recorded with its payment. */
const isOfAsset = <P extends Pick<NewUnrecorded, 'amount' | 'asset'>>(
  payment: P,
): payment is P & { amount: string } => typeof payment.amount === 'string' && payment.asset === null

const causeOf = ({ hash, operation }: Pick<Unrecorded, 'hash' | 'operation'>): string =>
  `unrecorded:${hash}:${operation}`

/**
 * Ends a payment as made where the ledger has it already, made from a later state of this database. False: it is not
 * there. Needs {@link recordUnknown} before.
 *
 * @throws {Error} where another amount was paid for the same cause: it must not be paid again, and is not that payment.
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
  if (sent.amount !== null && parseAmount(sent.amount) !== parseAmount(payment.amount)) {
    throw new Error(`another amount was paid already, by transaction ${sent.hash}`)
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
  if (mark !== 0) return mark === causeMark(payment.cause) && sent.asset === payment.asset
  // Version 0.1 did not mark what it paid.
  const { memo } = transaction
  const expected = memoOf(payment)
  const sameMemo = memo.type === expected.type && String(memo.value) === String(expected.value)
  const sameAmount = sent.amount !== null && parseAmount(sent.amount) === parseAmount(payment.amount)
  return sameMemo && sameAmount && sent.asset === payment.asset && sent.ledger_closed_at > payment.created_at
}

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
  if (isOfAsset(sent)) await recordUnrecorded(tx, entry, `-${sent.amount}`)
  if (isOfAsset(sent) && adopted.closed) await recordExchange(tx, `${entry}:explained`, 'asset', sent.amount)
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
  const { code } = deps.config.anchor.plan.asset
  const unit = sent.asset === 'native' ? 'XLM' : code
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
): Promise<Pick<Unrecorded, 'amount'> | undefined> {
  const open = await tx
    .selectFrom('unrecorded_payments')
    .select(['xdr', 'amount'])
    .where('payment_id', 'is', null)
    .execute()
  const mark = causeMark(cause)
  return open.find(
    ({ xdr }) => Number(decode(xdr, deps.config.anchor.network.passphrase).timeBounds?.minTime ?? 0) === mark,
  )
}

/**
 * Whether money that belongs to no transaction here may belong to one that an older state lacks: the ledger has
 * payments that nobody has explained, or has not been compared yet.
 */
export async function mayBelongToLost(db: Db<Tables>): Promise<boolean> {
  if ((await restoredAt(db)) === null) return false
  if (!(await isCompared(db))) return true
  const unexplained = await db
    .selectFrom('unrecorded_payments')
    .select('hash')
    .where('payment_id', 'is', null)
    .where('closed', '=', false)
    .executeTakeFirst()
  return unexplained !== undefined
}

/** Whether all that the ledger has was read since an older state was restored. */
export async function isCompared(db: Db<Tables>): Promise<boolean> {
  const restored = await restoredAt(db)
  if (restored === null) return true
  const read = await db.selectFrom('observed').select('caught_up_at').executeTakeFirst()
  return Boolean(read?.caught_up_at && read.caught_up_at >= restored)
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
  if (row && isOfAsset(row)) await recordExchange(tx, `resolved:${id}`, 'asset', `-${row.amount}`)
}
