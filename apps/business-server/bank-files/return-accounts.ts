import type { BankPayout as PayoutForm } from '@windlass/contracts/anchor/payout-files.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import { scalar } from '@windlass/service/postgres/scalars.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Deps } from '../deps.ts'
import { bindFact, type FactKind, forgetFact, requireAsked } from '../money/bound-facts/bound-facts.ts'
import * as files from '../rails/bank-file/files.ts'
import { describeFaults, readDestination } from '../rails/destination-fields.ts'
import { needsSecondPerson } from '../second-person.ts'
import { sorted } from '../row-text.ts'
import type { BankPayout, ReturnAccount, Tables } from '../tables.ts'
import { accountOf, orderedOnly, payerOf } from './payout-destinations.ts'
import { bare } from './payout-sheets.ts'

type Account = Readonly<Record<string, string>>

const notFound = () => new Problem('payout-not-found', 'No payout that waits for a file has this id.')

/**
 * Sets the account to which a return goes, or the holder of the account of a payout. A return goes to the account of its line; another one
 * waits until a second person approves it.
 *
 * @param by `operator:<id>`
 * @throws {Problem} `payout-not-found`, `validation-failed`
 */
export async function setPayoutAccount(
  deps: Deps,
  id: string,
  { by, ...given }: Record<string, string> & { by: string },
): Promise<PayoutForm> {
  await deps.database.db.transaction().execute(async tx => {
    const payout = await files.lockWaitingPayout(tx, id)
    if (!payout) throw notFound()
    const account = readAccount(deps, payout, given)
    const payer = payout.kind === 'return' ? await payerOf(deps, tx, payout) : null
    const isAgreed = payout.kind === 'payout' || (payer && bare(payer.dest) === bare(account.dest))
    if (isAgreed) await files.setAccount(tx, deps.sealer, id, account)
    else await ask(deps, tx, payout, account, by)
  })
  deps.wake.emit('conditions')
  return readForm(deps, id)
}

function readAccount({ rails }: Deps, payout: BankPayout, given: Record<string, string>): Account {
  const rail = rails.get(payout.rail)
  if (!rail) throw notFound()
  const isPayout = payout.kind === 'payout'
  if (isPayout && (given.dest !== undefined || given.dest_extra !== undefined))
    throw invalid('dest', 'cannot be changed: it was agreed with the customer. Send dest_name alone')
  const fields = rail.destinationFields.filter(({ name }) => !isPayout || name === 'dest_name')
  const { destination, wrong } = readDestination(fields, given)
  if (wrong.length > 0) throw invalid('account', describeFaults(wrong))
  return destination
}

/** A later wish takes the place of one that waits. */
async function ask(
  deps: Deps,
  tx: Db<Tables>,
  { id: payoutId }: BankPayout,
  account: Account,
  by: string,
): Promise<void> {
  const waiting = await waitingFor(tx, payoutId)
  if (waiting) await decide(tx, waiting.id, 'dismissed', by)
  const id = randomUUID()
  await tx
    .insertInto('return_accounts')
    .values({ id, payout_id: payoutId, sealed: seal(deps.sealer, id, account), requested_by: by })
    .execute()
  await bindFact(deps, tx, askedAccounts, id)
}

/**
 * Approves or dismisses an account that someone wants a return to go to.
 *
 * @param id of the wish, which names one account.
 * @throws {Problem} `payout-not-found`, `second-person-needed`
 */
