import {
  OutsideAnswer,
  type OutsideCheckKind,
  type OutsideQuestion,
} from '@windlass/contracts/anchor/outside-checks.ts'
import { describeOutboundFailure, outboundFailure } from '@windlass/service/outbound/outbound.ts'
import { signWebhook } from '@windlass/service/outbound/webhooks.ts'
import type { OutsideFinding } from '@windlass/contracts/anchor/compliance.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { createHash, randomUUID } from 'node:crypto'
import { Check } from 'typebox/value'
import type { Deps } from '../../deps.ts'
import type { OutsideAnswerTable, Tables } from '../../tables.ts'
import { findProgram, type Program, secretOf } from './programs.ts'

type Row = Selectable<OutsideAnswerTable>
type Asking = Pick<Deps, 'database' | 'sealer' | 'outbound' | 'clock' | 'logger'>
const contextOf = ({ id }: Pick<Row, 'id'>) => `outside-answer:${id}`

export const sealedOutsideAnswers = sealedColumn({
  ...{ table: 'outside_check_answers', column: 'sealed', key: ['id'] },
  contextOf: row => contextOf(row as Row),
})

/** Milliseconds for a program to answer. */
const TIMEOUT = 5_000
const MAX_BYTES = 16_384
/** An answer counts for so long. */
const FRESH_DAYS = 30
const DAY_MS = 86_400_000

/** What was answered: `lost` is none, so nothing leaves. The digest is of the question and of what was found. */
type Answered = { answer: 'unasked' | 'lost' } | { answer: 'clear' | 'found'; id: string; digest: string }

/** A program of which nothing came is not asked for so long: else each payment waits its whole time, one after the other. */
const RESTS_MS = 30_000
interface State {
  /** Until when programs rest, by their ids. */
  rests: Map<string, number>
  /** Questions that are being asked: others who have the same one wait for its answer. */
  asked: Map<string, Promise<Answered>>
}
/** In this process. */
const states = new WeakMap<object, State>()
function stateOf({ database }: Asking): State {
  const state = states.get(database) ?? { rests: new Map(), asked: new Map() }
  states.set(database, state)
  return state
}

/** Asks the program of a kind, unless it answered the same question lately. */
export async function askOutside(
  deps: Asking,
  kind: OutsideCheckKind,
  about: Omit<OutsideQuestion, 'id' | 'kind'>,
): Promise<Answered> {
  const program = await findProgram(deps.database.db, kind)
  if (!program?.url) return { answer: 'unasked' }
  const { url } = program
  const digest = createHash('sha256')
    .update(JSON.stringify([url, kind, about]))
    .digest()
  const { asked } = stateOf(deps)
  const id = digest.toString('hex')
  const answered =
    asked.get(id) ??
    askProgram(deps, { ...program, url }, digest, { id, kind, ...about }).finally(() => asked.delete(id))
  asked.set(id, answered)
  return answered
}

async function askProgram(
  deps: Asking,
  program: Program & { url: string },
  digest: Buffer,
  question: OutsideQuestion,
): Promise<Answered> {
  const { id, kind } = question
  const known = await findAnswer(deps, digest)
  if (known) {
    const said = JSON.parse(deps.sealer.open(known.sealed, contextOf(known))) as OutsideAnswer
    return { answer: known.answer, id: known.id, digest: digestOf(id, said) }
  }
  const { rests } = stateOf(deps)
  const rest = (rests.get(program.id) ?? 0) - deps.clock.now().getTime()
  // A longer one was begun before the clock was set back.
  if (rest > 0 && rest <= RESTS_MS) return { answer: 'lost' }
  const given = await answerOf(deps, program.url, secretOf(deps.sealer, program), question)
  if (given === 'silent') rests.set(program.id, deps.clock.now().getTime() + RESTS_MS)
  if (given === 'silent' || given === 'none') return { answer: 'lost' }
  const row = { id: randomUUID(), kind, program: program.id, digest, answer: given.answer }
  const at = deps.clock.now()
  const sealed = deps.sealer.seal(JSON.stringify(given), contextOf(row))
  await deps.database.db
    .insertInto('outside_check_answers')
    .values({ ...row, sealed, answered_at: at })
    .execute()
  return { answer: row.answer, id: row.id, digest: digestOf(id, given) }
}

