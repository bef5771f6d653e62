import { existsSync } from 'node:fs'
import { Asset, Keypair, Operation, TransactionBuilder, Memo } from '@stellar/stellar-sdk'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { explorerPage } from './explorer/page.ts'
import { Laboratory } from './testing/laboratory.ts'

const executablePath = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
  .map(name => `/usr/bin/${name}`)
  .find(existsSync)
if (!executablePath) console.warn('NO CHROMIUM: the explorer is not tried in a browser')

describe('the page', () => {
  it('loads nothing from elsewhere', () => {
    expect(explorerPage.html).not.toMatch(/(src|href)="(https?:)?\/\//)
    expect(explorerPage.headers['content-security-policy']).toContain("default-src 'none'")
  })
})

describe.runIf(executablePath)('the page in a browser', () => {
  let lab: Laboratory
  let browser: Browser
  let page: Page
  const complaints: string[] = []
  beforeAll(async () => {
    lab = await Laboratory.open()
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
    page = await browser.newPage()
    page.on('console', message => complaints.push(message.text()))
    page.on('pageerror', error => complaints.push(error.message))
    page.on('dialog', dialog => complaints.push(`a dialog: ${dialog.message()}`))
  })
  afterAll(async () => {
    await browser.close()
    await lab.close()
  })

  it('shows ledgers as they close, an account and an asset, and runs nothing that is on the ledger', async () => {
    const issuer = await lab.funded()
    const holder = await lab.funded()
    const asset = new Asset('USD', issuer.publicKey())
    const submit = async (key: Keypair, ...operations: ReturnType<typeof Operation.payment>[]) => {
      const builder = new TransactionBuilder(await lab.horizon.loadAccount(key.publicKey()), {
        fee: '100',
        networkPassphrase: lab.network.passphrase,
      })
      for (const each of operations) builder.addOperation(each)
      const made = builder.addMemo(Memo.text('<img src=x onerror=1>')).setTimeout(30).build()
      made.sign(key)
      return (await lab.horizon.submitTransaction(made)).hash
    }
    await submit(holder, Operation.changeTrust({ asset }))
    await page.goto(lab.network.url)
    const newest = page.locator('section').first().locator('tbody tr').first()
    expect(await newest.locator('td').first().textContent()).toBe(String(lab.network.latestLedger))

    const hash = await submit(
      issuer,
      Operation.payment({ destination: holder.publicKey(), asset, amount: '1234.5' }),
      Operation.setOptions({ homeDomain: '<script>alert(1)</script>' }),
      Operation.manageData({ name: '<b onclick=alert(1)>', value: 'x' }),
    )
    await page.waitForFunction(
      sequence => document.querySelector('section tbody td')?.textContent === sequence,
      String(lab.network.latestLedger),
    )

    await page.fill('#search', holder.publicKey())
    await page.press('#search', 'Enter')
    await page.waitForSelector('h1:has-text("Account")')
    expect(await page.textContent('main')).toContain('1,234.5')
    await page.getByRole('link', { name: 'USD' }).first().click()
    await page.waitForSelector('h1:has-text("Asset USD")')
    expect(await page.textContent('main')).toContain(`https://<script>alert(1)</script>/.well-known`)
    await page.goto(`${lab.network.url}/#/transaction/${hash}`)
    await page.waitForSelector('h1:has-text("Transaction")')
    expect(await page.textContent('main')).toContain('<img src=x onerror=1> (text)')
    await page.goto(`${lab.network.url}/#/account/${issuer.publicKey()}`)
    await page.waitForSelector('h1:has-text("Account")')
    expect(await page.textContent('main')).toContain('<b onclick=alert(1)>')
    expect(await page.locator('main script, main img, main b').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('leaves out no ledger that closes between its list and its stream', async () => {
    await page.goto('about:blank')
    const closed = Promise.withResolvers<number>()
    await page.route('**/ledgers?order=desc*', async route => {
      const response = await route.fetch()
      await lab.funded()
      closed.resolve(lab.network.latestLedger)
      await route.fulfill({ response })
    })
    await page.goto(lab.network.url)
    const missed = await closed.promise
    await page.waitForFunction(
      sequence => Number(document.querySelector('section tbody td')?.textContent) >= sequence,
      missed,
    )
    const rows = page.locator('section').first().locator('tbody tr td:first-child')
    const sequences = (await rows.allTextContents()).map(Number)
    expect(sequences).toContain(missed)
    expect(sequences).toEqual(sequences.map((_, place) => (sequences[0] ?? 0) - place))
    await page.unroute('**/ledgers?order=desc*')
  })

  it('shows whole tables on a laptop', async () => {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(lab.network.url)
    await page.waitForSelector('section tbody tr')
    const clipped = await page.evaluate(
      () =>
        [...document.querySelectorAll('.scroll')].filter(each => each.scrollWidth > each.clientWidth).length,
    )
    expect(clipped).toBe(0)
  })
})
