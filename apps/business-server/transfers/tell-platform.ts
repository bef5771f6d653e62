import { MAX_BATCH, rpcErrors, type RpcAnswer } from '@windlass/contracts/anchor-platform.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'

interface OpenCall {
  id: string
  transfer_id: string | null
  method: string
  params: Record<string, unknown>
}

const LOCK = 727_003

/** Delivers noted calls to the SEP server in their order, a batch at a time, until none is open. One process at a time. */
export async function deliverCalls(deps: Deps): Promise<void> {
  while (await deliverBatch(deps)) continue
}

async function deliverBatch(deps: Deps): Promise<boolean> {
  return deps.database.db.transaction().execute(async tx => {
    const { rows } = await sql<{ held: boolean }>`select pg_try_advisory_xact_lock(${LOCK}) as held`.execute(
      tx,
    )
    if (!rows[0]?.held) return false
    const calls = await tx
      .selectFrom('platform_calls')
      .select(['id', 'transfer_id', 'method', 'params'])
      .where('delivered_at', 'is', null)
      .orderBy('id')
      .limit(MAX_BATCH)
      .execute()
    if (calls.length === 0) return false
    deps.faults.at('calls:taken')
    const answers = await deps.platform.send(
      calls.map(({ id, method, params }) => ({
        id: `once:${deps.config.anchor.plan.anchorId}:${id}`,
        method,
        params,
      })),
    )
    deps.faults.at('calls:told')
    const done = settled(calls, answers)
    for (const { call, refused } of done) {
      if (refused) deps.logger.error({ call, refused }, 'the SEP server refuses a call')
      await tx
        .updateTable('platform_calls')
        .set({ delivered_at: sql<Date>`now()`, refused })
        .where('id', '=', call.id)
        .execute()
    }
    return done.length === MAX_BATCH
  })
}

/** A call that failed for now holds up those after it of the same transaction. */
function settled(calls: OpenCall[], answers: RpcAnswer[]): { call: OpenCall; refused: string | null }[] {
  const heldUp = new Set<string>()
  const done: { call: OpenCall; refused: string | null }[] = []
  calls.forEach((call, index) => {
    const key = call.transfer_id ?? call.id
    const answer = answers[index]
    if (heldUp.has(key)) return
    if (!answer || answer.error?.code === rpcErrors.internal) heldUp.add(key)
    else done.push({ call, refused: answer.error?.message ?? null })
  })
  return done
}
