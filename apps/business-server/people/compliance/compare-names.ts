import type { Db } from '@windlass/service/postgres/database.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import type { Tables } from '../../tables.ts'
import { fileHits } from './file-hits.ts'
import { currentMatcher, currentVersion, hasLists, lacksList, lockScreening } from './lists.ts'
import {
  type Subject,
  type Party,
  type NameRow,
  openFacts,
  openName,
  recordName,
  walletSubject,
} from './screened-names.ts'

/** Whether a hit about one of a person's names was confirmed, also of one who was deleted and came back with their wallet. */
export async function isServiceEnded(
  db: Db<Tables>,
  accounts: readonly { id: string | null; account: string; memo: string | null }[],
): Promise<boolean> {
  return exists(
    db
      .selectFrom('screening_hits')
      .innerJoin('screened_names', 'screened_names.id', 'screening_hits.name_id')
      .select('screening_hits.id')
      .where('subject_kind', '=', 'customer')
      .where(
        'subject_id',
        'in',
        accounts.flatMap(each => [...(each.id === null ? [] : [each.id]), walletSubject(each).id]),
      )
      .where('state', '=', 'confirmed'),
  )
}

/**
 * Compares everyone of a payment with the lists, in the transaction in which it is held or continues. A hit that waits or was
 * confirmed holds it, also of an earlier name; so does one that held it before. Where money is real, and no list is loaded, each
 * payment waits for one.
 *
 * @param of what is held: a transaction, or a payout without one.
 * @param partiesOf is asked only where a list is loaded.
 * @param goesBack whether the money goes back to its payer, which a confirmed hit of a velocity rule allows.
 * @returns whether it is held.
 */
export async function isHeld(
  deps: Deps,
  tx: Db<Tables>,
  of: Subject,
  partiesOf: () => Promise<readonly Party[]>,
  goesBack = false,
): Promise<boolean> {
  // A first list that is being loaded frees what waits: looked at before that lock, this would wait for it after all.
  await lockScreening(tx, 'shared')
  if (await lacksList(deps, tx)) return true
  const parties = (await hasLists(tx)) ? await partiesOf() : []
  for (const party of parties) await recordName(tx, deps.sealer, party)
  const subjects = [of, ...parties.map(({ subject }) => subject)]
  const isOfThem = sql<boolean>`(subject_kind, subject_id) in (select * from unnest(
    ${subjects.map(({ kind }) => kind)}::text[], ${subjects.map(({ id }) => id)}::text[]))`
  const names = await tx
    .selectFrom('screened_names')
    .selectAll()
    .where(isOfThem)
    .where('replaced_at', 'is', null)
    .where('compared', '<', currentVersion)
    .orderBy('id')
    .forUpdate()
    .execute()
  await compare(deps, tx, names)
  const found = await tx
    .selectFrom('screening_hits')
    .leftJoin('screened_names', 'screened_names.id', 'screening_hits.name_id')
    .select(['screening_hits.id', 'state', 'cleared'])
    .where(sql<boolean>`(${holding(goesBack)} or state = 'cleared')`)
    .where(
      sql<boolean>`(${isOfThem} or exists (select from screening_holds h where h.hit_id = screening_hits.id
          and h.subject_kind = ${of.kind} and h.subject_id = ${of.id}))`,
    )
    .execute()
  const held = found.filter(hit => hit.state !== 'cleared' || !isClearingBound(deps, hit))
  const forged = held.flatMap(({ id, state }) => (state === 'cleared' ? id : []))
  if (forged.length > 0) await waitAgain(deps, tx, forged)
  if (held.length === 0) return false
  await tx
    .insertInto('screening_holds')
    .values(held.map(({ id }) => ({ subject_kind: of.kind, subject_id: of.id, hit_id: id })))
    .onConflict(conflict => conflict.doNothing())
    .execute()
  return true
}

const clearedRow = (id: string) => ['screening_hits', id, 'cleared'] as const

/** Whether people cleared a hit. */
export const isClearingBound = (
  { binder }: Pick<Deps, 'binder'>,
  { id, cleared }: { id: string; cleared: Buffer | null },
): boolean => binder.isBound(cleared, clearedRow(id))

