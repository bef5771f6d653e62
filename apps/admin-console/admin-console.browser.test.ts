import { getAdminSignOn, listFleet, suspendAnchor } from '@windlass/contracts/platform/administrators.ts'
import { saveRoutingPolicy } from '@windlass/contracts/platform/admin-routing.ts'
import {
  downloadExport,
  decideWindDown,
  getRemoval,
  getWindDown,
  removeAnchor,
  requestWindDown,
  type WindDown,
  upgradeAnchor,
  type Removal,
} from '@windlass/contracts/platform/anchor-life.ts'
import { finishAdminSignOn, startAdminSignOn } from '@windlass/contracts/platform/single-sign-on.ts'
import { adminSecondFactors } from '@windlass/contracts/platform/second-factors.ts'
import { approveApplication, listApplications } from '@windlass/contracts/platform/applications.ts'
import { retryJob } from '@windlass/contracts/platform/provisioning.ts'
import { hasChromium, openPage, visit } from '@windlass/ui/testing/browser.ts'
import { Refusal } from '@windlass/ui/testing/fake-platform.ts'
import { describe, expect, test } from 'vitest'
import { accountTests } from './testing/accounts.ts'
import { habitTests } from './testing/habits.ts'
import { paletteTests } from './testing/palette.ts'
import { adminConsoleInBrowser } from './testing/browser.ts'
import { LINK } from './testing/platform.ts'
import { anchor, application, decision, job, policies, removal, upgrades } from './testing/records.ts'

