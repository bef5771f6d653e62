import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { SecretRow, Tables } from '../tables.ts'

/** By name, ARN, or ARN without its random suffix. `lock` keeps other writers out until the transaction ends. */
export async function findSecret(db: Db<Tables>, id: string, lock?: 'lock'): Promise<SecretRow | undefined> {
  const query = db
    .selectFrom('secrets')
    .selectAll()
    .where(eb => eb.or([eb('name', '=', id), eb('arn', '=', id), eb(sql<string>`left(arn, -7)`, '=', id)]))
    // A whole ARN may be the beginning of another one: the exact one comes first.
    .orderBy(sql`arn = ${id}`, 'desc')
    .limit(1)
  return (lock ? query.forUpdate() : query).executeTakeFirst()
}

/** Throws where the name is taken (`secrets_name`). */
export async function insertSecret(db: Db<Tables>, secret: SecretRow): Promise<void> {
  await db.insertInto('secrets').values(secret).execute()
}

export async function updateValue(
  db: Db<Tables>,
  arn: string,
  changes: Pick<SecretRow, 'version_id' | 'sealed' | 'changed_at'>,
): Promise<void> {
  await db.updateTable('secrets').set(changes).where('arn', '=', arn).execute()
}

/** The row that was deleted. */
export async function deleteSecretRow(db: Db<Tables>, id: string): Promise<SecretRow | undefined> {
  const secret = await findSecret(db, id)
  if (secret) await db.deleteFrom('secrets').where('arn', '=', secret.arn).execute()
  return secret
}
