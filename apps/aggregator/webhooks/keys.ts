import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Guard } from '@windlass/service/http/realms.ts'
import { sql } from 'kysely'
import { createHash, randomBytes } from 'node:crypto'
import type { Tables, WalletKeyRow } from '../tables.ts'
import type { WebhookDeps } from './deps.ts'

const PREFIX = 'wlw_'
const hashOf = (key: string) => createHash('sha256').update(key).digest()

export const keyForm = ({ config }: Pick<WebhookDeps, 'config'>, row: WalletKeyRow) => ({
  id: row.id,
  name: row.name,
  callbackUrl: `${config.publicUrl}/callbacks/${row.relay}/`,
  createdAt: row.created_at.toISOString(),
})

/** Throws `too-many-requests`. */
export async function createKey(deps: WebhookDeps, name: string, client: string) {
  await deps.walletKeyRate.demand(client)
  const key = PREFIX + randomBytes(32).toString('base64url')
  const row = await deps.database.db
    .insertInto('wallet_keys')
    .values({ name, hash: hashOf(key), relay: randomBytes(24).toString('base64url') })
    .returningAll()
    .executeTakeFirstOrThrow()
  return { ...keyForm(deps, row), key }
}

export async function getKey(db: Db<Tables>, id: string): Promise<WalletKeyRow> {
  return db.selectFrom('wallet_keys').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

export async function deleteKey(db: Db<Tables>, id: string): Promise<void> {
  await db.deleteFrom('wallet_keys').where('id', '=', id).execute()
}

/** A key's use is noted once a day. */
const USED_AGAIN = sql<Date>`now() - interval '1 day'`

export const walletDeveloperGuard =
  ({ database: { db } }: Pick<WebhookDeps, 'database'>): Guard<'wallet-developer'> =>
  async request => {
    const key = /^Bearer (wlw_[\w-]{43})$/i.exec(request.headers.authorization ?? '')?.[1]
    const row =
      key &&
      (await db
        .selectFrom('wallet_keys')
        .select(['id', 'used_at'])
        .where('hash', '=', hashOf(key))
        .executeTakeFirst())
    if (!row)
      throw new Problem('unauthenticated', 'Send a wallet key (POST /wallet-keys) as Authorization: Bearer.')
    await db
      .updateTable('wallet_keys')
      .set({ used_at: sql<Date>`now()` })
      .where('id', '=', row.id)
      .where('used_at', '<', USED_AGAIN)
      .execute()
    return { keyId: row.id }
  }

/** Deletes keys that were not used for half a year. */
export async function pruneWalletKeys(db: Db<Tables>): Promise<void> {
  await db
    .deleteFrom('wallet_keys')
    .where('used_at', '<', sql<Date>`now() - interval '180 days'`)
    .execute()
}
