import type { TestDeposit, TestRequest } from '@windlass/contracts/platform/test-deposits.ts'
import { claimDue } from '@windlass/service/work/claim-due.ts'
import { notify, type Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { generateKey, type AccountKey } from '@windlass/stellar/keys.ts'
import { randomUUID } from 'node:crypto'
import { sql, type Selectable } from 'kysely'
import { openAnchor } from '../anchors/records.ts'
import type { Deps } from '../deps.ts'
import type { Tables } from '../tables.ts'

/** Longer than a deposit may take. */
const LEASE_SECONDS = 300
/** Requests that are kept of one deposit; later ones are not listed. */
const MAX_REQUESTS = 60

/** The key of the anchor's test wallet: created the first time. Throws `anchor-not-found`. */
export async function testWallet(
  deps: Pick<Deps, 'database' | 'master'>,
  anchorId: string,
): Promise<AccountKey> {
  const { vault } = await openAnchor(deps, anchorId)
  const { secret, publicKey } = await vault.ensure(deps.database.db, 'test_wallet', generateKey)
  return { secret, publicKey: publicKey ?? '' }
}

/** Starts a deposit, unless one is under way. Throws `anchor-not-found`, `anchor-wrong-state` where it does not run. */
export async function requestDeposit(deps: Deps, anchorId: string, rail: string): Promise<TestDeposit> {
  const { db } = deps.database
  const { anchor, plan } = await openAnchor(deps, anchorId)
  if (!anchor.running || !anchor.provisioned_at)
    throw new Problem('anchor-wrong-state', 'The anchor is not running.')
  const { publicKey: account } = await testWallet(deps, anchorId)
  const now = deps.clock.now()
  const row = {
    ...{ id: randomUUID(), state: 'waiting' as const, account, rail, amount: plan.limits.min },
    ...{ transaction_id: null, failure: null, requests: '[]', attempts: 0 },
    ...{ due_at: now, created_at: now, ended_at: null },
  }
  await db
    .insertInto('test_deposits')
    .values({ anchor_id: anchorId, ...row })
    .onConflict(conflict =>
      conflict.column('anchor_id').doUpdateSet(row).where('test_deposits.ended_at', 'is not', null),
    )
    .execute()
  await notify(db, 'deposits', anchorId)
  const started = await findDeposit(db, anchorId)
  if (!started) throw new Error(`the test deposit of ${anchorId} is gone`)
  return started
}

export async function findDeposit(db: Db<Tables>, anchorId: string): Promise<TestDeposit | null> {
  const row = await db
    .selectFrom('test_deposits')
    .selectAll()
    .where('anchor_id', '=', anchorId)
    .executeTakeFirst()
  return row ? formOf(row) : null
}

/** Claims deposits that wait, and those whose process died. */
export async function claimDeposits(
  db: Db<Tables>,
  now: Date,
  limit: number,
): Promise<Selectable<Tables['test_deposits']>[]> {
  return claimDue(db, {
    table: 'test_deposits',
    key: 'anchor_id',
    dueAt: 'due_at',
    leaseSeconds: LEASE_SECONDS,
    longestSeconds: 2 * LEASE_SECONDS,
    now,
    limit,
    where: sql`ended_at is null`,
    set: sql`state = 'running', attempts = attempts + 1`,
  })
}

/** Adds a request to the deposit's list. */
export async function recordRequest(
  db: Db<Tables>,
  id: string,
  request: TestRequest,
  transactionId: string | null,
): Promise<void> {
  await db
    .updateTable('test_deposits')
    .set({
      requests: sql`case when jsonb_array_length(requests) < ${MAX_REQUESTS}
        then requests || ${JSON.stringify([request])}::jsonb else requests end`,
      transaction_id: transactionId,
    })
    .where('id', '=', id)
    .execute()
}

/** @param failure why it failed; null: the asset is in the wallet */
export async function endDeposit(
  db: Db<Tables>,
  id: string,
  failure: string | null,
  now: Date,
): Promise<void> {
  await db
    .updateTable('test_deposits')
    .set({ state: failure === null ? 'completed' : 'failed', failure, ended_at: now })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .execute()
}

const formOf = (row: Selectable<Tables['test_deposits']>): TestDeposit => ({
  id: row.id,
  state: row.state,
  account: row.account,
  rail: row.rail,
  amount: row.amount,
  transactionId: row.transaction_id,
  failure: row.failure,
  requests: row.requests,
  startedAt: row.created_at.toISOString(),
  endedAt: row.ended_at?.toISOString() ?? null,
})
