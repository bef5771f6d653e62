import { Networks } from '@stellar/stellar-sdk/base'
import { MAX_LIST_BYTES, type ListId, type SanctionsList } from '@windlass/contracts/anchor/compliance.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import { rowsOf, scalar } from '@windlass/service/postgres/scalars.ts'
import { sql, type Selectable } from 'kysely'
import { setImmediate as turn } from 'node:timers/promises'
import type { Deps } from '../../deps.ts'
import { numberedAfter } from '../../paging.ts'
import type { SanctionsListTable, Tables } from '../../tables.ts'
import { createMatcher, type Matcher } from './names/matcher.ts'
import { readListBeside } from './read-beside.ts'
import { ListError, type ListEntry, type ReadList } from './read-list.ts'

interface ListFile {
  fileName: string
  bytes: Buffer
  /** Accepts a list with far fewer entries than the one before. */
  smaller: boolean
  /** `operator:<id>` or {@link SCHEDULE} */
  by: string
  /** The list that is expected. */
  only?: ListId
}

const ROWS = 1_000
/** Loads what its publisher has, at the configured address. */
export const SCHEDULE = 'schedule'
/** A list that lost a fifth of its entries is more likely a part of a file than a list. */
const LEAST_SHARE = 0.8
const FIRST_THRESHOLD = 0.85
const DAY_MS = 86_400_000

/** What is compared and decided waits for a list that is loaded or a hit that is decided; names are compared side by side. */
export async function lockScreening(tx: Db<Tables>, how: 'shared' | 'alone'): Promise<void> {
  const key = sql`hashtextextended('sanctions screening', 0)`
  await (
    how === 'shared'
      ? sql`select pg_advisory_xact_lock_shared(${key})`
      : sql`select pg_advisory_xact_lock(${key})`
  ).execute(tx)
}

/**
 * Loads a list in the place of its version before, in one transaction. Names are compared with it afterwards. One from a person
 * that lacks something of the version before is loaded by two: once the second one loads the same file.
 *
 * @param release lets payments continue that waited for a first list.
 * @throws {Problem} `sanctions-list-refused`, `sanctions-list-already-loaded`, `second-person-needed`.
 */
