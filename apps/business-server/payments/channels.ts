import { Account, Operation, type Transaction, TransactionBuilder, type xdr } from '@stellar/stellar-sdk/base'
import type { AnchorConfig } from '@windlass/contracts/internal/anchor-config.ts'
import { servesXlm } from '@windlass/contracts/internal/served-assets.ts'
import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import { readScalar, scalar, together } from '@windlass/service/postgres/scalars.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import { spendableXlm, type HorizonAccount } from '@windlass/stellar/horizon-account.ts'
import type { LedgerHead } from '@windlass/stellar/horizon.ts'
import { addSignature, generateKey, signTransaction } from '@windlass/stellar/keys.ts'
import { LedgerError } from '@windlass/stellar/ledger-error.ts'
import { readEnvelope, type Envelope, type EnvelopeOperation } from '@windlass/stellar/read-envelope.ts'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Deps } from '../deps.ts'
import { reservedAmounts } from '../money/treasury/treasury.ts'
import type { LedgerPayment, Tables } from '../tables.ts'
import { countAgreedDepositors } from '../transfers/find.ts'
import { causeMark } from './build-payment.ts'
import { IS_STRANGERS, queuePayment } from './ledger-payments.ts'
import { lastRestore, restoredAt } from './restored.ts'
import { waitColumns } from './waits.ts'

/*
 * Channel accounts (docs/adr/0049): each payment of a channel uses its sequence number, and the distribution account
 * pays and signs. A channel holds nothing, and only the distribution account's key can sign for it.
 */

/** Payments that are due at once, and customers who may pay at once, before channels are worth their reserve. */
const BUSY = 10
const MOST = 76
/** In one transaction: each new account signs it, and a transaction has at most 20 signatures. */
const OPENED_AT_ONCE = 19
const CLOSED_AT_ONCE = 60
/** Base reserves that a channel takes: two as an account, one for its signer. */
const RESERVES = 3n
/** What stays free for payments. */
const KEPT_FREE = parseAmount('10')

/** Whether the payment opens or closes channels, or deploys a contract, and pays nobody. */
export const isUpkeep = ({ purpose }: Pick<LedgerPayment, 'purpose'>): boolean =>
  purpose === 'open-channels' || purpose === 'close-channels' || purpose === 'deploy-contract'

/** Channels in which nothing is under way. */
export async function freeChannels(db: Db<Tables>): Promise<string[]> {
  const rows = await db
    .selectFrom('ledger_channels')
    .select('account')
    .where('state', '=', 'open')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('ledger_envelopes')
            .select('hash')
            .whereRef('source', '=', 'ledger_channels.account')
            .where('state', '=', 'open'),
        ),
      ),
    )
    .orderBy('account')
    .limit(MOST)
    .execute()
  return rows.map(({ account }) => account)
}

/** Whether the account is one of the anchor's channels, open or not. */
export async function isChannel(db: Db<Tables>, address: string): Promise<boolean> {
  return exists(
    db.selectFrom('ledger_channels').select('account').where('account', '=', baseAccount(address)),
  )
}

/** Payments that are due now and may use channels: counted as far as it makes a difference. */
export async function countDue(db: Db<Tables>): Promise<number> {
  const first = db
    .selectFrom('ledger_payments')
    .select('id')
    .where('state', '=', 'queued')
    .where('purpose', 'not in', ['open-channels', 'close-channels', 'deploy-contract'])
    .where('next_try_at', '<=', sql<Date>`now()`)
    .where(sql<boolean>`not ${IS_STRANGERS}`)
    .orderBy('next_try_at')
    .limit(MOST + 1)
  const { due } = await db
    .selectFrom(first.as('first'))
    .select(({ fn }) => fn.countAll<string>().as('due'))
    .executeTakeFirstOrThrow()
  return Number(due)
}

/**
 * Queues what channels need: more of them for many payments that are due or agreed, or the end of those that another
 * server may use.
 */
