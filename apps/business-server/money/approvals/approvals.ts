import { isUuid } from '@windlass/service/postgres/uuid.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { scalar } from '@windlass/service/postgres/scalars.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import { type RawBuilder, sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import { sorted } from '../../row-text.ts'
import { needsSecondPerson } from '../../second-person.ts'
import { bindFact, type FactKind, forgetFact, requireAsked } from '../bound-facts/bound-facts.ts'
import { approvalLimits } from '../settings/settings.ts'
import type { StoredAction, Tables } from '../../tables.ts'

/** What an action is about. */
type Subject = { transfer_id: string } | { line_id: string } | { order_id: string }

/** Where money is to be paid: the rail's fields (`dest`, `dest_extra`, `dest_name`) by name. */
export type Account = Readonly<Record<string, string>>

const contextOf = (id: string) => `operator-action:${id}`

export const sealedActionAccounts = sealedColumn({
  ...{ table: 'operator_actions', column: 'sealed', key: ['id'] },
  contextOf: ({ id }) => contextOf(id),
})

/** The account that an action asks for; null: none, or it is decided. Throws where the key does not fit. */
export const accountOf = (
  { sealer }: Pick<Deps, 'sealer'>,
  { id, sealed }: Pick<StoredAction, 'id' | 'sealed'>,
): Account | null => sealed && (JSON.parse(sealer.open(sealed, contextOf(id))) as Account)

/** What someone asked for, while it waits for a second person. */
export const askedActions: FactKind = {
  kind: 'operator-action',
  rowOf: async (deps, tx, id) => {
    const row = await tx.selectFrom('operator_actions').selectAll().where('id', '=', id).executeTakeFirst()
    if (!row) return null
    const { transfer_id, line_id, order_id, kind, reason, payment_id, details, requested_by } = row
    const account = accountOf(deps, row)
    return [
      ...[transfer_id, line_id, order_id, kind, reason, payment_id, sorted(details)],
      ...[account && sorted(account), requested_by, String(row.two_people)],
    ]
  },
}

interface NewAction {
  kind: StoredAction['kind']
  reason: string
  paymentId?: string | null
  details?: Record<string, string>
  account?: Account | undefined
  /** `operator:<id>` or `key:<id>` */
  by: string
  twoPeople: boolean
}

/** An API key acts without a person, so it is never one of two. */
export const isKey = (by: string): boolean => by.startsWith('key:')

/**
 * The amount of the first asset's units above which one person, or one key, does not act alone; null: any. A key's is 0
 * unless the settings say otherwise, and never above that of people.
 */
export async function limitFor(deps: Deps, tx: Db<Tables>, by: string): Promise<string | null> {
  const { above, keysAbove } = await approvalLimits(deps, tx)
  return isKey(by) ? keysAbove : above
}

/** Writes down what someone asks for, in the caller's transaction: it waits until {@link finishAction}. */
export async function addAction(
  deps: Pick<Deps, 'sealer' | 'binder'>,
  tx: Db<Tables>,
  subject: Subject,
  { kind, reason, paymentId, details, account, by, twoPeople }: NewAction,
): Promise<StoredAction> {
  const id = randomUUID()
  const action = await tx
    .insertInto('operator_actions')
    .values({
      id,
      sealed: account ? deps.sealer.seal(JSON.stringify(account), contextOf(id)) : null,
      transfer_id: 'transfer_id' in subject ? subject.transfer_id : null,
      line_id: 'line_id' in subject ? subject.line_id : null,
      order_id: 'order_id' in subject ? subject.order_id : null,
      ...{ kind, reason, payment_id: paymentId ?? null, details: JSON.stringify(details ?? {}) },
      ...{ state: 'waiting', requested_by: by, two_people: twoPeople },
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  if (twoPeople) await bindFact(deps, tx, askedActions, id)
  return action
}

/** @param undo what is needed to reverse it later. */
export async function finishAction<Of extends StoredAction>(
  tx: Db<Tables>,
  action: Of,
  state: 'done' | 'rejected',
  by: string,
  undo?: Record<string, unknown>,
): Promise<Of> {
  const finished = await tx
    .updateTable('operator_actions')
    .set({
      ...{ state, decided_by: by, decided_at: sql<Date>`clock_timestamp()` },
      undo: undo ? JSON.stringify(undo) : null,
      sealed: null,
    })
    .where('id', '=', action.id)
    .returning(['state', 'decided_by', 'decided_at', 'undo', 'sealed'])
    .executeTakeFirstOrThrow()
  await forgetFact(tx, askedActions, action.id)
  return { ...action, ...finished }
}

/** Throws `second-person-needed` for who asked for it, and `action-not-possible` where nothing proves that they did. */
export async function requireSecond(
  deps: Pick<Deps, 'sealer' | 'binder'>,
  tx: Db<Tables>,
  { id, requested_by }: StoredAction,
  by: string,
): Promise<void> {
  if (requested_by === by || isKey(by)) throw needsSecondPerson('You asked for this.')
  await requireAsked(deps, tx, askedActions, id)
}

/** Throws `action-not-found`. */
export async function findAction(db: Db<Tables>, id: string): Promise<StoredAction> {
  const query = db.selectFrom('operator_actions').selectAll().where('id', '=', id)
  const row = isUuid(id) ? await query.executeTakeFirst() : undefined
  if (!row) throw new Problem('action-not-found', 'There is no action with this id.')
  return row
}

/** Whether an action about a line waits, in a query of another table. */
export const isActedOn = (line: RawBuilder<string>) =>
  sql<boolean>`exists (select from operator_actions a where a.line_id = ${line} and a.state = 'waiting')`

/** Lists the actions of a subject, the newest first. */
export function actionsOf(db: Db<Tables>, subject: Subject, limit: number): Promise<StoredAction[]> {
  const [column, id] = columnOf(subject)
  return db
    .selectFrom('operator_actions')
    .selectAll()
    .where(column, '=', id)
    .orderBy('requested_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** What people did with lines or transactions, the oldest first. */
export async function doneAbout(
  db: Db<Tables>,
  { lines, transfers }: { lines: readonly string[]; transfers: readonly string[] },
): Promise<StoredAction[]> {
  if (lines.length + transfers.length === 0) return []
  return db
    .selectFrom('operator_actions')
    .selectAll()
    .where('state', '=', 'done')
    .where(sql<boolean>`(line_id = any(${lines}::text[]) or transfer_id = any(${transfers}::uuid[]))`)
    .orderBy('requested_at')
    .orderBy('id')
    .execute()
}

const columnOf = (subject: Subject) =>
  'transfer_id' in subject
    ? (['transfer_id', subject.transfer_id] as const)
    : 'line_id' in subject
      ? (['line_id', subject.line_id] as const)
      : (['order_id', subject.order_id] as const)

/** Who said that money came for these transactions: `<transaction> <payment>` and the person. */
export async function markedBy(
  db: Db<Tables>,
  transfers: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (transfers.length === 0) return new Map()
  const rows = await db
    .selectFrom('operator_actions')
    .select(['transfer_id', 'payment_id', 'requested_by'])
    .where('kind', '=', 'mark-paid')
    .where('state', '=', 'done')
    .where('transfer_id', 'in', transfers)
    .execute()
  return new Map(rows.map(row => [`${row.transfer_id} ${row.payment_id}`, row.requested_by] as const))
}

/** What waits for a second person, by order. */
export async function waitingByOrder(
  db: Db<Tables>,
  orders: readonly string[],
): Promise<ReadonlyMap<string, StoredAction>> {
  if (orders.length === 0) return new Map()
  const rows = await db
    .selectFrom('operator_actions')
    .selectAll()
    .where('state', '=', 'waiting')
    .where('order_id', 'in', orders)
    .execute()
  return new Map(rows.map(row => [row.order_id ?? '', row] as const))
}

/** What waits for a second person, by line. */
export async function waitingByLine(
  db: Db<Tables>,
  lines: readonly string[],
): Promise<ReadonlyMap<string, StoredAction>> {
  if (lines.length === 0) return new Map()
  const rows = await db
    .selectFrom('operator_actions')
    .selectAll()
    .where('state', '=', 'waiting')
    .where('line_id', 'in', lines)
    .execute()
  return new Map(rows.map(row => [row.line_id ?? '', row] as const))
}

/** How many actions wait for a second person. */
export const actionsWaiting = scalar(
  sql<number>`select count(*) from operator_actions where state = 'waiting'`,
  Number,
)
