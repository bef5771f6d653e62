import { idOf, servedAssets, type ServedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { amountOf, formatAmount, subtract, type Amount } from '@windlass/money/amount.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import type { LedgerHead } from '@windlass/stellar/horizon.ts'
import { readScalar, scalar, together, type Scalar } from '@windlass/service/postgres/scalars.ts'
import { otherNetworkIn } from '@windlass/stellar/horizon.ts'
import { PUBLIC_NETWORK } from '@windlass/stellar/network.ts'
import { compareSources } from '@windlass/stellar/second-source.ts'
import { compareChain, whyNotReset } from '@windlass/stellar/reset.ts'
import { NETWORK_RESET } from '@windlass/stellar/settle.ts'
import { sql, type Transaction } from 'kysely'
import { isDeepStrictEqual } from 'node:util'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Deps } from '../deps.ts'
import { openTransfers, unpaidWithdrawals } from '../transfers/find.ts'
import type { Tables } from '../tables.ts'
import { readHoldings, type Holding } from '../money/treasury/treasury.ts'
import { recordReset } from '../money/journal/ledger-entries.ts'
import { balance, unitOf } from '../money/journal/journal.ts'
import { loseChannels } from './channels.ts'
import { loseBalances } from './claimable-balances.ts'
import { bindDead } from './envelopes.ts'
import { endByReset, openIncident, openIncidents, resolveIncident, writeGap } from './incidents.ts'
import { replaceFalseRecord } from './false-record.ts'
import { bookNetworkFees } from './network-fees.ts'
import { isOnOtherChain, readMemory, readPosition, type Position } from './position.ts'
import { forgetUnrecorded } from './unrecorded.ts'

/** While the network runs, the recorded ledger is a few seconds older than the last one. */
const MAX_APART_MS = 30_000

/**
 * Compares the position with the chain before payments are read: a gap in Horizon's history is recorded, and a chain that
 * contradicts the position is not read at all until a person has said what it is. Returns the position to read from;
 * null: none. A new chain may have outgrown the recorded ledger, so its hash is compared whenever a reset may have come
 * between: when asked to, and where ledgers of more than a few seconds lie between two reads.
 *
 * @param prove asks for the recorded ledger: after a connection or a failed read
 * @param thorough asks for the oldest ledger too: at the start, and after a pause
 * @param reads whether payments are read from there on, so that a gap is missed otherwise
 */
export async function checkChain(
  deps: Deps,
  position: Position,
  head: LedgerHead,
  { thorough, prove, reads }: { thorough: boolean; prove: boolean; reads: boolean },
): Promise<Position | null> {
  const { ledger, isDoubted } = position
  if (ledger === null || thorough || isDoubted) {
    const agreement = await agreementOfSources(deps, head, ledger === null || isDoubted)
    if (agreement !== 'same') return null
  }
  if (ledger === null) {
    if (isDoubted) await endOtherChain(deps.database.db)
    return position
  }
  const apart = head.closedAt.getTime() - Date.parse(ledger.closedAt)
  if (!isDoubted && !thorough && !prove && head.sequence >= ledger.sequence && apart <= MAX_APART_MS)
    return position
  const chain = await compareChain(deps.horizon, ledger)
  if (chain === 'another') {
    const replaced = await replaceFalseRecord(deps, { ...position, ledger }, head)
    if (replaced && isDoubted) await endOtherChain(deps.database.db)
    if (replaced) return checkChain(deps, replaced, head, { thorough, prove, reads })
    await reportOtherChain(deps, ledger.hash, { reason: 'ledger-differs', lastLedger: ledger.sequence })
    return null
  }
  if (isDoubted && chain !== 'same') return null
  if (isDoubted) await endOtherChain(deps.database.db)
  if (!thorough && chain === 'same') return position
  const { elder } = await deps.horizon.history()
  const isCut = elder > ledger.sequence + 1
  if (isCut && reads && !deps.history) await recordGap(deps, ledger.sequence, elder)
  // Nothing can prove a ledger that Horizon has dropped.
  return { ...position, proven: chain === 'same' || elder > ledger.sequence, isCut }
}

/**
 * Whether the second source has the same chain as Horizon; where it does not, that is reported. A network of which nothing
 * was read yet, or that is doubted, needs its answer; without a second source there is nothing to ask.
 */
async function agreementOfSources(
  deps: Deps,
  head: LedgerHead,
  isNeeded: boolean,
): Promise<'same' | 'another' | 'unknown'> {
  const { second } = deps.horizon
  if (!second) return 'same'
  const found = await compareSources(deps.horizon, second, head.sequence).catch((error: unknown) => {
    deps.logger.warn({ err: error }, 'the second source of the ledger does not answer')
    return 'unknown' as const
  })
  if (found === 'unknown') return isNeeded ? 'unknown' : 'same'
  if (found === 'another')
    await reportOtherChain(deps, head.hash, { reason: 'sources-differ', lastLedger: head.sequence })
  return found
}

