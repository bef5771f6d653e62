import { idOf, servedAssets, type ServedAsset } from '@windlass/contracts/served-assets.ts'
import { amountOf, formatAmount, subtract, type Amount } from '@windlass/money/amount.ts'
import type { LedgerHead } from '@windlass/stellar/horizon.ts'
import { readScalar, scalar, together, type Scalar } from '@windlass/service/scalars.ts'
import { compareChain } from '@windlass/stellar/settle.ts'
import { sql } from 'kysely'
import { isDeepStrictEqual } from 'node:util'
import type { Deps } from '../deps.ts'
import { openTransfers } from '../transfers/find.ts'
import type { TransferState } from '../tables.ts'
import { readHoldings, type Holding } from '../treasury/treasury.ts'
import { recordReset } from '../journal/entries.ts'
import { balance, unitOf } from '../journal/journal.ts'
import { loseChannels } from './channels.ts'
import { loseBalances } from './claimable-balances.ts'
import { endByReset, openIncident, openIncidents, resolveIncident } from './incidents.ts'
import { forgetUnrecorded } from './unrecorded.ts'

/** Where the payments were read up to. */
export interface Position {
  cursor: string
  ledger: { sequence: number; hash: string; closedAt: string } | null
  /** Whether the chain is taken to be the one that was read before, so that its present ledger can be recorded. */
  proven: boolean
}

/** While the network runs, the recorded ledger is a few seconds older than the last one. */
const MAX_APART_MS = 30_000

/** @return with when everything was last read; null: never */
export async function readPosition({
  database,
  config,
}: Deps): Promise<Position & { caughtUpAt: Date | null }> {
  const row = await database.db
    .selectFrom('observed')
    .selectAll()
    .where('account', '=', config.anchor.accounts.distribution)
    .executeTakeFirst()
  if (!row) return { cursor: '0', ledger: null, proven: true, caughtUpAt: null }
  const { cursor, ledger_sequence: sequence, ledger_hash: hash, ledger_closed_at: closedAt } = row
  const known = sequence !== null && hash !== null && closedAt !== null
  const ledger = known ? { sequence, hash, closedAt: closedAt.toISOString() } : null
  return { cursor, ledger, proven: true, caughtUpAt: row.caught_up_at }
}

/**
 * Compares the position with the chain before payments are read: a reset starts over, a gap in Horizon's history is
 * recorded. Returns the position to read from. A new chain may have outgrown the recorded ledger, so its hash is
 * compared whenever a reset may have come between: when asked to, and where ledgers of more than a few seconds lie
 * between two reads.
 *
 * @param prove asks for the recorded ledger: after a connection or a failed read
 * @param thorough asks for the oldest ledger too: at the start, and after a pause
 */
export async function checkChain(
  deps: Deps,
  position: Position,
  head: LedgerHead,
  { thorough, prove }: { thorough: boolean; prove: boolean },
): Promise<Position> {
  const { ledger } = position
  if (ledger === null) return position
  const apart = head.closedAt.getTime() - Date.parse(ledger.closedAt)
  if (!thorough && !prove && head.sequence >= ledger.sequence && apart <= MAX_APART_MS) return position
  const chain = await compareChain(deps.horizon, ledger)
  if (chain === 'reset') {
    await startOver(deps, ledger)
    return { cursor: '0', ledger: null, proven: true }
  }
  if (!thorough && chain === 'same') return position
  const { elder } = await deps.horizon.history()
  if (thorough && elder > ledger.sequence + 1 && !deps.history) await recordGap(deps, ledger.sequence, elder)
  // Nothing can prove a ledger that Horizon has dropped.
  return { ...position, proven: chain === 'same' || elder > ledger.sequence }
}

/** Of envelopes and transfers in an incident. */
const LISTED = 500

/** What becomes of a transfer that was open when the network was reset. */
const afterReset: Partial<Record<TransferState, string>> = {
  new: 'continues: nothing was on the ledger',
  identifying: 'continues: nothing was on the ledger',
  awaiting_funds: 'continues: a payment on the new chain is recognized by the same memo or reference',
  funded: 'is paid on the new chain',
  awaiting_trust: 'is paid on the new chain once the account can receive the asset',
  paying_out: 'continues over the rail; its payment was on the old chain',
  returning: 'is refunded on the new chain',
}

