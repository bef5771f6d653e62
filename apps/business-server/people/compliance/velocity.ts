import type { VelocityFinding, VelocityRule } from '@windlass/contracts/anchor/compliance.ts'
import type { VelocityReplay } from '@windlass/contracts/anchor/velocity.ts'
import { assetField, type AssetKey } from '@windlass/contracts/internal/served-assets.ts'
import { type Amount, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import { sql, type RawBuilder } from 'kysely'
import { createHmac, randomBytes } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import { journalSettings } from '../../money/journal/settings.ts'
import type { Tables } from '../../tables.ts'
import { fileHits } from './file-hits.ts'
import { lockScreening } from './lists.ts'
import { askForMoved, forgetElsewhere, reportMoved, roundTrips, type WithSame } from './round-trips.ts'
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
  /** Account on the ledger, where it is one customer's. */
  wallet: string | null
  /** Postal address of the customer. */
  address: string | null
  /** The customer's id at the platform; null: it knows none. */
  centralId: string | null
  /** When the person agreed a transfer before this one; null: it is their first. */
  before: Date | null
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
  const { direction, asset, amount, customer, account, wallet, address } = movement
  await tx
    .insertInto('velocity_movements')
    .values({ transfer_id: id, direction, asset, amount, customer: customer[0], at })
    .execute()
  await addParties(
    tx,
    customer.map(key => ({ kind: 'customer', key, transfer_id: id })),
  )
  if (wallet !== null) await addParties(tx, [{ kind: 'wallet', key: wallet, transfer_id: id }])
  if (account !== null) await recordParty(deps, tx, id, account)
  if (address !== null) await recordParty(deps, tx, id, address, 'address')
  await forgetOld(tx, at)
  await reportMoved(deps, tx, { id, movement, at })
  const [rules, counted] = [await currentRules(tx), { id, movement, at }]
  const trips = await roundTrips(deps, tx, rules, counted, 'waits')
  await holdFor(tx, id, [...(await exceeded(tx, rules, counted)), ...trips])
}

