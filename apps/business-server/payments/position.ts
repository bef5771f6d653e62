import type { Db } from '@windlass/service/postgres/database.ts'
import type { ChainMemory } from '@windlass/stellar/reset.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import type { Tables } from '../tables.ts'
import { existsOpenIncident, openIncidents } from './incidents.ts'

/** Where the payments were read up to. */
export interface Position {
  cursor: string
  ledger: { sequence: number; hash: string; closedAt: string } | null
  /** Whether the chain is taken to be the one that was read before, so that its present ledger can be recorded. */
  proven: boolean
  /** Whether Horizon contradicted it, and neither Horizon nor a person has settled that since. */
  isDoubted: boolean
  /** Whether Horizon has no history of ledgers after it. */
  isCut?: boolean
}

/** @return with when everything was last read; null: never */
export async function readPosition(
  { database, config }: Pick<Deps, 'database' | 'config'>,
  db: Db<Tables> = database.db,
): Promise<Position & { caughtUpAt: Date | null }> {
  const row = await db
    .selectFrom('observed')
    .selectAll()
    .select(existsOpenIncident('other-chain').as('isDoubted'))
    .where('account', '=', config.anchor.accounts.distribution)
    .executeTakeFirst()
  if (!row)
    return { cursor: '0', ledger: null, proven: true, isDoubted: await isOnOtherChain(db), caughtUpAt: null }
  const { cursor, ledger_sequence: sequence, ledger_hash: hash, ledger_closed_at: closedAt } = row
  const known = sequence !== null && hash !== null && closedAt !== null
  const ledger = known ? { sequence, hash, closedAt: closedAt.toISOString() } : null
  return { cursor, ledger, proven: true, isDoubted: row.isDoubted, caughtUpAt: row.caught_up_at }
}

/** Whether Horizon contradicted what was read, and neither it nor a person has settled that since. */
export const isOnOtherChain = async (db: Db<Tables>): Promise<boolean> =>
  (await openIncidents(db, 'other-chain')).length > 0

/** What the chain that was read is recognized by: newest first, since the last reset. */
export async function readMemory({ database, config }: Deps): Promise<ChainMemory> {
  const { db } = database
  const passphrase = config.anchor.network.passphrase
  const { ledger } = await readPosition({ database, config })
  const since = sql<Date>`coalesce((select max(found_at) from ledger_incidents where kind = 'network-reset'), '-infinity')`
  const signed = await db
    .selectFrom('ledger_envelopes')
    .select(['hash', 'state', 'ledger_sequence', 'ledger_hash', 'ledger_closed_at'])
    .where('created_at', '>', since)
    .orderBy('created_at', 'desc')
    .limit(REMEMBERED)
    .execute()
  const received = await db
    .selectFrom('ledger_receipts')
    .select('hash')
    .where('id', '~', '^[0-9]+$')
    // What is issued again may be the same transaction.
    .where('sender', '<>', config.anchor.accounts.issuer)
    .orderBy('seen_at', 'desc')
    .limit(REMEMBERED)
    .execute()
  const built = signed.map(
    ({ ledger_sequence: sequence, ledger_hash: hash, ledger_closed_at: closedAt }) => ({
      sequence,
      hash,
      ...(closedAt ? { closedAt: closedAt.toISOString() } : {}),
    }),
  )
  const applied = signed.filter(({ state }) => state === 'applied')
  return {
    passphrase,
    ledgers: [...(ledger ? [ledger] : []), ...built],
    transactions: [...applied, ...received].map(({ hash }) => hash),
  }
}

/** Ledgers and transactions that are looked for before a reset is believed. */
const REMEMBERED = 5