export async function planChannels(deps: Deps, due: number): Promise<void> {
  const { db } = deps.database
  if (await hasForeignChannels(db)) {
    if (!(await isPlanned(db, 'close-channels'))) await queueUpkeep(deps, 'close-channels', 1n)
    return
  }
  const wanted = Math.min(MOST, due + (await countAgreedDepositors(db)))
  if (wanted < BUSY || (await isPlanned(db, 'open-channels'))) return
  const { open } = await db
    .selectFrom('ledger_channels')
    .select(({ fn }) => fn.countAll<string>().as('open'))
    .where('state', '=', 'open')
    .executeTakeFirstOrThrow()
  // Fewer go out with the next ledger's sequence numbers before new channels are there.
  if (wanted - Number(open) < BUSY) return
  const account = await deps.routineHorizon.account(deps.config.anchor.accounts.distribution)
  const { baseReserve } = await deps.routineHorizon.head()
  if (!account) return
  const each = RESERVES * baseReserve
  // Customers' XLM opens none.
  const owed = servesXlm(deps.config.anchor) ? ((await readScalar(db, reservedAmounts)).get(null) ?? 0n) : 0n
  const affordable = (spendableXlm(account, baseReserve) - KEPT_FREE - owed) / each
  // A transaction opens as many as it can: it takes a ledger, while more payments come.
  const transactions = Math.ceil((wanted - Number(open)) / OPENED_AT_ONCE)
  // The first one uses the distribution account's sequence number. Open channels give theirs to others, in one ledger.
  const most = OPENED_AT_ONCE * Math.min(transactions, Math.max(1, Number(open)))
  let left = Math.min(most, MOST - Number(open), Number(affordable))
  for (; left > 0; left -= OPENED_AT_ONCE)
    await queueUpkeep(deps, 'open-channels', BigInt(Math.min(left, OPENED_AT_ONCE)) * each)
}

/** Channels of an older state: the server that was replaced may have signed with them. */
async function markForeign(db: Db<Tables>, restored: Date): Promise<void> {
  await db
    .updateTable('ledger_channels')
    .set({ foreign_use: true })
    .where('state', '<>', 'closed')
    .where('foreign_use', '=', false)
    .where('opened_at', '<=', restored)
    .execute()
}

/** Channels that an unknown transaction opened (its accounts) or closed. */
export async function recordForeign(
  tx: Db<Tables>,
  { opened, closed }: { opened: string[]; closed: string[] },
): Promise<void> {
  for (const account of opened)
    await tx
      .insertInto('ledger_channels')
      .values({ account, foreign_use: true })
      .onConflict(conflict => conflict.column('account').doNothing())
      .execute()
  if (closed.length > 0) await setClosed(tx, closed)
}

async function setClosed(tx: Db<Tables>, accounts: string[]): Promise<void> {
  await tx.updateTable('ledger_channels').set({ state: 'closed' }).where('account', 'in', accounts).execute()
}

/** Whether another server may use channels: payments by them are not known for certain. */
export async function hasForeignChannels(db: Db<Tables>): Promise<boolean> {
  const { restored, foreign } = await readScalar(
    db,
    together({ restored: lastRestore, foreign: foreignInUse }),
  )
  if (restored === null) return foreign
  await markForeign(db, restored)
  return (await readScalar(db, foreignInUse)) || isOpening(db, restored)
}

const foreignInUse = scalar(
  sql<boolean>`select exists (select from ledger_channels where foreign_use and state <> 'closed')`,
  isInUse => isInUse,
)

/** Whether an older state has a signed opening whose end it does not know: the server that was replaced may know it. */
async function isOpening(db: Db<Tables>, restored: Date): Promise<boolean> {
  return exists(
    db
      .selectFrom('ledger_payments')
      .innerJoin('ledger_envelopes', 'ledger_envelopes.payment_id', 'ledger_payments.id')
      .select('ledger_payments.id')
      .where('purpose', '=', 'open-channels')
      .where('ledger_payments.state', '=', 'queued')
      .where('ledger_payments.created_at', '<=', restored)
      .where('ledger_envelopes.state', 'in', ['open', 'applied']),
  )
}