describe.runIf(hasChromium('the admin console in a browser'))(
  'the admin console',
  { timeout: 180_000 },
  () => {
    const admin = adminConsoleInBrowser()
    const { console, open, ask } = admin

    accountTests(admin)
    paletteTests(admin)
    habitTests(admin)

    test('approving, with all that was said in view, shows the one-time link, which can be copied', async () => {
      const { page } = await openPage(console.browser, 'administrator')
      await open(page, '/applications?status=applied', 'Applications')
      await page.getByRole('link', { name: 'Harbour Payments Ltd' }).click()
      await page.getByText('Tax number').waitFor()
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByText(LINK).waitFor()
      await page.getByRole('button', { name: 'Copy the link' }).click()
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(LINK)
    })

    test('an administrator signs in at the platform’s provider, where the settings name one', async () => {
      console.platform.answer(getAdminSignOn, () => ({ available: true }))
      console.platform.answer(startAdminSignOn, () => ({ url: 'https://login.ops.example/', key: 'k1' }))
      console.platform.answer(finishAdminSignOn, ({ body }) => {
        expect(body).toEqual({ key: 'k1', query: 'code=c1&state=s1' })
        return { ok: true, username: 'ada@windlass.test' }
      })
      const { page } = await openPage(console.browser)
      await page.route('https://login.ops.example/**', route =>
        route.fulfill({
          contentType: 'text/html',
          body: `<script>location.replace('${console.url}/single-sign-on?code=c1&state=s1')</script>`,
        }),
      )
      await open(page, '/login', 'Sign in')
      await page.getByRole('link', { name: 'Sign in with single sign-on' }).click()
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.waitForURL(`${console.url}/`)
      console.platform.answer(getAdminSignOn, () => ({ available: false }))
    })

    test('home shows what anchors moved, by day, asset and rail, and whom it does not count', async () => {
      const { page } = await openPage(console.browser, 'administrator')
      await open(page, '/', 'Home')
      await page.getByRole('heading', { name: 'Volume' }).waitFor()
      await page.getByRole('cell', { name: '104,250.5 HARB in 52' }).waitFor()
      await page.getByRole('cell', { name: /40,100\.25/ }).waitFor()
      await page.getByText('Not counted, since they sleep or did not answer: monsoon').waitFor()
    })

    test('rejecting needs a reason and sends it', async () => {
      const { page } = await openPage(console.browser, 'administrator')
      await page.goto(`${console.url}/applications?open=${admin.state.records[0]!.id}`)
      await page.getByRole('button', { name: 'Reject' }).click()
      await page.getByRole('button', { name: 'Reject and notify founder' }).click()
      await page.getByRole('link', { name: 'Enter a reason' }).waitFor()
      await page.getByLabel('Reason').fill('No licence')
      await page.getByRole('button', { name: 'Reject and notify founder' }).click()
      await page.getByText('Rejected. The founder is notified by email.').waitFor()
      expect(console.platform.requests.find(r => r.line.endsWith('/reject'))!.asked.body).toEqual({
        reason: 'No licence',
      })
    })

    test('several applications are decided at once, each with its own result', async () => {
      const { page } = await openPage(console.browser, 'administrator')
      await open(page, '/applications', 'Applications')
      const choose = (name: string) => page.getByRole('checkbox', { name: `Select ${name}` }).check()
      await choose('Harbour Payments Ltd')
      await choose('Monsoon Pay')
      // Nothing can be done with those that are decided.
      expect(await page.getByRole('checkbox').count()).toBe(3)
      expect(page.url()).toBe(`${console.url}/applications`)
      admin.state.rejectedMeanwhile = application(1).id
      await page.getByRole('button', { name: 'Approve (2)' }).click()
      const results = page.getByRole('list', { name: 'Results' })
      await results.getByText('Harbour Payments Ltd').waitFor()
      await results.getByRole('listitem').filter({ hasText: 'Approved, link sent by email' }).waitFor()
      const failed = results.getByRole('listitem').filter({ hasText: 'Failed' })
      await failed.getByText('It was reviewed already.').waitFor()
      expect(await failed.innerText()).toContain('Monsoon Pay')
      await expect.poll(() => page.getByRole('checkbox').count()).toBe(1)
      const bar = page.getByRole('region', { name: 'Selected rows' })
      await expect.poll(() => bar.evaluate(each => each === document.activeElement)).toBe(true)
      await page.getByRole('button', { name: 'Hide results' }).click()
      await results.waitFor({ state: 'detached' })

      await choose('Lagos Gateway')
      await page.getByRole('button', { name: 'Reject (1)' }).click()
      await page.getByRole('button', { name: 'Reject (1)' }).click()
      await page.getByRole('link', { name: 'Enter a reason' }).waitFor()
      await page.getByLabel('Reason').fill('No licence')
      await page.getByRole('button', { name: 'Reject (1)' }).click()
      await page.getByText('Rejected, founder notified').waitFor()
      expect(console.platform.requests.findLast(r => r.line.endsWith('/reject'))!.asked.body).toEqual({
        reason: 'No licence',
      })
    })

    test('several anchors are suspended with one reason; what is forbidden stops the rest', async () => {
      console.platform.answer(listFleet, () => [anchor(0), anchor(1), anchor(2, 'suspended')])
      console.platform.answer(suspendAnchor, () => new Refusal('forbidden', 'Not for this administrator.'))
      const { page } = await openPage(console.browser, 'administrator')
      await open(page, '/fleet', 'Fleet')
      for (const index of [0, 1, 2])
        await page.getByRole('checkbox', { name: `Select ${anchor(index).homeDomain}` }).check()
      await page.getByRole('button', { name: 'Resume (1)' }).waitFor()
      await page.getByRole('button', { name: 'Suspend (2)' }).click()
      await page.getByLabel('Reason').fill('Asked for by the regulator')
      await page.getByRole('button', { name: 'Suspend (2)' }).click()
      const results = page.getByRole('list', { name: 'Results' })
      await results.getByText('Not for this administrator.').waitFor()
      const second = results.getByRole('listitem').filter({ hasText: anchor(1).homeDomain })
      await second.getByText('Not changed').waitFor()
      const sent = console.platform.requests.filter(r => r.line.endsWith('/suspend'))
      expect(sent.map(({ asked }) => asked.body)).toEqual([{ reason: 'Asked for by the regulator' }])
    })

    test('who has no second factor here confirms by signing in at the provider again, and comes back to the page', async () => {
      console.platform.answer(getAdminSignOn, () => ({ available: true, confirms: true }))
      console.platform.answer(adminSecondFactors.challenge, () => ({ methods: [], passkey: null }))
      console.platform.answer(
        approveApplication,
        () => new Refusal('confirmation-needed', 'Confirm that it is you.'),
      )
      const { page } = await openPage(console.browser, 'administrator')
      await page.goto(`${console.url}/applications?open=${admin.state.records[0]!.id}`)
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByRole('link', { name: 'Sign in there again' }).click()
      await page.waitForURL(url => url.pathname === '/single-sign-on')
      expect(new URL(page.url()).searchParams.get('from')).toContain('/applications?open=')
      await page.getByRole('heading', { name: 'Single sign-on' }).waitFor()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      console.platform.answer(getAdminSignOn, () => ({ available: false }))
    })

    test('an administrator who reviews second sees who was first, and changes nothing', async () => {
      console.platform.answer(approveApplication, () => {
        Object.assign(admin.state.records[0]!, application(0, 'rejected', { reviewedBy: 'coxswain' }))
        return new Refusal('application-already-reviewed', 'It was reviewed already.')
      })
      const { page } = await openPage(console.browser, 'administrator')
      await page.goto(`${console.url}/applications?open=${admin.state.records[0]!.id}`)
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByText('coxswain rejected this application. You changed nothing.').waitFor()
    })

    test('filters live in the address, and J and K step through the queue', async () => {
      const { page } = await openPage(console.browser, 'administrator')
      await open(page, '/applications', 'Applications')
      await page
        .getByRole('navigation', { name: 'Filter' })
        .getByRole('link', { name: 'Pending review' })
        .click()
      await page.waitForURL(`${console.url}/applications?status=applied`)
      await expect.poll(() => page.getByRole('row').count()).toBe(4)
      await page.keyboard.press('j')
      await page.waitForURL(`${console.url}/applications?status=applied&open=${admin.state.records[0]!.id}`)
      await page.getByRole('heading', { level: 2, name: 'Harbour Payments Ltd' }).waitFor()
      await page.keyboard.press('j')
      await page.waitForURL(`${console.url}/applications?status=applied&open=${admin.state.records[1]!.id}`)
      await page.getByRole('heading', { level: 2, name: 'Monsoon Pay' }).waitFor()
      await page.keyboard.press('k')
      await page.waitForURL(`${console.url}/applications?status=applied&open=${admin.state.records[0]!.id}`)
      await page.keyboard.press('Escape')
      await page.waitForURL(`${console.url}/applications?status=applied`)
    })

    test('a list that cannot be refreshed shows its age', async () => {
      const { page, context } = await visit(console.browser, 'administrator')
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

    test('the audit log is filtered by kind and by days in the reader’s zone', async () => {
      const { page } = await openPage(console.browser, 'administrator')
      await open(page, '/audit', 'Audit log')
      await page.getByLabel('Action').selectOption('Anchors')
      await page.getByLabel('From').fill('2026-11-20')
      await page.getByLabel('Until').fill('2026-11-21')
      await page.getByRole('button', { name: 'Search' }).click()
      await page.waitForURL(/until=2026-11-21/)
      const query = () =>
        console.platform.requests.findLast(({ line }) => line === 'GET /api/v1/admin/audit')?.asked.query
      await expect.poll(() => query()?.get('until')).toBe('2026-11-22T00:00:00.000Z')
      expect(query()?.get('from')).toBe('2026-11-20T00:00:00.000Z')
      expect(query()?.get('action')).toBe('anchor.')
    })

    test('a device that goes offline says so until it is online again', async () => {
      const { page } = await openPage(console.browser, 'administrator')
      await open(page, '/applications', 'Applications')
      await page.context().setOffline(true)
      await page.getByText('You are offline.').waitFor()
      await page.context().setOffline(false)
      await expect.poll(() => page.getByText('You are offline.').count()).toBe(0)
    })

    test('a failed job is retried from its stage', async () => {
      console.platform.answer(retryJob, ({ params }) => ({
        jobId: params.jobId!,
        status: 'running' as const,
        attempts: 2,
      }))
      const { page } = await openPage(console.browser, 'administrator')
      await page.goto(`${console.url}/jobs?open=${job(1, 1, 'failed').jobId}`)
      await page.getByRole('button', { name: 'Retry from stage 2' }).click()
      await expect.poll(() => console.platform.requests.some(r => r.line.endsWith('/retry'))).toBe(true)
    })

    test('an anchor is suspended with a reason', async () => {
      console.platform.answer(suspendAnchor, ({ params }) => ({
        id: params.id!,
        status: 'suspended' as const,
      }))
      const { page } = await openPage(console.browser, 'administrator')
      await page.goto(`${console.url}/fleet?open=${anchor(0).id}`)
      await page.getByRole('button', { name: 'Suspend' }).click()
      await page.getByLabel('Reason').fill('Asked for by the regulator')
      await page.getByRole('button', { name: 'Suspend anchor' }).click()
      await expect
        .poll(() => console.platform.requests.find(r => r.line.endsWith('/suspend'))?.asked.body)
        .toEqual({ reason: 'Asked for by the regulator' })
    })

    test('an anchor whose servers sleep is shown as asleep, in the list and with its time', async () => {
      const asleepSince = '2026-11-20T10:00:00.000Z'
      console.platform.answer(listFleet, () => [anchor(0), anchor(1, 'active', { asleepSince })])
      const { page } = await openPage(console.browser, 'administrator')
      await open(page, '/fleet', 'Fleet')
      await page.getByRole('row', { name: /monsoon.*Asleep/ }).waitFor()
      await page.getByRole('row', { name: /harbour.*Active/ }).waitFor()
      await page.getByRole('link', { name: anchor(1).homeDomain }).click()
      const panel = page.getByRole('dialog', { name: anchor(1).homeDomain })
      await panel.getByText('Asleep since').waitFor()
      await panel.getByText('The next request, payment or due work starts them.').waitFor()
      await panel.getByRole('button', { name: 'Suspend' }).waitFor()
    })

    test('a routed transaction has an address of its own, and its bars recompute to the score', async () => {
      const { page } = await openPage(console.browser, 'administrator')
      await ask(page, 'UPI')
      await page.waitForURL(`${console.url}/routing/${decision().decisionId}`)
      expect(console.platform.requests.find(r => r.line === 'POST /route')?.asked.body).toEqual({
        amount: '100',
        asset: 'HARB',
        rail: 'UPI',
      })
      await page.getByText('98.3 × 0.2 = 19.66').waitFor()
      const lines = await page.getByText(/ × .* = /).allInnerTexts()
      const products = lines.map(line => Number(line.split(' = ')[1]))
      expect(products.reduce((sum, product) => sum + product, 0)).toBeCloseTo(decision().score, 2)
      await page.getByRole('button', { name: 'Show the score of monsoon' }).click()
      await page.getByText('90 × 0.2 = 18').waitFor()
      await page.getByText('Not available').first().waitFor()
    })

    test('other weights are tried on the decision without being saved', async () => {
      const { page } = await openPage(console.browser, 'administrator')
      await page.goto(`${console.url}/routing/${decision().decisionId}`)
      await page.getByLabel('Fee', { exact: true }).fill('0')
      await page.getByText('The weights must be numbers').waitFor()
      await page.getByLabel('Speed', { exact: true }).fill('0.6')
      await page.getByText('monsoon would win.').waitFor()
      await page.getByRole('columnheader', { name: 'With your weights' }).waitFor()
      expect(console.platform.requests.every(({ line }) => !line.startsWith('POST'))).toBe(true)
    })

    test('an anchor is removed only with a reason and its name, and its progress is shown', async () => {
      let asked = false
      let state: Removal['state'] = 'exporting'
      console.platform.answer(listFleet, () => [
        anchor(0, !asked ? 'active' : state === 'done' ? 'removed' : 'suspended'),
      ])
      console.platform.answer(getRemoval, () => removal(state))
      console.platform.answer(downloadExport, () => ({}))
      console.platform.answer(removeAnchor, ({ params }) => {
        asked = true
        return { id: params.id!, status: 'suspended' as const, removal: removal('requested') }
      })
      const { page } = await openPage(console.browser, 'administrator')
      await page.goto(`${console.url}/fleet?open=${anchor(0).id}`)
      await page.getByRole('button', { name: 'Remove anchor' }).click()
      await page.getByLabel('Reason').fill('Licence lapsed')
      await page.getByLabel('Type harbour to confirm').fill('harbor')
      await page.getByRole('button', { name: 'Remove permanently' }).click()
      await page.getByRole('link', { name: 'The subdomain does not match' }).waitFor()
      expect(asked).toBe(false)
      await page.getByLabel('Type harbour to confirm').fill('harbour')
      await page.getByRole('button', { name: 'Remove permanently' }).click()
      await page.getByText('Exporting data').waitFor()
      expect(console.platform.requests.find(r => r.line.endsWith('/remove'))?.asked.body).toEqual({
        reason: 'Licence lapsed',
        force: false,
        leaveUnits: false,
      })
      state = 'done'
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: /Download export/ }).click(),
      ])
      expect(download.suggestedFilename()).toBe(removal('done').export?.file)
      await expect.poll(() => page.getByRole('button', { name: 'Resume' }).count()).toBe(0)
    })

    test('an anchor is closed by two administrators: one asks, and only another is offered to approve', async () => {
      let closing: WindDown | undefined
      console.platform.answer(
        getWindDown,
        () => closing ?? new Refusal('not-found', 'Nobody asked to close this anchor.'),
      )
      console.platform.answer(requestWindDown, ({ body }) => {
        closing = {
          ...(body as Pick<WindDown, 'reason' | 'redeemUntil' | 'successor'>),
          ...{ id: 'closing_1', state: 'waiting', requestedBy: 'admin:bosun' },
          ...{ requestedAt: '2026-11-20T09:00:00.000Z', decidedBy: null, decidedAt: null },
        }
        return closing
      })
      console.platform.answer(decideWindDown, () => (closing = { ...closing!, state: 'announced' }))
      const { page } = await openPage(console.browser, 'administrator')
      const path = `${console.url}/fleet?open=${anchor(0).id}`
      await page.goto(path)
      await page.getByRole('button', { name: 'Close anchor' }).click()
      await page.getByLabel('Reason').fill('Licence lapsed')
      await page.getByLabel('Redeem until (UTC)').fill('2026-01-01')
      await page.getByLabel('Who answers afterwards').fill('Quay Liquidators')
      await page.getByLabel('How to reach them').fill('desk@quay.example')
      await page.getByLabel('Type harbour to confirm').fill('harbour')
      await page.getByRole('button', { name: 'Ask to close' }).click()
      await page.getByRole('link', { name: /at least 30 days/ }).waitFor()
      expect(closing).toBeUndefined()
      const until = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10)
      await page.getByLabel('Redeem until (UTC)').fill(until)
      await page.getByRole('button', { name: 'Ask to close' }).click()
      await page.getByText('Waits for a second administrator').waitFor()
      expect(closing?.successor).toEqual({ name: 'Quay Liquidators', contact: 'desk@quay.example' })
      // Who asked may take it back alone.
      await page.getByText('Another administrator approves it').waitFor()
      expect(await page.getByRole('button', { name: 'Approve closing' }).count()).toBe(0)
      closing = { ...closing!, requestedBy: 'admin:coxswain' }
      await page.goto(path)
      await page.getByRole('button', { name: 'Approve closing' }).click()
      await page.getByText('Announced to customers').waitFor()
      await page.getByText('desk@quay.example').waitFor()
    })

    test('an upgrade goes to the platform’s own version by default', async () => {
      console.platform.answer(upgradeAnchor, () => ({ ...upgrades()[0]!, state: 'waiting' as const }))
      const { page } = await openPage(console.browser, 'administrator')
      await page.goto(`${console.url}/fleet?open=${anchor(0).id}`)
      await page.getByRole('button', { name: 'Upgrade', exact: true }).click()
      await page.getByRole('button', { name: 'Start upgrade' }).click()
      await expect
        .poll(() => console.platform.requests.find(r => r.line.endsWith('/upgrade'))?.asked.body)
        .toEqual({})
    })

    test('weights that do not sum to 1 are refused before they are sent; valid ones are sent as typed', async () => {
      console.platform.answer(saveRoutingPolicy, () => ({ ...policies()[0]!, version: 3 }))
      const { page } = await openPage(console.browser, 'administrator')
      await open(page, '/policy', 'Routing policy')
      await page.getByLabel('Fee', { exact: true }).fill('0.6')
      await page.getByRole('button', { name: 'Save and activate' }).click()
      await page.getByRole('link', { name: 'The weights must sum to exactly 1' }).waitFor()
      await page.getByLabel('Speed', { exact: true }).fill('0')
      await page.getByRole('button', { name: 'Save and activate' }).click()
      await expect
        .poll(
          () =>
            console.platform.requests.find(r => r.line === 'POST /api/v1/admin/routing-policies')?.asked.body,
        )
        .toEqual({ weights: { fee: '0.6', speed: '0', uptime: '0.2', liquidity: '0.2' } })
    })
  },
)
