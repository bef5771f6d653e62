import {
  listRefusedAnchorMessages,
  type RefusedAnchorMessage,
} from '@windlass/contracts/anchor/refused-anchor-messages.ts'
import type { On } from '@windlass/service/http/server.ts'
import { listRefused } from '@windlass/service/work/refused-messages.ts'
import { scalar } from '@windlass/service/postgres/scalars.ts'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { listRefusedCalls } from '../../outgoing/sep-calls/metrics.ts'
import { MOVEMENTS } from '../../people/compliance/round-trips.ts'

const MOST = 200

/** How many acts of keys the platform does not take. */
export const refusedActs = scalar(
  sql<number>`select count(*) from key_acts where reported_at is null and refused_code is not null`,
  Number,
)

/** Serves what other programs refuse whenever this server sends it, and what the SEP server refused once. */
export function serveRefusedMessages(on: On, deps: Deps): void {
  on(listRefusedAnchorMessages).serve(async () => {
    const found = [...(await acts(deps)), ...(await calls(deps)), ...(await movements(deps))]
    return found.sort((one, other) => other.writtenAt.localeCompare(one.writtenAt))
  })
}

async function acts({ database: { db } }: Deps): Promise<RefusedAnchorMessage[]> {
  const rows = await db
    .selectFrom('key_acts')
    .selectAll()
    .where('reported_at', 'is', null)
    .where('refused_code', 'is not', null)
    .orderBy('at', 'desc')
    .limit(MOST)
    .execute()
  return rows.map(({ id, key_id, action, refused_code, at, next_try_at }) => ({
    ...{ id, topic: 'key-acts', what: action, transactionId: null, keyId: key_id, detail: null },
    code: refused_code ?? '',
    writtenAt: at.toISOString(),
    nextAt: next_try_at.toISOString(),
  }))
}

async function calls({ database: { db } }: Deps): Promise<RefusedAnchorMessage[]> {
  const rows = await listRefusedCalls(db, MOST)
  return rows.map(({ id, method, transfer_id, refused, created_at }) => ({
    ...{ id, topic: 'sep-calls', what: method, transactionId: transfer_id, keyId: null, code: 'refused' },
    detail: refused,
    writtenAt: created_at.toISOString(),
    nextAt: null,
  }))
}

async function movements({ database: { db } }: Deps): Promise<RefusedAnchorMessage[]> {
  const rows = (await listRefused(db)).filter(({ topic }) => topic === MOVEMENTS)
  return rows.map(({ id, key, code, detail, written_at, next_at }) => ({
    ...{ id, topic: 'movements', what: 'movement', transactionId: key, keyId: null, code, detail },
    writtenAt: written_at.toISOString(),
    nextAt: next_at.toISOString(),
  }))
}
