import type { EnvelopeStore } from '@windlass/stellar/settle.ts'
import type { Deps } from '../deps.ts'

/** The envelopes of one payment. At most one is open or applied: a unique index ensures it. */
export function envelopesOf(
  { database, faults }: Pick<Deps, 'database' | 'faults'>,
  paymentId: string,
): EnvelopeStore {
  const { db } = database
  const end = async (hash: string, state: 'applied' | 'dead', why: string | null) => {
    await db.updateTable('ledger_envelopes').set({ state, why }).where('hash', '=', hash).execute()
  }
  return {
    current: async () => {
      const row = await db
        .selectFrom('ledger_envelopes')
        .selectAll()
        .where('payment_id', '=', paymentId)
        .where('state', 'in', ['open', 'applied'])
        .executeTakeFirst()
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
      await end(hash, 'applied', null)
      faults.at('envelope:confirmed')
    },
    retire: (hash, why) => end(hash, 'dead', why),
  }
}
