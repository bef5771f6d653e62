import { exists } from '@windlass/service/postgres/exists.ts'
import { claimDue, firstDueAt, RETRIES_WITHIN_SECONDS } from '@windlass/service/work/claim-due.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { sql, type Insertable } from 'kysely'
import type { BankLine, BankLineTable, Tables, Transfer } from '../tables.ts'
import type { OrderReport } from '../rails/rail.ts'

/* Lines of bank statements: what they say of people is encrypted, and each has an outcome in the end. */

type Decided =
  | 'decided_by'
  | 'decided_at'
  | 'state'
  | 'why'
  | 'review_code'
  | 'transfer_id'
  | 'order_id'
  | 'ignored_as'
  | 'own_account'
  | 'duplicate_of'

export type NewLine = Omit<Insertable<BankLineTable>, Decided | 'next_try_at' | 'created_at' | 'removed_at'>

/** What a line says of people. */
interface LineDetails {
  text: string
  name: string | null
  account: string | null
  bank: string | null
  /** Why the bank sends a payment back, where it says so. */
  returnReason: string | null
}

const contextOf = (id: string) => `bank-line:${id}`

export const sealedLines = sealedColumn({
  ...{ table: 'bank_lines', column: 'sealed', key: ['id'] },
  contextOf: ({ id }) => contextOf(id),
})

export const sealLine = (sealer: Sealer, id: string, details: LineDetails): Buffer =>
  sealer.seal(JSON.stringify(details), contextOf(id))

const REMOVED: LineDetails = { text: '', name: null, account: null, bank: null, returnReason: null }

/** Empty where retention removed it. Throws where the key does not fit. */
export const openLine = (sealer: Sealer, { id, sealed }: Pick<BankLine, 'id' | 'sealed'>): LineDetails =>
  sealed ? (JSON.parse(sealer.open(sealed, contextOf(id))) as LineDetails) : REMOVED

/** What a line has about which nothing is decided. */
export const UNDECIDED = {
  transfer_id: null,
  order_id: null,
  decided_by: null,
  decided_at: null,
  ignored_as: null,
  own_account: null,
  duplicate_of: null,
} as const

/** Throws `statement-line-not-found`. */
export async function findLine(db: Db<Tables>, id: string): Promise<BankLine> {
  const line = await db.selectFrom('bank_lines').selectAll().where('id', '=', id).executeTakeFirst()
  if (!line) throw new Problem('statement-line-not-found', 'There is no statement line with this id.')
  return line
}

export async function lockLine(tx: Db<Tables>, id: string): Promise<BankLine> {
  return tx.selectFrom('bank_lines').selectAll().where('id', '=', id).forUpdate().executeTakeFirstOrThrow()
}

const NEW_LINES = {
  table: 'bank_lines',
  dueAt: 'next_try_at',
  where: sql`state = 'new'`,
  longestSeconds: RETRIES_WITHIN_SECONDS,
}

/** For the due work. */
export const newLinesDueAt = firstDueAt(NEW_LINES)

/** Lines that were not looked at yet. */
export async function claimNewLines(db: Db<Tables>, limit: number): Promise<Pick<BankLine, 'id'>[]> {
  return claimDue<BankLine, Tables>(db, { ...NEW_LINES, leaseSeconds: 60, limit })
}

type Outcome = Partial<
  Pick<
    BankLine,
    | 'review_code'
    | 'transfer_id'
    | 'order_id'
    | 'decided_by'
    | 'decided_at'
    | 'ignored_as'
    | 'own_account'
    | 'duplicate_of'
  >
> & {
  state: 'matched' | 'review' | 'returned' | 'ignored'
  why: string
}

/** What a line is found to be for. */
export type Found =
  | {
      state: 'matched'
      why: string
      transfer_id?: string | null
      order_id?: string | null
      report?: OrderReport
    }
  | { state: 'review'; why: string; transfer_id?: string | null }

export const review = (why: string, transfer?: Transfer): Found => ({
  state: 'review',
  why,
  transfer_id: transfer?.id ?? null,
})

export function setOutcome(tx: Db<Tables>, id: string, outcome: Outcome): Promise<BankLine> {
  return tx
    .updateTable('bank_lines')
    .set({ review_code: null, ...outcome })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** A line in the other direction with the same code and amount that was not looked at yet: the bank took it back. */
export async function findReversal(tx: Db<Tables>, line: BankLine, code: string): Promise<BankLine | null> {
  const row = await tx
    .selectFrom('bank_lines')
    .selectAll()
    .where('account', '=', line.account)
    .where('direction', '<>', line.direction)
    .where('amount', '=', line.amount)
    .where('state', '=', 'new')
    .where(sql<boolean>`codes @> array[${code}]::text[]`)
    .orderBy('id')
    .limit(1)
    .forUpdate()
    .executeTakeFirst()
  return row ?? null
}

/** Whether the only line of a payout is the one that brought its money back: the file with the other one comes later. */
export async function wasTakenBack(tx: Db<Tables>, orderId: string): Promise<boolean> {
  const lines = await tx
    .selectFrom('bank_lines')
    .select('direction')
    .where('order_id', '=', orderId)
    .where('state', '=', 'matched')
    .execute()
  return lines.length === 1 && lines[0]?.direction === 'in'
}

/** Whether a line that left the account confirmed the payout. */
export async function wasConfirmed(db: Db<Tables>, orderId: string): Promise<boolean> {
  return exists(
    db
      .selectFrom('bank_lines')
      .select('id')
      .where('order_id', '=', orderId)
      .where('direction', '=', 'out')
      .where('state', '=', 'matched'),
  )
}

/** What left the account for a payout, by its line; null: no line of it alone confirmed it. */
export async function leftFor(db: Db<Tables>, orderId: string): Promise<string | null> {
  const row = await db
    .selectFrom('bank_lines')
    .select('amount')
    .where('order_id', '=', orderId)
    .where('direction', '=', 'out')
    .where('state', '=', 'matched')
    .executeTakeFirst()
  return row?.amount ?? null
}

/** Whether a line that left the account until that day waits to be matched or decided. */
export async function hasUnexplainedDebit(db: Db<Tables>, account: string, until: string): Promise<boolean> {
  return exists(
    db
      .selectFrom('bank_lines')
      .select('id')
      .where('account', '=', account)
      .where('direction', '=', 'out')
      .where('booked_on', '<=', until)
      .where('state', 'in', ['new', 'review']),
  )
}

/** Those of our codes that stand in lines that left the account, whatever became of the lines. */
export async function namedByDebits(
  db: Db<Tables>,
  account: string,
  codes: readonly string[],
): Promise<ReadonlySet<string>> {
  if (codes.length === 0) return new Set()
  const lines = await db
    .selectFrom('bank_lines')
    .select('codes')
    .where('account', '=', account)
    .where('direction', '=', 'out')
    .where(sql<boolean>`codes && ${codes}::text[]`)
    .execute()
  return new Set(lines.flatMap(line => line.codes))
}

/** Those of these codes under which more left the account than came back. */
export async function bookedOnBalance(
  db: Db<Tables>,
  account: string,
  codes: readonly string[],
): Promise<ReadonlySet<string>> {
  if (codes.length === 0) return new Set()
  const { rows } = await sql<{ code: string }>`
    select code from bank_lines, unnest(codes) as code
    where account = ${account} and codes && ${codes}::text[] and code = any(${codes}::text[])
      and ignored_as is distinct from 'duplicate'
    group by code having sum(case direction when 'out' then amount else -amount end) > 0`.execute(db)
  return new Set(rows.map(({ code }) => code))
}
