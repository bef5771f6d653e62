import type { EnvelopeStore } from '@windlass/stellar/settle.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { BoundRow } from '@windlass/service/seals/binding.ts'
import type { Deps } from '../deps.ts'
import type { Tables } from '../tables.ts'

/** What proves that an envelope can never apply: the database alone cannot say it, since its payment is signed again then. */
const deadRow = (hash: string): BoundRow => ['ledger_envelopes', hash, 'dead']

/** Proves it of envelopes that are over, in the caller's transaction. */
export async function bindDead(
  { binder }: Pick<Deps, 'binder'>,
  tx: Db<Tables>,
  hashes: readonly string[],
): Promise<void> {
  for (const hash of hashes) {
    const ended = binder.bind(deadRow(hash))
    await tx.updateTable('ledger_envelopes').set({ ended }).where('hash', '=', hash).execute()
  }
}

/**
 * The envelopes of one payment. At most one is open or applied: a unique index ensures it. One that is over without a proof
 * counts as open: its end is proven by the ledger, again.
 */
export function envelopesOf(
  { database, faults, binder }: Pick<Deps, 'database' | 'faults' | 'binder'>,
  paymentId: string,
): EnvelopeStore {
  const { db } = database
  return {
    current: async () => {
      const rows = await db
        .selectFrom('ledger_envelopes')
        .selectAll()
        .where('payment_id', '=', paymentId)
        .orderBy('created_at', 'desc')
        .execute()
      const isDead = ({ hash, ended }: (typeof rows)[number]) => binder.isBound(ended, deadRow(hash))
      const row = rows.find(({ state }) => state !== 'dead') ?? rows.find(each => !isDead(each))
      if (!row) return null
      return {
        hash: row.hash,
        xdr: row.xdr,
        source: row.source,
        sequence: row.sequence,
        maxTime: Number(row.max_time),
        ledger: {
          sequence: row.ledger_sequence,
          hash: row.ledger_hash,
          closedAt: row.ledger_closed_at?.toISOString(),
        },
        storedAt: row.created_at,
        applied: row.state === 'applied',
      }
    },
    put: async envelope => {
      await db
        .insertInto('ledger_envelopes')
        .values({
          hash: envelope.hash,
          payment_id: paymentId,
          xdr: envelope.xdr,
          source: envelope.source,
          sequence: envelope.sequence,
          max_time: envelope.maxTime,
          ledger_sequence: envelope.ledger.sequence,
          ledger_hash: envelope.ledger.hash,
          ledger_closed_at: envelope.ledger.closedAt ?? null,
          why: null,
        })
        .execute()
      faults.at('envelope:stored')
    },
    confirm: async hash => {
      faults.at('envelope:applied')
      const applied = { state: 'applied' as const, why: null }
      await db.updateTable('ledger_envelopes').set(applied).where('hash', '=', hash).execute()
      faults.at('envelope:confirmed')
    },
    retire: async (hash, why) => {
      const dead = { state: 'dead' as const, why, ended: binder.bind(deadRow(hash)) }
      await db.updateTable('ledger_envelopes').set(dead).where('hash', '=', hash).execute()
    },
  }
}