/**
 * Nothing is signed while another server may have payments under way in channels: it could be the same one.
 *
 * @throws {LedgerError} `ledger-unavailable`
 */
export async function requireOwnChannels(db: Db<Tables>): Promise<void> {
  if (!(await hasForeignChannels(db))) return
  throw new LedgerError(
    'ledger-unavailable',
    'Channel accounts that another server may use are closed first. Then payments continue.',
  )
}

/** Whether one is queued, or was given up within the hour. */
async function isPlanned(db: Db<Tables>, purpose: 'open-channels' | 'close-channels'): Promise<boolean> {
  return exists(
    db
      .selectFrom('ledger_payments')
      .select('id')
      .where('purpose', '=', purpose)
      .where(({ or, and, eb }) =>
        or([
          eb('state', '=', 'queued'),
          // A closing is canceled where there was nothing to close.
          and([
            eb('state', '=', 'canceled'),
            eb('purpose', '=', 'open-channels'),
            eb('created_at', '>', sql<Date>`now() - interval '1 hour'`),
          ]),
        ]),
      ),
  )
}

async function queueUpkeep(
  deps: Deps,
  purpose: 'open-channels' | 'close-channels',
  reserve: bigint,
): Promise<void> {
  const cause = `${purpose}:${randomUUID()}`
  await queuePayment(deps, deps.database.db, {
    cause,
    transfer_id: null,
    purpose,
    destination: deps.config.anchor.accounts.distribution,
    amount: formatAmount(amountOf(reserve)),
    asset: 'native',
    memo: null,
    memo_type: null,
    claimable: false,
  })
  // Before the payments that wait for it.
  await deps.database.db
    .updateTable('ledger_payments')
    .set({ next_try_at: sql<Date>`now() - interval '1 day'` })
    .where('cause', '=', cause)
    .execute()
}

interface Upkeep {
  treasury: HorizonAccount
  /** Gives the sequence number: the treasury itself, or a channel that is open. */
  source: HorizonAccount
  head: LedgerHead
  /** Stroops for one operation. */
  fee: bigint
  maxTime: number
}

/** The signed transaction that opens or closes channels; null: there is nothing to do. */
export async function buildUpkeep(
  deps: Deps,
  payment: LedgerPayment,
  { treasury, source, head, fee, maxTime }: Upkeep,
): Promise<Transaction | null> {
  const count = Number(parseAmount(payment.amount) / (RESERVES * head.baseReserve))
  const keys = payment.purpose === 'open-channels' ? Array.from({ length: count }, generateKey) : []
  const operations =
    payment.purpose === 'open-channels'
      ? keys.flatMap(({ publicKey }) => opening(publicKey, treasury.id))
      : await closing(deps, treasury.id)
  if (operations.length === 0) return null
  const builder = new TransactionBuilder(new Account(source.id, source.sequence), {
    fee: fee.toString(),
    networkPassphrase: deps.config.anchor.network.passphrase,
    timebounds: { minTime: causeMark(payment.cause), maxTime },
  })
  for (const operation of operations) builder.addOperation(operation)
  const transaction = builder.build()
  // Each key signs this once and is forgotten: from then on its weight is zero.
  for (const { secret } of keys) signTransaction(transaction, secret)
  await addSignature(transaction, deps.distribution)
  return transaction
}

/** An account without XLM, for which only the distribution account's key can sign. */
const opening = (channel: string, treasury: string): xdr.Operation[] => [
  Operation.beginSponsoringFutureReserves({ sponsoredId: channel, source: treasury }),
  Operation.createAccount({ destination: channel, startingBalance: '0', source: treasury }),
  Operation.setOptions({
    source: channel,
    masterWeight: 0,
    ...{ lowThreshold: 1, medThreshold: 1, highThreshold: 1 },
    signer: { ed25519PublicKey: treasury, weight: 1 },
  }),
  Operation.endSponsoringFutureReserves({ source: channel }),
]

