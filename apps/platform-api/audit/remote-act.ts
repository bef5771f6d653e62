import { ProblemError } from '@windlass/client/client.ts'
import type { Endpoint } from '@windlass/contracts/endpoint.ts'
import { requestHash } from '@windlass/service/http/idempotency.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { FastifyRequest } from 'fastify'
import { sql, type Selectable } from 'kysely'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import type { PlatformDb, RemoteActsTable } from '../tables.ts'
import { record } from './record.ts'

/** As long as the other program keeps a key. */
const REPEATED_WITHIN_MS = 24 * 3_600_000
/** Longer than any call lasts. */
const ENDS_WITHIN_MS = 15 * 60_000

type Details = Record<string, unknown>
type Row = Selectable<RemoteActsTable>
type Begun = Row & { isRepeat: boolean }
type Recorder = Pick<Deps, 'database' | 'clock' | 'faults'>

interface Outcome {
  action: string
  subject: string
  details: Details
}

interface RemoteAct<Answer> {
  /** `operator:<id>` or `admin:<username>` */
  actor: string
  /** `anchor:<id>` */
  subject: string
  /** What the log says once it is done: `payout-file.created`. */
  action: string
  /** What is asked for. */
  asked: Details
  /** @param key the other program's `Idempotency-Key`: the same where the caller repeats the act. */
  call(key: string): Promise<Answer>
  /** What came of it; by default `action`, of `subject`. */
  found?(answer: Answer): Partial<Outcome>
  /** What is written here with the outcome, once. */
  also?(tx: PlatformDb, answer: Answer): Promise<void>
  /** Where the other program keeps keys: whether its answer is one of before, so that nothing was done again. */
  isReplay?(answer: Answer): boolean
}

type Asked = Omit<RemoteAct<never>, 'call' | 'found' | 'also'>

/**
 * Has another program do something, and leaves evidence whatever happens: the audit log has the act before the call
 * (`payout-file.asked`) and its outcome after it: done, refused (`.failed`), or `.unknown` where the answer was lost. A repeat
 * with the same `Idempotency-Key` is the same act and settles it.
 */
export async function remoteAct<Answer>(
  deps: Recorder,
  endpoint: Endpoint,
  request: FastifyRequest,
  act: RemoteAct<Answer>,
): Promise<Answer> {
  const row = await begin(deps, endpoint, request, act)
  deps.faults.at('remote-act:asked')
  try {
    const answer = await act.call(row.id)
    const { action = act.action, subject, details } = act.found?.(answer) ?? {}
    const outcome = { action, subject: subject ?? act.subject, details: { ...act.asked, ...details } }
    const isReplay = act.isReplay?.(answer) ?? false
    await end(deps, row, 'done', outcome, { isReplay, also: tx => act.also?.(tx, answer) })
    return answer
  } catch (error) {
    await endWithout(deps, row, act, error)
    throw error
  }
}

const aboutOf = (action: string): string => action.slice(0, action.indexOf('.'))
const withAct = (action: string, details: Details): Details => ({
  act: action.slice(action.indexOf('.') + 1),
  ...details,
})

