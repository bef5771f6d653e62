import type { PlatformDb } from '../database.ts'

/** Lets an anchor's own secret pass at the internal realm, by its SHA-256 in hex. */
export async function announceSecret(db: PlatformDb, anchorId: string, hash: string): Promise<void> {
  await db
    .updateTable('anchors')
    .set({ service_secret_hash: Buffer.from(hash, 'hex') })
    .where('id', '=', anchorId)
    .execute()
}
