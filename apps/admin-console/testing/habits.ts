import { chooseAdminTimeZone } from '@windlass/contracts/platform/time-zones.ts'
import { openPage } from '@windlass/ui/testing/browser.ts'
import { expect, test } from 'vitest'
import type { AdminConsoleInBrowser } from './browser.ts'

/** What people who work here every day expect of any console. */
export function habitTests(admin: AdminConsoleInBrowser): void {
  const { console, open } = admin

  test('who never signed in here is led to the sign-in, without a word about a session that ended', async () => {
    admin.state.signedIn = false
    const { page } = await openPage(console.browser)
    await open(page, '/fleet', 'Sign in')
    expect(page.url()).toBe(`${console.url}/login?from=%2Ffleet`)
    expect(await page.getByText('Your session has expired').count()).toBe(0)
  })

  test('who was signed in when the session ended reads so', async () => {
    admin.state.signedIn = false
    const { page } = await openPage(console.browser, 'administrator')
    await open(page, '/fleet', 'Sign in')
    await page.getByText('Your session has expired').waitFor()
    expect(page.url()).toBe(`${console.url}/login?from=%2Ffleet`)
  })

  test('a filter is saved under a name, opened again after a reload, and removed', async () => {
    const { page, faults } = await openPage(console.browser, 'administrator')
    await open(page, '/audit', 'Audit log')
    expect(await page.getByRole('button', { name: 'Save this filter' }).count()).toBe(0)
    await page.getByLabel('Actor').fill('operator:usr_2')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Save this filter' }).click()
    await page.getByLabel('Name of the filter').fill('Ravi’s acts')
    await page.keyboard.press('Enter')
    const saved = page.getByRole('link', { name: 'Ravi’s acts' })
    expect(await saved.getAttribute('aria-current')).toBe('true')
    await open(page, '/audit', 'Audit log')
    await saved.click()
    await page.waitForURL(`${console.url}/audit?actor=${encodeURIComponent('operator:usr_2')}`)
    await page.getByRole('button', { name: 'Remove the filter Ravi’s acts' }).click()
    await saved.waitFor({ state: 'detached' })
    expect(faults).toEqual([])
  })

  test('what another program stored under a filter’s key is no filter', async () => {
    const { page, faults } = await openPage(console.browser, 'administrator')
    await open(page, '/audit', 'Audit log')
    await page.evaluate(() =>
      localStorage.setItem('windlass.filters.audit', '[1,null,{"name":2},{"name":"x"}]'),
    )
    await open(page, '/audit?actor=x', 'Audit log')
    await page.getByRole('button', { name: 'Save this filter' }).waitFor()
    expect(faults).toEqual([])
  })

  test('a time zone is kept with the account, and names itself on every screen from then on', async () => {
    const { page, faults } = await openPage(console.browser, 'administrator')
    await open(page, '/account', 'Account')
    await page.getByText('Times on every screen are in UTC.').waitFor()
    console.platform.answer(chooseAdminTimeZone, ({ body }) => {
      admin.state.timeZone = (body as { timeZone: string }).timeZone
      return { ok: true }
    })
    await page.getByLabel('Show times in').selectOption('Europe/Berlin')
    await page.getByText('Times on every screen are in Europe/Berlin.').waitFor()
    await open(page, '/audit', 'Audit log')
    await page
      .getByText(/GMT\+1|CET/)
      .first()
      .waitFor()
    // Another browser of the same person learns it with the account.
    await page.evaluate(() => localStorage.removeItem('windlass.time-zone'))
    await open(page, '/audit', 'Audit log')
    await page
      .getByText(/GMT\+1|CET/)
      .first()
      .waitFor()
    expect(faults).toEqual([])
  })

  test('? lists the shortcuts, unless it is typed into a field', async () => {
    const { page, faults } = await openPage(console.browser, 'administrator')
    await open(page, '/audit', 'Audit log')
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await page.getByLabel('Actor').press('?')
    expect(await page.getByLabel('Actor').inputValue()).toBe('?')
    expect(await list.count()).toBe(0)
    await page.getByRole('heading', { level: 1 }).press('?')
    await list.getByText('Open the next row of a list').waitFor()
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'detached' })
    expect(faults).toEqual([])
  })
}
