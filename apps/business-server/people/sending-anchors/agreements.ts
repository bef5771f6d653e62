import { Networks, StrKey } from '@stellar/stellar-sdk/base'
import type { Tier } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { Agreement, SendingAnchor } from '@windlass/contracts/anchor/sending-anchors.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import { type Selectable, sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { after, requireDay } from '../../paging.ts'
import type { SendingAnchorTable, Tables } from '../../tables.ts'

const MOST = 1_000

/**
 * Whether an account may send direct payments (SEP-31): it belongs to an anchor with an agreement, which has identified
 * the customers. On test networks, whose money is worth nothing, every account may.
 */
export async function maySend(
  deps: Pick<Deps, 'database' | 'config' | 'clock'>,
  account: string,
): Promise<boolean> {
  return deps.config.anchor.network.passphrase !== Networks.PUBLIC || hasAgreement(deps, account)
}

/** Whether an agreement with the anchor counts today. */
export const hasAgreement = (
  { database: { db }, clock }: Pick<Deps, 'database' | 'clock'>,
  account: string,
): Promise<boolean> =>
  exists(
    db
      .selectFrom('sending_anchors')
      .select('account')
      .where('account', '=', baseAccount(account))
      .where(sql<boolean>`(ends_on is null or ends_on >= ${clock.now().toISOString().slice(0, 10)}::date)`),
  )

/** The anchor that sends from an account, as its agreement names it; else the account. */
export async function senderOf(
  db: Db<Tables>,
  account: string,
): Promise<{ name: string; lei: string | null }> {
  const query = db
    .selectFrom('sending_anchors')
    .select(['name', 'lei'])
    .where('account', '=', baseAccount(account))
  return (await query.executeTakeFirst()) ?? { name: account, lei: null }
}

/** The tier whose limits each sender of an anchor has; `standard` without an agreement. */
export async function tierOfSenders(db: Db<Tables>, account: string): Promise<Tier> {
  const query = db.selectFrom('sending_anchors').select('tier').where('account', '=', baseAccount(account))
  return (await query.executeTakeFirst())?.tier ?? 'standard'
}

const formOf = (row: Selectable<SendingAnchorTable>): SendingAnchor => ({
  ...{ account: row.account, name: row.name, tier: row.tier, lei: row.lei, licence: row.licence },
  ...{ agreedOn: row.agreed_on, endsOn: row.ends_on, createdAt: row.created_at.toISOString() },
})

const days = [
  sql<string | null>`to_char(agreed_on, 'YYYY-MM-DD')`.as('agreed_on'),
  sql<string | null>`to_char(ends_on, 'YYYY-MM-DD')`.as('ends_on'),
] as const

/** Newest first. */
export async function listSendingAnchors(db: Db<Tables>, page: PageQuery): Promise<SendingAnchor[]> {
  const start = pageStart(page)
  let query = db.selectFrom('sending_anchors').selectAll().select(days)
  if (start) query = query.where(after(start, 'account'))
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('account', 'desc')
    .limit(pageSize(page))
    .execute()
  return rows.map(formOf)
}

/** Records an agreement, or another name or tier for one. Throws `validation-failed`. */
export async function putSendingAnchor(
  { database, config }: Pick<Deps, 'database' | 'config'>,
  account: string,
  { name, tier, lei, licence, agreedOn, endsOn }: Agreement,
): Promise<SendingAnchor> {
  const agreement = {
    ...{ name, ...(tier && { tier }), ...(lei !== undefined && { lei }) },
    ...(licence !== undefined && { licence }),
    ...(agreedOn !== undefined && { agreed_on: agreedOn && requireDay('agreedOn', agreedOn) }),
    ...(endsOn !== undefined && { ends_on: endsOn && requireDay('endsOn', endsOn) }),
  }
  if (!StrKey.isValidEd25519PublicKey(account)) throw invalid('account', 'must be an account (G…)')
  if (Object.values(config.anchor.accounts).includes(account))
    throw invalid('account', "must not be one of the anchor's own accounts")
  return database.db.transaction().execute(async tx => {
    await sql`select pg_advisory_xact_lock(hashtextextended('sending-anchors', 0))`.execute(tx)
    const { count } = await tx
      .selectFrom('sending_anchors')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('account', '<>', account)
      .executeTakeFirstOrThrow()
    if (Number(count) >= MOST) throw invalid('account', `is one too many: there are ${MOST} agreements`)
    const row = await tx
      .insertInto('sending_anchors')
      .values({ account, ...agreement })
      .onConflict(conflict => conflict.column('account').doUpdateSet(agreement))
      .returningAll()
      .returning(days)
      .executeTakeFirstOrThrow()
    return formOf(row)
  })
}

/** Ends an agreement: payments under way continue. Throws `not-found`. */
export async function deleteSendingAnchor(db: Db<Tables>, account: string): Promise<void> {
  const deleted = await db.deleteFrom('sending_anchors').where('account', '=', account).executeTakeFirst()
  if (deleted.numDeletedRows === 0n)
    throw new Problem('not-found', 'There is no agreement with this account.')
}
