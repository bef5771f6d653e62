import { stageNames, type StageError } from '@windlass/contracts/platform/provisioning.ts'
import { failedForNow } from '@windlass/service/observe/outage.ts'
import { continueFrom, inSpan } from '@windlass/service/observe/request-context.ts'
import { type Anchor, openAnchor, replaceFirstRelease } from '../anchors/records.ts'
import type { Deps } from '../deps.ts'
import { isSameRelease } from '../servers/release.ts'
import { stopAll } from '../servers/servers.ts'
import { stageErrorOf, StageFailure } from '../stage-failure.ts'
import { dependencies } from './dependencies.ts'
import {
  alignStages,
  beginStage,
  completeStage,
  failStage,
  getAnchorIdOfJob,
  originOfJob,
  readNextStage,
  writeLog,
} from './journal.ts'
import { claim, type Lease } from './lease.ts'
import { nextTry, type Round } from './retry-policy.ts'
import { LeaseLost, type ProvisioningStage, type StageContext } from './stage.ts'
import { stageOf, stages } from './stages.ts'

/**
 * Claims a due job and runs its open stages, until it is completed, a stage fails or `stopping` aborts. Does nothing
 * where another worker has the job. Throws what interrupted it, such as a lost database: the next worker begins the
 * stage again.
 */
export async function runJob(deps: Deps, jobId: string, stopping: AbortSignal): Promise<void> {
  const lease = await claim(deps.database.db, jobId, deps.config.work.leaseSeconds, deps.logger)
  if (!lease) return
  const interrupted = AbortSignal.any([lease.lost, stopping])
  try {
    const origin = await originOfJob(deps.database.db, jobId)
    await continueFrom(origin, 'provision', () => runStages(deps, lease, interrupted))
  } catch (error) {
    if (isInterruption(error, interrupted)) throw error
    await failUnexpected(deps, lease, error)
  } finally {
    await lease.release()
  }
}

async function runStages(deps: Deps, lease: Lease, interrupted: AbortSignal): Promise<void> {
  await lease.fenced(tx => alignStages(tx, lease.jobId))
  const anchorId = await getAnchorIdOfJob(deps.database.db, lease.jobId)
  const { anchor, plan, vault } = await openAnchor(deps, anchorId)
  await takePresentRelease(deps, lease, anchor)
  let endTurn: (() => void) | undefined
  try {
    for (;;) {
      const next = await readNextStage(deps.database.db, lease.jobId)
      if (!next || interrupted.aborted) return
      const stage = stageOf(next.name)
      if (stage.isBusy) endTurn ??= await deps.turns.take(interrupted)
      else {
        endTurn?.()
        endTurn = undefined
      }
      const left = Math.max(1, stage.retries.budget - next.spent)
      const time = AbortSignal.timeout(Math.round(left * 1_000))
      const signal = AbortSignal.any([interrupted, time])
      const context = contextOf(deps, lease, { plan, vault, stage, signal })
      if (!(await runStage(context, stage, { ...next, interrupted }))) return
    }
  } finally {
    endTurn?.()
  }
}

/**
 * An upgrade of the platform may have come since the job began: there may be no program of the release before, or its servers
 * are why the job failed. Those that run are stopped, since the stages adopt what runs.
 */
async function takePresentRelease(deps: Deps, lease: Lease, { id, release }: Anchor): Promise<void> {
  if (release === null || isSameRelease(release, deps.release)) return
  await stopAll(deps, id)
  await lease.fenced(tx => replaceFirstRelease(tx, id, deps.release))
}

/** Not the job's failure. */
function isInterruption(error: unknown, interrupted: AbortSignal): boolean {
  return interrupted.aborted || error instanceof LeaseLost || failedForNow(error)
}

/** An error outside every stage, such as a vault that does not open, fails the job: it would be tried forever. */
async function failUnexpected(deps: Deps, lease: Lease, error: unknown): Promise<void> {
  const { jobId } = lease
  deps.logger.error({ err: error, jobId }, 'a run failed')
  try {
    const next = await readNextStage(deps.database.db, jobId)
    const stage = next?.name ?? stageNames[0]
    const failure = { stage, error: stageErrorOf(error), took: 0, again: null }
    await lease.fenced(tx => failStage(tx, jobId, failure))
  } catch (cause) {
    deps.logger.warn({ err: cause, jobId }, 'the failure could not be written down')
  }
}

