import { page as mockPage } from '@windlass/kyc-providers/mock/page.ts'
import { hasChromium, openBrowser, sizes, violations, visit } from '@windlass/ui/testing/browser.ts'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

describe.runIf(hasChromium('the mock identity page in a browser'))('the mock identity page', () => {
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

  it.each([
    ['while it waits', waiting],
    ['when it is decided', { ...waiting, delivered_at: new Date() }],
  ])('has no accessibility fault %s, light or dark', async (_, session) => {
    const { page, context } = await visit(browser)
    await page.setViewportSize(sizes.phone)
    await page.setContent(mockPage(session, '/kyc/mock'))
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await violations(page)).toEqual([])
    }
    await context.close()
  })
})
