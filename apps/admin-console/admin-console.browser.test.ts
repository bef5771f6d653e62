import {
  adminLogin,
  adminLogout,
  adminMe,
  listAudit,
  listFleet,
  listJobs,
  listRoutingPolicies,
  replayRoutingWeights,
  saveRoutingPolicy,
  suspendAnchor,
  verifyAudit,
} from '@windlass/contracts/administrators.ts'
import {
  approveApplication,
  getApplication,
  listApplications,
  rejectApplication,
  type ReviewedApplication,
} from '@windlass/contracts/applications.ts'
import { getJobStatus, readJobLog, retryJob } from '@windlass/contracts/provisioning.ts'
import { getAnchorHealth, listAnchors } from '@windlass/contracts/registry.ts'
import { faultsOfScreen, hasChromium, openBrowser, visit } from '@windlass/ui/testing/browser.ts'
import { consoleUnderTest, type ConsoleUnderTest } from '@windlass/ui/testing/console-under-test.ts'
import { Refusal } from '@windlass/ui/testing/fake-platform.ts'
import { shippedScripts } from '@windlass/ui/testing/shipped-scripts.ts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { anchor, application, auditEntries, entry, job, minutes, policies, queue } from './test-records.ts'

const LINK = 'http://localhost:4001/redeem#token=wl-one-time-Qz81'

