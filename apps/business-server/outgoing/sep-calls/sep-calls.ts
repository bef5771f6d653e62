import {
  MAX_BATCH,
  rpcErrors,
  type RpcAnswer,
  type RpcMethod,
  type RpcParams,
} from '@windlass/contracts/anchor/anchor-platform.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Origin } from '@windlass/service/observe/current-request.ts'
import { continueFrom, currentOrigin } from '@windlass/service/observe/request-context.ts'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import type { Tables } from '../../tables.ts'

/** A call of the SEP server's Platform API, without the transaction's id. */
export type SepCall = [RpcMethod, Omit<RpcParams, 'transaction_id'>]

/** Queues calls about a transaction, in the caller's transaction; the SEP server gets them in this order. */
export async function queueSepCalls(
  tx: Db<Tables>,
  transferId: string,
  calls: readonly SepCall[],
): Promise<void> {
  for (const [method, params] of calls) {
    await queue(tx, transferId, method, { transaction_id: transferId, ...params })
  }
}

/** Queues the news that the KYC status of a customer changed, in the caller's transaction. */
export const queueCustomerUpdate = (tx: Db<Tables>, customerId: string): Promise<void> =>
  queue(tx, null, 'notify_customer_info_updated', { customer_id: customerId })

/** Queues the news that a customer was deleted who asked by letter, in the caller's transaction. */
export const queueErasure = (
  tx: Db<Tables>,
  { id, account, memo }: { id: string; account: string; memo: string | null },
): Promise<void> => queue(tx, null, 'notify_customer_erased', { customer_id: id, account, memo })

async function queue(
  tx: Db<Tables>,
  transferId: string | null,
  method: string,
  params: object,
): Promise<void> {
  const origin = currentOrigin()
  await tx
    .insertInto('platform_calls')
    .values({
      transfer_id: transferId,
      method,
      params: JSON.stringify(params),
      delivered_at: null,
      refused: null,
      origin: origin && JSON.stringify(origin),
    })
    .execute()
}

/** For the due work: now, while a call waits. */
export const sepCallsDueAt = sql<Date | null>`
  select now() from (select id from platform_calls where delivered_at is null order by id limit 1) as first`

interface OpenCall {
  id: string
  transfer_id: string | null
  method: string
  params: Record<string, unknown>
  origin: Origin | null
}

const LOCK = 727_003

/** Sends queued calls to the SEP server in their order, a batch at a time, until none is open. One process at a time. */
export async function deliverSepCalls(deps: Deps): Promise<void> {
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
      .select(['id', 'transfer_id', 'method', 'params', 'origin'])
      .where('delivered_at', 'is', null)
      .orderBy('id')
      .limit(MAX_BATCH)
      .execute()
    if (calls.length === 0) return false
    deps.faults.at('calls:taken')
    // A batch has one request: it is a step of the first call's trace.
    const answers = await continueFrom(calls[0]?.origin ?? null, 'send to the SEP server', () =>
      deps.sepServer.send(
        calls.map(({ id, method, params }) => ({
          id: `once:${deps.config.anchor.plan.anchorId}:${id}`,
          method,
          params,
        })),
      ),
    )
    deps.faults.at('calls:sent')
    const done = settled(calls, answers)
    for (const { call, refused } of done) {
      if (refused) deps.logger.error({ call, refused }, 'the SEP server refused a call')
      await tx
        .updateTable('platform_calls')
        .set({ delivered_at: sql<Date>`now()`, refused, params: sql`params - 'payout_destination'` })
        .where('id', '=', call.id)
        .execute()
    }
    return done.length === MAX_BATCH
  })
}

/** A call that failed for now blocks those after it of the same transaction. */
function settled(calls: OpenCall[], answers: RpcAnswer[]): { call: OpenCall; refused: string | null }[] {
  const blocked = new Set<string>()
  const done: { call: OpenCall; refused: string | null }[] = []
  calls.forEach((call, index) => {
    const key = call.transfer_id ?? call.id
    const answer = answers[index]
    if (blocked.has(key)) return
    if (!answer || answer.error?.code === rpcErrors.internal) blocked.add(key)
    else done.push({ call, refused: answer.error?.message ?? null })
  })
  return done
}

/** Removes calls that were delivered more than 30 days ago. */
export async function pruneSepCalls(db: Db<Tables>): Promise<void> {
  await db
    .deleteFrom('platform_calls')
    .where('delivered_at', '<', sql<Date>`now() - interval '30 days'`)
    .execute()
}

/** What was sent to the SEP server about a transaction, which wallets read, oldest first. Old ones are removed. */
export async function callsOf(
  db: Db<Tables>,
  transferId: string,
): Promise<{ method: string; params: Record<string, unknown>; at: string; delivered: string | null }[]> {
  const query = db.selectFrom('platform_calls').selectAll().where('transfer_id', '=', transferId)
  return (await query.orderBy('id').limit(100).execute()).map(
    ({ method, params, created_at, delivered_at }) => ({
      ...{ method, params, at: created_at.toISOString() },
      delivered: delivered_at?.toISOString() ?? null,
    }),
  )
}
