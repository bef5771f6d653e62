import { hasChromium, openBrowser, visit } from '@windlass/ui/testing/browser.ts'
import { readFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const SCRIPT = new URL('./assets/live.js', import.meta.url)

describe.runIf(hasChromium('customers’ pages in a browser'))('on a customer’s page', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  it.each([
    ['en', 'Asia/Kolkata', /Nov 10, 2026, 0?2:30 AM/],
    ['es', 'America/Mexico_City', /9 nov 2026, (15|0?3):00/],
  ])('a time is shown in the time zone and the language of the customer (%s)', async (lang, zone, text) => {
    const { page, context, faults } = await visit(browser, undefined, lang, zone)
    await page.route('https://anchor.example/', async route =>
      route.fulfill({
        contentType: 'text/html',
        body: `<!doctype html><html lang="${lang}"><time datetime="2026-11-09T21:00:00.000Z">2026-11-09 21:00 UTC</time><script>${await readFile(SCRIPT, 'utf8')}</script></html>`,
      }),
    )
    await page.goto('https://anchor.example/')
    await expect.poll(() => page.locator('time').innerText()).toMatch(text)
    expect(faults).toEqual([])
    await context.close()
  })
})
