import type { VelocityFinding, VelocityRule } from '@windlass/contracts/anchor/compliance.ts'
import { assetField, type AssetKey } from '@windlass/contracts/internal/served-assets.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import { sql, type RawBuilder } from 'kysely'
import { createHmac, randomBytes } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import type { Tables } from '../../tables.ts'
import { fileHits } from './file-hits.ts'
import { lockScreening } from './lists.ts'
import { currentRules, lockVelocity } from './velocity-rules.ts'

/** A transfer as rules count it. */
export interface Movement {
  direction: 'deposit' | 'withdrawal'
  asset: AssetKey
  /** In units of the asset. */
  amount: string
  /** The ids of its customer, the person's first where they are known. */
  customer: readonly [string, ...string[]]
  /** Those and the ids of the person's other accounts. */
  person: readonly string[]
  /** Bank account that a withdrawal pays. */
  account: string | null
}

const LISTED_TRANSFERS = 200
/** A day more than the longest rule. */
const KEPT_DAYS = 31
const HOUR_MS = 3_600_000

/**
 * Counts a transfer, once, and holds it by a hit for each rule that it exceeds, in the transaction in which its money would
 * leave. One transfer is counted after the other, so each sees all before it.
 */
export async function countTransfer(
  deps: Deps,
  tx: Db<Tables>,
  id: string,
  movementOf: () => Promise<Movement | null>,
): Promise<void> {
  if (await isCounted(tx, id)) return
  const movement = await movementOf()
  if (!movement) return
  await lockScreening(tx, 'shared')
  await lockVelocity(tx)
  if (await isCounted(tx, id)) return
  const at = deps.clock.now()
  const { direction, asset, amount, customer, account } = movement
  await tx
    .insertInto('velocity_movements')
    .values({ transfer_id: id, direction, asset, amount, customer: customer[0], at })
    .execute()
  await addParties(
    tx,
    customer.map(key => ({ kind: 'customer', key, transfer_id: id })),
  )
  if (account !== null) await recordAccount(deps, tx, id, account)
  await forgetOld(tx, at)
  const findings = await exceeded(tx, id, movement, at)
  for (const finding of findings) {
    const added = await tx
      .insertInto('screening_hits')
      .values({ transfer_id: id, velocity: JSON.stringify(finding) })
      .returning('id')
      .executeTakeFirstOrThrow()
    await tx
      .insertInto('screening_holds')
      .values({ subject_kind: 'transaction', subject_id: id, hit_id: added.id })
      .execute()
  }
  if (findings.length > 0) await fileHits(tx)
}

async function isCounted(tx: Db<Tables>, id: string): Promise<boolean> {
  return exists(tx.selectFrom('velocity_movements').select('transfer_id').where('transfer_id', '=', id))
}

/** Notes from or to which bank account a transfer is paid; it is counted with the transfer. */
export async function recordAccount(deps: Deps, tx: Db<Tables>, id: string, account: string): Promise<void> {
  const plain = account.replaceAll(/\s/g, '').toUpperCase()
  if (plain === '') return
  const key = createHmac('sha256', await accountKey(deps, tx))
    .update(plain)
    .digest('base64')
  await addParties(tx, [{ kind: 'account', key, transfer_id: id }])
}

interface PartyRow {
  kind: 'customer' | 'account'
  key: string
  transfer_id: string
}