/**
 * Records that Horizon answers of another chain or network: until it shows ours again, or a person says that the network
 * was reset, nothing is read from it and nothing is paid.
 */
async function reportOtherChain(
  { database: { db }, clock, logger, config, wake }: Deps,
  subject: string,
  details: Record<string, unknown>,
): Promise<void> {
  if (await isOnOtherChain(db)) return
  await openIncident(db, {
    kind: 'other-chain',
    // The same ledger may be contradicted again.
    subject: `${subject}:${clock.now().toISOString()}`,
    details: config.anchor.network.passphrase === PUBLIC_NETWORK ? { ...details, public: true } : details,
  })
  wake.emit('conditions')
  logger.error(details, 'Horizon answers of another chain: nothing is read or paid')
}

/** Horizon shows the recorded ledger again. */
async function endOtherChain(db: Db<Tables>): Promise<void> {
  for (const { id } of await openIncidents(db, 'other-chain'))
    await resolveIncident(db, id, 'ledger-found-again')
}

/** Reports it where a request failed because Horizon is of another network. */
export async function reportOtherNetwork(deps: Deps, error: unknown): Promise<void> {
  const other = otherNetworkIn(error)
  if (!other) return
  const { expected, found = '' } = other
  await reportOtherChain(deps, 'network', { reason: 'passphrase-differs', expected, found })
}

/** A person says that the network was reset. Throws `reset-not-proven` where the ledger does not bear it out. */
export async function requireReset(deps: Deps): Promise<void> {
  const against = await whyNotReset(deps.horizon, await readMemory(deps)).catch((error: unknown) => {
    throw new Problem('dependency-unavailable', 'The Stellar network does not answer. Try again.', {
      cause: error,
    })
  })
  if (against !== null) throw new Problem('reset-not-proven', NOT_RESET[against])
}

const NOT_RESET = {
  'public-network': 'The public network is never reset. Check HORIZON_URL and who answers there.',
  'same-ledger': 'Horizon, or the second source, still has a ledger that was read before.',
  'own-transaction': 'Horizon, or the second source, still has a transaction of this anchor.',
  unproven: 'Not every source of the ledger shows another chain yet. Try again in a minute.',
} as const

/** Envelopes and transfers that an incident lists at most. */
const LISTED = 500

/**
 * The network started again from its first ledger, as a person said and the ledger bears out. Envelopes whose payments
 * are not recorded can never apply, payments are read from the beginning, and queued payments are made on the new chain:
 * in the caller's transaction, with an incident that says what happens to each open transfer.
 */
export async function startOver(deps: Deps, tx: Transaction<Tables>): Promise<void> {
  const { accounts } = deps.config.anchor
  const { ledger } = await readPosition(deps, tx)
  if (ledger === null) return
  const transfers = await openTransfers(tx)
  const queued = tx.selectFrom('ledger_payments').select('id').where('state', '=', 'queued')
  const envelopes = await tx
    .updateTable('ledger_envelopes')
    .set({ state: 'dead', why: NETWORK_RESET })
    .where(({ or, and, eb }) =>
      or([eb('state', '=', 'open'), and([eb('state', '=', 'applied'), eb('payment_id', 'in', queued)])]),
    )
    .returning(['hash', 'payment_id'])
    .execute()
  await bindDead(
    deps,
    tx,
    envelopes.map(({ hash }) => hash),
  )
  const assets = servedAssets(deps.config.anchor).map(({ key }) => key)
  await recordReset(tx, ledger.hash, assets)
  await endByReset(tx)
  await forgetUnrecorded(tx)
  await loseChannels(tx)
  const lostBalances = await loseBalances(tx)
  // The new chain gives the same ids again.
  await sql`update ledger_receipts set id = ${`${ledger.hash.slice(0, 16)}:`} || id, operation = null where id ~ '^[0-9]+$'`.execute(
    tx,
  )
  await tx
    .updateTable('observed')
    .set({
      cursor: '0',
      ledger_sequence: null,
      ledger_hash: null,
      ledger_closed_at: null,
      accounted_sequence: null,
      accounted_cursor: null,
      fees_cursor: null,
      dust_cursor: null,
    })
    .where('account', '=', accounts.distribution)
    .execute()
  const opened = await openIncident(tx, {
    kind: 'network-reset',
    subject: ledger.hash,
    details: {
      open: transfers.length,
      lastLedger: ledger.sequence,
      position: { account: accounts.distribution, from: ledger.sequence, to: 0 },
      envelopes: envelopes.slice(0, LISTED).map(({ hash, payment_id: payment }) => ({
        hash,
        payment,
      })),
      lostBalances,
      transfers: transfers.slice(0, LISTED).map(({ id, state }) => ({ id, status: state })),
    },
    resolved_at: deps.clock.now(),
    ended_as: 'started-over',
  })
  if (opened)
    deps.logger.warn({ ledger: ledger.sequence }, 'the network was reset: payments are read from its start')
}