export async function loadList(
  deps: Deps,
  file: ListFile,
  release: (tx: Db<Tables>) => Promise<void>,
): Promise<SanctionsList> {
  if (file.bytes.length === 0) throw refused('The file is empty.')
  if (file.bytes.length > MAX_LIST_BYTES) throw refused(`The file has more than ${MAX_LIST_BYTES} bytes.`)
  const list = await readListBeside(file.bytes).catch((error: unknown) => {
    throw error instanceof ListError ? refused(error.message) : error
  })
  const digest = Buffer.from(list.digest, 'hex')
  const tomorrow = new Date(deps.clock.now().getTime() + DAY_MS).toISOString().slice(0, 10)
  if (list.publishedOn && list.publishedOn > tomorrow)
    throw refused(`The list is of ${list.publishedOn}, which is in the future.`)
  if (file.only && list.list !== file.only)
    throw refused(`The address of ${file.only} has the list ${list.list}.`)
  const loaded = await deps.database.db.transaction().execute(async tx => {
    await lockScreening(tx, 'alone')
    if (!(await hasLists(tx))) await release(tx)
    const before = await tx
      .selectFrom('sanctions_lists')
      .selectAll()
      .where('list_id', '=', list.list)
      .where('replaced_at', 'is', null)
      .executeTakeFirst()
    if (before?.digest.equals(digest)) {
      await tx
        .updateTable('sanctions_lists')
        .set({ checked_at: sql<Date>`clock_timestamp()` })
        .where('version', '=', before.version)
        .execute()
      return { known: before }
    }
    if (before) {
      await requireNewer(tx, before, list, file)
      const isLess = file.by !== SCHEDULE && (await lacksNames(tx, list))
      if (isLess && !(await isWantedByAnother(tx, file, { ...list, digest }))) return { asked: true as const }
      await tx
        .updateTable('sanctions_lists')
        .set({ replaced_at: sql<Date>`clock_timestamp()` })
        .where('version', '=', before.version)
        .execute()
    }
    const added = await tx
      .insertInto('sanctions_lists')
      .values({
        ...{
          source: list.source,
          list_id: list.list,
          format: list.format,
          file_name: file.fileName,
          digest,
          by: file.by,
        },
        ...{ published_on: list.publishedOn, entries: list.entries.length, names: list.names },
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    await replaceNames(tx, added, list.entries)
    deps.faults.at('list:loaded')
    return { added }
  })
  if (loaded.asked) {
    deps.wake.emit('conditions')
    throw new Problem(
      'second-person-needed',
      'The list lacks names of the one that is loaded, or says other years of birth or countries. Another person who may do so has to load the same file within a week.',
    )
  }
  if (loaded.known)
    throw new Problem(
      'sanctions-list-already-loaded',
      `This list was loaded on ${loaded.known.at.toISOString()} as ${loaded.known.file_name}. It counts as looked at now; nothing else was changed.`,
    )
  for (const work of ['screening', 'ledgerPayments', 'railOrders', 'conditions'] as const)
    deps.wake.emit(work)
  return listForm(loaded.added)
}

/** Adds the names that are new in a version, and ends those that it does not have. */
async function replaceNames(
  tx: Db<Tables>,
  { version, list_id }: Pick<ListRow, 'version' | 'list_id'>,
  entries: readonly ListEntry[],
): Promise<void> {
  const before = await currentNames(tx, list_id)
  const gone = new Map(before.map(row => [keyOf(row), row]))
  const stays = (row: NameRow) => gone.delete(keyOf(row))
  for (const rows of batchesOf(entries)) {
    const added = rows.filter(row => !stays(row)).map(row => ({ list: version, list_id, ...row }))
    if (added.length > 0) await tx.insertInto('sanctions_names').values(added).execute()
  }
  const ended = [...gone.values()].map(({ id }) => id)
  await tx
    .updateTable('sanctions_names')
    .set({ gone_with: version })
    .where(sql<boolean>`id = any(${ended}::bigint[])`)
    .execute()
}

type NameRow = Omit<Selectable<Tables['sanctions_names']>, 'id' | 'list' | 'list_id' | 'gone_with'>
const keyOf = ({ entry_id, name, detail, born, countries }: NameRow): string =>
  JSON.stringify([entry_id, name, detail, born, countries])

/** One row for each name. */
function* batchesOf(entries: readonly ListEntry[]) {
  let rows: NameRow[] = []
  for (const { id, names, detail, born, countries } of entries) {
    const facts = { born: [...born], countries: [...countries] }
    for (const name of names) rows.push({ entry_id: id, name, detail, ...facts })
    if (rows.length < ROWS) continue
    yield rows
    rows = []
  }
  if (rows.length > 0) yield rows
}

const refused = (why: string) => new Problem('sanctions-list-refused', why)

type ListRow = Selectable<SanctionsListTable>

const isSmaller = (before: ListRow, entries: number): boolean => entries < before.entries * LEAST_SHARE

/** Whether a name of the version that counts is gone, or told apart by other years and countries. */
async function lacksNames(
  tx: Db<Tables>,
  { list, entries }: Pick<ReadList, 'list' | 'entries'>,
): Promise<boolean> {
  const wanted = new Set([...batchesOf(entries)].flat().map(foundBy))
  const now = await currentNames(tx, list)
  return now.some(row => !wanted.has(foundBy(row)))
}

const foundBy = ({ entry_id, name, born, countries }: NameRow): string =>
  JSON.stringify([entry_id, name, born, countries])

const currentNames = (tx: Db<Tables>, list: ListId) =>
  tx
    .selectFrom('sanctions_names')
    .select(['id', 'entry_id', 'name', 'detail', 'born', 'countries'])
    .where('list_id', '=', list)
    .where('gone_with', 'is', null)
    .execute()

/** Whether another person wanted to load this file. Notes otherwise that this one does. */
async function isWantedByAnother(
  tx: Db<Tables>,
  { fileName, by }: ListFile,
  { list, digest, entries }: Pick<ReadList, 'list' | 'entries'> & { digest: Buffer },
): Promise<boolean> {
  await tx
    .deleteFrom('smaller_lists')
    .where('at', '<', sql<Date>`now() - ${WAITS}`)
    .execute()
  const first = await tx
    .selectFrom('smaller_lists')
    .select('by')
    .where('digest', '=', digest)
    .executeTakeFirst()
  if (first && first.by !== by) {
    await tx.deleteFrom('smaller_lists').where('digest', '=', digest).execute()
    return true
  }
  await tx
    .insertInto('smaller_lists')
    .values({ digest, list_id: list, file_name: fileName, entries: entries.length, by })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  return false
}

const WAITS = sql`interval '7 days'`

/** Lists that lack something and wait for a second person. */
export const smallerListsWaiting = rowsOf<{ list: ListId; file: string; entries: number }>(
  sql`select list_id as list, file_name as file, entries from smaller_lists where at > now() - ${WAITS} order by at`,
)

/**
 * What the publisher has takes the place of what people loaded, whatever date and size that said of itself. It has far fewer
 * entries only beside both: a list that truly shrank was loaded by people since the last one was fetched.
 */
async function requireNewer(
  tx: Db<Tables>,
  loaded: ListRow,
  { list, publishedOn, entries: { length: entries } }: Pick<ReadList, 'list' | 'publishedOn' | 'entries'>,
  { smaller, by }: ListFile,
): Promise<void> {
  const fetched = by === SCHEDULE ? await lastFetched(tx, list) : undefined
  const before = fetched ?? loaded
  const isDated = by !== SCHEDULE || before.by === SCHEDULE
  if (isDated && publishedOn && before.published_on && publishedOn < before.published_on)
    throw refused(`The list is of ${publishedOn}, and the one that is loaded of ${before.published_on}.`)
  if (!smaller && [before, loaded].every(each => isSmaller(each, entries)))
    throw refused(
      `The list has ${entries} entries, and the one that is loaded ${loaded.entries}. It may be a part of a file. ` +
        'If the authority removed so many, load it as a smaller list.',
    )
}

const lastFetched = (tx: Db<Tables>, list: ListId) =>
  tx
    .selectFrom('sanctions_lists')
    .selectAll()
    .where('list_id', '=', list)
    .where('by', '=', SCHEDULE)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()

/** The lists that count and earlier ones, newest first. */
export async function listLists(db: Db<Tables>, filter: PageQuery = { limit: 50 }): Promise<SanctionsList[]> {
  const start = pageStart(filter)
  let query = db.selectFrom('sanctions_lists').selectAll()
  if (start) query = query.where(numberedAfter(start, 'version'))
  return (await query.orderBy('version', 'desc').limit(pageSize(filter)).execute()).map(listForm)
}

export async function listOf(db: Db<Tables>, version: number): Promise<SanctionsList> {
  const query = db.selectFrom('sanctions_lists').selectAll().where('version', '=', String(version))
  return listForm(await query.executeTakeFirstOrThrow())
}

const listForm = (row: ListRow): SanctionsList => ({
  version: Number(row.version),
  source: row.source,
  list: row.list_id,
  format: row.format,
  fileName: row.file_name,
  sha256: row.digest.toString('hex'),
  publishedOn: row.published_on,
  entries: row.entries,
  names: row.names,
  current: row.replaced_at === null,
  by: row.by,
  at: row.at.toISOString(),
  checkedAt: row.checked_at.toISOString(),
})

/** Whether names are compared at all. */
export async function hasLists(db: Db<Tables>): Promise<boolean> {
  return exists(db.selectFrom('sanctions_lists').select('version'))
}

/** From which score on two names are alike; the newest row counts. */
export async function thresholdOf(db: Db<Tables>): Promise<number> {
  const query = db.selectFrom('screening_thresholds').select('threshold')
  const row = await query.orderBy('version', 'desc').limit(1).executeTakeFirst()
  return row ? Number(row.threshold) : FIRST_THRESHOLD
}

/** Names are compared again afterwards; hits that wait stay. */
export async function setThreshold(deps: Deps, threshold: number, by: string): Promise<void> {
  await deps.database.db.transaction().execute(async tx => {
    await lockScreening(tx, 'alone')
    await tx
      .insertInto('screening_thresholds')
      .values({ threshold: threshold.toFixed(2), by })
      .execute()
  })
  deps.wake.emit('screening')
}

/** The version of lists and threshold that names are compared with; 0: no list is loaded. */
export const currentVersion = sql<string>`(
  select case when exists (select from sanctions_lists) then greatest(
    (select max(version) from sanctions_lists),
    (select max(version) from screening_thresholds)) else 0 end)`

interface Prepared {
  version: string
  matcher: Matcher
  threshold: number
}

const prepared = new WeakMap<object, Prepared>()

/** The lists as they are in this transaction, prepared once for each version; null: none is loaded. */
export async function currentMatcher(deps: Deps, tx: Db<Tables>): Promise<Prepared | null> {
  const { rows } = await sql<{ version: string }>`select ${currentVersion} as version`.execute(tx)
  const version = rows[0]?.version ?? '0'
  if (version === '0') return null
  const before = prepared.get(deps.database)
  if (before?.version === version) return before
  const names = await tx
    .selectFrom('sanctions_names')
    .innerJoin('sanctions_lists', 'sanctions_lists.list_id', 'sanctions_names.list_id')
    .select(['source', 'version as list', 'entry_id as entryId', 'name', 'detail', 'born', 'countries'])
    .where('gone_with', 'is', null)
    .where('replaced_at', 'is', null)
    .execute()
  const made = { version, matcher: await createMatcher(names, turn), threshold: await thresholdOf(tx) }
  prepared.set(deps.database, made)
  return made
}

/** Lists of which nobody loaded a newer version, or found that there is none, for too long. */
export const staleLists = ({ config: { lists } }: Pick<Deps, 'config'>) =>
  rowsOf<{ list: ListId; days: number }>(
    sql`select list_id as list, extract(day from now() - checked_at)::integer as days from sanctions_lists
    where replaced_at is null and checked_at < now() - make_interval(days => ${sql.lit(lists.maxAgeDays)}) order by 1`,
  )

/** How long ago each list was loaded or found unchanged. */
export const listAges = rowsOf<{ list: ListId; seconds: number }>(
  sql`select list_id as list, extract(epoch from now() - checked_at)::float8 as seconds from sanctions_lists
    where replaced_at is null order by 1`,
)

/** The versions of lists that count now. */
export const listsNow = rowsOf<{
  version: number
  source: string
  publishedOn: string | null
  sha256: string
}>(sql`
  select version, source, published_on::text as "publishedOn", encode(digest, 'hex') as sha256
  from sanctions_lists where replaced_at is null order by version`)

/** As {@link thresholdOf}. */
export const thresholdNow = scalar(
  sql<string | null>`select threshold::text from screening_thresholds order by version desc limit 1`,
  threshold => (threshold === null ? FIRST_THRESHOLD : Number(threshold)),
)

/** How many lists names are compared with. */
export const listsLoaded = scalar(
  sql<number>`select count(*) from sanctions_lists where replaced_at is null`,
  Number,
)

/** Whether payments wait while no list is loaded: where money is real, unless the setting lets them pass. */
export const waitsWithoutList = ({ config: { anchor, lists } }: Pick<Deps, 'config'>): boolean =>
  anchor.network.passphrase === Networks.PUBLIC && lists.without === 'wait'

/** Whether each payment waits for a first list. */
export const lacksList = async (deps: Pick<Deps, 'config'>, db: Db<Tables>): Promise<boolean> =>
  waitsWithoutList(deps) && !(await hasLists(db))