/**
 * The network started again from its first ledger. Open envelopes can never apply, payments are read from the
 * beginning, and queued payments are made on the new chain. One transaction, and an incident that says what happens to
 * each open transfer.
 */
async function startOver(deps: Deps, ledger: NonNullable<Position['ledger']>): Promise<void> {
  const { accounts } = deps.config.anchor
  await deps.database.db.transaction().execute(async tx => {
    const transfers = await openTransfers(tx)
    const envelopes = await tx
      .updateTable('ledger_envelopes')
      .set({ state: 'dead', why: 'the network was reset' })
      .where('state', '=', 'open')
      .returning(['hash', 'payment_id'])
      .execute()
    const assets = servedAssets(deps.config.anchor).map(({ key }) => key)
    await recordReset(tx, ledger.hash, assets)
    await endByReset(tx)
    await forgetUnrecorded(tx)
    await loseChannels(tx)
    const lostBalances = await loseBalances(tx)
    // The new chain gives the same ids again.
    await sql`update ledger_receipts set id = ${`${ledger.hash.slice(0, 16)}:`} || id where id ~ '^[0-9]+$'`.execute(
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
      })
      .where('account', '=', accounts.distribution)
      .execute()
    const opened = await openIncident(tx, {
      kind: 'network-reset',
      subject: ledger.hash,
      message: `The network was reset. ${transfers.length} open transfers continue on the new chain.`,
      details: {
        lastLedger: ledger.sequence,
        position: { account: accounts.distribution, from: ledger.sequence, to: 0 },
        envelopes: envelopes.slice(0, LISTED).map(({ hash, payment_id: payment }) => ({
          hash,
          payment,
          result: 'can never apply; the payment is signed again on the new chain',
        })),
        lostBalances,
        transfers: transfers.slice(0, LISTED).map(({ id, state }) => ({
          id,
          status: state,
          result: afterReset[state] ?? 'unchanged',
        })),
      },
      resolved_at: deps.clock.now(),
      resolution: 'The server started over on the new chain.',
    })
    if (opened)
      deps.logger.warn({ ledger: ledger.sequence }, 'the network was reset: payments are read from its start')
  })
}

async function recordGap(deps: Deps, lastRead: number, elder: number): Promise<void> {
  const opened = await openIncident(deps.database.db, {
    kind: 'history-gap',
    subject: `${lastRead}`,
    message: `Horizon no longer has the ledgers ${lastRead + 1} to ${elder - 1}. The missing amount is being determined.`,
    details: { lastRead, elder },
  })
  if (opened)
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
    await resolveIncident(db, gap.id, null, 'The balance equals the records: nothing is missing.')
    return
  }
  const [first, ...further] = compared.map(({ asset, expected, actual, difference }) => ({
    asset: idOf(asset),
    expected: formatAmount(expected),
    actual: formatAmount(actual),
    difference: formatAmount(difference),
  }))
  const amounts = { ...first, ...(further.length > 0 ? { further } : {}) }
  const held = compared
    .filter(({ difference }) => difference !== 0n)
    .map(
      ({ asset: { code }, actual, difference }) =>
        `${formatAmount(actual)} ${code}, ${formatAmount(difference)} ${code} more than recorded`,
    )
    .join('; ')
  const { lastRead, elder } = gap.details as { lastRead: number; elder: number }
  await db
    .updateTable('ledger_incidents')
    .set({
      message:
        `Horizon no longer has the ledgers ${lastRead + 1} to ${elder - 1}. The distribution account holds ` +
        `${held}. Find these payments in a full history, return or credit them, then resolve the incident.`,
      details: JSON.stringify({ ...gap.details, ...amounts }),
    })
    .where('id', '=', gap.id)
    .execute()
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

/** Of each asset. */
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
  const row = await database.db
    .selectFrom('ledger_envelopes')
    .select('hash')
    .where('state', '=', 'open')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
