import { whyNotReset, type ChainMemory } from '@windlass/stellar/reset.ts'
import type { EnvelopeStore } from '@windlass/stellar/settle.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import type { StageContext } from './stage.ts'

/** Ledgers and transactions by which a chain is recognized. */
const REMEMBERED = 5

/**
 * What the chain of an anchor's newest envelope is recognized by, or of an older one: what was signed before it. Null:
 * nothing was signed.
 */
export async function rememberChain(
  { database: { db }, config }: Pick<Deps, 'database' | 'config'>,
  anchorId: string,
  hash?: string,
): Promise<ChainMemory | null> {
  let query = db
    .selectFrom('envelopes')
    .select(['hash', 'ledger', 'max_time', 'state'])
    .where('anchor_id', '=', anchorId)
    .orderBy('created_at', 'desc')
    .limit(REMEMBERED)
  if (hash !== undefined)
    query = query.where(
      'created_at',
      '<=',
      db
        .selectFrom('envelopes')
        .select('created_at')
        .where('hash', '=', hash)
        .where('anchor_id', '=', anchorId),
    )
  const signed = await query.execute()
  if (signed.length === 0) return null
  return {
    passphrase: config.ledger.networkPassphrase,
    // Version 0.1 did not keep when a ledger closed: the envelope's end is later.
    ledgers: signed.map(({ ledger, max_time }) => ({
      closedAt: new Date(Number(max_time) * 1_000).toISOString(),
      ...ledger,
    })),
    transactions: signed.filter(({ state }) => state === 'applied').map(each => each.hash),
  }
}

/** One anchor's signed transactions of one purpose, stored before they are submitted. */
export function envelopeStore(
  context: StageContext,
  purpose: 'fund' | 'issue' | 'trust' | 'memo' | 'top-up',
): EnvelopeStore {
  const { deps, plan, fenced } = context
  const anchorId = plan.anchorId
  const settle = (hash: string, state: 'applied' | 'retired', reason: string | null) =>
    fenced(async tx => {
      await tx
        .updateTable('envelopes')
        .set({ state, reason, settled_at: sql`clock_timestamp()` })
        .where('hash', '=', hash)
        .where('anchor_id', '=', anchorId)
        .execute()
    })
  return {
    current: async () => {
      const row = await deps.database.db
        .selectFrom('envelopes')
        .selectAll()
        .where('anchor_id', '=', anchorId)
        .where('purpose', '=', purpose)
        .where('state', 'in', ['open', 'applied'])
        .executeTakeFirst()
      if (!row) return null
      const { hash, xdr, source, sequence, ledger } = row
      return {
        hash,
        xdr,
        source,
        sequence,
        ledger,
        maxTime: Number(row.max_time),
        storedAt: row.created_at,
        applied: row.state === 'applied',
      }
    },
    put: async envelope => {
      const { maxTime, ledger, ...rest } = envelope
      await fenced(async tx => {
        const row = { ...rest, max_time: maxTime, ledger: JSON.stringify(ledger) }
        await tx
          .insertInto('envelopes')
          .values({ anchor_id: anchorId, purpose, ...row })
          .execute()
      })
      context.at(`${purpose}-stored`)
    },
    confirm: async hash => {
      context.at(`${purpose}-applied`)
      await settle(hash, 'applied', null)
    },
    retire: async (hash, why) => {
      await settle(hash, 'retired', why)
      await context.log('warn', `The stored transaction ${hash} is over: ${why}.`)
    },
    isBeforeReset: async ({ hash }) => {
      const memory = await rememberChain(deps, anchorId, hash)
      return memory !== null && (await whyNotReset(deps.horizon, memory)) === null
    },
  }
}