const digestOf = (question: string, { evidence, reference }: OutsideAnswer): string =>
  createHash('sha256')
    .update(JSON.stringify([question, evidence ?? null, reference ?? null]))
    .digest('hex')

const freshSince = (now: Date): Date => new Date(now.getTime() - FRESH_DAYS * DAY_MS)

/** Removes answers that no longer count, unless something was found: a hit refers to it. */
export async function pruneAnswers({ database, clock }: Pick<Deps, 'database' | 'clock'>): Promise<void> {
  await database.db
    .deleteFrom('outside_check_answers')
    .where('answer', '=', 'clear')
    .where('answered_at', '<=', freshSince(clock.now()))
    .execute()
}

/** Removes answers of before that found something, once no hit that refers to them waits or is in an open case. @returns how many. */
export async function removeFindings(
  tx: Db<Tables>,
  {
    before,
    limit,
    isHeld,
  }: { before: Date; limit: number; isHeld: (answer: RawBuilder<string>) => RawBuilder<boolean> },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from outside_check_answers where id in (
      select a.id from outside_check_answers a
      where a.answer = 'found' and a.answered_at < ${before} and not ${isHeld(sql`a.id::text`)}
      order by a.answered_at limit ${limit})`.execute(tx)
  return Number(numAffectedRows)
}

async function findAnswer(
  { database: { db }, clock }: Asking,
  digest: Buffer,
): Promise<Pick<Row, 'id' | 'answer' | 'sealed'> | null> {
  const row = await db
    .selectFrom('outside_check_answers')
    .select(['id', 'answer', 'sealed'])
    .where('digest', '=', digest)
    .where('answered_at', '>', freshSince(clock.now()))
    .orderBy('answered_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

/** What programs said, by the ids of their answers. */
export async function openAnswers(
  db: Db<Tables>,
  sealer: Sealer,
  ids: readonly string[],
): Promise<Map<string, OutsideFinding>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('outside_check_answers').selectAll().where('id', 'in', ids).execute()
  return new Map(
    rows.map(row => {
      const said = JSON.parse(sealer.open(row.sealed, contextOf(row))) as OutsideAnswer
      const { evidence = null, reference = null } = said
      return [row.id, { kind: row.kind, evidence, reference, at: row.answered_at.toISOString() }]
    }),
  )
}

/** `none`: what came is none of the answers that there are. `silent`: nothing came. */
async function answerOf(
  { outbound, clock, logger }: Asking,
  url: string,
  secret: string,
  question: OutsideQuestion,
): Promise<OutsideAnswer | 'none' | 'silent'> {
  const { kind } = question
  try {
    const body = JSON.stringify(question)
    const signed = signWebhook(secret, question.id, body, clock.now())
    const headers = { 'content-type': 'application/json', ...signed }
    const request = { method: 'POST', headers, body, timeout: TIMEOUT, maxBytes: MAX_BYTES } as const
    const { status, text } = await outbound.request(url, request)
    const answer: unknown = status === 200 ? JSON.parse(text) : null
    if (Check(OutsideAnswer, answer)) {
      const { answer: said, evidence, reference } = answer
      return { answer: said, ...(evidence && { evidence }), ...(reference && { reference }) }
    }
    logger.error({ kind, status }, 'a program for outside checks gave no answer')
  } catch (error) {
    const isNoJson = error instanceof SyntaxError
    const why = isNoJson ? 'no JSON' : describeOutboundFailure(error)
    logger.error({ kind, why }, 'a program for outside checks gave no answer')
    if (!isNoJson && outboundFailure(error) !== 'too-long') return 'silent'
  }
  return 'none'
}
