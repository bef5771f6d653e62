import { freePorts } from '@windlass/testing/free-ports.ts'
import { faultsOfScreen, hasChromium, openBrowser, openPage } from '@windlass/ui/testing/browser.ts'
import { consoleUnderTest, type ConsoleUnderTest } from '@windlass/ui/testing/console-under-test.ts'
import { dirname } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { answerOperators } from './testing/operators.ts'
import { ANCHOR, operatorsState } from './testing/operators-state.ts'

const ROOT = dirname(import.meta.filename)
const BAND = 'Sandbox: no real money'

describe.runIf(hasChromium('a sandbox beside live'))('a sandbox beside live', { timeout: 120_000 }, () => {
  let live: ConsoleUnderTest
  let sandbox: ConsoleUnderTest
  let browser: Browser
  beforeAll(async () => {
    const [livePort = 0, sandboxPort = 0] = await freePorts(2)
    const at = (port: number) => `http://localhost:${port}`
    const start = (port: number, kind: 'live' | 'sandbox', other: number) =>
      consoleUnderTest(ROOT, undefined, undefined, {
        port,
        installation: { kind, other: at(other) },
        consoles: { 'founder-console': at(port) },
      })
    live = await start(livePort, 'live', sandboxPort)
    sandbox = await start(sandboxPort, 'sandbox', livePort)
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await live?.close()
    await sandbox?.close()
  })
  beforeEach(() => answerOperators(live.platform, operatorsState()))

  test.each([
    ['/', 'Launch a Stellar anchor'],
    ['/apply/company', 'Company'],
    ['/nowhere', 'Page not found'],
  ])('the page %s of the sandbox says that no real money moves there', async (path, heading) => {
    const show = async (page: Page) => {
      await page.goto(sandbox.url + path)
      await page.getByRole('heading', { name: heading }).first().waitFor()
      await page.getByText(BAND).waitFor()
    }
    expect(await faultsOfScreen(browser, `sandbox${path.replaceAll('/', '-')}`, show)).toEqual([])
    const { page } = await openPage(browser)
    await page.goto(live.url + path)
    await page.getByRole('heading', { name: heading }).first().waitFor()
    expect(await page.getByText(BAND).count()).toBe(0)
  })

  test('the band is in the language of the page', async () => {
    const { page } = await openPage(browser)
    await page.goto(sandbox.url)
    await page.getByLabel('Language').selectOption('es')
    await page.getByText('Entorno de pruebas: sin dinero real').waitFor()
  })

  test('the switch leads to the same page, and to the list where the other one has no such anchor', async () => {
    const { page } = await openPage(browser, 'operator')
    await page.goto(live.url)
    await page.getByRole('link', { name: 'Apply' }).first().click()
    await page.getByRole('heading', { name: 'Company' }).waitFor()
    const other = page.getByRole('link', { name: 'Sandbox', exact: true })
    await other.click()
    await page.waitForURL(`${sandbox.url}/apply`)
    await page.goto(`${live.url}/workspaces/${ANCHOR}/anchor`)
    await page.getByRole('heading', { name: 'Endpoints' }).waitFor()
    await other.click()
    await page.waitForURL(/\/workspaces$|\/sign-in\?from=%2Fworkspaces$/)
    expect(page.url()).toContain(sandbox.url)
  })

  test('a founder takes the settings of an anchor to the sandbox, without its secrets or people', async () => {
    const { page } = await openPage(browser, 'operator')
    await page.goto(`${live.url}/workspaces/${ANCHOR}/anchor`)
    const link = page.getByRole('link', { name: 'Try these settings in the sandbox' })
    const [, carried = ''] = (await link.getAttribute('href'))?.split('#settings=') ?? []
    expect(Object.keys(JSON.parse(decodeURIComponent(carried)) as object).toSorted()).toEqual([
      'asset.kind',
      'companyProfile.name',
      'compliance.regions',
      'paymentRails.fee.fixed',
      'paymentRails.fee.percentage',
      'paymentRails.limits.max',
      'paymentRails.limits.min',
      'paymentRails.rails',
      'paymentRails.settlement',
      'stellarConfig.anchoredTo',
      'stellarConfig.assetCode',
      'stellarConfig.assetName',
    ])
    await link.click()
    await page.getByRole('heading', { name: 'Settings of an anchor: HARB' }).waitFor()
    expect(page.url()).toContain(sandbox.url)
    // Nothing of a link is used before its reader says so.
    expect(await page.evaluate(() => localStorage.getItem('windlass.application-draft'))).toBeNull()
    await page.getByRole('button', { name: 'Use these settings' }).click()
    await page.getByRole('heading', { name: 'Company' }).waitFor()
    await page.getByRole('link', { name: 'Asset' }).click()
    await page.getByRole('heading', { name: 'Asset', exact: true }).waitFor()
    expect(await page.getByLabel('Asset code').first().inputValue()).toBe('HARB')
    await page.reload()
    await page.getByText('restored').waitFor()
    expect(await page.getByLabel('Asset code').first().inputValue()).toBe('HARB')
  })
})
