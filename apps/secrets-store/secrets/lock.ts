import type { Db } from '@windlass/service/database.ts'
import type { Tables } from '../database.ts'
import { markedForDeletion, notFound } from '../protocol/refusal.ts'
import { findSecret } from './queries.ts'
import type { Secret } from './table.ts'

/** The secret, kept from other writers until the transaction ends. Throws where it is absent or being deleted. */
export async function lockSecret(tx: Db<Tables>, id: string): Promise<Secret> {
  const secret = await findSecret(tx, id, true)
  if (!secret) throw notFound()
  if (secret.delete_after) throw markedForDeletion()
  return secret
}