describe.runIf(hasChromium('the admin console in a browser'))(
  'the admin console',
  { timeout: 60_000 },
  () => {
    let console: ConsoleUnderTest
    let browser: Browser
    let signedIn: boolean
    let records: ReviewedApplication[]

    beforeAll(async () => {
      console = await consoleUnderTest(import.meta.dirname)
      browser = await openBrowser()
    })
    afterAll(async () => {
      await browser?.close()
      await console?.close()
    })
    beforeEach(() => {
      signedIn = true
      records = queue()
      const { platform } = console
      const inside = <T>(answer: T): T | Refusal =>
        signedIn ? answer : new Refusal('unauthenticated', 'Sign in first.')
      const found = (id: string | undefined) => records.find(record => record.id === id)!
      const review = (id: string | undefined, status: 'approved' | 'rejected', by: string, reason?: string) =>
        Object.assign(found(id), {
          status,
          reviewedBy: by,
          reviewedAt: new Date().toISOString(),
          reason: reason ?? null,
        })
      platform.requests.length = 0
      platform.answer(adminMe, () => inside({ username: 'bosun', expiresAt: '2026-11-20T18:00:00.000Z' }))
      platform.answer(adminLogout, () => ({ ok: true }))
      platform.answer(adminLogin, ({ body }) => {
        signedIn = (body as { password: string }).password === 'right'
        return signedIn ? { ok: true, username: 'bosun' } : new Refusal('login-failed', 'Not right.')
      })
      platform.answer(listApplications, ({ query }) =>
        inside(records.filter(record => !query.get('status') || record.status === query.get('status'))),
      )
      platform.answer(getApplication, ({ params }) => inside(found(params.id)))
      platform.answer(approveApplication, ({ params }) => {
        if (found(params.id).status !== 'applied') {
          return new Refusal('application-already-reviewed', 'It was reviewed already.')
        }
        review(params.id, 'approved', 'bosun')
        return {
          id: params.id!,
          status: 'approved' as const,
          rawToken: 'wl-one-time-Qz81',
          invitation: { id: 'inv_9', expiresAt: '2026-11-27T10:00:00.000Z' },
          redeemUrl: LINK,
        }
      })
      platform.answer(rejectApplication, ({ params, body }) => {
        review(params.id, 'rejected', 'bosun', (body as { reason: string }).reason)
        return { id: params.id!, status: 'rejected' as const }
      })
      platform.answer(listJobs, () =>
        inside([job(0, 7, 'completed'), job(1, 1, 'failed'), job(2, 4, 'running')]),
      )
      platform.answer(getJobStatus, ({ params }) => job(Number(params.jobId!.at(-1)), 1, 'failed'))
      platform.answer(readJobLog, () => [
        {
          id: 1,
          at: '2026-11-20T10:00:00.000Z',
          stage: 'Generating Stellar keys',
          level: 'info' as const,
          text: 'Three key pairs sealed.',
        },
        {
          id: 2,
          at: '2026-11-20T10:00:02.000Z',
          stage: 'Funding accounts',
          level: 'error' as const,
          text: 'The faucet does not answer.',
        },
      ])
      platform.answer(listFleet, () => inside([anchor(0), anchor(1, 'suspended'), anchor(2, 'provisioning')]))
      platform.answer(listAnchors, () => ({ anchors: [entry(0, true), entry(1, false)] }))
      platform.answer(getAnchorHealth, () => ({
        uptime: { good: 202, checks: 208, percentage: 97.1 },
        minutes: minutes(),
      }))
      platform.answer(listRoutingPolicies, () => inside(policies()))
      platform.answer(listAudit, () => inside(auditEntries()))
      platform.answer(verifyAudit, () => ({ ok: true, entries: 4 }))
    })

    const open = async (page: Page, path: string, heading: string): Promise<void> => {
      await page.goto(console.url + path)
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    }

    const screens: [string, (page: Page) => Promise<void>][] = [
      ['login', page => open(page, '/login', 'Sign in')],
      [
        'login-refused',
        async page => {
          await open(page, '/login', 'Sign in')
          await page.getByLabel('User name or email').fill('bosun')
          await page.getByLabel('Password').first().fill('wrong')
          await page.getByRole('button', { name: 'Sign in' }).click()
          await page.getByText('That did not work').waitFor()
        },
      ],
      [
        'queue',
        async page => {
          await open(page, '/applications', 'Applications')
          await page.getByRole('link', { name: 'Monsoon Pay' }).waitFor()
        },
      ],
      [
        'queue-empty',
        async page => {
          records = []
          await open(page, '/applications?status=rejected', 'Applications')
          await page.getByText('No application has this status').waitFor()
        },
      ],
      [
        'queue-error',
        async page => {
          console.platform.answer(
            listApplications,
            () => new Refusal('forbidden', 'Not for this administrator.'),
          )
          await open(page, '/applications', 'Applications')
          await page.getByText('Not for this administrator.').waitFor()
        },
      ],
      [
        'application',
        async page => {
          await page.goto(`${console.url}/applications?open=${records[0]!.id}`)
          await page.getByRole('button', { name: 'Approve' }).waitFor()
        },
      ],
      [
        'application-approved',
        async page => {
          await page.goto(`${console.url}/applications?open=${records[1]!.id}`)
          await page.getByRole('button', { name: 'Approve' }).click()
          await page.getByText(LINK).waitFor()
        },
      ],
      [
        'application-rejecting',
        async page => {
          await page.goto(`${console.url}/applications?open=${records[4]!.id}`)
          await page.getByRole('button', { name: 'Reject' }).click()
          await page.getByRole('button', { name: 'Reject and tell the founder' }).click()
          await page.getByRole('alert').waitFor()
        },
      ],
      [
        'jobs',
        async page => {
          await open(page, '/jobs', 'Provisioning jobs')
          await page.getByRole('link', { name: 'monsoon' }).waitFor()
        },
      ],
      [
        'job',
        async page => {
          await page.goto(`${console.url}/jobs?open=${job(1, 1, 'failed').jobId}`)
          await page.getByRole('button', { name: 'Retry from stage 2' }).waitFor()
          await page.getByText('Three key pairs sealed.').waitFor()
        },
      ],
      [
        'fleet',
        async page => {
          await open(page, '/fleet', 'Fleet')
          await page.getByText('monsoon.anchors.localhost').waitFor()
        },
      ],
      [
        'anchor',
        async page => {
          await page.goto(`${console.url}/fleet?open=${anchor(0).id}`)
          await page.getByText('97.1% of the checks were good').waitFor()
        },
      ],
      [
        'policy',
        async page => {
          console.platform.answer(replayRoutingWeights, () => ({
            weights: { fee: 0.5, speed: 0.1, uptime: 0.2, liquidity: 0.2 },
            decisions: 120,
            changed: 7,
            shares: [
              { anchorId: anchor(0).id, before: 80, after: 73 },
              { anchorId: anchor(1).id, before: 40, after: 47 },
            ],
            examples: [],
          }))
          await open(page, '/policy', 'Routing policy')
          await page.getByRole('button', { name: 'Try on past decisions' }).click()
          await page.getByText('7 of 120 decisions').waitFor()
        },
      ],
      [
        'audit',
        async page => {
          await open(page, '/audit', 'Audit')
          await page.getByRole('button', { name: 'Verify the chain' }).click()
          await page.getByText('The chain is whole: 4 entries').waitFor()
        },
      ],
      ['not-found', page => open(page, '/nowhere', 'There is no such page')],
    ]

    for (const [name, show] of screens) {
      test(`${name} has no violation, no overflow and no fault at either size in either scheme`, async () => {
        expect(await faultsOfScreen(browser, `admin-${name}`, show, 'administrator')).toEqual([])
      })
    }

    test.each([
      ['/login', 'Sign in', 130],
      ['/applications', 'Applications', 170],
      ['/fleet', 'Fleet', 170],
    ])('%s ships few scripts', async (path, heading, most) => {
      const { page, context } = await visit(browser, 'administrator')
      const bytes = await shippedScripts(page, console.folder, shown => open(shown, path, heading))
      expect(bytes).toBeGreaterThan(50_000)
      expect(bytes).toBeLessThanOrEqual(most * 1000)
      await context.close()
    })

    test('without a session every page leads to the login and back to itself', async () => {
      signedIn = false
      const { page, context } = await visit(browser, 'administrator')
      await open(page, '/fleet?status=active', 'Sign in')
      await page.getByLabel('User name or email').fill('bosun')
      await page.getByLabel('Password').first().fill('right')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'Fleet' }).waitFor()
      expect(page.url()).toBe(`${console.url}/fleet?status=active`)
      await context.close()
    })

    test('a login never leads to another site', async () => {
      const { page, context } = await visit(browser, 'administrator')
      await open(page, '/login?from=//evil.example/', 'Sign in')
      await page.getByLabel('User name or email').fill('bosun')
      await page.getByLabel('Password').first().fill('right')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'Applications' }).waitFor()
      expect(new URL(page.url()).origin).toBe(console.url)
      await context.close()
    })

    test('a session that ends comes back to the same application with the typed reason kept', async () => {
      const { page, context } = await visit(browser, 'administrator')
      const path = `/applications?open=${records[0]!.id}`
      await page.goto(console.url + path)
      await page.getByRole('button', { name: 'Reject' }).click()
      await page.getByLabel('Reason').fill('Half a sentence')
      signedIn = false
      console.platform.answer(rejectApplication, () => new Refusal('unauthenticated', 'Sign in first.'))
      await page.getByRole('button', { name: 'Reject and tell the founder' }).click()
      await page.getByText('Your session has ended').waitFor()
      await page.getByLabel('User name or email').fill('bosun')
      await page.getByLabel('Password').first().fill('right')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('button', { name: 'Reject' }).click()
      expect(page.url()).toBe(console.url + path)
      expect(await page.getByLabel('Reason').inputValue()).toBe('Half a sentence')
      await context.close()
    })

    test('approving shows the one-time link, which can be copied', async () => {
      const { page, context } = await visit(browser, 'administrator')
      await open(page, '/applications?status=applied', 'Applications')
      await page.getByRole('link', { name: 'Harbour Payments Ltd' }).click()
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByText(LINK).waitFor()
      await page.getByRole('button', { name: 'Copy the link' }).click()
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(LINK)
      await context.close()
    })

    test('rejecting needs a reason and sends it', async () => {
      const { page, context } = await visit(browser, 'administrator')
      await page.goto(`${console.url}/applications?open=${records[0]!.id}`)
      await page.getByRole('button', { name: 'Reject' }).click()
      await page.getByRole('button', { name: 'Reject and tell the founder' }).click()
      await page.getByRole('link', { name: 'Give the founder a reason' }).waitFor()
      await page.getByLabel('Reason').fill('No licence')
      await page.getByRole('button', { name: 'Reject and tell the founder' }).click()
      await page.getByText('Rejected. The founder is told by mail.').waitFor()
      expect(console.platform.requests.find(r => r.line.endsWith('/reject'))!.asked.body).toEqual({
        reason: 'No licence',
      })
      await context.close()
    })

    test('an administrator who comes second is told who was faster, and changes nothing', async () => {
      console.platform.answer(approveApplication, () => {
        Object.assign(records[0]!, application(0, 'rejected', { reviewedBy: 'coxswain' }))
        return new Refusal('application-already-reviewed', 'It was reviewed already.')
      })
      const { page, context } = await visit(browser, 'administrator')
      await page.goto(`${console.url}/applications?open=${records[0]!.id}`)
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByText('coxswain rejected this application. Nothing was changed by you.').waitFor()
      await context.close()
    })

    test('filters live in the address, and J and K go through the queue', async () => {
      const { page, context } = await visit(browser, 'administrator')
      await open(page, '/applications', 'Applications')
      await page.getByRole('navigation', { name: 'Filter' }).getByRole('link', { name: 'Applied' }).click()
      await page.waitForURL(`${console.url}/applications?status=applied`)
      await expect.poll(() => page.getByRole('row').count()).toBe(4)
      await page.keyboard.press('j')
      await page.waitForURL(`${console.url}/applications?status=applied&open=${records[0]!.id}`)
      await page.getByRole('heading', { level: 2, name: 'Harbour Payments Ltd' }).waitFor()
      await page.keyboard.press('j')
      await page.waitForURL(`${console.url}/applications?status=applied&open=${records[1]!.id}`)
      await page.getByRole('heading', { level: 2, name: 'Monsoon Pay' }).waitFor()
      await page.keyboard.press('k')
      await page.waitForURL(`${console.url}/applications?status=applied&open=${records[0]!.id}`)
      await page.keyboard.press('Escape')
      await page.waitForURL(`${console.url}/applications?status=applied`)
      await context.close()
    })

    test('a list that cannot be refreshed says how old it is', async () => {
      const { page, context } = await visit(browser, 'administrator')
      await page.clock.install()
      await open(page, '/applications', 'Applications')
      await page.getByRole('link', { name: 'Monsoon Pay' }).waitFor()
      console.platform.answer(
        listApplications,
        () => new Refusal('dependency-unavailable', 'The database is down.'),
      )
      await page.clock.runFor(30_000)
      await page.getByText(/Updated .* ago, reconnecting/).waitFor()
      await page.getByRole('link', { name: 'Monsoon Pay' }).waitFor()
      await context.close()
    })

    test('a failed job is retried from its stage', async () => {
      console.platform.answer(retryJob, ({ params }) => ({
        jobId: params.jobId!,
        status: 'running' as const,
        attempts: 2,
      }))
      const { page, context } = await visit(browser, 'administrator')
      await page.goto(`${console.url}/jobs?open=${job(1, 1, 'failed').jobId}`)
      await page.getByRole('button', { name: 'Retry from stage 2' }).click()
      await expect.poll(() => console.platform.requests.some(r => r.line.endsWith('/retry'))).toBe(true)
      await context.close()
    })

    test('an anchor is suspended with a reason', async () => {
      console.platform.answer(suspendAnchor, ({ params }) => ({
        id: params.id!,
        status: 'suspended' as const,
      }))
      const { page, context } = await visit(browser, 'administrator')
      await page.goto(`${console.url}/fleet?open=${anchor(0).id}`)
      await page.getByRole('button', { name: 'Suspend' }).click()
      await page.getByLabel('Reason').fill('Asked for by the regulator')
      await page.getByRole('button', { name: 'Suspend the anchor' }).click()
      await expect
        .poll(() => console.platform.requests.find(r => r.line.endsWith('/suspend'))?.asked.body)
        .toEqual({ reason: 'Asked for by the regulator' })
      await context.close()
    })

    test('weights that do not sum to 1 are refused before anything is sent; right ones are sent as typed', async () => {
      console.platform.answer(saveRoutingPolicy, () => ({ ...policies()[0]!, version: 3 }))
      const { page, context } = await visit(browser, 'administrator')
      await open(page, '/policy', 'Routing policy')
      await page.getByLabel('Fee', { exact: true }).fill('0.6')
      await page.getByRole('button', { name: 'Save and make active' }).click()
      await page.getByRole('link', { name: 'The four weights must sum to exactly 1' }).waitFor()
      await page.getByLabel('Speed', { exact: true }).fill('0')
      await page.getByRole('button', { name: 'Save and make active' }).click()
      await expect
        .poll(
          () =>
            console.platform.requests.find(r => r.line === 'POST /api/v1/admin/routing-policies')?.asked.body,
        )
        .toEqual({ weights: { fee: '0.6', speed: '0', uptime: '0.2', liquidity: '0.2' } })
      await context.close()
    })
  },
)
