import { ProblemError } from '@windlass/client/client.ts'
import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import { retryControlPlaneJob } from '@windlass/contracts/internal/control-plane.ts'
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { FAULT_POINTS } from '@windlass/testing/fault-points.ts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { countEffects, databasesOf, oneAnchor } from '../testing/effects.ts'
import {
  anchorProcesses,
  jobIdOf,
  somePlan,
  startFixture,
  type ControlPlaneProcess,
  type Fixture,
} from '../testing/fixture.ts'

const everything = process.env.MODE === 'faults'
const run = promisify(execFile)

/** The other tests of provisioning kill it at another. */
const sample = ['servers:sep-started']

let fixture: Fixture
let plane: ControlPlaneProcess
let plan: AnchorPlan
beforeAll(async () => {
  fixture = await startFixture()
})
afterEach(async () => {
  fixture.faucet.mood = 'open'
  fixture.horizon.mood = 'open'
  await plane?.stop()
  await fixture.endAnchors()
})
afterAll(() => fixture?.stop())

async function begin(env: Record<string, string> = {}): Promise<void> {
  plane = await fixture.startControlPlane({ HORIZON_URL: fixture.horizon.url, ...env })
  plan = somePlan(fixture)
  await plane.accept(plan)
}
const retry = () => plane.client.call(retryControlPlaneJob, { params: { jobId: jobIdOf(plan) } })
const untilFailed = (seconds = 90) => plane.until(jobIdOf(plan), job => job.status === 'failed', seconds)
const untilCompleted = (seconds = 90) => plane.untilCompleted(plan, seconds)
const expectOneAnchor = () => expect.poll(() => countEffects(fixture, plan)).toEqual(oneAnchor)

describe('a control plane that is killed', () => {
  it.each(everything ? FAULT_POINTS : sample)(
    'at %s leaves an anchor that the next one completes, with every effect once',
    async point => {
      await begin({ FAULT_POINT: point })
      expect(await plane.ended).toBe('SIGKILL')
      plane = await fixture.startControlPlane()
      await untilCompleted()
      await expectOneAnchor()
    },
    150_000,
  )
})

describe('provisioning beside a ledger with faults', { timeout: 200_000 }, () => {
  it('issues once where every answer to a submission is lost', async () => {
    fixture.horizon.mood = 'loses answers'
    await begin()
    await untilCompleted()
    await expectOneAnchor()
  })

  it.runIf(everything).each([
    ['faucet', 'limits rates', 'faucet-unavailable'],
    ['faucet', 'times out', 'faucet-unavailable'],
    ['faucet', 'hangs', 'faucet-unavailable'],
    ['horizon', 'is down', 'ledger-unavailable'],
    ['horizon', 'hangs', 'ledger-unavailable'],
  ] as const)(
    'fails with a retryable code within a minute where the %s %s, and a retry mends it',
    async (part, mood, code) => {
      fixture[part].mood = mood
      await begin()
      const job = await untilFailed(62)
      expect(job.error).toMatchObject({ code, retryable: true })
      fixture[part].mood = 'open'
      await retry()
      expect((await untilCompleted()).result.issuer).toBe(job.result.issuer)
      await expectOneAnchor()
    },
  )

  it.runIf(everything)('takes accounts that exist already for its own', async () => {
    await begin({ FAULT_POINT: 'keys:done' })
    await plane.ended
    const doomed = plane
    plane = await fixture.startControlPlane({ FAULT_POINT: 'funding:begun' })
    await plane.ended
    await doomed.stop()
    const { rows } = await fixture.database.query<{ public_key: string }>(
      'select public_key from anchor_secrets where anchor_id = $1',
      [plan.anchorId],
    )
    for (const row of rows) await fetch(`${fixture.network.friendbotUrl}?addr=${row.public_key}`)
    plane = await fixture.startControlPlane()
    await untilCompleted()
    await expectOneAnchor()
  })

  it.runIf(everything)(
    'is issued again with the same keys where the ledger is reset in the middle',
    async () => {
      await begin({ FAULT_POINT: 'databases:done' })
      await plane.ended
      await fixture.resetNetwork()
      plane = await fixture.startControlPlane()
      await untilCompleted()
      await expectOneAnchor()
      const kinds = () =>
        [...fixture.platform.events.values()].filter(({ anchorId }) => anchorId === plan.anchorId)
      await expect.poll(() => kinds().map(({ kind }) => kind)).toEqual(['ledger-reset'])
    },
  )
})

describe('provisioning beside a ledger that comes back', { timeout: 200_000 }, () => {
  it('does not fail where Horizon and then friendbot are down for some seconds in the funding stage', async () => {
    for (const part of ['horizon', 'faucet'] as const) {
      fixture[part].mood = 'is down'
      fixture[part].asked = 0
    }
    await begin()
    await expect.poll(() => fixture.horizon.asked).toBeGreaterThan(4)
    fixture.horizon.mood = 'open'
    await expect.poll(() => fixture.faucet.asked).toBeGreaterThan(2)
    fixture.faucet.mood = 'open'
    expect((await untilCompleted()).attempts).toBe(1)
    await expectOneAnchor()
  })

  it.runIf(everything).each([
    ['faucet', 'is down'],
    ['horizon', 'is down'],
  ] as const)('continues a failed job by itself when the %s, which %s, answers again', async (part, mood) => {
    fixture[part].mood = mood
    await begin()
    const { result } = await untilFailed(62)
    fixture[part].mood = 'open'
    await expect.poll(async () => (await plane.job(jobIdOf(plan))).status).not.toBe('failed')
    expect((await untilCompleted()).result.issuer).toBe(result.issuer)
    await expectOneAnchor()
  })
})

