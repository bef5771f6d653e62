import { MAX_LIST_BYTES, type ListId } from '@windlass/contracts/anchor/compliance.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { isListUrl } from '@windlass/service/process/list-settings.ts'
import { describeOutboundFailure, OutboundError } from '@windlass/service/outbound/outbound.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { rowsOf } from '@windlass/service/postgres/scalars.ts'
import { sql, type RawBuilder } from 'kysely'
import type { Deps } from '../../deps.ts'
import type { Tables } from '../../tables.ts'
import { loadList, SCHEDULE } from './lists.ts'

const EVERY_HOURS = 12
const WITHIN_MS = 120_000
/** Publishers answer with an address of a store. */
const MOST_REDIRECTS = 3

type FetchFailure = 'unreachable' | 'refused'

/** For the due work, where an address is set: when the first of the lists is to be asked for. */
export const fetchDueAt = ({ config: { lists } }: Pick<Deps, 'config'>): RawBuilder<Date | null> =>
  sql<Date | null>`select min(coalesce(tried_at + make_interval(hours => ${sql.lit(EVERY_HOURS)}), now()))
    from unnest(${[...lists.urls.keys()]}::text[]) as wanted (id) left join list_fetches on list_id = id`

/**
 * Asks for lists at their publishers' addresses. What was found takes the place of what people loaded, except that far
 * fewer entries are refused: two people load such a list, and later ones are compared with it too.
 *
 * @param release lets payments continue that waited for a first list.
 */
export async function fetchLists(deps: Deps, release: (tx: Db<Tables>) => Promise<void>): Promise<void> {
  const { db } = deps.database
  const tried = await db
    .selectFrom('list_fetches')
    .select('list_id')
    .where('tried_at', '>', sql<Date>`now() - make_interval(hours => ${sql.lit(EVERY_HOURS)})`)
    .execute()
  for (const [list, url] of deps.config.lists.urls) {
    if (tried.some(({ list_id }) => list_id === list)) continue
    const { failure, details } = await fetchList(deps, { list, url, release })
    const values = { tried_at: sql<Date>`now()`, failure, details: details?.slice(0, 500) ?? null }
    await db
      .insertInto('list_fetches')
      .values({ list_id: list, ...values })
      .onConflict(conflict => conflict.column('list_id').doUpdateSet(values))
      .execute()
    if (failure) deps.wake.emit('conditions')
  }
}

interface Wanted {
  list: ListId
  url: string
  release(tx: Db<Tables>): Promise<void>
}

async function fetchList(
  deps: Deps,
  { list, url, release }: Wanted,
): Promise<{ failure: FetchFailure | null; details?: string }> {
  try {
    const text = await download(deps, url)
    // What is not UTF-8 became this mark.
    if (text.includes('\uFFFD')) return { failure: 'refused', details: 'The file is not text in UTF-8.' }
    const file = { fileName: new URL(url).pathname.split('/').at(-1)?.slice(0, 200) || list, smaller: false }
    await loadList(deps, { ...file, bytes: Buffer.from(text), by: SCHEDULE, only: list }, release)
    return { failure: null }
  } catch (error) {
    if (error instanceof OutboundError)
      return { failure: 'unreachable', details: describeOutboundFailure(error) }
    if (!(error instanceof Problem)) throw error
    if (error.code === 'sanctions-list-already-loaded') return { failure: null }
    return { failure: 'refused', details: error.message }
  }
}

/** Follows the publisher's redirects, each address checked as the first one was. */
async function download({ outbound, config }: Deps, url: string): Promise<string> {
  for (let at = url, hops = 0; ; hops++) {
    if (!isListUrl(at, config.local)) throw new OutboundError('the address is not https')
    const answer = await outbound.request(at, { timeout: WITHIN_MS, maxBytes: MAX_LIST_BYTES })
    if (answer.status === 200) return answer.text
    const to = [answer.headers.location].flat()[0]
    if (answer.status < 300 || answer.status > 399 || !to || hops === MOST_REDIRECTS || !URL.canParse(to, at))
      throw new OutboundError(`the publisher answered ${answer.status}`)
    at = new URL(to, at).href
  }
}

/** Lists that could not be had at their addresses when they were last asked for. One without an address is asked for no more. */
export const failedFetches = ({ config: { lists } }: Pick<Deps, 'config'>) =>
  rowsOf<{ list: ListId; failure: FetchFailure; details: string | null }>(
    sql`select list_id as list, failure, details from list_fetches
      where failure is not null and list_id = any(${[...lists.urls.keys()]}::text[]) order by 1`,
  )