/** Writes what is asked for, or finds the act that this one repeats. */
async function begin(
  deps: Recorder,
  endpoint: Endpoint,
  request: FastifyRequest,
  act: Asked,
): Promise<Begun> {
  const now = deps.clock.now()
  const { actor, subject, action, asked } = act
  const place = { actor, endpoint: `${endpoint.method} ${endpoint.path}`, key: keyOf(request) }
  const hash = requestHash(request)
  return deps.database.db.transaction().execute(async tx => {
    const known = await findRepeated(tx, place, now)
    if (known && !known.request_hash.equals(hash)) throw keyReused()
    if (known && (known.state !== 'done' || act.isReplay)) return { ...known, isRepeat: true }
    if (known) await tx.deleteFrom('remote_acts').where('id', '=', known.id).execute()
    const row = await tx
      .insertInto('remote_acts')
      .values({
        ...{ ...place, id: newId('act'), subject, action, asked_at: now, intent: '0' },
        ...{ details: JSON.stringify(asked), request_hash: hash },
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    const entry = { actor, action: `${aboutOf(action)}.asked`, subject, details: withAct(action, asked) }
    const intent = await record(tx, entry, now)
    await tx.updateTable('remote_acts').set({ intent }).where('id', '=', row.id).execute()
    return { ...row, intent, isRepeat: false }
  })
}

const keyReused = () =>
  new Problem('idempotency-key-reused', 'Use a new Idempotency-Key for a request with another body.')

function keyOf({ headers }: FastifyRequest): string | null {
  const key = headers['idempotency-key']
  if (typeof key !== 'string' || key === '') return null
  if (key.length > 255)
    throw new Problem('validation-failed', 'Idempotency-Key must be at most 255 characters.')
  return key
}

/** The act of the key; one of a day ago makes room. Others who begin with the same key wait. */
async function findRepeated(
  tx: PlatformDb,
  { actor, endpoint, key }: Pick<Row, 'actor' | 'endpoint' | 'key'>,
  now: Date,
): Promise<Row | undefined> {
  if (key === null) return undefined
  const name = `${actor} ${endpoint} ${key}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx)
  const those = { actor, endpoint, key }
  await tx
    .deleteFrom('remote_acts')
    .where(({ and }) => and(those))
    .where('asked_at', '<', new Date(now.getTime() - REPEATED_WITHIN_MS))
    .execute()
  return tx
    .selectFrom('remote_acts')
    .selectAll()
    .where(({ and }) => and(those))
    .executeTakeFirst()
}

/** Writes how an act ended, unless that is known. One that was refused leaves its key. */
async function end(
  { database: { db }, clock }: Recorder,
  { id, actor, intent, isRepeat }: Begun,
  state: 'done' | 'failed' | 'unknown',
  outcome: Outcome,
  { isReplay = true, also }: { isReplay?: boolean; also?(tx: PlatformDb): Promise<void> | undefined } = {},
): Promise<void> {
  await db.transaction().execute(async tx => {
    const those = tx.selectFrom('remote_acts').select('state').where('id', '=', id)
    const before = (await those.forUpdate().executeTakeFirst())?.state
    if (state === 'unknown' && before !== 'asked') return
    if (state === 'done' && before === 'done' && isReplay) return
    if (state === 'failed') await tx.deleteFrom('remote_acts').where('id', '=', id).execute()
    else await tx.updateTable('remote_acts').set({ state }).where('id', '=', id).execute()
    await also?.(tx)
    // The entry that it ends: others came between.
    const settles = (isRepeat || before === 'unknown') && { settles: intent }
    const details = { ...outcome.details, ...settles }
    await record(tx, { ...outcome, actor, details }, clock.now())
  })
}

/** Writes that an act was refused, that it was done before, or that nobody knows. */
async function endWithout(deps: Recorder, row: Begun, { action, asked, isReplay }: Asked, error: unknown) {
  const code = error instanceof Problem ? error.code : undefined
  const write = (state: Parameters<typeof end>[2], name: string, more: Details = {}) => {
    const details = { ...withAct(action, asked), ...more }
    return end(deps, row, state, { action: `${aboutOf(action)}.${name}`, subject: row.subject, details })
  }
  // Its answer is given once only.
  if (code === 'idempotency-key-secret') return write('done', 'confirmed')
  // Without keys a repeat can be refused just because the first one was done.
  if (isRefusal(error) && (isReplay || !row.isRepeat)) return write('failed', 'failed', { problem: code })
  return write('unknown', 'unknown')
}

/** Whether the other program answered that it did not do it. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Problem) || error.code === 'idempotency-key-in-flight') return false
  return error.status < 500 || (error.cause instanceof ProblemError && error.cause.status < 500)
}

/** Says of acts whose end was never written, as after a crash, that it is unknown. Removes those of a day ago. */
export async function endLostActs(deps: Recorder): Promise<void> {
  const { db } = deps.database
  const ago = (milliseconds: number) => new Date(deps.clock.now().getTime() - milliseconds)
  const lost = await db
    .selectFrom('remote_acts')
    .selectAll()
    .where('state', '=', 'asked')
    .where('asked_at', '<', ago(ENDS_WITHIN_MS))
    .limit(1_000)
    .execute()
  for (const { details, ...row } of lost) {
    const asked = { ...row, asked: JSON.parse(details) as Details }
    await endWithout(deps, { ...row, details, isRepeat: false }, asked, null)
  }
  await db
    .deleteFrom('remote_acts')
    .where('state', '<>', 'asked')
    .where('asked_at', '<', ago(REPEATED_WITHIN_MS))
    .execute()
}
