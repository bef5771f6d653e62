import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { BoundRow } from '@windlass/service/seals/binding.ts'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import type { Tables } from '../../tables.ts'

/*
 * What a person or the world decided has a proof under a key that the database does not have, from when it is written until
 * something followed from it (docs/adr/0195). What has none is worth nothing, or needs two people.
 */

type Binding = Pick<Deps, 'sealer' | 'binder'>

/** A kind of what is decided, and what of its row is bound. */
export interface FactKind {
  kind: string
  /** Null: there is no such row. Throws where it cannot be read. */
  rowOf(deps: Binding, tx: Db<Tables>, id: string): Promise<BoundRow | null>
}

/** Binds what was decided as its row is, in the caller's transaction, which wrote or locked the row. */
export async function bindFact(deps: Binding, tx: Db<Tables>, of: FactKind, id: string): Promise<void> {
  await setProof(deps, tx, of, id, (await of.rowOf(deps, tx, id)) ?? [])
}

/** Another one each time: a proof that was taken away is not accepted again (docs/adr/0201). */
async function setProof(
  { binder }: Binding,
  tx: Db<Tables>,
  { kind }: FactKind,
  id: string,
  row: BoundRow,
): Promise<void> {
  const nonce = randomUUID()
  const proof = { nonce, bound: binder.bind(factRow(kind, id, nonce, row)) }
  await tx
    .insertInto('bound_facts')
    .values({ kind, id, ...proof })
    .onConflict(conflict => conflict.columns(['kind', 'id']).doUpdateSet(proof))
    .execute()
}

const factRow = (kind: string, id: string, nonce: string | null, row: BoundRow): BoundRow => [
  ...[kind, id, nonce],
  ...row,
]

/** Whether this server wrote the row as it is. What the migration listed of earlier releases is bound here. */
export async function isFactBound(deps: Binding, tx: Db<Tables>, of: FactKind, id: string): Promise<boolean> {
  const proof = await proofs(tx, of, id).executeTakeFirst()
  const row = proof && (await readProven(deps, tx, of, id, proof))
  if (!row) return false
  if (proof.bound === null) await setProof(deps, tx, of, id, row)
  return true
}

const proofs = (tx: Db<Tables>, { kind }: FactKind, id: string) =>
  tx.selectFrom('bound_facts').select(['nonce', 'bound']).where('kind', '=', kind).where('id', '=', id)

/** What is bound of the row, read once: what is bound from it is what was verified. Null: its proof does not fit. */
async function readProven(
  deps: Binding,
  tx: Db<Tables>,
  of: FactKind,
  id: string,
  { nonce, bound }: { nonce: string | null; bound: Buffer | null },
): Promise<BoundRow | null> {
  const row = await of.rowOf(deps, tx, id).catch(() => null)
  if (row === null || bound === null) return row
  return deps.binder.isBound(bound, factRow(of.kind, id, nonce, row)) ? row : null
}

/** Throws `action-not-possible` where this server has no proof that a person asked for it so. */
export async function requireAsked(deps: Binding, tx: Db<Tables>, of: FactKind, id: string): Promise<void> {
  if (await isFactBound(deps, tx, of, id)) return
  throw new Problem(
    'action-not-possible',
    'There is no proof that it was asked for so. Reject it, and ask again.',
  )
}

/** Something followed from it, or it counts no more. */
export async function forgetFact(tx: Db<Tables>, { kind }: FactKind, id: string): Promise<void> {
  await tx.deleteFrom('bound_facts').where('kind', '=', kind).where('id', '=', id).execute()
}

/** For the due work. */
export const listedFactsDueAt = sql<Date | null>`select now() from bound_facts where bound is null limit 1`

const AT_ONCE = 500

/** Binds what the migration listed of earlier releases, a part at once. What is gone or cannot be read has no proof from then on. */
export async function bindListedFacts(
  deps: Binding & Pick<Deps, 'database' | 'logger'>,
  kinds: readonly FactKind[],
): Promise<void> {
  const { db } = deps.database
  const listed = await db
    .selectFrom('bound_facts')
    .select(['kind', 'id'])
    .where('bound', 'is', null)
    .limit(AT_ONCE)
    .execute()
  for (const { kind, id } of listed)
    await db.transaction().execute(async tx => {
      const of = kinds.find(each => each.kind === kind)
      if (of && (await isFactBound(deps, tx, of, id))) return
      deps.logger.error({ kind, id }, 'what waits of an earlier release cannot be bound')
      await forgetFact(tx, { kind } as FactKind, id)
    })
}

/** Binds under the newest key what is bound under an older one. */
export async function bindFactsAgain(
  deps: Binding & Pick<Deps, 'database' | 'config'>,
  kinds: readonly FactKind[],
): Promise<void> {
  const { db } = deps.database
  const [newest = 0] = deps.config.bindingKeys.keys()
  const older = db
    .selectFrom('bound_facts')
    .select(['kind', 'id'])
    .where(sql<boolean>`substring(bound for 1) <> ${Buffer.from([newest])}`)
  for (const { kind, id } of await older.execute())
    await db.transaction().execute(async tx => {
      const of = kinds.find(each => each.kind === kind)
      const proof = of && (await proofs(tx, of, id).forUpdate().executeTakeFirst())
      const row = proof && (await readProven(deps, tx, of, id, proof))
      if (row) await setProof(deps, tx, of, id, row)
    })
}
