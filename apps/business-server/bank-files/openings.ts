import type { NewOpeningBalance } from '@windlass/contracts/anchor/bank-accounts.ts'
import { formatLedgerAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import { scalar } from '@windlass/service/postgres/scalars.ts'
import { sql } from 'kysely'
import type { Static } from 'typebox'
import type { Deps } from '../deps.ts'
import { recordBankOpening } from '../money/journal/entries.ts'
import { bindFact, type FactKind, forgetFact, requireAsked } from '../money/bound-facts/bound-facts.ts'
import { plain } from '../row-text.ts'
import { needsSecondPerson } from '../second-person.ts'
import type { BankOpening, Tables } from '../tables.ts'
import { lockAccount } from './statements.ts'

/**
 * Writes down what a bank account had before its first statement, which counts once a second person approves it.
 *
 * @param by `operator:<id>`
 * @returns the account
 * @throws {Problem} `not-found`, `action-not-possible`, `validation-failed`.
 */
export async function requestOpening(
  deps: Deps,
  railName: string,
  { amount, day, reason, by }: Static<typeof NewOpeningBalance> & { by: string },
): Promise<string> {
  const rail = deps.rails.get(railName)
  if (!rail?.bankAccount) throw new Problem('not-found', 'There is no rail with bank files of this name.')
  const { account } = rail.bankAccount
  const at = new Date(`${day}T00:00:00.000Z`)
  if (Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== day)
    throw invalid('day', 'must be a day such as 2026-11-30')
  await deps.database.db.transaction().execute(async tx => {
    await lockAccount(tx, account)
    const { pending } = (await openingsOf(tx)).get(account) ?? {}
    if (pending)
      throw new Problem(
        'action-not-possible',
        'An opening balance of this account waits for a second person. Approve or reject that one first.',
      )
    const row = { account, rail: rail.name, currency: rail.currency, day, reason, requested_by: by }
    const { id } = await tx
      .insertInto('bank_openings')
      .values({ ...row, amount: formatLedgerAmount(parseAmount(amount)) })
      .returning('id')
      .executeTakeFirstOrThrow()
    await bindFact(deps, tx, saidOpenings, id)
  })
  deps.wake.emit('conditions')
  return account
}

export const openingsWaiting = scalar(
  sql<number>`select count(*) from bank_openings where state = 'waiting'`,
  Number,
)

/**
 * Approves or rejects an opening balance. The journal gets what it changes: an earlier one no longer counts.
 *
 * @returns the account
 * @throws {Problem} `action-not-found`, `second-person-needed`.
 */
export async function decideOpening(
  deps: Deps,
  id: string,
  { approve, by }: { approve: boolean; by: string },
): Promise<string> {
  const account = await deps.database.db.transaction().execute(async tx => {
    const row = await tx
      .selectFrom('bank_openings')
      .selectAll()
      .where(sql`id::text`, '=', id)
      .where('state', '=', 'waiting')
      .forUpdate()
      .executeTakeFirst()
    if (!row)
      throw new Problem('action-not-found', 'No opening balance with this id waits for a second person.')
    if (approve && row.requested_by === by) throw needsSecondPerson('You said this opening balance.')
    if (approve) await requireAsked(deps, tx, saidOpenings, row.id)
    await forgetFact(tx, saidOpenings, row.id)
    await lockAccount(tx, row.account)
    const before = parseAmount((await openingsOf(tx)).get(row.account)?.counts?.amount ?? '0')
    await tx
      .updateTable('bank_openings')
      .set({ state: approve ? 'done' : 'rejected', decided_by: by, decided_at: deps.clock.now() })
      .where('id', '=', row.id)
      .execute()
    if (approve)
      await recordBankOpening(tx, {
        ...{ cause: `bank-opening:${row.id}`, rail: row.rail, currency: row.currency },
        amount: parseAmount(row.amount) - before,
      })
    return row.account
  })
  deps.wake.emit('conditions')
  return account
}

/** An opening balance that someone said, while it waits for a second person. */
export const saidOpenings: FactKind = {
  kind: 'bank-opening',
  rowOf: async (_, tx, id) => {
    const row = await tx.selectFrom('bank_openings').selectAll().where('id', '=', id).executeTakeFirst()
    if (!row) return null
    const { account, rail, currency, amount, day, reason, requested_by } = row
    return [account, rail, currency, plain(amount), day, reason, requested_by]
  },
}

/** Lists for each account the opening balance that counts, and the one that waits. */
export async function openingsOf(
  db: Db<Tables>,
): Promise<Map<string, { counts?: BankOpening; pending?: BankOpening }>> {
  const rows = await db
    .selectFrom('bank_openings')
    .selectAll()
    .where('state', '<>', 'rejected')
    .orderBy('decided_at')
    .orderBy('requested_at')
    .execute()
  const byAccount = Map.groupBy(rows, ({ account }) => account)
  return new Map(
    [...byAccount].map(([account, all]) => {
      const counts = all.findLast(({ state }) => state === 'done')
      const pending = all.find(({ state }) => state === 'waiting')
      return [account, { ...(counts && { counts }), ...(pending && { pending }) }]
    }),
  )
}
