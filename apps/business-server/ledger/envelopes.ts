import type { EnvelopeStore } from '@windlass/stellar/settle.ts'
import type { Db } from '@windlass/service/database.ts'
import type { BusinessDatabase } from '../database.ts'

/** The envelopes of one payment. At most one is open or applied: the database sees to it. */
export function envelopesOf(db: Db<BusinessDatabase>, paymentId: string): EnvelopeStore {
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
        ledger: { sequence: row.ledger_sequence, hash: row.ledger_hash },
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
          why: null,
        })
        .execute()
    },
    confirm: hash => end(hash, 'applied', null),
    retire: (hash, why) => end(hash, 'dead', why),
  }
}
