import {
  getApplicationStatus,
  submitApplication,
  type ApplicationStatus,
} from '@windlass/contracts/platform/applications.ts'
import { verifyInvitation } from '@windlass/contracts/platform/invitations.ts'
import { hasChromium, openPage } from '@windlass/ui/testing/browser.ts'
import { consoleInBrowser } from '@windlass/ui/testing/console-under-test.ts'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'

describe.runIf(hasChromium('the application in a browser'))('the application', { timeout: 120_000 }, () => {
  const console = consoleInBrowser(import.meta.dirname)

  beforeEach(() => {
    console.platform.answer(submitApplication, ({ body }) => ({
      id: 'app_7f3k2m9q4x8z',
      status: 'applied' as const,
      ...(body as { companyProfile: { name: string; businessEmail: string } }),
      stellarConfig: {},
      compliance: {},
      createdAt: '2026-11-20T10:00:00.000Z',
    }))
    console.platform.answer(verifyInvitation, () => ({
      email: 'mira@harbour.example',
      companyName: 'Harbour Payments Ltd',
      expiresAt: '2026-11-27T10:00:00.000Z',
    }))
  })

  const fill = (page: Page, label: string, text: string) => page.getByLabel(label).first().fill(text)

  test('in two tabs is one: what is typed in one is in the other, and neither loses it', async () => {
    const { page } = await openPage(console.browser)
    await page.goto(`${console.url}/apply/company`)
    const other = await page.context().newPage()
    await other.goto(`${console.url}/apply/company`)
    await fill(page, 'Company name', 'Harbour Payments Ltd')
    await expect.poll(() => other.getByLabel('Company name').inputValue()).toBe('Harbour Payments Ltd')
    await fill(other, 'Business email', 'mira@harbour.example')
    await expect.poll(() => page.getByLabel('Business email').inputValue()).toBe('mira@harbour.example')
    await fill(page, 'Registration number', '42')
    await page.reload()
    const typed = () =>
      Promise.all(
        ['Company name', 'Business email', 'Registration number'].map(label =>
          page.getByLabel(label).first().inputValue(),
        ),
      )
    // The prerendered page is empty until its script runs.
    await expect.poll(typed).toEqual(['Harbour Payments Ltd', 'mira@harbour.example', '42'])
    await other.close()
  })

  test('takes an asset code of more than 12 characters as it was typed, and refuses it', async () => {
    const { page } = await openPage(console.browser)
    await page.goto(`${console.url}/apply/asset`)
    await fill(page, 'Asset code', 'ABCDEFGHIJKLM')
    expect(await page.getByLabel('Asset code').inputValue()).toBe('ABCDEFGHIJKLM')
    await page.getByRole('button', { name: 'Save and continue' }).click()
    await page.getByRole('link', { name: 'An asset code has 1 to 12 letters and digits' }).waitFor()
  })

  test('once it is sent, going back leads to no step of an empty application', async () => {
    const { page, faults } = await openPage(console.browser)
    await page.goto(`${console.url}/apply/company`)
    await page.getByLabel('Country of registration').selectOption('IN')
    await fill(page, 'Company name', 'Harbour Payments Ltd')
    await fill(page, 'Business email', 'mira@harbour.example')
    await page.getByRole('link', { name: 'Check and send' }).click()
    await page.getByRole('button', { name: 'Send application' }).click()
    await page.getByRole('heading', { name: 'Application sent' }).waitFor()
    await page.goBack()
    await expect.poll(() => page.url()).toBe(`${console.url}/submitted/app_7f3k2m9q4x8z`)
    await page.getByRole('heading', { name: 'Application sent' }).waitFor()
    expect(faults).toEqual([])
  })

  test.each([
    ['approved', 'Application approved'],
    ['rejected', 'Application rejected'],
  ] as const)('its page follows what became of it: %s', async (status, heading) => {
    let now: ApplicationStatus = 'applied'
    console.platform.answer(getApplicationStatus, () => ({ status: now }))
    const { page, faults } = await openPage(console.browser)
    await page.goto(`${console.url}/submitted/app_7f3k2m9q4x8z`)
    await page.getByRole('heading', { level: 1, name: 'Application sent' }).waitFor()
    now = status
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    expect(await page.title()).toContain(heading)
    expect(faults).toEqual([])
  })

  test('an error about the password names its field', async () => {
    const { page } = await openPage(console.browser)
    await page.goto(`${console.url}/redeem#token=tok-4fQ9`)
    await fill(page, 'Subdomain', 'harbour')
    await fill(page, 'Your full name', 'Mira Okafor')
    await page.getByLabel('Password').first().fill('short')
    await page.getByRole('button', { name: 'Launch anchor' }).click()
    const line = page.getByRole('alert').getByRole('link', { name: /password/i })
    await line.click()
    expect(
      await page
        .getByLabel('Password')
        .first()
        .evaluate(each => each === document.activeElement),
    ).toBe(true)
  })
})
