import { requestOperatorCode } from '@windlass/contracts/platform/operators.ts'
import { verifyInvitation } from '@windlass/contracts/platform/invitations.ts'
import { hasChromium, openPage, visit } from '@windlass/ui/testing/browser.ts'
import { consoleInBrowser, consoleUnderTest } from '@windlass/ui/testing/console-under-test.ts'
import { paintRatio } from '@windlass/ui/testing/largest-paint.ts'
import { PSEUDO_LOCALE } from '@windlass/ui/pseudo-locale.ts'
import { pseudoFaults } from '@windlass/ui/testing/languages.ts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const pages = [
  ['/', 'Launch a Stellar anchor'],
  ['/apply', 'Company'],
  ['/apply/company', 'Company'],
  ['/apply/asset', 'Asset'],
  ['/apply/rails', 'Rails and fees'],
  ['/apply/compliance', 'Compliance'],
  ['/apply/check', 'Check and send'],
  ['/redeem', 'Redeem an invitation'],
  ['/sign-in', 'Sign in'],
  ['/nowhere', 'Page not found'],
  ['/workspaces/none/nowhere', 'Page not found'],
] as const

describe.runIf(hasChromium('prerendered pages in a browser'))('public pages', () => {
  const console = consoleInBrowser(import.meta.dirname)

  /** Opens a page and holds its entry script back until the returned function is called; that waits for hydration. */
  async function openHeld(page: Page, path: string): Promise<() => Promise<void>> {
    let release = (): void => {}
    const held = new Promise<void>(resolve => (release = resolve))
    await page.route('**/assets/index-*.js', async route => {
      await held
      await route.continue()
    })
    await page.goto(console.url + path, { waitUntil: 'commit' })
    await page.locator('footer').waitFor()
    return async () => {
      release()
      await page.waitForFunction(() =>
        Object.keys(document.querySelector('h1') ?? {}).some(key => key.startsWith('__reactFiber')),
      )
    }
  }

  describe('without scripts', () => {
    let page: Page
    beforeAll(async () => {
      page = await console.browser.newPage({ javaScriptEnabled: false })
    })
    afterAll(() => page?.close())

    test.each(pages)('%s has its heading and title', async (path, heading) => {
      const response = await page.goto(console.url + path)
      expect(response!.status()).toBe(path.endsWith('/nowhere') ? 404 : 200)
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(heading)
      expect(await page.title()).toContain(heading)
    })
  })

  test.each(pages)('%s is hydrated without a change', async path => {
    const { page, faults } = await openPage(console.browser)
    const hydrate = await openHeld(page, path)
    const before = await page.locator('body').innerText()
    await page.evaluate(() => document.querySelector('h1')!.setAttribute('data-built', ''))
    await hydrate()
    await page.waitForLoadState('networkidle')
    expect(await page.locator('h1[data-built]').count()).toBe(1)
    expect(await page.locator('body').innerText()).toBe(before)
    expect(faults).toEqual([])
  })

  test('a Spanish browser gets Spanish pages, which are hydrated without a change', async () => {
    const { page, context, faults } = await visit(console.browser, undefined, 'es-ES')
    const hydrate = await openHeld(page, '/apply/rails')
    expect(await page.locator('html').getAttribute('lang')).toBe('es')
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Medios de pago y comisiones')
    const before = await page.locator('body').innerText()
    await hydrate()
    expect(await page.locator('body').innerText()).toBe(before)
    expect(await page.title()).toBe('Medios de pago y comisiones – Solicitud · Windlass')
    await page.getByRole('button', { name: 'Guardar y continuar' }).click()
    await page.getByRole('heading', { level: 1, name: 'Cumplimiento' }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('the chosen language is kept and comes before the one that the browser prefers', async () => {
    const { page, faults } = await openPage(console.browser)
    await page.goto(console.url)
    await page.getByLabel('Language').selectOption('Español')
    await page.getByRole('heading', { name: 'Lance un anchor de Stellar' }).waitFor()
    await page.goto(`${console.url}/nowhere`)
    await page.getByRole('heading', { name: 'Página no encontrada' }).waitFor()
    await page.getByLabel('Idioma').selectOption('English')
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    expect(faults).toEqual([])
  })

  test('a language that is chosen before hydration is kept', async () => {
    const { page, faults } = await openPage(console.browser)
    const hydrate = await openHeld(page, '/apply/company')
    await page.getByLabel('Language').selectOption('Español')
    await Promise.all([hydrate(), page.getByRole('heading', { level: 1, name: 'Empresa' }).waitFor()])
    expect(await page.getByLabel('Idioma').inputValue()).toBe('es')
    expect(faults).toEqual([])
  })

  test('every heading and control is in a catalogue, and longer texts have room', async () => {
    const { page, context, faults } = await visit(console.browser)
    await using pseudo = await consoleUnderTest(import.meta.dirname, console.platform.url, PSEUDO_LOCALE)
    // The contracts name rails and their credentials.
    for (const [path, heading] of pages.filter(([path]) => path !== '/apply/rails')) {
      await page.goto(pseudo.url + path)
      await page.getByRole('heading', { level: 1, name: `[${heading}` }).waitFor()
      expect(await pseudoFaults(page), path).toEqual([])
    }
    expect(faults).toEqual([])
    await context.close()
  })

  test('text typed before hydration is kept and sent', async () => {
    console.platform.answer(requestOperatorCode, () => ({ ok: true }))
    const { page } = await openPage(console.browser)
    const hydrate = await openHeld(page, '/sign-in')
    await page.getByLabel('Email').fill('mira@harbour.example')
    await hydrate()
    await page.getByRole('button', { name: 'Send code' }).click()
    await page.getByRole('heading', { name: 'Enter the code' }).waitFor()
    expect(console.platform.requests.at(-1)!.asked.body).toEqual({ email: 'mira@harbour.example' })
  })

  test('answers typed before hydration join the draft of an earlier visit', async () => {
    const { page } = await openPage(console.browser)
    await page.goto(`${console.url}/apply/company`)
    await page.getByLabel('Company name').fill('Harbour Payments Ltd')
    await page.getByText(/Draft saved/).waitFor()
    const hydrate = await openHeld(page, '/apply/company')
    await page.getByLabel('Business email').fill('mira@harbour.example')
    await hydrate()
    await expect.poll(() => page.getByLabel('Company name').inputValue()).toBe('Harbour Payments Ltd')
    expect(await page.getByLabel('Business email').inputValue()).toBe('mira@harbour.example')
    await page.getByText(/Draft saved/).waitFor()
  })

  test('an invitation link never shows the form for pasting one', async () => {
    console.platform.answer(verifyInvitation, () => ({
      email: 'mira@harbour.example',
      companyName: 'Harbour Payments Ltd',
      expiresAt: '2026-11-27T10:00:00.000Z',
    }))
    const { page } = await openPage(console.browser)
    const hydrate = await openHeld(page, '/redeem#token=tok-4fQ9')
    expect(await page.getByLabel('Invitation link or token').isVisible()).toBe(false)
    await hydrate()
    await page.getByRole('heading', { name: 'Launch your anchor' }).waitFor()
    expect(await page.getByLabel('Invitation link or token').count()).toBe(0)
  })

  test('the stored colour scheme applies before the script runs', async () => {
    const { page } = await openPage(console.browser)
    await page.goto(console.url)
    await page.getByRole('button', { name: 'Dark' }).click()
    const hydrate = await openHeld(page, '/')
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
    await hydrate()
    expect(await page.getByRole('button', { name: 'Dark' }).getAttribute('aria-pressed')).toBe('true')
  })

  // Measures the machine too: `npm run test:faults` has it to itself.
  test.runIf(process.env.MODE === 'faults').each(['/', '/sign-in'])(
    '%s paints its content at most twice as late as a bare page of its weight on a slow phone',
    async path => {
      expect(await paintRatio(console.browser, console.url + path)).toBeLessThanOrEqual(2)
    },
    120_000,
  )
})