/** Holds a transfer by a hit for each rule that it exceeds. */
export async function holdFor(
  tx: Db<Tables>,
  id: string,
  findings: readonly VelocityFinding[],
): Promise<void> {
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

/** Notes from or to which bank account, or for which address, a transfer is paid; it is counted with the transfer. */
export async function recordParty(
  deps: Deps,
  tx: Db<Tables>,
  id: string,
  account: string,
  kind: 'account' | 'address' = 'account',
): Promise<void> {
  if (plainOf(kind, account) === '') return
  await addParties(tx, [{ kind, key: await partyDigest(deps, tx, account, kind), transfer_id: id }])
}

/** Punctuation is part of an account number, but not of an address. */
const plainOf = (kind: 'account' | 'address', text: string): string =>
  text.replaceAll(kind === 'account' ? /\s/g : /[^\p{L}\p{N}]/gu, '').toUpperCase()

/** What finds a bank account where its number is encrypted. */
export async function partyDigest(
  deps: Pick<Deps, 'sealer'>,
  tx: Db<Tables>,
  account: string,
  kind: 'account' | 'address' = 'account',
): Promise<string> {
  const key = await accountKey(deps, tx)
  return createHmac('sha256', key).update(plainOf(kind, account)).digest('base64')
}

interface PartyRow {
  kind: 'customer' | 'account' | 'wallet' | 'address'
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

/** Under which id an account on the ledger is counted. */
export const accountId = ({ account, memo }: { account: string; memo: string | null }): string =>
  `account ${account} ${memo ?? ''}`

/** What a customer moved in the last 30 days, of each asset. */
export async function volumeOf(
  db: Db<Tables>,
  ids: readonly string[],
  now: Date,
): Promise<Map<AssetKey, Amount>> {
  const { rows } = await sql<{ asset: AssetKey; sum: string }>`
    select asset, sum(amount)::text as sum from velocity_movements
    where at > ${now}::timestamptz - interval '30 days' and transfer_id in (
      select transfer_id from velocity_parties where kind = 'customer' and key = any(${ids}::text[]))
    group by asset`.execute(db)
  return new Map(rows.map(({ asset, sum }) => [asset, parseAmount(sum)]))
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

/** Other transactions that share a bank account, a wallet or an address with these, newest 200. */
export async function linkedTransfers(db: Db<Tables>, transfers: readonly string[]): Promise<string[]> {
  if (transfers.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    select p.transfer_id::text as id from velocity_parties own
      join velocity_parties p on p.kind = own.kind and p.key = own.key
      join velocity_movements m on m.transfer_id = p.transfer_id
    where own.kind in ('account', 'wallet', 'address') and own.transfer_id = any(${transfers}::uuid[])
      and p.transfer_id <> all(${transfers}::uuid[])
    group by p.transfer_id order by max(m.at) desc, p.transfer_id limit ${LISTED_TRANSFERS}`.execute(db)
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
  await forgetElsewhere(tx, new Date(now.getTime() - KEPT_DAYS * 24 * HOUR_MS))
}

const isOf = (asset: AssetKey) => sql<boolean>`asset is not distinct from ${asset}`

/** Whose transfers a rule counts. */
function partyOf(kind: VelocityRule['kind']): 'account' | 'wallet' | 'linked' | 'customer' {
  if (kind.startsWith('account-')) return 'account'
  if (kind === 'wallet-customers') return 'wallet'
  return kind === 'linked-sum' ? 'linked' : 'customer'
}

/** A transfer that is counted, and when. */
export interface Counted {
  id: string
  movement: Movement
  at: Date
}

/**
 * What a rule counts, among the transfers of its party. One about an amount counts those of one asset: units of two assets are
 * never added.
 */
function countedBy(rule: VelocityRule, { id, movement, at }: Counted, timeZone: string): RawBuilder<boolean> {
  const { kind, hours, amount } = rule
  const since = new Date(at.getTime() - hours * HOUR_MS)
  const only: Partial<Record<VelocityRule['kind'], RawBuilder<boolean>>> = {
    'below-limit': sql`amount < ${amount}::numeric and amount >= ${amount}::numeric * 0.9`,
    'after-quiet': sql`transfer_id = ${id}`,
    'night-count': sql`extract(hour from at at time zone ${timeZone}) < 5`,
  }
  const isRelevant = amount === null ? sql`true` : isOf(movement.asset)
  return sql<boolean>`kind = ${partyOf(kind)} and at > ${since} and at <= ${at} and ${only[kind] ?? sql`true`}
    and ${isRelevant}`
}

const sumIn = (direction: string) => sql`coalesce(sum(amount) filter (where direction = ${direction}), 0)`

const distinct: Partial<Record<VelocityRule['kind'], RawBuilder<unknown>>> = {
  'account-customers': sql`count(distinct customer)`,
  'wallet-customers': sql`count(distinct customer)`,
  'customer-accounts': sql`count(distinct account)`,
  'customer-wallets': sql`count(distinct wallet)`,
}

const figuresOf = ({ kind }: VelocityRule, asset: AssetKey) => ({
  count: distinct[kind] ?? sql`count(*)`,
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

/** Whether a rule may hold a transfer at all: in-and-out holds withdrawals only, and after-quiet never holds a first transfer. */
function mayHold({ kind, hours }: VelocityRule, { movement, at }: Counted): boolean {
  if (kind === 'round-trip') return false
  if (kind === 'in-and-out') return movement.direction === 'withdrawal'
  if (kind !== 'after-quiet') return true
  return movement.before !== null && at.getTime() - movement.before.getTime() > hours * HOUR_MS
}

const accountIn = (kind: 'account' | 'wallet') =>
  sql`(select min(key) from velocity_parties a where a.kind = ${kind} and a.transfer_id = m.transfer_id)`

/** The transfers of a movement's customer, bank account and wallet, and of all who share one of these with the customer. */
function relatedTo({ id, movement: { person } }: Counted): RawBuilder<unknown> {
  return sql`own as materialized (
    select distinct p.kind, m.*, ${accountIn('account')} as account, ${accountIn('wallet')} as wallet
    from velocity_parties p join velocity_movements m using (transfer_id)
    where (p.kind = 'customer' and p.key = any(${person}::text[]))
      or (p.kind in ('account', 'wallet') and (p.kind, p.key) in (
        select kind, key from velocity_parties where transfer_id = ${id} and kind in ('account', 'wallet')))
  ), linked as (
    select distinct other.customer from own
      join velocity_parties shared on shared.transfer_id = own.transfer_id and shared.kind in ('account', 'wallet', 'address')
      join velocity_parties theirs on theirs.kind = shared.kind and theirs.key = shared.key
      join velocity_movements other on other.transfer_id = theirs.transfer_id
    where own.kind = 'customer'
  ), related as materialized (
    select * from own union all
    select distinct 'linked', m.*, null, null from linked l
      join velocity_parties p on p.kind = 'customer' and p.key = l.customer
      join velocity_movements m using (transfer_id))`
}

async function exceeded(
  db: Db<Tables>,
  all: readonly VelocityRule[],
  counted: Counted,
): Promise<VelocityFinding[]> {
  const { id, movement } = counted
  const { asset } = movement
  const rules = all.filter(rule => mayHold(rule, counted))
  if (rules.length === 0) return []
  const { timeZone } = await journalSettings(db)
  const related = relatedTo(counted)
  const each = rules.map((rule, index) => {
    const { count, amount } = figuresOf(rule, asset)
    return sql`select ${index}::int as rule, (${count})::int as count, (${amount})::text as amount,
      coalesce(bool_or(transfer_id = ${id}), false) as has_this from related
      where ${countedBy(rule, counted, timeZone)}`
  })
  const { rows } = await sql<FigureRow>`with ${related} ${sql.join(each, sql` union all `)}`.execute(db)
  const findings: VelocityFinding[] = []
  for (const row of rows) {
    const rule = rules[row.rule]
    if (!rule || !row.has_this || !isExceeded(rule, row)) continue
    const listed = await sql<CountedRow>`with ${related}
      select transfer_id as id, direction, amount, asset, at from related
      where ${countedBy(rule, counted, timeZone)}
      order by at desc, transfer_id limit ${LISTED_TRANSFERS}`.execute(db)
    findings.push({
      ...{ rule, count: row.count, amount: plain(row.amount), ...assetField(asset) },
      transfers: listed.rows.map(found => ({
        ...{ id: found.id, direction: found.direction, amount: plain(found.amount) },
        ...assetField(found.asset),
        at: found.at.toISOString(),
      })),
    })
  }
  return findings
}

const REPLAYED = 500
const EXAMPLES = 50

/** What a rule would have held of the newest transfers, each with what was counted before it. */
export async function replayRule(
  deps: Deps,
  rule: VelocityRule,
  movementOf: (id: string) => Promise<Movement | null>,
  withSame: WithSame,
): Promise<VelocityReplay> {
  const { db } = deps.database
  const query = db.selectFrom('velocity_movements').select(['transfer_id as id', 'at'])
  const rows = await query.where('at', 'is not', null).orderBy('at', 'desc').limit(REPLAYED).execute()
  const held: VelocityReplay['examples'] = []
  if (rule.kind === 'round-trip') await askForMoved(deps, rule.hours, withSame)
  for (const { id, at } of rows) {
    const movement = at && (await movementOf(id))
    if (!at || !movement) continue
    const counted = { id, movement, at }
    const found = [
      ...(await exceeded(db, [rule], counted)),
      ...(await roundTrips(deps, db, [rule], counted, 'waits')),
    ]
    for (const { count, amount } of found) held.push({ id, at: at.toISOString(), count, amount })
  }
  return {
    transfers: rows.length,
    since: rows.at(-1)?.at?.toISOString() ?? null,
    held: held.length,
    examples: held.slice(0, EXAMPLES),
  }
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
