import { listSleepingAnchors } from '@windlass/contracts/internal/control-plane.ts'
import { requestWalletChecks } from '@windlass/contracts/platform/wallet-checks.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  addSleepingRow,
  CHALLENGE,
  SLEEPY,
  SOON,
  startSleepingAnchor,
  type SleepingAnchor,
} from '../testing/sleeping-anchor.ts'

let anchor: SleepingAnchor

beforeAll(async () => {
  anchor = await startSleepingAnchor()
})
afterAll(() => anchor?.fixture.stop())

const query = async <T>(sql: string, values: unknown[] = []) =>
  (await anchor.fixture.database.query(sql, values)).rows as T[]

describe('an anchor that sleeps', () => {
  it('wakes again when its servers die before they said what is due', async () => {
    await anchor.restart({ ...SLEEPY, ANCHOR_SLEEP_GRACE_SECONDS: '600' })
    const asleep = () =>
      query<{ wake_at: Date | null }>('select wake_at from anchors where asleep_since is not null')
    await expect.poll(asleep, SOON).toEqual([{ wake_at: null }])
    const servers = await anchor.pids()
    expect(servers).toHaveLength(2)
    for (const pid of servers) process.kill(pid, 'SIGKILL')
    await query("update anchors set asleep_since = asleep_since - interval '1 hour'")
    await expect.poll(anchor.wakes, SOON).toBe(1)
  })

  it('is stopped only when it knows when it has something to do', async () => {
    await anchor.restart()
    await anchor.untilAsleep()
    const [row] = await query<{ wakes: boolean }>('select wake_at > now() as wakes from anchors')
    expect(row).toEqual({ wakes: true })
  })

  it('is stopped only when it has read the ledger since', async () => {
    await anchor.restart({})
    // Its servers may run before it is: a control plane that is killed then leaves it asleep.
    const awake = () => query('select 1 from anchors where asleep_since is null')
    await expect.poll(awake, SOON).toHaveLength(1)
    const url = new URL(anchor.fixture.env.ANCHORS_DATABASE_URL ?? '')
    url.pathname = `/anchor_${anchor.plan.anchorId}`
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    try {
      await client.query('begin; lock table business.observed in share mode')
      await anchor.restart()
      const asleep = () => query('select 1 from anchors where asleep_since is not null')
      await expect.poll(asleep, SOON).toHaveLength(1)
      await sleep(3_000)
      expect(await anchor.pids()).toHaveLength(2)
    } finally {
      await client.end()
    }
    await anchor.untilAsleep()
  })

  it('starts with the settings of today, and is not stopped for them again', async () => {
    await anchor.untilAsleep()
    await anchor.restart({ ...SLEEPY, ANCHOR_SLEEP_AFTER_SECONDS: '5', FX_RATE_INR_USDC: '91.25' })
    expect((await anchor.ask(CHALLENGE)).status).toBe(200)
    const file = join(anchor.fixture.home, 'anchors', anchor.plan.anchorId, 'config', 'anchor.json')
    expect(readFileSync(file, 'utf8')).toContain('91.25')
    const log = () => anchor.plane.logged().map(({ msg }) => msg)
    await expect.poll(log, SOON).toContain('an anchor is awake again')
    await expect.poll(async () => (await anchor.pids()).length, SOON).toBe(2)
    expect(log()).not.toContain('the configuration was updated')
  })

  it('is woken for its wallet compatibility check, whatever requests of clients have woken', async () => {
    await anchor.restart({ ...SLEEPY, ANCHOR_WAKES_PER_CLIENT: '1', ANCHORS_AWAKE: '0' })
    await anchor.untilAsleep()
    const refused = await anchor.ask(CHALLENGE)
    expect(refused.status).toBe(503)
    expect(refused.headers).toMatchObject({
      'retry-after': '60',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': expect.stringContaining('retry-after'),
    })
    expect(JSON.parse(refused.text)).toMatchObject({
      type: '/docs/problems/dependency-unavailable',
      detail: expect.stringContaining('too many others are awake'),
    })
    await anchor.plane.client.call(requestWalletChecks, { params: { anchorId: anchor.plan.anchorId } })
    const failed = () =>
      query<{ failed: string[] }>(
        `select coalesce(jsonb_path_query_array(report, '$.results[*] ? (@.passed == false).name'), '["none yet"]') as failed
         from wallet_checks`,
      )
    await expect.poll(failed, SOON).toEqual([{ failed: [] }])
  })

  it('wakes where it is one of those that are always on', async () => {
    await anchor.restart()
    await anchor.untilAsleep()
    await anchor.restart({ ...SLEEPY, ANCHORS_ALWAYS_ON: anchor.plan.subdomain })
    await expect.poll(async () => (await anchor.pids()).length, SOON).toBe(2)
  })

  it('counts as unavailable when it could not be woken, and is tried again', async () => {
    await anchor.restart()
    await addSleepingRow(anchor.fixture, 'broken')
    const listed = async () =>
      (await anchor.plane.client.call(listSleepingAnchors)).map(({ anchorId }) => anchorId)
    expect(await listed()).toContain('broken')
    await query("update anchors set wake_at = now() where id = 'broken'")
    await expect.poll(listed, SOON).not.toContain('broken')
    const [row] = await query<{ soon: boolean }>(
      "select wake_at between now() and now() + interval '1 minute' as soon from anchors where id = 'broken'",
    )
    expect(row).toEqual({ soon: true })
    await query("delete from anchors where id = 'broken'")
  })

  it('is not tried again at once where it is always on and cannot be woken', async () => {
    await addSleepingRow(anchor.fixture, 'always')
    await anchor.restart({ ...SLEEPY, RECONCILE_SECONDS: '1', ANCHORS_ALWAYS_ON: anchor.plan.subdomain })
    const failures = () =>
      anchor.plane.logged().filter(({ msg }) => msg === 'an anchor could not fall asleep or wake').length
    await expect.poll(failures, SOON).toBe(1)
    await sleep(4_000)
    expect(failures()).toBe(1)
    await query("delete from anchors where id = 'always'")
  })

  it('wakes for what is due while the reverse proxy does not answer', async () => {
    await anchor.restart()
    await anchor.untilAsleep()
    await anchor.restart({ ...SLEEPY, PROXY_ADMIN_URL: 'http://127.0.0.1:9' })
    await query('update anchors set wake_at = now()')
    await expect.poll(anchor.wakes, SOON).toBe(1)
    expect(await anchor.pids()).toHaveLength(2)
  })

  it('waits for its turn where more have something to do than the machine has room for', async () => {
    await anchor.plane.kill()
    const ids = Array.from({ length: 20 }, (_, index) => `due${index}`)
    for (const id of ids) await addSleepingRow(anchor.fixture, id)
    await query("update anchors set wake_at = now() - interval '1 hour' where id like 'due%'")
    await anchor.restart({ ...SLEEPY, ANCHORS_AWAKE: '10', RECONCILE_SECONDS: '5' })
    const tried = async () =>
      (await query<{ wake_at: Date }>("select wake_at from anchors where id like 'due%' and wake_at > now()"))
        .map(row => row.wake_at.getTime())
        .toSorted()
    await expect.poll(async () => (await tried()).length, SOON).toBe(20)
    const times = await tried()
    // Each got its next try when it was tried. There are two rounds at the start, then one in five seconds.
    expect(times.filter(at => at < (times[0] ?? 0) + 3_000).length).toBeLessThanOrEqual(10)
  })
})
