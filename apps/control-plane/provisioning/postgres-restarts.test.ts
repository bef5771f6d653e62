import { startPostgres, type RunningPostgres } from '@windlass/postgres/start.ts'
import { fastFolder } from '@windlass/testing/fast-folder.ts'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countEffects, oneAnchor } from '../testing/effects.ts'
import { jobIdOf, somePlan, startFixture, type Fixture } from '../testing/fixture.ts'

const everything = process.env.MODE === 'faults'
const RESTARTS = 5

let folder: string
let postgres: RunningPostgres
let fixture: Fixture
beforeAll(async () => {
  if (!everything) return
  folder = mkdtempSync(join(fastFolder(), 'windlass-restarts-'))
  // Postgres runs as another user where the tests run as root.
  chmodSync(folder, 0o755)
  postgres = await start(0)
  fixture = await startFixture({ postgresUrl: postgres.url })
})
afterAll(async () => {
  if (!everything) return
  await fixture?.stop()
  await postgres?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const start = (port: number) =>
  startPostgres({
    dataFolder: join(folder, 'data'),
    port,
    superuserPassword: 'p',
    settings: { max_connections: 300 },
  })

/** As by a power cut: sessions end at once, and the next start recovers. */
async function crash(): Promise<void> {
  process.kill(postgres.pid, 'SIGQUIT')
  for (;;) {
    try {
      process.kill(postgres.pid, 0)
    } catch {
      return
    }
    await sleep(20)
  }
}

describe.runIf(everything)('a Postgres that is restarted again and again', { timeout: 240_000 }, () => {
  it('delays many anchors and spoils none; meanwhile the API says 503 and when to come back', async () => {
    const planes = await Promise.all([fixture.startControlPlane(), fixture.startControlPlane()])
    const plans = Array.from({ length: 6 }, () => somePlan(fixture))
    await Promise.all(plans.map((plan, index) => planes[index % 2]?.accept(plan)))
    const headers = { 'x-service-secret': fixture.env.SERVICE_SECRET ?? '' }
    for (let restart = 0; restart < RESTARTS; restart++) {
      await sleep(1_500)
      await crash()
      const answer = await fetch(`${planes[0]?.url}/jobs/${jobIdOf(plans[0] ?? somePlan(fixture))}`, {
        headers,
      })
      expect([answer.status, answer.headers.has('retry-after')]).toEqual([503, true])
      postgres = await start(postgres.port)
    }
    const [first] = planes
    await Promise.all(plans.map(plan => first?.untilCompleted(plan, 150)))
    for (const plan of plans) {
      await expect.poll(() => countEffects(fixture, plan)).toEqual(oneAnchor)
    }
    await Promise.all(planes.map(plane => plane.stop()))
  })
})