describe('provisioning beside a machine with faults', { timeout: 200_000 }, () => {
  const servers = async (sep: string | null, business: string | null): Promise<string> => {
    const folder = join(fixture.home, `programs-${Math.random()}`)
    for (const [role, source] of [
      ['sep', sep],
      ['business', business],
    ] as const) {
      await mkdir(folder, { recursive: true })
      if (source !== null) await writeFile(join(folder, `${role}.mjs`), source)
    }
    return folder
  }
  const MUTE = 'console.log("here and mute"); setInterval(() => {}, 1_000)'

  it.runIf(everything).each([
    ['is missing', null, 'server-image-missing'],
    ['exits', 'console.error("cannot live"); process.exit(7)', 'server-exited'],
    ['never becomes healthy', MUTE, 'server-not-healthy'],
  ] as const)(
    'fails with a code where a server %s; its log is kept, nothing runs on, and the database stays',
    async (_, source, code) => {
      const programs = await servers(source === null ? MUTE : source, source)
      await begin({ ANCHOR_PROGRAMS: programs, HEALTHY_WITHIN_SECONDS: '2' })
      const job = await untilFailed()
      expect(job.error).toMatchObject({ code, retryable: true })
      const left = await anchorProcesses(fixture.home)
      expect(left.filter(({ mark }) => mark.includes(plan.anchorId))).toEqual([])
      expect(await databasesOf(plan)).toEqual({ databases: 1, roles: 3 })
      if (source) {
        const log = await readFile(
          join(fixture.home, 'logs/anchors', `${plan.anchorId}-business.log`),
          'utf8',
        )
        expect(log).toMatch(/cannot live|here and mute/)
      }
      await plane.stop()
      plane = await fixture.startControlPlane()
      await retry()
      await untilCompleted()
      await expectOneAnchor()
    },
  )

  it.runIf(everything)(
    'moves to other ports where another program has taken those that were chosen',
    async () => {
      await begin({ FAULT_POINT: 'databases:done' })
      await plane.ended
      const { rows } = await fixture.database.query<{ sep_port: number }>(
        'select sep_port from anchors where id = $1',
        [plan.anchorId],
      )
      const { createServer } = await import('node:net')
      const intruder = createServer().listen(rows[0]?.sep_port, '127.0.0.1')
      intruder.on('error', () => undefined)
      plane = await fixture.startControlPlane()
      await untilCompleted()
      await expectOneAnchor()
      intruder.close()
    },
  )

  it.runIf(everything)(
    'says that the disk is full, leaves whole files, and continues when there is room',
    async () => {
      const folder = join(fixture.home, 'anchors')
      await mkdir(folder, { recursive: true })
      // A disk of its own, on which a few of the files fit, and what the control plane writes to see that it can.
      const mounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=20k,mode=700', 'tmpfs', folder]).then(
        () => true,
        () => false,
      )
      if (!mounted)
        return console.warn('SKIPPED: no file system can be mounted here, so that no disk is full')
      try {
        await begin()
        const stuck = await plane.until(jobIdOf(plan), job => job.stages[2]?.error?.code === 'disk-full')
        expect(stuck.stages[2]?.error).toMatchObject({ retryable: true })
        const anchor = join(folder, plan.anchorId)
        const { stdout } = await run('find', [anchor, '-type', 'f'])
        for (const file of stdout.split('\n').filter(Boolean)) {
          expect(file).not.toMatch(/unfinished/)
          expect((await readFile(file)).length).toBeGreaterThan(0)
        }
        await run('mount', ['-o', 'remount,size=4m', folder])
        await untilCompleted()
        await expectOneAnchor()
      } finally {
        await plane.stop()
        await fixture.endAnchors()
        await run('umount', ['-l', folder])
      }
    },
  )

  it.runIf(everything)('does not mind clocks that are off by ten minutes, ahead and behind', async () => {
    const skew = fileURLToPath(new URL('../testing/clock-ahead.mjs', import.meta.url))
    const off = (minutes: number) => ({
      NODE_OPTIONS: `--import=${skew}`,
      CLOCK_OFF: String(minutes * 60_000),
    })
    const planes = [await fixture.startControlPlane(off(10)), await fixture.startControlPlane(off(-10))]
    const plans = Array.from({ length: 3 }, () => somePlan(fixture))
    await Promise.all(plans.flatMap(each => planes.map(other => other.accept(each))))
    const [first, second] = planes
    await Promise.all(plans.map(each => first?.untilCompleted(each, 90)))
    // One dies: the other takes over what it holds, not earlier and not later.
    const last = somePlan(fixture)
    await first?.accept(last)
    await first?.kill()
    await second?.untilCompleted(last, 90)
    for (const each of [...plans, last]) {
      await expect.poll(() => countEffects(fixture, each)).toEqual(oneAnchor)
    }
    await second?.stop()
  })

  it.runIf(everything)('has one effect of ten retries at once', async () => {
    fixture.faucet.mood = 'limits rates'
    await begin()
    await untilFailed()
    fixture.faucet.mood = 'open'
    const retries = await Promise.allSettled(Array.from({ length: 10 }, () => retry()))
    const refused = retries.flatMap(each => (each.status === 'rejected' ? [each.reason as unknown] : []))
    expect(refused).toHaveLength(9)
    for (const each of refused) expect(each).toBeInstanceOf(ProblemError)
    await untilCompleted()
    await expectOneAnchor()
  })
})
