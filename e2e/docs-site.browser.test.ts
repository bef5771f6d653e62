import { publishSite } from '@windlass/service/http/docs-site/serve-site.ts'
import { createServer, type Server } from '@windlass/service/http/server.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { hasChromium, openBrowser, sizes, violations, visit } from '@windlass/ui/testing/browser.ts'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

describe.runIf(hasChromium('the documentation site'))('the documentation site', { timeout: 120_000 }, () => {
  let server: Server
  let browser: Browser
  let url: string
  beforeAll(async () => {
    server = await createServer({ name: 'test', logger: createLogger('test', 'silent') })
    publishSite(server.app)
    url = `http://127.0.0.1:${await server.listen(0, '127.0.0.1')}/docs/site/`
    browser = await openBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  test('a reader finds a section by words, copies its command, and reads it on a phone', async () => {
    const { page, faults } = await visit(browser)
    await page.goto(url)
    await page.keyboard.press('/')
    await page.keyboard.type('WindlassDatabaseDown')
    await page.locator('.search a').first().waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/runbooks/WindlassDatabaseDown.html*')
    await page.goto(`${url}guides/run-on-your-machine.html`)
    const box = page.locator('.code').first()
    await box.getByRole('button', { name: 'Copy' }).click()
    await box.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(copied).toBe(await box.locator('code').textContent())
    expect(await violations(page)).toEqual([])
    await page.getByRole('searchbox').fill('no such words anywhere')
    await page.getByText('Nothing found').waitFor()
    await page.setViewportSize(sizes.phone)
    await page.goto(`${url}api/wallet/index.html`)
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    expect(width).toBeLessThanOrEqual(sizes.phone.width)
    expect(await violations(page)).toEqual([])
    expect(faults).toEqual([])
  })
})