export async function decideReturnAccount(
  deps: Deps,
  id: string,
  { approve, by }: { approve: boolean; by: string },
): Promise<PayoutForm> {
  const payoutId = await deps.database.db.transaction().execute(async tx => {
    const wish = await tx
      .selectFrom('return_accounts')
      .selectAll()
      .where(sql`id::text`, '=', id)
      .where('state', '=', 'waiting')
      .forUpdate()
      .executeTakeFirst()
    if (!wish)
      throw new Problem('payout-not-found', 'No account of a return waits for approval under this id.')
    if (!(await files.lockWaitingPayout(tx, wish.payout_id))) throw notFound()
    if (approve && wish.requested_by === by) throw needsSecondPerson('You asked for this account.')
    if (approve) await requireAsked(deps, tx, askedAccounts, wish.id)
    await decide(tx, wish.id, approve ? 'done' : 'dismissed', by)
    if (approve) await files.setAccount(tx, deps.sealer, wish.payout_id, open(deps.sealer, wish))
    return wish.payout_id
  })
  deps.wake.emit('conditions')
  return readForm(deps, payoutId)
}

async function decide(tx: Db<Tables>, id: string, state: 'done' | 'dismissed', by: string): Promise<void> {
  await tx
    .updateTable('return_accounts')
    .set({ state, decided_by: by, decided_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .execute()
  await forgetFact(tx, askedAccounts, id)
}

/** An account that someone asked for, while it waits for a second person. */
export const askedAccounts: FactKind = {
  kind: 'return-account',
  rowOf: async ({ sealer }, tx, id) => {
    const row = await tx.selectFrom('return_accounts').selectAll().where('id', '=', id).executeTakeFirst()
    return row ? [row.payout_id, row.requested_by, sorted(open(sealer, row))] : null
  },
}

async function waitingFor(db: Db<Tables>, payoutId: string): Promise<ReturnAccount | null> {
  const query = db.selectFrom('return_accounts').selectAll().where('payout_id', '=', payoutId)
  return (await query.where('state', '=', 'waiting').executeTakeFirst()) ?? null
}

export const returnAccountsWaiting = scalar(
  sql<number>`select count(*) from return_accounts where state = 'waiting'`,
  Number,
)

const contextOf = (id: string) => `return-account:${id}`
export const sealedReturnAccounts = sealedColumn({
  ...{ table: 'return_accounts', column: 'sealed', key: ['id'] },
  contextOf: ({ id }) => contextOf(id),
})
const seal = (sealer: Sealer, id: string, account: Account): Buffer =>
  sealer.seal(JSON.stringify(account), contextOf(id))
/** Opens one that waits: retention removes the account of others. */
const open = (sealer: Sealer, { id, sealed }: Pick<ReturnAccount, 'id' | 'sealed'>): Account => {
  if (!sealed) throw new Error(`the account ${id} was removed`)
  return JSON.parse(sealer.open(sealed, contextOf(id))) as Account
}

async function readForm(deps: Deps, id: string): Promise<PayoutForm> {
  const payout = await files.findWaiting(deps.database.db, id)
  if (!payout) throw notFound()
  return payoutForm(deps, payout)
}

export async function payoutForm(deps: Deps, payout: BankPayout): Promise<PayoutForm> {
  const { db } = deps.database
  const rail = deps.rails.get(payout.rail)
  const account = rail ? await accountOf(deps, db, rail, payout) : 'account'
  const wish = payout.kind === 'return' ? await waitingFor(db, payout.id) : null
  return {
    id: payout.id,
    code: payout.code,
    kind: payout.kind,
    rail: payout.rail,
    amount: formatAmount(parseAmount(payout.amount)),
    currency: payout.currency,
    transactionId: payout.transfer_id,
    lineId: payout.line_id,
    hasAccount: typeof account !== 'string',
    missing: typeof account === 'string' ? account : null,
    isOrdered: (await orderedOnly(deps, db, [payout])).length > 0,
    accountWish: wish && wishForm(deps, wish),
    createdAt: payout.created_at.toISOString(),
  }
}

function wishForm({ sealer }: Deps, wish: ReturnAccount): NonNullable<PayoutForm['accountWish']> {
  const { dest: account = '', dest_extra: bank, dest_name: name = '' } = open(sealer, wish)
  return {
    id: wish.id,
    payee: { name, account, bank: bank || null },
    requestedBy: wish.requested_by,
    requestedAt: wish.requested_at.toISOString(),
  }
}
