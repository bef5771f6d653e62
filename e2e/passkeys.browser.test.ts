import { productionEnv, testApp, testEnv, type TestApp } from '@windlass/platform-api/testing/app.ts'
import { hasChromium, openBrowser, visit } from '@windlass/ui/testing/browser.ts'
import { consoleUnderTest, type ConsoleUnderTest } from '@windlass/ui/testing/console-under-test.ts'
import { sql } from 'kysely'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const ADMIN_CONSOLE = fileURLToPath(new URL('../apps/admin-console/', import.meta.url))

/** A passkey provider in the browser, as a phone's or laptop's own. */
async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

async function signIn(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/login?from=/account`)
  await page.getByLabel('User name or email').fill(testEnv.ADMIN_USERNAME)
  await page.getByLabel('Password').first().fill(testEnv.ADMIN_PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

describe.runIf(hasChromium('passkeys in a browser'))(
  'an administrator in production',
  { timeout: 180_000 },
  () => {
    let platform: TestApp
    let console: ConsoleUnderTest
    let browser: Browser

    beforeAll(async () => {
      // Over plain http on this machine, so cookies are not Secure and the passkey's host is localhost.
      platform = await testApp({ env: { ...productionEnv, COOKIE_SECURE: 'false' } })
      const port = await platform.server.listen(0)
      console = await consoleUnderTest(ADMIN_CONSOLE, `http://localhost:${port}`)
      const origins = platform.config.web.origins.admin as string[]
      origins.push(console.url)
      browser = await openBrowser()
    })
    afterAll(async () => {
      await browser?.close()
      await console?.close()
      await platform?.close()
    })

    test('adds a passkey to finish the first sign-in, uses it, and returns with a recovery code after losing it', async () => {
      const { page, context, faults } = await visit(browser)
      await addAuthenticator(page)
      await signIn(page, console.url)
      await page.getByRole('heading', { name: 'Add a second factor' }).waitFor()
      await page.getByRole('button', { name: 'Add passkey' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Work laptop')
      await page.getByRole('button', { name: 'Add passkey' }).click()
      await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor()
      const codes = await page.getByRole('listitem').allInnerTexts()
      expect(codes).toHaveLength(10)
      await page.getByRole('button', { name: 'I saved the codes' }).click()
      await page.getByText('Work laptop').waitFor()

      await page.getByRole('button', { name: 'Sign out' }).last().click()
      await signIn(page, console.url)
      await page.getByRole('button', { name: 'Use passkey' }).click()
      await page.getByText('10 unused recovery codes').waitFor()

      // A while later, a change of the second factors asks again.
      await sql`update sessions set confirmed_at = now() - interval '16 minutes'`.execute(
        platform.database.db,
      )
      await page.getByRole('button', { name: 'Create new codes' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Create new codes' }).click()
      await page.getByRole('button', { name: 'Use passkey' }).click()
      await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor()
      const fresh = await page.getByRole('dialog').getByRole('listitem').allInnerTexts()
      expect(fresh).toHaveLength(10)
      expect(fresh).not.toContain(codes[0])
      expect(faults).toEqual([])
      await context.close()

      // Another device, without the passkey.
      const other = await visit(browser)
      await addAuthenticator(other.page)
      await signIn(other.page, console.url)
      await other.page.getByRole('button', { name: 'Use a recovery code' }).click()
      await other.page.getByLabel('Recovery code').fill(codes[0] ?? '')
      await other.page.getByRole('button', { name: 'Continue' }).click()
      await other.page.getByRole('link', { name: /The code is wrong or was used/ }).waitFor()
      await other.page.getByLabel('Recovery code').fill(fresh[0] ?? '')
      await other.page.getByRole('button', { name: 'Continue' }).click()
      await other.page.getByText('9 unused recovery codes').waitFor()
      await other.page.getByRole('button', { name: 'Add passkey' }).click()
      await other.page.getByLabel('Name', { exact: true }).fill('New phone')
      await other.page.getByRole('dialog').getByRole('button', { name: 'Add passkey' }).click()
      await other.page.getByText('New phone').waitFor()
      await other.page.getByRole('button', { name: 'Remove Work laptop' }).click()
      await other.page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
      await expect.poll(() => other.page.getByText('Work laptop').count()).toBe(0)
      // The last one stays: it is required.
      await other.page.getByRole('button', { name: 'Remove New phone' }).click()
      await other.page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
      await other.page.getByText('Add another one first').waitFor()
      await other.context.close()
    })
  },
)
