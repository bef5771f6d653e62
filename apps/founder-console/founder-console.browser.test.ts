import { listAnchors } from '@windlass/contracts/aggregator/registry.ts'
import { submitApplication } from '@windlass/contracts/platform/applications.ts'
import {
  checkSubdomain,
  redeemInvitation,
  verifyInvitation,
} from '@windlass/contracts/platform/invitations.ts'
import {
  getJobStatus,
  readJobLog,
  retryJob,
  streamJobStatus,
} from '@windlass/contracts/platform/provisioning.ts'
import { faultsOfScreen, hasChromium, openPage, violations, visit } from '@windlass/ui/testing/browser.ts'
import { consoleInBrowser } from '@windlass/ui/testing/console-under-test.ts'
import { Refusal } from '@windlass/ui/testing/fake-platform.ts'
import { shippedScripts } from '@windlass/ui/testing/shipped-scripts.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { answerDirectory, EXTERNAL, OWN } from './testing/directory.ts'
import { completedJob, failedJob, jobAt } from './testing/jobs.ts'

const TOKEN = 'tok-4fQ9'
const JOB = jobAt(0, 'pending').jobId

describe.runIf(hasChromium('the founder console in a browser'))(
  'the founder console',
  { timeout: 180_000 },
  () => {
    const console = consoleInBrowser(import.meta.dirname)

    beforeEach(() => {
      const { platform } = console
      platform.requests.length = 0
      platform.answer(verifyInvitation, () => ({
        email: 'mira@harbour.example',
        companyName: 'Harbour Payments Ltd',
        expiresAt: '2026-11-27T10:00:00.000Z',
      }))
      platform.answer(checkSubdomain, ({ query }) => {
        const subdomain = query.get('subdomain') ?? ''
        return subdomain === 'taken'
          ? { subdomain, available: false, reason: 'This subdomain is taken.' }
          : { subdomain, available: true, homeDomain: `${subdomain}.anchors.localhost` }
      })
      platform.answer(submitApplication, ({ body }) => ({
        id: 'app_7f3k2m9q4x8z',
        status: 'applied' as const,
        ...(body as { companyProfile: { name: string; businessEmail: string } }),
        stellarConfig: {},
        compliance: {},
        createdAt: '2026-11-20T10:00:00.000Z',
      }))
      platform.answer(getJobStatus, () => jobAt(2, 'running'))
      platform.answer(streamJobStatus, () => new Refusal('dependency-unavailable', 'No stream here.'))
      platform.answer(readJobLog, () => [])
    })

    const fill = async (page: Page, label: string, text: string) =>
      page.getByLabel(label, { exact: false }).first().fill(text)

    async function fillCompany(page: Page): Promise<void> {
      await page.goto(`${console.url}/apply/company`)
      await page.getByLabel('Country of registration').selectOption('IN')
      await fill(page, 'Company name', 'Harbour Payments Ltd')
      await fill(page, 'Business email', 'mira@harbour.example')
    }

    describe('every screen, at both sizes', () => {
      const screens: [string, (page: Page) => Promise<void>][] = [
        [
          'home',
          async page => {
            const anchors = [EXTERNAL, { ...OWN, current_availability: true }]
            console.platform.answer(listAnchors, () => ({ anchors }))
            await open(page, '/', 'Launch a Stellar anchor')
            await page.getByRole('heading', { name: 'Harbour Payments Ltd is open now' }).waitFor()
            await page.getByText('Fee: 0.5 HARB + 0.5%.').waitFor()
          },
        ],
        [
          'directory',
          async page => {
            answerDirectory(console.platform)
            await open(page, '/anchors', 'Anchors')
            await page.getByText('External').first().waitFor()
          },
        ],
        [
          'directory-anchor',
          async page => {
            answerDirectory(console.platform)
            await open(page, `/anchors/${EXTERNAL.id}`, 'Rio Anchor')
            await page.getByText('Login challenge 80 ms (status-503)').waitFor()
          },
        ],
        ['apply-company', page => open(page, '/apply', 'Company')],
        [
          'apply-company-errors',
          async page => {
            await open(page, '/apply/company', 'Company')
            await page.getByRole('button', { name: 'Save and continue' }).click()
            await page.getByRole('alert').waitFor()
          },
        ],
        ['apply-asset', page => open(page, '/apply/asset', 'Asset')],
        ['apply-rails', page => open(page, '/apply/rails', 'Rails and fees')],
        ['apply-compliance', page => open(page, '/apply/compliance', 'Compliance')],
        [
          'apply-check',
          async page => {
            await fillCompany(page)
            await page.getByRole('link', { name: 'Check and send' }).click()
            await page.getByRole('heading', { level: 1, name: 'Check and send' }).waitFor()
          },
        ],
        ['submitted', page => open(page, '/submitted/app_7f3k2m9q4x8z', 'Application sent')],
        [
          'redeem',
          async page => {
            await open(page, `/redeem#token=${TOKEN}`, 'Launch your anchor')
            await fill(page, 'Subdomain', 'harbour')
            await page.getByText('harbour.anchors.localhost').waitFor()
            await page.getByLabel('Password').first().fill('tide and 4 barnacles')
          },
        ],
        ['redeem-paste', page => open(page, '/redeem', 'Redeem an invitation')],
        [
          'redeem-expired',
          async page => {
            console.platform.answer(
              verifyInvitation,
              () => new Refusal('invitation-gone', 'This invitation has expired.', { reason: 'expired' }),
            )
            await page.goto(`${console.url}/redeem#token=${TOKEN}`)
            await page.getByText('Invitation expired').waitFor()
          },
        ],
        ['provisioning-running', page => open(page, `/provisioning/${JOB}`, 'Setting up your anchor')],
        [
          'provisioning-failed',
          async page => {
            console.platform.answer(getJobStatus, failedJob)
            await open(page, `/provisioning/${JOB}`, 'Setup failed')
          },
        ],
        [
          'provisioning-completed',
          async page => {
            console.platform.answer(getJobStatus, completedJob)
            await open(page, `/provisioning/${JOB}`, 'Your anchor is live')
          },
        ],
        ['not-found', page => open(page, '/nowhere', 'Page not found')],
      ]
      const open = async (page: Page, path: string, heading: string | RegExp) => {
        await page.goto(console.url + path)
        await page.getByRole('heading', { level: 1, name: heading }).waitFor()
      }

      for (const [name, show] of screens) {
        test(`${name} has no violation, no overflow and no fault`, async () => {
          expect(await faultsOfScreen(console.browser, `founder-${name}`, show)).toEqual([])
        })
      }

      test('anyone lists an anchor of another platform by its home domain, or reads why not', async () => {
        answerDirectory(console.platform)
        const { page, faults } = await openPage(console.browser)
        await page.goto(`${console.url}/anchors`)
        await page.getByRole('link', { name: 'Available' }).click()
        await expect.poll(() => console.platform.requests.at(-1)?.asked.query.get('available')).toBe('true')
        await page.getByRole('button', { name: 'Register an anchor' }).click()
        await page.getByLabel('Home domain').fill('https://rio.example')
        await page.getByRole('button', { name: 'Register', exact: true }).click()
        await page.getByRole('alert').getByText('without https://').first().waitFor()
        await page.getByLabel('Home domain').fill('broken.example')
        await page.getByRole('button', { name: 'Register', exact: true }).click()
        await page.getByText('challenge: challenge-not-signed').waitFor()
        await page.getByLabel('Home domain').fill('rio.example')
        await page.getByRole('button', { name: 'Register', exact: true }).click()
        await page.getByText('rio.example is listed.').waitFor()
        await page.getByRole('link', { name: 'View anchor' }).click()
        await page.getByText('Nobody at this platform has approved it').waitFor()
        await page.getByText('1 to 5,000 TEST').waitFor()
        await page.getByText('1 TEST = 5.25 BRL').waitFor()
        await page.getByText('capacity and settlement').waitFor()
        expect(faults).toEqual([])
      })

      test('every page that is HTML already in the build fetches at most 131 kB of script, in each language', async () => {
        const built = JSON.parse(await readFile(join(console.folder, 'pages.json'), 'utf8')) as {
          languages: string[]
          files: Record<string, string>
        }
        const paths = Object.keys(built.files)
        expect(paths).toEqual(expect.arrayContaining(['/', '/apply', '/apply/rails', '/redeem', '/sign-in']))
        expect(built.languages).toEqual(['en', 'es'])
        const sizes: Record<string, number> = {}
        for (const language of built.languages) {
          const { page, context } = await visit(console.browser, undefined, language)
          for (const path of paths) {
            const show = (shown: Page) => open(shown, path, /./)
            sizes[`${language} ${path}`] = await shippedScripts(page, console.folder, show)
          }
          await context.close()
        }
        const wrong = Object.entries(sizes).filter(([, bytes]) => bytes < 50_000 || bytes > 131_000)
        expect(wrong).toEqual([])
      })

      test.each([
        [`/redeem#token=${TOKEN}`, 'Launch your anchor', 140],
        [`/provisioning/${JOB}`, 'Setting up your anchor', 170],
      ])('%s stays within its script size', async (path, heading, most) => {
        const { page, context } = await visit(console.browser)
        const bytes = await shippedScripts(page, console.folder, shown => open(shown, path, heading))
        expect(bytes).toBeGreaterThan(50_000)
        expect(bytes).toBeLessThanOrEqual(most * 1000)
        await context.close()
      })

      test('the scan finds a planted violation', async () => {
        const { page } = await openPage(console.browser)
        await open(page, '/', 'Launch a Stellar anchor')
        await page.evaluate(() => document.querySelector('main')!.append(document.createElement('button')))
        expect((await violations(page)).join()).toContain('button-name')
      })
    })

    test('the directory shows no rail of one country in another, and fees with issuers', async () => {
      const { page } = await openPage(console.browser)
      console.platform.answer(listAnchors, () => ({ anchors: [{ ...OWN, current_availability: true }] }))
      await page.goto(`${console.url}/anchors`)
      const row = page.getByRole('row', { name: /^Germany/ })
      await expect
        .poll(() => row.getByRole('cell').allInnerTexts())
        .toEqual([expect.stringMatching(/^HARB GCAT….*0\.5 HARB \+ 0\.5%$/s), '–'])
    })

    test('an application is filled in, checked and sent with every answer, and its draft is deleted', async () => {
      const { page, faults } = await openPage(console.browser)
      await fillCompany(page)
      await page.getByRole('button', { name: 'Save and continue' }).click()
      await fill(page, 'Asset code', 'harb 1')
      await page.getByRole('button', { name: 'Save and continue' }).click()
      await page.getByLabel('SEPA').check()
      await fill(page, 'Percentage fee', '0.25')
      await fill(page, 'Maximum amount', '10.000')
      await page.getByRole('button', { name: 'Save and continue' }).click()
      await page.getByRole('alert').getByText('Write 10 or 10000.').waitFor()
      await fill(page, 'Maximum amount', '10,000')
      await page.getByText('Read as 10,000 HARB1').waitFor()
      await page.getByRole('group', { name: 'SEPA' }).getByLabel('Webhook secret').fill('sk-very-secret-1')
      await page.getByRole('button', { name: 'Save and continue' }).click()
      await page.getByLabel('Countries served').selectOption('DE')
      await page.getByRole('button', { name: 'Save and continue' }).click()
      expect(await page.locator('main').innerText()).not.toContain('sk-very-secret-1')
      await page.getByRole('button', { name: 'Send application' }).click()
      await page.getByRole('heading', { name: 'Application sent' }).waitFor()

      expect(page.url()).toBe(`${console.url}/submitted/app_7f3k2m9q4x8z`)
      const sent = console.platform.requests.filter(request => request.line === 'POST /api/v1/applications')
      expect(sent).toHaveLength(1)
      expect(sent[0]!.asked.headers['idempotency-key']).toMatch(/^[\w-]{16,}$/)
      expect(sent[0]!.asked.body).toEqual({
        companyProfile: {
          country: 'IN',
          name: 'Harbour Payments Ltd',
          businessEmail: 'mira@harbour.example',
        },
        stellarConfig: { assetCode: 'HARB1', anchoredTo: 'INR' },
        paymentRails: {
          rails: ['UPI', 'SEPA'],
          settlement: 'instant',
          fee: { fixed: '0.5', percentage: '0.0025' },
          limits: { min: '1', max: '10000' },
          credentials: { SEPA: { provider: 'simulated', webhookSecret: 'sk-very-secret-1' } },
        },
        compliance: { regions: ['IN', 'DE'] },
      })
      expect(await page.evaluate(() => localStorage.getItem('windlass.application-draft'))).toBeNull()
      expect(faults).toEqual([])
    })

    test('an application names assets that exist by their issuers, and says what the issuer may do', async () => {
      const issuer = 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5'
      console.platform.answer(submitApplication, ({ body }) => ({
        id: 'app_7f3k2m9q4x8z',
        status: 'applied' as const,
        ...(body as { companyProfile: { name: string; businessEmail: string } }),
        stellarConfig: {},
        compliance: {},
        createdAt: '2026-11-20T10:00:00.000Z',
        warnings: [{ asset: 'USDC', kind: 'clawback' as const }],
      }))
      const { page, faults } = await openPage(console.browser)
      await fillCompany(page)
      await page.getByRole('button', { name: 'Save and continue' }).click()
      await page.getByLabel('An asset that exists').check()
      await fill(page, 'Issuer', 'GNOBODY')
      await page.getByRole('button', { name: 'Save and continue' }).click()
      await page.getByRole('link', { name: 'An asset code has 1 to 12 letters and digits' }).waitFor()
      await page.getByRole('link', { name: 'Enter an account (G…)' }).waitFor()
      await page.getByRole('button', { name: 'USDC · test network' }).click()
      await page.getByRole('button', { name: 'Add an asset' }).click()
      await page.getByRole('button', { name: 'Add an asset' }).click()
      await page.getByRole('button', { name: 'Remove asset 3' }).click()
      expect(await page.getByLabel('3. Asset code').count()).toBe(0)
      await fill(page, '2. Asset code', 'usdc')
      await fill(page, '2. Issuer', issuer)
      await page.getByLabel('2. Pegged to').selectOption('EUR')
      await page.getByRole('button', { name: 'Save and continue' }).click()
      await page.getByRole('link', { name: 'This asset is in the list already' }).waitFor()
      await fill(page, '2. Asset code', 'eurc')
      await page.getByRole('button', { name: 'Save and continue' }).click()
      await page.getByRole('link', { name: 'None of your rails (UPI) moves EUR' }).waitFor()
      await page.getByRole('link', { name: 'Rails and fees' }).click()
      await page.getByLabel('SEPA').check()
      await page.getByRole('link', { name: 'Check and send' }).click()
      await page.getByText(issuer).nth(1).waitFor()
      await page.getByRole('button', { name: 'Send application' }).click()
      await page.getByText('The issuer of USDC can take back what your anchor holds.').waitFor()
      const [sent] = console.platform.requests.filter(({ line }) => line === 'POST /api/v1/applications')
      expect(sent?.asked.body).toMatchObject({
        stellarConfig: {
          assets: [
            { code: 'USDC', issuer, anchoredTo: 'USD' },
            { code: 'EURC', issuer, anchoredTo: 'EUR' },
          ],
        },
      })
      expect(faults).toEqual([])
    })

    test('a draft comes back after a reload, without credentials', async () => {
      const { page } = await openPage(console.browser)
      await fillCompany(page)
      await page.getByRole('link', { name: 'Rails and fees' }).click()
      await fill(page, 'Webhook secret', 'not-for-the-disk-1')
      await page.getByText(/Draft saved on this device at/).waitFor()
      await page.reload()
      expect(await page.getByLabel('Webhook secret').inputValue()).toBe('')
      expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('not-for-the-disk-1')
      await page.getByRole('link', { name: 'Company' }).click()
      expect(await page.getByLabel('Company name').inputValue()).toBe('Harbour Payments Ltd')
    })

    test('a refused form takes the focus to its summary, and each line leads to its field', async () => {
      const { page } = await openPage(console.browser)
      await page.goto(`${console.url}/apply/company`)
      await page.getByRole('button', { name: 'Save and continue' }).click()
      expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('alert')
      await page.getByRole('link', { name: 'Enter the business email' }).click()
      expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe(
        'companyProfile.businessEmail',
      )
    })

    test('an answer the platform refuses leads back to its field', async () => {
      console.platform.answer(
        submitApplication,
        () =>
          new Refusal('validation-failed', 'stellarConfig.assetCode is reserved.', {
            errors: [{ path: 'stellarConfig.assetCode', message: 'is reserved' }],
          }),
      )
      const { page } = await openPage(console.browser)
      await fillCompany(page)
      await page.getByRole('link', { name: 'Check and send' }).click()
      await page.getByRole('button', { name: 'Send application' }).click()
      await page.getByRole('link', { name: 'Asset code: Is reserved' }).click()
      await page.getByRole('heading', { level: 1, name: 'Asset' }).waitFor()
      expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe(
        'stellarConfig.assetCode',
      )
    })

    test.each([
      ['unknown', new Refusal('invitation-not-found', 'No such invitation.'), 'Invitation not found'],
      ['used', new Refusal('invitation-gone', 'Used.', { reason: 'used' }), 'Invitation already used'],
      ['revoked', new Refusal('invitation-gone', 'Gone.', { reason: 'revoked' }), 'Invitation revoked'],
      ['expired', new Refusal('invitation-gone', 'Old.', { reason: 'expired' }), 'Invitation expired'],
    ])('an invitation that is %s is refused before any form is shown', async (_state, refusal, title) => {
      console.platform.answer(verifyInvitation, () => refusal)
      const { page } = await openPage(console.browser)
      await page.goto(`${console.url}/redeem?token=${TOKEN}`)
      await page.getByText(title).waitFor()
      expect(await page.getByLabel('Password').count()).toBe(0)
    })

    test('a request whose response was lost is sent again with the same idempotency key', async () => {
      let lost = true
      console.platform.answer(redeemInvitation, () =>
        lost
          ? new Refusal('dependency-unavailable', 'Not now.')
          : {
              jobId: JOB,
              anchorId: 'a1b2c3d4e5f6g7h8i9j0',
              organizationId: 'org_1',
              subdomain: 'harbour',
              homeDomain: 'harbour.anchors.localhost',
            },
      )
      const { page } = await openPage(console.browser)
      await page.goto(`${console.url}/redeem#token=${TOKEN}`)
      await fill(page, 'Subdomain', 'harbour')
      await fill(page, 'Your full name', 'Mira Okafor')
      await page.getByLabel('Password').first().fill('tide and 4 barnacles')
      await page.getByRole('button', { name: 'Launch anchor' }).click()
      await page.getByText('The invitation was not redeemed').waitFor()
      lost = false
      await page.getByRole('button', { name: 'Launch anchor' }).click()
      await page.waitForURL(`${console.url}/provisioning/${JOB}`)
      const keys = console.platform.requests
        .filter(request => request.line.endsWith('/redeem'))
        .map(request => request.asked.headers['idempotency-key'])
      expect(keys).toHaveLength(2)
      expect(new Set(keys).size).toBe(1)
    })

    test('a token in the query moves into the fragment and redeems; a taken subdomain keeps what was typed', async () => {
      const { page } = await openPage(console.browser)
      await page.goto(`${console.url}/redeem?token=${TOKEN}`)
      await page.getByRole('heading', { name: 'Launch your anchor' }).waitFor()
      expect(page.url()).toBe(`${console.url}/redeem#token=${TOKEN}`)

      await fill(page, 'Subdomain', 'taken')
      await page.getByText('This subdomain is taken.').waitFor()
      await fill(page, 'Your full name', 'Mira Okafor')
      await page.getByLabel('Password').first().fill('tide and 4 barnacles')
      console.platform.answer(
        redeemInvitation,
        () => new Refusal('subdomain-taken', 'This subdomain is taken.'),
      )
      await page.getByRole('button', { name: 'Launch anchor' }).click()
      await page.getByRole('link', { name: 'This subdomain is taken.' }).waitFor()
      expect(await page.getByLabel('Your full name').inputValue()).toBe('Mira Okafor')

      console.platform.answer(redeemInvitation, ({ body }) => ({
        jobId: JOB,
        anchorId: 'a1b2c3d4e5f6g7h8i9j0',
        organizationId: 'org_1',
        subdomain: (body as { subdomain: string }).subdomain,
        homeDomain: 'harbour.anchors.localhost',
      }))
      await fill(page, 'Subdomain', 'harbour')
      await page.getByRole('button', { name: 'Launch anchor' }).click()
      await page.waitForURL(`${console.url}/provisioning/${JOB}`)
      expect(console.platform.requests.findLast(r => r.line.endsWith('/redeem'))!.asked.body).toEqual({
        token: TOKEN,
        subdomain: 'harbour',
        fullName: 'Mira Okafor',
        password: 'tide and 4 barnacles',
      })
    })

    test('the stages update by events, continue after the stream is cut, and end with the anchor', async () => {
      console.platform.answer(getJobStatus, () => jobAt(1, 'running'))
      const events = console.platform.stream(streamJobStatus)
      const { page } = await openPage(console.browser)
      await page.goto(`${console.url}/provisioning/${JOB}`)
      await page.getByText('Live').waitFor()
      events.emit(jobAt(3, 'running'))
      await expect.poll(() => page.getByText('Done').count()).toBe(3)
      events.cut()
      await expect.poll(() => events.open()).toBe(1)
      events.emit(completedJob())
      await page.getByRole('heading', { name: 'Your anchor is live' }).waitFor()
      await page.getByRole('link', { name: 'harbour.anchors.localhost/.well-known/stellar.toml' }).waitFor()
      await expect.poll(() => events.open()).toBe(0)
    })

    test('a job whose polls fail says that it is reconnecting, not that it is live', async () => {
      console.platform.answer(getJobStatus, () => jobAt(2, 'running'))
      const { page } = await openPage(console.browser)
      await page.goto(`${console.url}/provisioning/${JOB}`)
      await page.getByText('Updating every 2 s').waitFor()
      console.platform.answer(getJobStatus, () => new Refusal('dependency-unavailable', 'Not now.'))
      await page.getByText('Reconnecting', { exact: true }).waitFor()
      console.platform.answer(getJobStatus, () => jobAt(3, 'running'))
      await page.getByText('Updating every 2 s').waitFor()
    })

    test.each([
      ['ha', 'Add at least 1 more character'],
      ['-harbour', 'Start and end with a letter or digit'],
      ['har_bour', '“_” is not allowed'],
    ])('the subdomain %s is explained while it is typed', async (typed, explanation) => {
      const { page } = await openPage(console.browser)
      await page.goto(`${console.url}/redeem#token=${TOKEN}`)
      await fill(page, 'Subdomain', typed)
      await page.getByText(explanation).waitFor()
    })

    test('without events the page polls, and a failed stage is retried', async () => {
      let job = failedJob()
      console.platform.answer(getJobStatus, () => job)
      console.platform.answer(retryJob, ({ params }) => {
        job = jobAt(2, 'running')
        return { jobId: params.jobId!, status: 'running' as const, attempts: 2 }
      })
      const { page } = await openPage(console.browser)
      await page.goto(`${console.url}/provisioning/${JOB}`)
      await page.getByText('Stage 2 failed: Funding accounts & issuing asset on Stellar').waitFor()
      await page.getByRole('button', { name: 'Retry from stage 2' }).click()
      await page.getByRole('heading', { name: 'Setting up your anchor' }).waitFor()
      job = completedJob()
      await page.getByRole('heading', { name: 'Your anchor is live' }).waitFor()
    })
  },
)