async function recordGap(deps: Deps, lastRead: number, elder: number): Promise<void> {
  const opened = await openIncident(deps.database.db, {
    kind: 'history-gap',
    subject: `${lastRead}`,
    details: { lastRead, elder },
  })
  if (!opened) return
  deps.wake.emit('conditions')
  deps.logger.error({ lastRead, elder }, 'payments may have been missed: Horizon has no history of them')
}

/**
 * Compares the balances of the distribution account with the journal while a gap is open: the differences are what was
 * paid in the ledgers that nobody can read. Without any the gap closes.
 */
export async function reconcileGaps(deps: Deps): Promise<void> {
  const { db } = deps.database
  const [gap] = await openIncidents(db, 'history-gap')
  // An envelope that is open may or may not be in the balance.
  if (!gap || (await hasOpenEnvelope(deps))) return
  const compared = await compareBalances(deps)
  if (compared.every(({ difference }) => difference === 0n)) {
    await resolveIncident(db, gap.id, 'nothing-missing')
    return
  }
  const withdrawals = await unpaidWithdrawals(db, LISTED)
  const [first, ...further] = compared.map(({ asset, expected, actual, difference }) => ({
    asset: idOf(asset),
    expected: formatAmount(expected),
    actual: formatAmount(actual),
    difference: formatAmount(difference),
  }))
  const amounts = { ...first, ...(further.length > 0 ? { further } : {}) }
  // A withdrawal may have been credited meanwhile.
  await db.transaction().execute(tx => writeGap(deps, tx, gap, { ...gap.details, ...amounts, withdrawals }))
  if (gap.details.difference === undefined) deps.wake.emit('conditions')
}

interface Compared {
  asset: ServedAsset
  /** By the journal. */
  expected: Amount
  /** On the ledger. */
  actual: Amount
  /** Units that the distribution account holds beyond the journal. */
  difference: Amount
}

/** Compares each asset. */
async function compareBalances(deps: Deps): Promise<Compared[]> {
  const balances = await readScalar(deps.database.db, treasuryBalances(deps))
  return compare(await readHoldings(deps), balances)
}

/** By the journal, by its unit. */
const treasuryBalances = ({ config }: Deps) =>
  together<Record<string, Amount>>(
    Object.fromEntries(
      servedAssets(config.anchor).map(({ key }) => [unitOf(key), balance('treasury', unitOf(key))]),
    ),
  )

const compare = (holdings: readonly Holding[], balances: Readonly<Record<string, Amount>>): Compared[] =>
  holdings.map(({ asset, balance: actual }) => {
    const expected = balances[unitOf(asset.key)] ?? amountOf(0n)
    return { asset, expected, actual, difference: subtract(actual, expected) }
  })

/**
 * Units of each asset that the distribution account holds beyond the journal; null while a payment of ours is under way.
 * A payment to the account that is not read yet is a difference too, for as long as the observer is behind.
 */
export async function ledgerDifferences(
  deps: Deps,
): Promise<Pick<Compared, 'asset' | 'difference'>[] | null> {
  await bookNetworkFees(deps)
  const before = await readScalar(deps.database.db, journalState(deps))
  return differencesSince(deps, before, await readHoldings({ ...deps, horizon: deps.routineHorizon }))
}

/** As {@link ledgerDifferences}, of holdings that were read after that state of the journal. */
export async function differencesSince(
  deps: Deps,
  before: JournalState,
  holdings: readonly Holding[],
): Promise<Pick<Compared, 'asset' | 'difference'>[] | null> {
  const after = await readScalar(deps.database.db, journalState(deps))
  return before.moving || !isDeepStrictEqual(before, after) ? null : compare(holdings, after.balances)
}

/** What the treasury holds by the journal, and whether a payment of ours is under way. */
export const journalState = (deps: Deps): Scalar<JournalState> =>
  together({ moving: isMoving, balances: treasuryBalances(deps) })

interface JournalState {
  moving: boolean
  balances: Record<string, Amount>
}

/** An envelope is open, or one was applied and its payment is not recorded yet. */
const isMoving = scalar(
  sql<boolean>`select exists (select from ledger_envelopes where state = 'open') or exists (
    select from ledger_envelopes e join ledger_payments p on p.id = e.payment_id
    where e.state = 'applied' and p.state = 'queued')`,
  moving => moving,
)

async function hasOpenEnvelope({ database }: Deps): Promise<boolean> {
  return exists(database.db.selectFrom('ledger_envelopes').select('hash').where('state', '=', 'open'))
}
