import { type Job, stageNames } from '@windlass/contracts/platform/provisioning.ts'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { watchProvisioning } from './provisioning.ts'
import { beginStory } from './story.ts'

afterEach(() => void vi.restoreAllMocks())

/** A story whose jobs are one stage further at each look. `look` is called before each. */
function storyOfJobs(look: () => void) {
  const story = beginStory({})
  const looks = new Map<string, number>()
  const call = async (_: unknown, { params: { jobId } }: { params: { jobId: string } }) => {
    look()
    const done = looks.get(jobId) ?? 0
    looks.set(jobId, done + 1)
    const stage = stageNames[Math.min(done, stageNames.length - 1)]
    return {
      status: done < stageNames.length ? 'running' : 'completed',
      stage,
      stages: stageNames.map((name, index) => ({ name, status: index < done ? 'completed' : 'pending' })),
      result: { stage, homeDomain: `${jobId}.anchors.localhost` },
    } as Job
  }
  story.visitor = { ...story.visitor, call: call as typeof story.visitor.call }
  story.first.jobId = 'first'
  story.second.jobId = 'second'
  return story
}

it('waits for a job that takes long and continues', async () => {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const story = storyOfJobs(() => (now += 25_000))
  expect(await watchProvisioning.run(story, () => {})).toContain('second.anchors.localhost')
  await story.anchors.close()
})

it('gives up a stage that does not end, and says where to see it', async () => {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const story = storyOfJobs(() => (now += 200_000))
  await expect(watchProvisioning.run(story, () => {})).rejects.toThrow(
    /"Generating Stellar keys".*npm run jobs/,
  )
  await story.anchors.close()
})

it('waits for an anchor longer than services wait for each other', async () => {
  const soon = AbortSignal.timeout(50)
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(ms =>
    ms < 10_000 ? soon : new AbortController().signal,
  )
  const server = createServer(async (_, response) => {
    await sleep(200)
    response.end('late')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { anchors } = beginStory({})
  const { port } = server.address() as AddressInfo
  expect((await anchors.request(`http://127.0.0.1:${port}/`)).text).toBe('late')
  await anchors.close()
  server.close()
})
