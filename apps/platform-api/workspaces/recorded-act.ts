import { Problem } from '@windlass/service/http/problem.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { fromAnchor } from './anchor-server.ts'

interface Act<Answer> {
  userId: string
  anchorId: string
  /** `statement-line`: of all entries. */
  about: string
  /** What the entry says once it is done: `decided`. */
  done: string
  details: Record<string, unknown>
  call(): Promise<Answer>
  /** What came of it. */
  outcomeOf(answer: Answer): { isWaiting: boolean; details: Record<string, unknown> }
}

/**
 * Does something at an anchor that decides about money. The audit log has what was asked for before it is done, and how it
 * ended after: also that it failed, or waits for a second person. An entry without an end was interrupted.
 */
export async function recordedAct<Answer>(deps: Deps, act: Act<Answer>): Promise<Answer> {
  const { about, details } = act
  await write(deps, act, `${about}.asked`, { act: act.done, ...details })
  const answer = await fromAnchor(act.call()).catch(async (error: unknown) => {
    const problem = error instanceof Problem ? error.code : 'unknown'
    await write(deps, act, `${about}.failed`, { act: act.done, ...details, problem })
    throw error
  })
  const outcome = act.outcomeOf(answer)
  const action = outcome.isWaiting ? `${about}.waiting` : `${about}.${act.done}`
  await write(deps, act, action, { ...details, ...outcome.details })
  return answer
}

async function write(
  { database, clock }: Deps,
  { userId, anchorId }: Pick<Act<unknown>, 'userId' | 'anchorId'>,
  action: string,
  details: Record<string, unknown>,
): Promise<void> {
  const entry = { actor: `operator:${userId}`, action, subject: `anchor:${anchorId}`, details }
  await database.db.transaction().execute(tx => record(tx, entry, clock.now()))
}
