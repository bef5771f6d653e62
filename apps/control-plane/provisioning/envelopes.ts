import type { EnvelopeStore } from '@windlass/stellar/settle.ts'
import { sql } from 'kysely'
import type { StageContext } from './stage.ts'

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
  }
}