async function addParties(tx: Db<Tables>, rows: readonly PartyRow[]): Promise<void> {
  await tx
    .insertInto('velocity_parties')
    .values(rows)
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

const KEY_CONTEXT = 'velocity-key'

export const sealedVelocityKey = sealedColumn({
  ...{ table: 'velocity_key', column: 'sealed', key: ['only_one'] },
  contextOf: () => KEY_CONTEXT,
})

/** It outlives the keys that encrypt it: an account stays the same when they rotate. */
async function accountKey({ sealer }: Pick<Deps, 'sealer'>, tx: Db<Tables>): Promise<Buffer> {
  const find = () => tx.selectFrom('velocity_key').select('sealed').executeTakeFirst()
  let row = await find()
  if (!row) {
    await tx
      .insertInto('velocity_key')
      .values({ sealed: sealer.seal(randomBytes(32).toString('base64'), KEY_CONTEXT) })
      .onConflict(conflict => conflict.doNothing())
      .execute()
    row = await find()
  }
  if (!row) throw new Error('the key of the velocity rules is missing')
  return Buffer.from(sealer.open(row.sealed, KEY_CONTEXT), 'base64')
}

/** Other transactions with a bank account of this one about whose payer or receiver a hit waits or was confirmed. */
export async function hitsOfAccount(tx: Db<Tables>, id: string): Promise<string[]> {
  const { rows } = await sql<{ transfer_id: string }>`
    select distinct p.transfer_id from velocity_parties own
      join velocity_parties p on p.kind = 'account' and p.key = own.key and p.transfer_id <> own.transfer_id
      join screened_names n on n.subject_kind = 'transaction' and n.subject_id = p.transfer_id::text
      join screening_hits h on h.name_id = n.id and h.state in ('waiting', 'confirmed')
    where own.transfer_id = ${id} and own.kind = 'account'`.execute(tx)
  return rows.map(({ transfer_id }) => transfer_id)
}

/** Other transactions that share a bank account with these, newest 200. */
export async function linkedByAccount(db: Db<Tables>, transfers: readonly string[]): Promise<string[]> {
  if (transfers.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    select distinct p.transfer_id::text as id from velocity_parties own
      join velocity_parties p on p.kind = 'account' and p.key = own.key
    where own.kind = 'account' and own.transfer_id = any(${transfers}::uuid[])
      and p.transfer_id <> all(${transfers}::uuid[]) limit 200`.execute(db)
  return rows.map(({ id }) => id)
}

/** Removes customers and accounts of transfers that are too old for every rule. What a hit holds stays: people still need it. */
async function forgetOld(tx: Db<Tables>, now: Date): Promise<void> {
  await sql`
    with old as (
      update velocity_movements set at = null
      where at < ${now}::timestamptz - make_interval(days => ${KEPT_DAYS})
        and not exists (select from screening_holds h
          where h.subject_kind = 'transaction' and h.subject_id = velocity_movements.transfer_id::text)
      returning transfer_id
    )
    delete from velocity_parties where transfer_id in (select transfer_id from old)`.execute(tx)
}

const isOf = (asset: AssetKey) => sql<boolean>`asset is not distinct from ${asset}`

/**
 * What a rule counts, among the transfers of the customer and of the bank account. One about an amount counts those of one
 * asset: units of two assets are never added.
 */
function countedBy(rule: VelocityRule, asset: AssetKey, now: Date): RawBuilder<boolean> {
  const { kind, hours, amount } = rule
  const party = kind.startsWith('account-') ? 'account' : 'customer'
  const since = new Date(now.getTime() - hours * HOUR_MS)
  const band = sql<boolean>`amount < ${amount}::numeric and amount >= ${amount}::numeric * 0.9`
  const isCounted = kind === 'below-limit' ? band : sql<boolean>`true`
  const isRelevant = amount === null ? sql`true` : isOf(asset)
  return sql<boolean>`kind = ${party} and at > ${since} and ${isCounted} and ${isRelevant}`
}

const sumIn = (direction: string) => sql`coalesce(sum(amount) filter (where direction = ${direction}), 0)`

const figuresOf = ({ kind }: VelocityRule, asset: AssetKey) => ({
  count: kind === 'account-customers' ? sql`count(distinct customer)` : sql`count(*)`,
  amount:
    kind === 'in-and-out'
      ? sql`least(${sumIn('deposit')}, ${sumIn('withdrawal')})`
      : sql`coalesce(sum(amount) filter (where ${isOf(asset)}), 0)`,
})

interface FigureRow {
  rule: number
  count: number
  amount: string
  has_this: boolean
}

async function exceeded(
  tx: Db<Tables>,
  id: string,
  { direction, asset, person }: Movement,
  now: Date,
): Promise<VelocityFinding[]> {
  // A deposit takes nothing out.
  const rules = (await currentRules(tx)).filter(
    ({ kind }) => kind !== 'in-and-out' || direction === 'withdrawal',
  )
  if (rules.length === 0) return []
  const related = sql`related as materialized (
    select distinct p.kind, m.* from velocity_parties p join velocity_movements m using (transfer_id)
    where (p.kind = 'customer' and p.key = any(${person}::text[]))
      or (p.kind = 'account' and p.key in (
        select key from velocity_parties where transfer_id = ${id} and kind = 'account')))`
  const each = rules.map((rule, index) => {
    const { count, amount } = figuresOf(rule, asset)
    return sql`select ${index}::int as rule, (${count})::int as count, (${amount})::text as amount,
      coalesce(bool_or(transfer_id = ${id}), false) as has_this from related where ${countedBy(rule, asset, now)}`
  })
  const { rows } = await sql<FigureRow>`with ${related} ${sql.join(each, sql` union all `)}`.execute(tx)
  const findings: VelocityFinding[] = []
  for (const row of rows) {
    const rule = rules[row.rule]
    if (!rule || !row.has_this || !isExceeded(rule, row)) continue
    const counted = await sql<CountedRow>`with ${related}
      select transfer_id as id, direction, amount, asset, at from related where ${countedBy(rule, asset, now)}
      order by at desc, transfer_id limit ${LISTED_TRANSFERS}`.execute(tx)
    findings.push({
      ...{ rule, count: row.count, amount: plain(row.amount), ...assetField(asset) },
      transfers: counted.rows.map(each => ({
        ...{ id: each.id, direction: each.direction, amount: plain(each.amount), ...assetField(each.asset) },
        at: each.at.toISOString(),
      })),
    })
  }
  return findings
}

interface CountedRow {
  id: string
  direction: 'deposit' | 'withdrawal'
  amount: string
  asset: AssetKey
  at: Date
}

const plain = (amount: string) => formatAmount(parseAmount(amount))

const isExceeded = (rule: VelocityRule, { count, amount }: FigureRow): boolean =>
  rule.count !== null ? count > rule.count : parseAmount(amount) > parseAmount(rule.amount ?? '0')
