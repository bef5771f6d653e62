import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { sql } from 'kysely'
import { createHash } from 'node:crypto'
import type { Deps } from '../deps.ts'
import type { AnchorRow } from './anchors.ts'

const contextOf = (anchorId: string) => `anchors:${anchorId}:proof-key`

export const sealedProofKeys = sealedColumn({
  ...{ table: 'anchors', column: 'sealed_proof_key', key: ['id'] },
  contextOf: ({ id }) => contextOf(id),
})

/** By what an anchor is found whose secret has this hash, which says nothing of the hash: that is the key of proofs. */
export const digestOf = (hash: Buffer): Buffer => createHash('sha256').update(hash).digest()

/** What is stored of an anchor's own secret, given as its SHA-256. */
export const storedSecret = (sealer: Sealer, anchorId: string, hash: Buffer) => ({
  sealed_proof_key: sealer.seal(hash.toString('hex'), contextOf(anchorId)),
  service_secret_digest: digestOf(hash),
  service_secret_hash: null,
})

/** By what the platform proves itself to the anchor's server; null: the anchor was never provisioned. */
export function proofKeyOf(
  sealer: Sealer,
  { id, sealed_proof_key: sealed, service_secret_hash: plain }: AnchorRow,
): Buffer | null {
  // An earlier release that still runs wrote it last.
  if (plain) return plain
  return sealed && Buffer.from(sealer.open(sealed, contextOf(id)), 'hex')
}

const MIGRATION = '0295-proof-keys.sql'
const EARLIER_RELEASE_RUNS_MS = 10 * 60_000

/** Seals what an earlier release stored, once none of its processes runs any more, which would find no anchor by it. */
export async function sealProofKeys({ database: { db }, sealer, clock }: Deps): Promise<void> {
  const before = new Date(clock.now().getTime() - EARLIER_RELEASE_RUNS_MS)
  const rows = await db
    .selectFrom('anchors')
    .select(['id', 'service_secret_hash as plain'])
    .where('service_secret_hash', 'is not', null)
    .where(
      sql<boolean>`exists (select from schema_migrations where name = ${MIGRATION} and applied_at < ${before})`,
    )
    .execute()
  for (const { id, plain } of rows) {
    if (plain)
      await db
        .updateTable('anchors')
        .set(storedSecret(sealer, id, plain))
        .where('id', '=', id)
        .where('service_secret_hash', '=', plain)
        .execute()
  }
}
