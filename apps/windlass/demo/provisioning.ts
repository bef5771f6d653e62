import { setTimeout as sleep } from 'node:timers/promises'
import { getJobStatus, type Job, stageNames } from '@windlass/contracts/platform/provisioning.ts'
import { formatSeconds } from '../progress.ts'
import { expect, type Founder, made, type Step, type Story } from './story.ts'

/** For one stage. A machine that has just started all this is busy, and a job that continues is not given up. */
const PATIENCE_MS = 120_000

export const watchProvisioning: Step = {
  title: 'Control plane provisions both anchors',
  run: async (story, show) => {
    const [first, second] = await Promise.all([watch(story, story.first, show), watch(story, story.second)])
    return `all stages each → ${first.result.homeDomain} and ${second.result.homeDomain}`
  },
}

/** Follows a job to its end and reports each stage with its duration. */
async function watch(story: Story, founder: Founder, show?: (line: string) => void): Promise<Job> {
  const jobId = made(founder.jobId, 'job')
  const reported = new Set<string>()
  let deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const job = await story.visitor.call(getJobStatus, { params: { jobId } })
    for (const stage of job.stages) {
      if (stage.status !== 'completed' || reported.has(stage.name)) continue
      reported.add(stage.name)
      deadline = performance.now() + PATIENCE_MS
      show?.(`${stage.name.padEnd(44)} ${formatSeconds(lasted(stage))}`)
    }
    if (job.status === 'completed') return finished(job, founder)
    if (job.status === 'failed')
      throw new Error(`stage "${job.stage}" failed: ${job.error?.code} — ${job.error?.detail}`)
    if (performance.now() > deadline) {
      const reason = job.error ? `; its last attempt: ${job.error.detail}` : ''
      throw new Error(
        `stage "${job.stage}" continues after ${formatSeconds(PATIENCE_MS)}${reason}; see npm run jobs`,
      )
    }
    await sleep(100)
  }
}

function finished(job: Job, founder: Founder): Job {
  expect(job.result.stage === 'completed', `the stage is "${job.result.stage}", not completed`)
  const names = job.stages.map(({ name }) => name)
  expect(names.join() === stageNames.join(), `the stages are ${names.join(', ')}`)
  founder.anchor = job.result
  return job
}

function lasted({ startedAt, finishedAt }: Job['stages'][number]): number {
  return startedAt && finishedAt ? Date.parse(finishedAt) - Date.parse(startedAt) : 0
}
