import { Networks, StrKey } from '@stellar/stellar-sdk/base'
import type { Tier } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { Agreement, SendingAnchor } from '@windlass/contracts/anchor/sending-anchors.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import { type Selectable, sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import type { SendingAnchorTable, Tables } from '../../tables.ts'

const MOST = 1_000

/**
 * Whether an account may send direct payments (SEP-31): it belongs to an anchor with an agreement, which has identified
 * the customers. On test networks, whose money is worth nothing, every account may.
 */
export async function maySend(
  { database, config }: Pick<Deps, 'database' | 'config'>,
  account: string,
): Promise<boolean> {
  return config.anchor.network.passphrase !== Networks.PUBLIC || hasAgreement(database.db, account)
}

export const hasAgreement = (db: Db<Tables>, account: string): Promise<boolean> =>
  exists(db.selectFrom('sending_anchors').select('account').where('account', '=', baseAccount(account)))

/** The anchor that sends from an account, as its agreement names it; else the account. */
export async function nameOfSender(db: Db<Tables>, account: string): Promise<string> {
  const query = db.selectFrom('sending_anchors').select('name').where('account', '=', baseAccount(account))
  return (await query.executeTakeFirst())?.name ?? account
}

/** The tier whose limits each sender of an anchor has; `standard` without an agreement. */
export async function tierOfSenders(db: Db<Tables>, account: string): Promise<Tier> {
  const query = db.selectFrom('sending_anchors').select('tier').where('account', '=', baseAccount(account))
  return (await query.executeTakeFirst())?.tier ?? 'standard'
}

const formOf = ({ account, name, tier, created_at }: Selectable<SendingAnchorTable>): SendingAnchor => ({
  account,
  name,
  tier,
  createdAt: created_at.toISOString(),
})

/** Newest first. */
export async function listSendingAnchors(db: Db<Tables>): Promise<SendingAnchor[]> {
  const rows = await db
    .selectFrom('sending_anchors')
    .selectAll()
    .orderBy('created_at', 'desc')
    .limit(MOST)
    .execute()
  return rows.map(formOf)
}

/** Records an agreement, or another name or tier for one. Throws `validation-failed`. */
export async function putSendingAnchor(
  { database, config }: Pick<Deps, 'database' | 'config'>,
  account: string,
  { name, tier }: Agreement,
): Promise<SendingAnchor> {
  const agreement = { name, ...(tier ? { tier } : {}) }
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
