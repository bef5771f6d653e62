import type { StageError } from '@windlass/contracts/provisioning.ts'
import { isOutage } from '@windlass/service/render-problem.ts'
import type { Deps } from '../deps.ts'
import { openVault } from '../keys/vault.ts'
import { beginStage, completeStage, failStage, readAnchorOfJob, readNextStage, writeLog } from './journal.ts'
import { claim, type Lease } from './lease.ts'
import { LeaseLost, stageErrorOf, StageFailure, type ProvisioningStage, type StageContext } from './stage.ts'
import { nextTry, type Round } from './retry-policy.ts'
import { stages } from './stages.ts'

/**
 * Takes a due job and runs its stages from where it stands, until it is completed, a stage fails or `stopping`
 * aborts. Does nothing where another worker has it.
 */
export async function runJob(deps: Deps, jobId: string, stopping: AbortSignal): Promise<void> {
  const lease = await claim(deps.database.db, jobId, deps.config.work.leaseSeconds)
  if (!lease) return
  const interrupted = AbortSignal.any([lease.lost, stopping])
  try {
    await runStages(deps, lease, interrupted)
  } catch (error) {
    if (isInterruption(error, interrupted)) deps.logger.info({ err: error, jobId }, 'a run was interrupted')
    else await failUnforeseen(deps, lease, error)
  } finally {
    await lease.release()
  }
}

async function runStages(deps: Deps, lease: Lease, interrupted: AbortSignal): Promise<void> {
  const { plan, data_key } = await readAnchorOfJob(deps.database.db, lease.jobId)
  const vault = openVault(deps.master, plan.anchorId, data_key)
  for (;;) {
    const next = await readNextStage(deps.database.db, lease.jobId)
    const stage = next && stages[next.position]
    if (!stage || interrupted.aborted) return
    const left = Math.max(1, stage.retries.budget - next.spent)
    const time = AbortSignal.timeout(Math.round(left * 1_000))
    const signal = AbortSignal.any([interrupted, time])
    const context = contextOf(deps, lease, { plan, vault, stage, signal })
    if (!(await runStage(context, stage, { ...next, interrupted }))) return
  }
}

/** Not the job's failure: whoever takes it next begins the stage again. */
function isInterruption(error: unknown, interrupted: AbortSignal): boolean {
  return interrupted.aborted || error instanceof LeaseLost || isOutage(error)
}

/** What no stage foresaw, such as a vault that does not open: the job is marked, or it would be tried forever. */
async function failUnforeseen(deps: Deps, lease: Lease, error: unknown): Promise<void> {
  const { jobId } = lease
  deps.logger.error({ err: error, jobId }, 'a run failed')
  try {
    const next = await readNextStage(deps.database.db, jobId)
    const failure = { position: next?.position ?? 0, error: stageErrorOf(error), took: 0, again: null }
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

interface Try extends Round {
  position: number
  /** The lease is lost or this process stops. */
  interrupted: AbortSignal
}

/** True: go on with the next stage. */
async function runStage(context: StageContext, stage: ProvisioningStage, round: Try): Promise<boolean> {
  const { jobId, deps, fenced } = context
  await fenced(tx => beginStage(tx, jobId, round.position))
  context.at('begun')
  const begun = performance.now()
  try {
    await untilAborted(stage.run(context), context.signal)
    context.at('done')
    await fenced(tx => completeStage(tx, jobId, round.position))
    return true
  } catch (error) {
    if (isInterruption(error, round.interrupted)) throw error
    deps.logger.warn({ err: error, jobId, stage: stage.key }, 'a stage failed')
    const took = (performance.now() - begun) / 1_000
    await recordFailure(context, stage, { ...round, spent: round.spent + took, took }, stageErrorOf(error))
    return false
  }
}

/** A stage whose time is up is given up, wherever it waits; what it still does changes nothing that is fenced. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const give = () => {
    const late = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError'
    reject(late ? new StageFailure('stage-timed-out', 'The stage took longer than it may.') : signal.reason)
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
  const { position, took } = round
  const again = error.retryable ? nextTry(stage.retries, round, Math.random()) : null
  if (again === null) await undo(context, position, error)
  await fenced(async tx => {
    await failStage(tx, jobId, { position, error, took, again })
    const text = again === null ? error.detail : `${error.detail} Trying again in ${Math.ceil(again)} s.`
    const level = again === null ? 'error' : 'warn'
    await writeLog(tx, { jobId, stage: stage.name, level, text })
  })
}

/** An error that a retry can mend takes back its own stage alone; a final one everything. */
async function undo(context: StageContext, position: number, error: StageError): Promise<void> {
  const first = error.retryable ? position : 0
  for (const stage of stages.slice(first, position + 1).reverse()) {
    try {
      await stage.undo?.(context)
    } catch (cause) {
      context.deps.logger.error({ err: cause, stage: stage.key, jobId: context.jobId }, 'could not take back')
    }
  }
}
