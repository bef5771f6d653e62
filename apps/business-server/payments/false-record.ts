import { ledgerOf } from '@windlass/stellar/check-answers.ts'
import type { LedgerHead } from '@windlass/stellar/horizon.ts'
import { hasRemembered } from '@windlass/stellar/reset.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import type { Tables } from '../tables.ts'
import { openIncident } from './incidents.ts'
import { type Position, readMemory } from './position.ts'

/**
 * Replaces the ledger that was read last where its record is false: both sources have the same other one at its place, and
 * still have what else is remembered of the chain, so that it did not start again (docs/adr/0198). From a place
 * beyond the newest ledger nothing would be read: then payments are read again after the newest that was received. Returns the position then; null: it is not proven.
 */
export async function replaceFalseRecord(
  deps: Deps,
  position: Position & { ledger: NonNullable<Position['ledger']> },
  head: LedgerHead,
): Promise<Position | null> {
  const { ledger, cursor } = position
  const found = await findTrueLedger(deps, ledger, head).catch((error: unknown) => {
    deps.logger.warn({ err: error }, 'the sources of the ledger do not say whether the record is false')
    return null
  })
  if (!found) return null
  const { db } = deps.database
  const isBeyond = ledgerOf(cursor) > head.sequence
  const end = endOf(found.sequence)
  const closedAt = found.closedAt.toISOString()
  const known = {
    cursor: isBeyond ? await newestReceived(db, end) : cursor,
    ledger: { sequence: found.sequence, hash: found.hash, closedAt },
  }
  await db.transaction().execute(async tx => {
    await tx
      .updateTable('observed')
      .set({
        cursor: known.cursor,
        dust_cursor: sql`
          case when dust_cursor is not null then least(dust_cursor::numeric, ${end}::numeric)::text end`,
        ...{ ledger_sequence: found.sequence, ledger_hash: found.hash, ledger_closed_at: found.closedAt },
      })
      .where('account', '=', deps.config.anchor.accounts.distribution)
      .where('ledger_hash', '=', ledger.hash)
      .execute()
    await openIncident(tx, {
      kind: 'other-chain',
      subject: `record:${ledger.hash}`,
      details: { reason: 'false-record', lastLedger: ledger.sequence, recorded: ledger.hash },
      resolved_at: deps.clock.now(),
      ended_as: 'ledger-found-again',
    })
  })
  deps.wake.emit('conditions')
  deps.logger.error({ ledger, found }, 'Horizon had shown a ledger that is none: its record is replaced')
  return { ...position, ...known, isDoubted: false }
}

/** What both sources have at the place of a record that contradicts them, or where they end before it. */
async function findTrueLedger(
  deps: Deps,
  recorded: NonNullable<Position['ledger']>,
  head: LedgerHead,
): Promise<LedgerHead | null> {
  const { horizon } = deps
  const { second } = horizon
  if (!second) return null
  const place = Math.min(recorded.sequence, head.sequence, (await second.history()).latest)
  const [ours, theirs] = await Promise.all([horizon.ledger(place), second.ledger(place)])
  if (!ours || ours.hash !== theirs?.hash || ours.hash === recorded.hash) return null
  const memory = await readMemory(deps)
  const others = { ...memory, ledgers: memory.ledgers.filter(({ hash }) => hash !== recorded.hash) }
  const isSame = (await hasRemembered(horizon, others)) && (await hasRemembered(second, others))
  return isSame ? ours : null
}

/** What was hidden by the false ledger may have come after it. */
async function newestReceived(db: Db<Tables>, end: string): Promise<string> {
  // Postgres may look at the parts of an "and" in any order, and not every id is a number.
  const id = sql<string | null>`max(case when id ~ '^[0-9]+$' then id::numeric end)`
  const row = await db
    .selectFrom('ledger_receipts')
    .select(id.as('newest'))
    .where(sql<boolean>`case when id ~ '^[0-9]+$' then id::numeric <= ${end}::numeric end`)
    .executeTakeFirst()
  return String(row?.newest ?? 0)
}

/** The last paging token that a ledger may have. */
const endOf = (sequence: number): string => String(((BigInt(sequence) + 1n) << 32n) - 1n)