/** Closes foreign channels without an envelope of ours that may still apply: its end could not be proven any more. */
async function closing(deps: Deps, treasury: string): Promise<xdr.Operation[]> {
  const { db } = deps.database
  const rows = await db
    .selectFrom('ledger_channels')
    .select('account')
    .where('foreign_use', '=', true)
    .where('state', '<>', 'closed')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('ledger_envelopes')
            .select('hash')
            .whereRef('source', '=', 'ledger_channels.account')
            .where('state', '=', 'open'),
        ),
      ),
    )
    .limit(CLOSED_AT_ONCE)
    .execute()
  // What is gone, or not on this instance yet, must not fail the end of the others.
  const found = await Promise.all(rows.map(({ account }) => deps.horizon.account(account)))
  return found.flatMap(account =>
    account ? Operation.accountMerge({ source: account.id, destination: treasury }) : [],
  )
}

/**
 * Records what an applied transaction did to channels, in the caller's transaction. A server that was replaced after it
 * had signed the opening may use the channels too.
 */
export async function finishUpkeep(
  tx: Db<Tables>,
  payment: LedgerPayment,
  envelope: string,
  { accounts, network }: AnchorConfig,
): Promise<void> {
  const { opened, closed } = channelsIn(readEnvelope(envelope, network.passphrase), accounts.distribution)
  const restored = await restoredAt(tx)
  const foreign_use = restored !== null && payment.created_at <= restored
  for (const account of opened)
    await tx
      .insertInto('ledger_channels')
      .values({ account, foreign_use })
      .onConflict(conflict => conflict.column('account').doNothing())
      .execute()
  if (closed.length > 0) await setClosed(tx, closed)
}

/** The channels that a transaction opens for the distribution account, by whichever sequence number, and the accounts that it closes. */
export function channelsIn(
  { operations }: Pick<Envelope, 'operations'>,
  treasury: string,
): { opened: string[]; closed: string[] } {
  return {
    opened: operations.flatMap(({ type, source, read }, index) => {
      const isOurs = type === 'createAccount' && baseAccount(source) === treasury
      const operation = isOurs ? read() : null
      if (operation?.type !== 'createAccount') return []
      const { destination } = operation
      const isChannel = isOpened(destination, treasury, operations[index - 1], operations[index + 1])
      return isChannel ? destination : []
    }),
    closed: operations.flatMap(({ type, source }) => (type === 'accountMerge' ? baseAccount(source) : [])),
  }
}

/** Whether an account is created in the form of {@link opening}: an account of someone else could never be closed. */
const isOpened = (
  account: string,
  treasury: string,
  before: EnvelopeOperation | undefined,
  after: EnvelopeOperation | undefined,
): boolean => {
  if (before?.type !== 'beginSponsoringFutureReserves' || after?.type !== 'setOptions') return false
  const [sponsoring, options] = [before.read(), after.read()]
  return (
    sponsoring.type === 'beginSponsoringFutureReserves' &&
    sponsoring.sponsoredId === account &&
    options.type === 'setOptions' &&
    after.source === account &&
    options.masterWeight === 0 &&
    options.signer !== undefined &&
    'ed25519PublicKey' in options.signer &&
    options.signer.ed25519PublicKey === treasury
  )
}

/** The network was reset: the channels are gone with it. */
export async function loseChannels(tx: Db<Tables>): Promise<void> {
  await tx.updateTable('ledger_channels').set({ state: 'closed' }).execute()
  await tx
    .updateTable('ledger_payments')
    .set({ state: 'canceled', ...waitColumns(null) })
    .where('purpose', 'in', ['open-channels', 'close-channels'])
    .where('state', '=', 'queued')
    .execute()
}
