import { page as mockPage } from '@windlass/kyc-providers/mock/page.ts'
import { refuse } from '@windlass/reverse-proxy/forward/refuse.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { hasChromium, openBrowser, sizes, violations, visit } from '@windlass/ui/testing/browser.ts'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

describe.runIf(hasChromium('pages of no console in a browser'))('a page of no console', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  const waiting = {
    id: 'mock_1',
    return_url: 'https://portal.example/account',
    verdict: 'APPROVED',
    forged: false,
    attempts: 0,
    delivered_at: null,
  } as Parameters<typeof mockPage>[0]

  async function expectSound(page: Page): Promise<void> {
    await page.setViewportSize(sizes.phone)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await violations(page)).toEqual([])
    }
  }

  it.each([
    ['while it waits', waiting],
    ['when it is decided', { ...waiting, delivered_at: new Date() }],
  ])('has no accessibility fault as the mock identity page %s, light or dark', async (_, session) => {
    const { page, context } = await visit(browser)
    await page.setContent(mockPage(session, '/kyc/mock'))
    await expectSound(page)
    await context.close()
  })

  it('has no accessibility fault where the proxy knows no such name', async () => {
    const unknown = new Problem('not-found', 'No anchor has this name.')
    const server = createServer((request, response) => refuse(request, response, unknown))
    await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
    const { page, context } = await visit(browser)
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/nowhere`)
    await page.getByText('No anchor has this name.').waitFor()
    await expectSound(page)
    await context.close()
    server.close()
  })
})
