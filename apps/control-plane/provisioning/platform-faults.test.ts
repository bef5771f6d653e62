import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFixture, type Fixture } from '../testing/fixture.ts'
import { oneWholeAnchor, startWholePlatform, type WholePlatform } from '../testing/whole-platform.ts'

const everything = process.env.MODE === 'faults'
const sample = ['activation:registered']
const stages = [1, 2, 3, 4, 5, 6, 7]
const matrix = [
  'mail:sent',
  'redeem:kept',
  'hand-over:begun',
  'hand-over:done',
  ...stages.flatMap(stage => [`report:${stage}:begun`, `report:${stage}:kept`]),
  'activation:kept',
  'activation:active',
  ...sample,
]
/** Two looks of an outbox whose far side was away. */
const RESUMED_WITHIN_SECONDS = 45

let fixture: Fixture
let platform: WholePlatform
beforeAll(async () => {
  fixture = await startFixture()
  platform = await startWholePlatform(fixture)
  const plane = await fixture.startControlPlane(platform.env)
  platform.env.CONTROL_PLANE_URL = plane.url
  await Promise.all([
    platform.start('secrets-store'),
    platform.start('mail-catcher'),
    platform.start('aggregator'),
  ])
})
afterAll(async () => {
  await platform?.stop()
  await fixture?.stop()
})

const someSubdomain = () => `p${randomBytes(4).toString('hex')}`

/** Also where the answer was lost. */
async function jobOf(subdomain: string): Promise<{ jobId: string; anchorId: string }> {
  const { rows } = await platform.database.query<{ jobId: string; anchorId: string }>(
    `select j.id as "jobId", a.id as "anchorId" from jobs j join anchors a on a.id = j.anchor_id where subdomain = $1`,
    [subdomain],
  )
  if (!rows[0]) throw new Error(`${subdomain} was not redeemed`)
  return rows[0]
}

describe('a platform API that is killed', () => {
  it.each(everything ? matrix : sample)(
    'at %s continues when it is started again, with every effect once',
    async point => {
      const subdomain = someSubdomain()
      const email = `${subdomain}@founders.example`
      const doomed = () => platform.start('platform-api', { FAULT_POINT: point })
      await platform.start('platform-api')
      const application = await platform.apply(email)
      await expect.poll(platform.unsentMails).toBe(0)
      // The invitation is mailed before the platform that dies begins, unless it dies of that.
      const dies = point === 'mail:sent' ? await doomed() : null
      const token = await platform.approve(application)
      if (dies) {
        expect(await dies.ended).toBe('SIGKILL')
        await platform.start('platform-api')
        await platform.redeem(token, subdomain)
      } else {
        await expect.poll(() => platform.mailsTo(email)).toBe(1)
        const { ended } = await doomed()
        await platform.redeem(token, subdomain).catch(() => undefined)
        expect(await ended).toBe('SIGKILL')
        await platform.start('platform-api')
      }
      const { jobId, anchorId } = await jobOf(subdomain)
      await platform.untilCompleted(jobId, RESUMED_WITHIN_SECONDS)
      await expect.poll(() => platform.effects(anchorId, email)).toEqual(oneWholeAnchor)
      await fixture.endAnchors()
    },
    150_000,
  )
})

describe.runIf(everything)('neighbours that are away', () => {
  it('are waited for: the mail, the credentials and the registry row come when they are back, once', async () => {
    await platform.start('platform-api')
    const subdomain = someSubdomain()
    const email = `${subdomain}@founders.example`
    await platform.kill('mail-catcher')
    const token = await platform.invite(email, { rails: ['UPI'], credentials: { apiKey: 'rail-secret' } })
    await Promise.all([platform.kill('aggregator'), platform.kill('secrets-store')])
    const { jobId, anchorId } = await platform.redeem(token, subdomain)
    const stage = async () => {
      const { rows } = await platform.database.query<{ stage: string }>(
        `select snapshot ->> 'stage' as stage from jobs where id = $1`,
        [jobId],
      )
      return rows[0]?.stage
    }
    await expect.poll(stage).toBe('Generating configuration files')
    await platform.start('secrets-store')
    await expect.poll(stage).toBe('Waiting for stack to be healthy')
    await Promise.all([platform.start('aggregator'), platform.start('mail-catcher')])
    await platform.untilCompleted(jobId, 90)
    await expect.poll(() => platform.effects(anchorId, email), { timeout: 90_000 }).toEqual(oneWholeAnchor)
    const { rows } = await platform.database.query<{ text: string }>(
      `select coalesce(payload::text, '') || coalesce(last_error, '') as text from outbox`,
    )
    expect(rows.map(row => row.text).join()).not.toContain('rail-secret')
    await fixture.endAnchors()
  })
})

describe.runIf(everything)('many at once', { timeout: 200_000 }, () => {
  it('redeem one token fifty times, approve one application twenty times: one anchor', async () => {
    await platform.start('platform-api')
    const subdomain = someSubdomain()
    const email = `${subdomain}@founders.example`
    const token = await platform.invite(email)
    const tries = Array.from({ length: 50 }, (_, index) =>
      platform.redeem(token, `${subdomain}${index % 2 ? '' : 'x'}`),
    )
    const answers = await Promise.allSettled(tries)
    const [won] = answers.flatMap(answer => (answer.status === 'fulfilled' ? [answer.value] : []))
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    if (!won) return
    await platform.untilCompleted(won.jobId, 60)
    await expect.poll(() => platform.effects(won.anchorId, email)).toEqual(oneWholeAnchor)
    await fixture.endAnchors()
  })
})
