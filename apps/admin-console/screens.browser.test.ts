import { fillScores } from '@windlass/contracts/aggregator/routing.ts'
import { verifyAdministratorInvitation } from '@windlass/contracts/platform/administrator-accounts.ts'
import { listFleet } from '@windlass/contracts/platform/administrators.ts'
import { replayRoutingWeights } from '@windlass/contracts/platform/admin-routing.ts'
import { getRemoval } from '@windlass/contracts/platform/anchor-life.ts'
import { listApplications } from '@windlass/contracts/platform/applications.ts'
import { faultsOfScreen, hasChromium, visit } from '@windlass/ui/testing/browser.ts'
import { Refusal } from '@windlass/ui/testing/fake-platform.ts'
import { shippedScripts } from '@windlass/ui/testing/shipped-scripts.ts'
import { visitSlowly } from '@windlass/ui/testing/slow-visit.ts'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { adminConsoleInBrowser } from './testing/browser.ts'
import { LINK } from './testing/platform.ts'
import { anchor, decision, invitationOfSena, job, removal } from './testing/records.ts'

describe.runIf(hasChromium('the admin console’s screens in a browser'))(
  'the admin console’s screens',
  { timeout: 180_000 },
  () => {
    const admin = adminConsoleInBrowser()
    const { console, open, ask } = admin

    const signIn = async (page: Page): Promise<void> => {
      await open(page, '/login', 'Sign in')
      await page.getByLabel('User name or email').fill('bosun')
      await page.getByLabel('Password').first().fill('right')
      await page.getByRole('button', { name: 'Sign in' }).click()
    }

    const screens: [string, (page: Page) => Promise<void>][] = [
      ['login', page => open(page, '/login', 'Sign in')],
      [
        'login-second-factor',
        async page => {
          admin.state.awaiting = 'second-factor'
          await signIn(page)
          await page.getByRole('button', { name: 'Use passkey' }).waitFor()
        },
      ],
      [
        'login-enrolment',
        async page => {
          admin.state.awaiting = 'enrolment'
          await signIn(page)
          await page.getByRole('button', { name: 'Add authenticator app' }).click()
          await page.getByRole('img', { name: 'QR code' }).waitFor()
        },
      ],
      [
        'account',
        async page => {
          await open(page, '/account', 'Account')
          await page.getByText('You have no second factor').waitFor()
        },
      ],
      [
        'login-refused',
        async page => {
          await open(page, '/login', 'Sign in')
          await page.getByLabel('User name or email').fill('bosun')
          await page.getByLabel('Password').first().fill('wrong')
          await page.getByRole('button', { name: 'Sign in' }).click()
          await page.getByText('Sign-in failed').waitFor()
        },
      ],
      [
        'home',
        async page => {
          await open(page, '/', 'Home')
          await page.getByText('3 applications wait').waitFor()
          await page.getByText('The treasury holds 5 HARB.').waitFor()
          await page.getByText('Application Harbour Payments Ltd').waitFor()
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
        'queue-selected',
        async page => {
          await open(page, '/applications', 'Applications')
          await page.getByRole('checkbox', { name: 'Select Monsoon Pay' }).check()
          admin.state.rejectedMeanwhile = admin.state.records[1]!.id
          await page.getByRole('checkbox', { name: 'Select Lagos Gateway' }).check()
          await page.getByRole('button', { name: 'Approve (2)' }).click()
          await page.getByText('It was reviewed already.').waitFor()
          await page.getByText('Approved, link sent by email').waitFor()
          await page.getByRole('checkbox', { name: 'Select Harbour Payments Ltd' }).check()
          await page.getByRole('button', { name: 'Reject (1)' }).waitFor()
        },
      ],
      [
        'queue-empty',
        async page => {
          admin.state.records = []
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
          await page.goto(`${console.url}/applications?open=${admin.state.records[0]!.id}`)
          await page.getByRole('button', { name: 'Approve' }).waitFor()
        },
      ],
      [
        'application-approved',
        async page => {
          await page.goto(`${console.url}/applications?open=${admin.state.records[1]!.id}`)
          await page.getByRole('button', { name: 'Approve' }).click()
          await page.getByText(LINK).waitFor()
        },
      ],
      [
        'application-rejecting',
        async page => {
          await page.goto(`${console.url}/applications?open=${admin.state.records[4]!.id}`)
          await page.getByRole('button', { name: 'Reject' }).click()
          await page.getByRole('button', { name: 'Reject and notify founder' }).click()
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
          await page.getByText('97.1% of checks passed').waitFor()
        },
      ],
      [
        'anchor-removing',
        async page => {
          await page.goto(`${console.url}/fleet?open=${anchor(0).id}`)
          await page.getByText('did not become healthy within 60 s').waitFor()
          await page.getByRole('button', { name: 'Remove anchor' }).click()
          await page.getByRole('button', { name: 'Remove permanently' }).click()
          await page.getByRole('link', { name: 'Enter a reason' }).waitFor()
        },
      ],
      [
        'anchor-removed',
        async page => {
          console.platform.answer(listFleet, () => [anchor(0, 'removed')])
          console.platform.answer(getRemoval, () => removal('done'))
          await page.goto(`${console.url}/fleet?open=${anchor(0).id}`)
          await page.getByRole('button', { name: 'Download export (1.2 MB)' }).waitFor()
        },
      ],
      ['routing', page => open(page, '/routing', 'Route explainer')],
      [
        'routing-refused',
        async page => {
          await ask(page, 'SEPA')
          await page.getByText('No anchor is eligible').waitFor()
        },
      ],
      [
        'decision',
        async page => {
          await open(page, `/routing/${decision().decisionId}`, 'Route explainer')
          await page.getByText('Best anchor: harbour').waitFor()
        },
      ],
      [
        'decision-unknown',
        async page => {
          await open(page, '/routing/dec_unknown', 'Route explainer')
          await page.getByText('There is no decision with this id.').waitFor()
        },
      ],
      [
        'policy',
        async page => {
          console.platform.answer(replayRoutingWeights, () => ({
            weights: fillScores({ fee: 0.5, speed: 0.1, uptime: 0.2, liquidity: 0.2 }, 0),
            decisions: 120,
            changed: 7,
            shares: [
              { anchorId: anchor(0).id, before: 80, after: 73 },
              { anchorId: anchor(1).id, before: 40, after: 47 },
            ],
            examples: [],
          }))
          await open(page, '/policy', 'Routing policy')
          await page.getByRole('button', { name: 'Replay past decisions' }).click()
          await page.getByText('7 of 120 decisions').waitFor()
        },
      ],
      [
        'audit',
        async page => {
          await open(page, '/audit', 'Audit log')
          await page.getByRole('button', { name: 'Verify audit log' }).click()
          await page.getByText('The audit log is intact: 4 entries').waitFor()
        },
      ],
      [
        'messages',
        async page => {
          await open(page, '/messages', 'Refused messages')
          await page.getByText('rails must name at least one rail').waitFor()
        },
      ],
      [
        'emails',
        async page => {
          await open(page, '/emails', 'Emails')
          await page.getByRole('link', { name: '123456 is your sign-in code' }).waitFor()
        },
      ],
      [
        'email',
        async page => {
          await open(page, '/emails', 'Emails')
          await page.getByRole('link', { name: 'We received your application' }).click()
          const frame = page.frameLocator('iframe')
          await frame.getByText('Your application ID: app_sample').waitFor()
        },
      ],
      [
        'email-text',
        async page => {
          await page.goto(`${console.url}/emails?open=application-received`)
          await page.getByRole('button', { name: 'Español' }).click()
          await page.frameLocator('iframe').getByText('El ID de su solicitud: app_sample').waitFor()
          await page.getByRole('button', { name: 'Plain text' }).click()
          await page.getByText('El ID de su solicitud: app_sample').waitFor()
        },
      ],
      [
        'palette',
        async page => {
          await open(page, '/applications', 'Applications')
          await page.getByRole('link', { name: 'Monsoon Pay' }).waitFor()
          await page.keyboard.press('Control+k')
          await page.getByRole('option', { name: 'Monsoon Pay' }).waitFor()
        },
      ],
      [
        'administrators',
        async page => {
          await open(page, '/administrators', 'Administrators')
          await page.getByText('sena@windlass.example').waitFor()
          await page.getByText('Not in the last 30 days').waitFor()
        },
      ],
      [
        'administrators-invite',
        async page => {
          await open(page, '/administrators', 'Administrators')
          await page.getByRole('button', { name: 'Invite administrator' }).click()
          await page.getByLabel('Email').waitFor()
        },
      ],
      [
        'invitation',
        async page => {
          console.platform.answer(verifyAdministratorInvitation, () => invitationOfSena)
          await open(page, '/invitation#token=t0k', 'Accept your invitation')
          await page.getByText('sena@windlass.example').waitFor()
        },
      ],
      ['not-found', page => open(page, '/nowhere', 'Page not found')],
    ]

    for (const [name, show] of screens) {
      test(`${name} has no violation, no overflow and no fault at either size`, async () => {
        expect(await faultsOfScreen(console.browser, `admin-${name}`, show, 'administrator')).toEqual([])
      })
    }

    test('on a slow line nothing moves when the scripts of a page take the place of its frame', async () => {
      const { page, context } = await visit(console.browser, 'administrator')
      const { shift, moved } = await visitSlowly(page, shown => open(shown, '/fleet', 'Fleet'))
      expect(shift, moved.join('\n')).toBeLessThanOrEqual(0.1)
      await context.close()
    })

    test.each([
      ['/fleet', 1],
      ['/invitation', 0],
      ['/single-sign-on', 0],
    ])('without scripts %s has the navigation %i times', async (path, count) => {
      const page = await console.browser.newPage({ javaScriptEnabled: false })
      await page.goto(console.url + path)
      expect(await page.getByRole('navigation').count()).toBe(count)
      await page.close()
    })

    test.each([
      ['/login', 'Sign in', 131],
      ['/applications', 'Applications', 170],
      ['/fleet', 'Fleet', 170],
    ])('%s stays within its script size', async (path, heading, most) => {
      const { page, context } = await visit(console.browser, 'administrator')
      const bytes = await shippedScripts(page, console.folder, shown => open(shown, path, heading))
      expect(bytes).toBeGreaterThan(50_000)
      expect(bytes).toBeLessThanOrEqual(most * 1000)
      await context.close()
    })
  },
)
