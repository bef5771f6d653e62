import { startRunningAnchor, type RunningAnchor } from '@windlass/sep-server/testing/running-anchor.ts'
import { acceptedWallet, give } from '@windlass/sep-server/testing/wallet.ts'
import { hasChromium, openBrowser } from '@windlass/ui/testing/browser.ts'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** The demo wallet of SDF, built for a browser; docs/guides/tested-with.md says how to get it. */
const BUILT = process.env.DEMO_WALLET ?? ''
if (!BUILT)
  console.warn('SKIPPED: the demo wallet of SDF: DEMO_WALLET=/path/to/demo-wallet-client/build names it')

/** The wallet takes no address of a Horizon but https. */
const HORIZON = 'https://horizon.example'
const CODE = 'MUMBAI'
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}
/** What a person types, by the end of a field's id. */
const TYPED = {
  amount: '50',
  dest: 'DE89370400440532013000',
  dest_extra: 'COBADEFFXXX',
  first_name: 'Alice',
  last_name: 'Adams',
  address: '1 High Street, London, GBR',
  bank_account_number: 'DE89370400440532013000',
  email_address: 'alice@example.com',
}

describe.runIf(BUILT !== '' && hasChromium('the demo wallet of SDF'))('the demo wallet of SDF', () => {
  let running: RunningAnchor
  let browser: Browser
  let site: Server
  beforeAll(async () => {
    running = await startRunningAnchor({ rails: ['SEPA'], assetCode: CODE })
    const { hostname } = new URL(running.anchor.publicUrl)
    browser = await openBrowser([`--host-resolver-rules=MAP ${hostname} 127.0.0.1:${running.frontPort}`])
    site = createServer(({ url = '/' }, response) => {
      const { pathname } = new URL(url, 'http://localhost')
      const settings = { HORIZON_PASSPHRASE: running.network.passphrase, HORIZON_URL: HORIZON }
      if (pathname.endsWith('env-config.js'))
        return response.end(`window._env_ = ${JSON.stringify(settings)}`)
      const asked = join(BUILT, pathname)
      const file = extname(asked) && existsSync(asked) ? asked : join(BUILT, 'index.html')
      return response.setHeader('content-type', TYPES[extname(file)] ?? 'text/html').end(readFileSync(file))
    })
    await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve))
  })
  afterAll(async () => {
    await browser?.close()
    site?.close()
    await running?.stop()
  })

  /** The wallet with 500 of the anchor's asset, and one of the asset's acts begun. */
  async function begin(act: string): Promise<Page> {
    const key = await acceptedWallet(running)
    await give(running, key, '500')
    const page = await browser.newPage()
    page.setDefaultTimeout(150_000)
    await page.route(`${HORIZON}/**`, async route => {
      const request = route.request()
      const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }
      // A stream stays open for as long as a request may be answered.
      if (request.headers()['accept']?.includes('event-stream')) return route.abort()
      if (request.method() === 'OPTIONS') return route.fulfill({ status: 204, headers: cors })
      const answer = await fetch(request.url().replace(HORIZON, running.network.url), {
        method: request.method(),
        headers: { 'content-type': request.headers()['content-type'] ?? 'application/json' },
        body: request.postData(),
      })
      return route.fulfill({ status: answer.status, headers: cors, body: await answer.text() })
    })
    const domain = running.anchor.publicUrl.replace('http://', '')
    const asset = encodeURIComponent(`${CODE}:${running.anchor.accounts.issuer}|homeDomain>${domain}`)
    const { port } = site.address() as AddressInfo
    await page.goto(`http://localhost:${port}/account?secretKey=${key.secret()}&assetOverrides=${asset}`)
    await page
      .locator('select', { has: page.locator(`option[value="${act}"]`) })
      .last()
      .selectOption(act)
    await page.getByRole('button', { name: 'Start' }).click()
    return page
  }

  async function fill(page: Page): Promise<void> {
    for (const [name, value] of Object.entries(TYPED)) {
      // The sender has one, and so does the receiver.
      for (const field of await page.locator(`input[id="${name}"], input[id$="#${name}"]`).all())
        await field.fill(value)
    }
  }
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
  const choose = (page: Page, label: RegExp) =>
    page.locator('label').filter({ hasText: label }).first().click({ force: true })

  it('withdraws by SEP-6 at a quoted price, pays, and sees that it is completed', async () => {
    const page = await begin('sep6-withdraw')
    await page.getByText('Withdraw Asset and Method').waitFor()
    for (const label of [/^EUR$/, /^sepa - /, /^DE$/]) await choose(page, label)
    await fill(page)
    await press(page, 'Continue')
    await press(page, 'Proceed')
    // What the anchor asks of the customer, then the withdrawal itself.
    const submit = page.getByRole('button', { name: 'Submit', exact: true })
    await submit.click()
    await submit.waitFor({ state: 'hidden' })
    await submit.click()
    await page.getByText('Transaction status completed').waitFor()
    await page.close()
    expect(await kinds()).toContainEqual({ kind: 'withdrawal-exchange', status: 'completed' })
  })

  it('pays by SEP-31 as a sending anchor, and sees that the receiver has the money', async () => {
    const page = await begin('sep31-send')
    await page.locator('input[id$="#bank_account_number"]').waitFor()
    await fill(page)
    await press(page, 'Submit')
    await page.getByText('SEP-31 send payment completed').waitFor()
    await page.close()
    expect(await kinds()).toContainEqual({ kind: 'receive', status: 'completed' })
  })

  const kinds = () =>
    running.query<{ kind: string; status: string }>('select kind, status from sep.transactions')
})