/** What nobody cleared, whatever the row said, waits for people and is shown to them. */
async function waitAgain({ logger }: Pick<Deps, 'logger'>, tx: Db<Tables>, ids: string[]): Promise<void> {
  logger.error({ hits: ids }, 'hits were cleared in the database by nobody: they wait again')
  await tx.updateTable('screening_hits').set({ state: 'waiting' }).where('id', 'in', ids).execute()
}

/** The proof that people cleared a hit: what is cleared stays so. */
export const proofOfClearing = ({ binder }: Pick<Deps, 'binder'>, id: string): Buffer =>
  binder.bind(clearedRow(id))

const holding = (goesBack: boolean) =>
  sql<boolean>`(state = 'waiting' or (state = 'confirmed' and (velocity is null or not ${goesBack}::boolean)))`

/** Whether a transaction is held, as far as it was compared. */
export async function isKnownHeld(
  db: Db<Tables>,
  { kind, id }: Subject,
  goesBack: boolean,
): Promise<boolean> {
  return exists(
    db
      .selectFrom('screening_holds')
      .innerJoin('screening_hits', 'screening_hits.id', 'screening_holds.hit_id')
      .select('hit_id')
      .where('screening_holds.subject_kind', '=', kind)
      .where('screening_holds.subject_id', '=', id)
      .where(holding(goesBack)),
  )
}

/** Whether a person confirmed that a transfer exceeds a rule. Nothing of it ever left, since it is counted before. */
export async function isStoppedByRule(db: Db<Tables>, transferId: string): Promise<boolean> {
  return exists(
    db
      .selectFrom('screening_hits')
      .select('id')
      .where('transfer_id', '=', transferId)
      .where('state', '=', 'confirmed'),
  )
}

/** Compares names with the lists as they are. @returns how many hits are new. */
async function compare(deps: Deps, tx: Db<Tables>, names: readonly NameRow[]): Promise<number> {
  const current = names.length === 0 ? null : await currentMatcher(deps, tx)
  if (!current) return 0
  let found = 0
  for (const row of names) {
    const facts = openFacts(deps.sealer, row)
    const matches = current.matcher.find(openName(deps.sealer, row), current.threshold, facts)
    for (const { source, list, entryId, name, detail, score } of matches) {
      const entry = { source, entry_id: entryId, entry_name: name, detail }
      const added = await tx
        .insertInto('screening_hits')
        .values({ name_id: row.id, list, ...entry, score: score.toFixed(3) })
        .onConflict(conflict => conflict.doNothing())
        .executeTakeFirst()
      found += Number(added.numInsertedOrUpdatedRows ?? 0n)
    }
    await tx
      .updateTable('screened_names')
      .set({ compared: current.version, compared_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', row.id)
      .execute()
  }
  if (found > 0) await fileHits(tx)
  return found
}

const outdated = sql<boolean>`replaced_at is null and compared < ${currentVersion}`

/** For the due work: now, while a name was not compared with the lists that count. */
export const namesDueAt = sql<Date | null>`
  select now() from (select min(compared) as compared from screened_names where replaced_at is null) as oldest
  where compared < ${currentVersion}`

const AT_ONCE = 50

/** Compares every name with new lists, some in a transaction, so that it can break off anywhere. */
export async function compareNames(deps: Deps): Promise<void> {
  for (let found = 0; ;) {
    const rows = await deps.database.db.transaction().execute(async tx => {
      await lockScreening(tx, 'shared')
      const names = await tx
        .selectFrom('screened_names')
        .selectAll()
        .where(outdated)
        .orderBy('compared')
        .limit(AT_ONCE)
        .forUpdate()
        .skipLocked()
        .execute()
      found += await compare(deps, tx, names)
      return names.length
    })
    deps.faults.at('names:compared')
    if (rows === AT_ONCE) continue
    if (found > 0) deps.wake.emit('conditions')
    return
  }
}

/** How many names wait to be compared. */
export async function countOutdated(db: Db<Tables>): Promise<number> {
  const query = db.selectFrom('screened_names').where(outdated)
  const { count } = await query.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow()
  return Number(count)
}