function contextOf(
  deps: Deps,
  lease: Lease,
  given: Pick<StageContext, 'plan' | 'vault' | 'signal'> & { stage: ProvisioningStage },
): StageContext {
  const { plan, vault, stage, signal } = given
  return {
    deps,
    jobId: lease.jobId,
    plan,
    vault,
    signal,
    fenced: lease.fenced,
    log: (level, text) =>
      lease.fenced(tx => writeLog(tx, { jobId: lease.jobId, stage: stage.name, level, text })),
    at: point => deps.faults.at(`${stage.key}:${point}`),
  }
}

const TIMED_OUT = 'stage-timed-out'

interface Try extends Round {
  /** Error of the attempt before this one. */
  error: StageError | null
  /** The lease is lost or this process stops. */
  interrupted: AbortSignal
}

/** True: the stage is completed. */
async function runStage(context: StageContext, stage: ProvisioningStage, round: Try): Promise<boolean> {
  const { jobId, deps, fenced } = context
  await fenced(tx => beginStage(tx, jobId, stage.name))
  context.at('begun')
  const begun = performance.now()
  try {
    deps.logger.info({ jobId, stage: stage.key }, 'a stage began')
    await inSpan(`stage ${stage.key}`, () => untilAborted(stage.run(context), context.signal))
    context.at('done')
    await fenced(tx => completeStage(tx, jobId, stage.name))
    const seconds = Math.round((performance.now() - begun) / 1_000)
    deps.logger.info({ jobId, stage: stage.key, seconds }, 'a stage is completed')
    return true
  } catch (error) {
    if (isInterruption(error, round.interrupted)) throw error
    deps.logger.warn({ err: error, jobId, stage: stage.key }, 'a stage failed')
    const took = (performance.now() - begun) / 1_000
    const cause = causeOf(stageErrorOf(error), round.error)
    await recordFailure(context, stage, { ...round, spent: round.spent + took, took }, cause)
    return false
  }
}

/**
 * An attempt that runs out of time names no dependency. Where the one before it did, that outage is the cause, and the
 * job continues when it ends.
 */
function causeOf(error: StageError, before: StageError | null): StageError {
  return error.code === TIMED_OUT && before && dependencies.has(before.code) ? before : error
}

/** Gives up a stage that takes too long, wherever it waits; what it still does changes nothing that is fenced. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const give = () => {
    const late = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError'
    reject(late ? new StageFailure(TIMED_OUT, 'The stage took longer than it may.') : signal.reason)
  }
  if (signal.aborted) give()
  signal.addEventListener('abort', give, { once: true })
  try {
    await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', give)
    work.catch(() => undefined)
  }
}

async function recordFailure(
  context: StageContext,
  stage: ProvisioningStage,
  round: Try & { took: number },
  error: StageError,
): Promise<void> {
  const { jobId, fenced } = context
  const { took } = round
  const again = error.retryable ? nextTry(stage.retries, round, Math.random()) : null
  if (again === null) await undo(context, stage, error)
  await fenced(async tx => {
    await failStage(tx, jobId, { stage: stage.name, error, took, again })
    const text = again === null ? error.detail : `${error.detail} Trying again in ${Math.ceil(again)} s.`
    const level = again === null ? 'error' : 'warn'
    await writeLog(tx, { jobId, stage: stage.name, level, text })
  })
}

/** Undoes the failed stage; after an error that no retry can cure, every stage before it too. */
async function undo(context: StageContext, failed: ProvisioningStage, error: StageError): Promise<void> {
  const begun = stages.slice(0, stages.indexOf(failed) + 1).reverse()
  for (const stage of error.retryable ? [failed] : begun) {
    try {
      await stage.undo?.(context)
    } catch (cause) {
      context.deps.logger.error(
        { err: cause, stage: stage.key, jobId: context.jobId },
        'a stage could not be undone',
      )
    }
  }
}
