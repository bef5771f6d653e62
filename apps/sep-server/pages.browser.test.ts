import type { Keypair } from '@stellar/stellar-sdk/base'
import {
  hasChromium,
  openBrowser,
  overflow,
  picture,
  sizes,
  violations,
  visit,
} from '@windlass/ui/testing/browser.ts'
import type * as WalletSdk from '@stellar/typescript-wallet-sdk'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { Memo, TransactionBuilder } from '@stellar/stellar-sdk/base'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { builtRamp } from '@windlass/testing/processes.ts'
import { join } from 'node:path'
import { MAILED_CODE } from './testing/fake-platform.ts'
import { openBrowserWallet } from './testing/browser-wallet.ts'
import { startRunningAnchor, type RunningAnchor } from './testing/running-anchor.ts'
import { payOverRail } from './testing/transfers.ts'
import {
  acceptedWallet,
  balanceOf,
  fundedWallet,
  give,
  logIn,
  openTrustline,
  payAnchor,
} from './testing/wallet.ts'

describe.runIf(hasChromium('the pages of an anchor in a browser'))(
  'the pages of an anchor',
  { timeout: 180_000 },
  () => {
    let running: RunningAnchor
    let browser: Browser
    beforeAll(async () => {
      running = await startRunningAnchor({ rails: ['UPI', 'SEPA', 'ACH'] })
      const { host } = new URL(running.anchor.publicUrl)
      browser = await openBrowser([`--host-resolver-rules=MAP ${host}:80 127.0.0.1:${running.frontPort}`])
    })
    afterAll(async () => {
      await browser?.close()
      await running?.stop()
    })

    /** The link of a new transaction. */
    async function linkOf(key: Keypair, side: 'deposit' | 'withdraw', fields: Record<string, string> = {}) {
      const token = await logIn(running, key)
      const answer = await fetch(`${running.anchor.publicUrl}/sep24/transactions/${side}/interactive`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: new URLSearchParams({ asset_code: 'MUMBAI', ...fields }),
      })
      return { token, ...((await answer.json()) as { url: string; id: string }) }
    }

    /** The page that a wallet opens, on a phone. */
    async function opened(key: Keypair, side: 'deposit' | 'withdraw', fields: Record<string, string> = {}) {
      const { url, id, token } = await linkOf(key, side, fields)
      const seen = await visit(browser)
      await seen.page.setViewportSize(sizes.phone)
      await seen.page.goto(url)
      return { ...seen, id, token }
    }

    /** The page has no accessibility fault, light or dark. */
    async function expectSound(page: Page, name: string): Promise<void> {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await picture(page, `anchor-${name}-${colorScheme}`)
        expect(await violations(page), `${name} ${colorScheme}`).toEqual([])
        expect(await overflow(page), `${name} ${colorScheme}`).toBe(0)
      }
    }

    const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
    const press = (page: Page, name: string) => page.getByRole('button', { name }).click()

    it('lead a stranger from the email code over identity and payment to the receipt', async () => {
      const key = await fundedWallet(running)
      await openTrustline(running, key)
      const { page, faults, context } = await opened(key, 'deposit', { email_address: 'asha@example.com' })
      await heading(page, 'Confirm your email')
      await expect.poll(() => page.getByLabel('Email address').inputValue()).toBe('asha@example.com')
      await expectSound(page, '1-email')
      await press(page, 'Send code')
      await page.getByLabel('Code').fill('000000')
      await press(page, 'Continue')
      await page.getByRole('alert').getByText('The code is wrong').waitFor()
      await expectSound(page, '2-code')
      await page.getByLabel('Code').fill(MAILED_CODE)
      await press(page, 'Continue')
      await heading(page, 'Verify your identity')
      await press(page, 'Verify my identity')
      await page.getByRole('link', { name: 'Approve now' }).click()
      await page.getByRole('link', { name: 'Return' }).click()

      await heading(page, 'Deposit MUMBAI')
      await page.getByLabel('How much MUMBAI').fill('100000')
      await press(page, 'Continue')
      await page.getByRole('alert').getByText('at most 10000').waitFor()
      await page.getByLabel('How much MUMBAI').fill('100')
      await expectSound(page, '3-details')
      await press(page, 'Continue')
      await heading(page, 'Review and confirm')
      await page.getByText('8,938.50 INR').waitFor()
      await expectSound(page, '4-review')
      await press(page, 'Confirm')

      await heading(page, 'Pay 8,938.50 INR')
      await expectSound(page, '5-pay-upi')
      await page.getByRole('button', { name: 'Copy: Note' }).click()
      await page.getByRole('button', { name: 'Copy: Note' }).getByText('Copied').waitFor()
      expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^W[0-9A-F]{16}$/)
      await press(page, 'Simulate my payment')
      // The page updates by itself.
      await heading(page, 'Completed')
      await expectSound(page, '6-receipt')
      const link = await page.getByRole('link', { name: 'View on the ledger' }).getAttribute('href')
      expect(link).toMatch(/\/#\/transaction\/[0-9a-f]{64}$/)
      expect(await balanceOf(running, key.publicKey())).toBe('100.0000000')
      expect(faults).toEqual([])
      await context.close()
    })

    it('wait until a verified customer has confirmed a wallet that is new to them, then continue', async () => {
      const { platform } = running
      const key = await fundedWallet(running)
      platform.customers.set('cus_known@example.com', { status: 'ACCEPTED', wallets: new Set() })
      platform.holds = true
      const { page, faults, context } = await opened(key, 'deposit', { email_address: 'known@example.com' })
      await heading(page, 'Confirm your email')
      await press(page, 'Send code')
      await page.getByLabel('Code').fill(MAILED_CODE)
      await press(page, 'Continue')
      await heading(page, 'Confirm your wallet')
      await page.getByText('We sent an email to known@example.com').waitFor()
      await expectSound(page, '2-confirm')
      platform.holds = false
      for (const [wallet, wallets] of platform.waiting) wallets.add(wallet)
      // The page updates by itself.
      await heading(page, 'Deposit MUMBAI')
      expect(faults).toEqual([])
      await context.close()
    })

    it('take a withdrawal over SEPA, refusing a mistyped IBAN, and continue when the wallet has paid', async () => {
      const key = await acceptedWallet(running)
      await give(running, key, '50')
      const { page, faults, id, token, context } = await opened(key, 'withdraw')
      await heading(page, 'Withdraw MUMBAI')
      await page.getByLabel('How much MUMBAI').fill('20')
      await page.getByText('SEPA transfer').click()
      await page.getByLabel('IBAN').fill('DE88 3704 0044 0532 0130 00')
      await page.getByLabel('Name of the account holder').fill('Asha Rao')
      expect(await page.getByLabel('How much MUMBAI').inputValue()).toBe('20')
      await press(page, 'Continue')
      await page.getByRole('alert').getByText('check digits').waitFor()
      await page.getByLabel('IBAN').fill('DE89 3704 0044 0532 0130 00')
      await expectSound(page, '7-withdraw-details')
      await press(page, 'Continue')
      await heading(page, 'Review and confirm')
      await expectSound(page, '8-withdraw-review')
      await press(page, 'Confirm')
      await heading(page, 'Send 20 MUMBAI')
      await expectSound(page, '9-withdraw-send')
      const reported = await fetch(`${running.anchor.publicUrl}/sep24/transaction?id=${id}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      const { transaction } = (await reported.json()) as { transaction: { withdraw_memo: string } }
      await payAnchor(running, key, '20', Memo.id(transaction.withdraw_memo))
      await heading(page, 'Completed')
      await expectSound(page, '10-withdraw-receipt')
      expect(faults).toEqual([])
      await context.close()
    })

    it('show SEPA’s QR code, speak Spanish where the wallet asks for it, and send back what is wrong', async () => {
      const key = await acceptedWallet(running)
      const { page, context } = await opened(key, 'deposit', { amount: '10', lang: 'es-MX' })
      await heading(page, 'Revise y confirme')
      expect(await page.locator('html').getAttribute('lang')).toBe('es')
      await page.getByRole('link', { name: 'Cambiar' }).click()
      await page.getByText('transferencia SEPA').click()
      await page.getByLabel('¿Cuánto MUMBAI').fill('99999')
      await press(page, 'Continuar')
      await page.getByRole('alert').getByText('Revise el importe. De 1 a 10.000 MUMBAI').waitFor()
      await page.getByText('transferencia SEPA').click()
      await page.getByLabel('¿Cuánto MUMBAI').fill('10')
      await press(page, 'Continuar')
      await press(page, 'Confirmar')
      await heading(page, 'Pague 9,71 EUR')
      await page.getByRole('img', { name: 'Escanee para pagar con transferencia SEPA' }).waitFor()
      await expectSound(page, '11-pay-sepa-es')
      await page.getByLabel('Importe a pagar').fill('5')
      await press(page, 'Simular mi pago')
      await heading(page, 'Pago reembolsado')
      await expectSound(page, '12-returned-es')
      await context.close()
    })

    it('are reached by the wallet SDK’s own browser build from another origin', async () => {
      const key = await fundedWallet(running)
      const blank = createServer((_request, response) =>
        response.setHeader('content-type', 'text/html').end('<!doctype html><title>Wallet</title>'),
      )
      await new Promise<void>(resolve => blank.listen(0, '127.0.0.1', resolve))
      const { page, context, faults } = await visit(browser)
      await page.goto(`http://127.0.0.1:${(blank.address() as AddressInfo).port}/`)
      const installed = new URL('./bundle_browser.js', import.meta.resolve('@stellar/typescript-wallet-sdk'))
      // Another release, as in acceptance.test.ts.
      const { WALLET_SDK } = process.env
      const build = WALLET_SDK ? join(WALLET_SDK, 'lib/bundle_browser.js') : fileURLToPath(installed)
      await page.addScriptTag({ path: build })
      const found = await page.evaluate(
        async ({ homeDomain, secret }) => {
          const { Wallet, SigningKeypair } = (window as unknown as { WalletSDK: typeof WalletSdk }).WalletSDK
          const anchor = Wallet.TestNet().anchor({ homeDomain, allowHttp: true })
          const sep10 = await anchor.sep10()
          const authToken = await sep10.authenticate({ accountKp: SigningKeypair.fromSecret(secret) })
          const { deposit } = await anchor.sep24().info()
          const started = await anchor.sep24().deposit({ assetCode: 'MUMBAI', authToken })
          const transactions = await anchor
            .sep24()
            .getTransactionsForAsset({ authToken, assetCode: 'MUMBAI' })
          return {
            assets: Object.keys(deposit),
            url: started.url,
            ids: transactions.map(({ id }) => id),
            id: started.id,
          }
        },
        { homeDomain: running.anchor.plan.homeDomain, secret: key.secret() },
      )
      expect(found.assets).toContain('MUMBAI')
      expect(found.url).toContain(running.anchor.publicUrl)
      expect(found.ids).toEqual([found.id])
      expect(faults).toEqual([])
      await context.close()
      blank.close()
    })

    /** A wallet's page of another origin, with 50 MUMBAI, and what its popup shows. */
    async function openedWallet(amount = '50') {
      const key = await acceptedWallet(running)
      await give(running, key, amount)
      const visitor = await visit(browser)
      const opened = await openBrowserWallet(running, visitor.page, key.secret())
      const { wallet } = opened
      const interactive = async (side: 'deposit' | 'withdraw', callbacks: string) => {
        const opens = visitor.context.waitForEvent('page')
        const ends = wallet.evaluate(
          (it, given) => it.interactive(given.side, { amount: '20' }, given.callbacks),
          { side, callbacks },
        )
        const popup = await opens
        popup.on('pageerror', error => visitor.faults.push(error.message))
        return { popup, ends }
      }
      const close = async () => {
        opened[Symbol.dispose]()
        await visitor.context.close()
      }
      return { ...visitor, key, wallet, interactive, close }
    }

    const agreeOverSepa = async (page: Page) => {
      await heading(page, 'Withdraw MUMBAI')
      await page.getByText('SEPA transfer').click()
      await page.getByLabel('IBAN').fill('DE89 3704 0044 0532 0130 00')
      await page.getByLabel('Name of the account holder').fill('Asha Rao')
      await press(page, 'Continue')
      await press(page, 'Confirm')
    }

    it('keep the wallet that opened them: it pays while they are open, and gets each message once', async () => {
      const { wallet, interactive, faults, close } = await openedWallet()
      const { popup, ends } = await interactive(
        'withdraw',
        'callback=postMessage&on_change_callback=postMessage',
      )
      await heading(popup, 'Withdraw MUMBAI')
      expect(await wallet.evaluate(it => it.messages)).toEqual([])
      // Words of the wallet, or of anyone, change nothing.
      await wallet.evaluate(it => it.post({ transaction: { status: 'completed' } }))
      await agreeOverSepa(popup)
      const ended = await ends
      expect(ended).toMatchObject({ status: 'completed', amount_in: '20' })
      await heading(popup, 'Completed')
      const messages = () => wallet.evaluate(it => it.messages.map(each => each.transaction))
      await expect.poll(async () => (await messages()).at(-1)?.['status']).toBe('completed')
      const [first, ...rest] = await messages()
      // The wallet may have paid before the page told it, since it asks by itself too.
      expect(first).toMatchObject({
        id: ended['id'],
        status: expect.stringMatching(/^pending_(user_transfer_start|anchor)$/),
      })
      expect(first).toMatchObject({
        withdraw_memo: ended['withdraw_memo'],
        more_info_url: expect.any(String),
      })
      const statuses = [first, ...rest].map(each => each?.['status'])
      expect(new Set(statuses).size).toBe(statuses.length)
      expect(await wallet.evaluate(it => it.closed)).toEqual([false])
      expect(faults).toEqual([])
      await close()
    })

    it('let a wallet in a browser deposit in a popup, with one message, and see that it was closed', async () => {
      const { key, wallet, interactive, faults, close } = await openedWallet()
      const { popup, ends } = await interactive('deposit', 'callback=postMessage')
      await press(popup, 'Confirm')
      await press(popup, 'Simulate my payment')
      expect(await ends).toMatchObject({ status: 'completed', amount_out: '20' })
      expect(await balanceOf(running, key.publicKey())).toBe('70.0000000')
      expect((await wallet.evaluate(it => it.messages)).length).toBe(1)
      await popup.close()
      const second = await interactive('withdraw', 'callback=postMessage')
      await agreeOverSepa(second.popup)
      await second.ends
      expect(await balanceOf(running, key.publicKey())).toBe('50.0000000')
      await second.popup.close()
      expect(await wallet.evaluate(it => it.isClosed())).toBe(true)
      expect(faults).toEqual([])
      await close()
    })

    it('are not needed for a deposit and a withdrawal by SEP-6, nor for a payment by SEP-31, in a browser', async () => {
      const { key, wallet, faults, close } = await openedWallet()
      const deposits = wallet.evaluate((it, given) => it.programmatic('deposit', given), {
        amount: '10',
        type: 'upi',
      })
      const waiting = () => wallet.evaluate(it => it.waiting)
      await expect.poll(waiting).not.toBe('')
      await payOverRail(running, await waiting())
      expect(await deposits).toMatchObject({ status: 'completed' })
      const bank = { amount: '20', type: 'upi', dest: 'asha@okbank' }
      expect(await wallet.evaluate((it, given) => it.programmatic('withdraw', given), bank)).toMatchObject({
        status: 'completed',
        amount_in: '20',
      })
      expect(await wallet.evaluate(it => it.direct('20'))).toMatchObject({ status: 'completed' })
      expect(await balanceOf(running, key.publicKey())).toBe('20.0000000')
      expect(faults).toEqual([])
      await close()
    })

    it('are refused in a frame, with the reason, and whole in an app’s WebView', async () => {
      const key = await acceptedWallet(running)
      await give(running, key, '50')
      const { page, context, faults } = await visit(browser)
      using _ = await openBrowserWallet(running, page, key.secret())
      await page.evaluate(
        address => {
          const frame = document.createElement('iframe')
          frame.src = address
          document.body.append(frame)
        },
        (await linkOf(key, 'withdraw')).url,
      )
      await expect.poll(() => faults.join()).toContain('frame-ancestors')
      await context.close()
      const app = await browser.newContext({ userAgent: WEB_VIEW, viewport: sizes.phone, locale: 'en-GB' })
      const view = await app.newPage()
      const wrong: string[] = []
      view.on('pageerror', error => wrong.push(error.message))
      const { url } = await linkOf(key, 'withdraw', { amount: '20' })
      await view.goto(`${url}&callback=postMessage`)
      await agreeOverSepa(view)
      await heading(view, 'Send 20 MUMBAI')
      expect(wrong).toEqual([])
      await app.close()
    })

    it('are opened by the ramp in a wallet’s page, which follows the deposit to its receipt', async () => {
      const key = await acceptedWallet(running)
      const wallet = await serveRampPage(running)
      const { page, context, faults } = await visit(browser)
      await context.exposeFunction('signInNode', (xdr: string, networkPassphrase: string) => {
        const transaction = TransactionBuilder.fromXdr(xdr, networkPassphrase)
        transaction.sign(key)
        return transaction.toXdr()
      })
      await page.goto(wallet.url)
      await page.evaluate(address => {
        const sign = (xdr: string, { networkPassphrase }: { networkPassphrase: string }) =>
          (window as unknown as { signInNode: (...given: string[]) => string }).signInNode(
            xdr,
            networkPassphrase,
          )
        Object.assign(document.querySelector('windlass-ramp') ?? {}, { signer: { address, sign } })
      }, key.publicKey())
      await press(page, 'Compare offers')
      const opens = context.waitForEvent('page')
      await press(page, `Continue at ${running.anchor.plan.homeDomain}`)
      const popup = await opens
      await heading(popup, 'Review and confirm')
      await press(popup, 'Confirm')
      await page.getByText('Pay as the anchor’s page says.').waitFor()
      await press(popup, 'Simulate my payment')
      await heading(popup, 'Completed')
      await page.getByRole('heading', { name: 'Receipt' }).waitFor()
      await page.getByText('20 MUMBAI').waitFor()
      await picture(page, 'ramp-real-anchor')
      expect(await balanceOf(running, key.publicKey())).toBe('20.0000000')
      expect(faults).toEqual([])
      await context.close()
      wallet.close()
    })

    it('let anyone try a deposit on the anchor’s public page, with an account made there', async () => {
      const { page, context, faults } = await visit(browser)
      const sent: string[] = []
      context.on('request', request => sent.push(`${request.url()} ${request.postData() ?? ''}`))
      await page.setViewportSize(sizes.phone)
      await page.goto(`${running.anchor.publicUrl}/`)
      await page.getByRole('heading', { name: 'Try a deposit' }).waitFor()
      await expectSound(page, '14-home')
      const opens = context.waitForEvent('page')
      await press(page, 'Try a deposit')
      const popup = await opens
      await heading(popup, 'Confirm your email')
      await popup.getByLabel('Email address').fill('tess@example.com')
      await press(popup, 'Send code')
      await popup.getByLabel('Code').fill(MAILED_CODE)
      await press(popup, 'Continue')
      await press(popup, 'Verify my identity')
      await popup.getByRole('link', { name: 'Approve now' }).click()
      await popup.getByRole('link', { name: 'Return' }).click()
      await popup.getByLabel('How much MUMBAI').fill('12')
      await press(popup, 'Continue')
      await press(popup, 'Confirm')
      await press(popup, 'Simulate my payment')
      await heading(popup, 'Completed')
      await page.getByRole('heading', { name: 'Receipt' }).waitFor()
      await expectSound(page, '15-home-receipt')
      const account = new URL(sent.find(each => each.includes('/friendbot')) ?? '').searchParams.get('addr')
      expect(await balanceOf(running, account?.trim() ?? '')).toBe('12.0000000')
      expect(sent.join()).not.toMatch(/S[A-Z2-7]{55}/)
      expect(faults).toEqual([])
      await context.close()
    })

    it('explain to people what is wrong with a link', async () => {
      const { page, context } = await visit(browser)
      await page.setViewportSize(sizes.phone)
      await page.goto(`${running.anchor.publicUrl}/interactive/start?transaction_id=x&token=y`)
      await heading(page, 'Something went wrong')
      await expectSound(page, '13-problem')
      await context.close()
    })
  },
)

const WEB_VIEW =
  'Mozilla/5.0 (Linux; Android 15; Pixel 8 Build/AP3A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/140.0 Mobile Safari/537.36'

/** A wallet's page with the ramp, and an aggregator that knows this anchor alone. */
async function serveRampPage({ anchor }: RunningAnchor) {
  const folder = await builtRamp()
  const anchorId = anchor.plan.anchorId
  const offer = {
    anchorId,
    slug: anchor.plan.subdomain,
    domain: anchor.plan.homeDomain,
    amount: '20',
    currency: 'INR',
    asset: 'MUMBAI',
    issuer: anchor.accounts.issuer,
    rail: 'UPI',
    fxRate: '88.5',
    fee: { fixed: '0.5', percentage: '0.005', variable: '0.1', total: '0.6' },
    sellAmount: '1823.1',
    buyAmount: '20',
    score: 100,
    scores: { fee: 100, speed: 100, uptime: 100, liquidity: 100 },
  }
  const start = {
    anchorId,
    homeDomain: anchor.plan.homeDomain,
    signingKey: anchor.accounts.signing,
    networkPassphrase: anchor.network.passphrase,
    endpoints: { webAuth: `${anchor.publicUrl}/auth`, transferServerSep24: `${anchor.publicUrl}/sep24` },
  }
  const answers: Record<string, object> = {
    '/quotes/compare': { quotes: [offer], rejected: { byRule: {}, examples: [] } },
    '/route': { anchorId, domain: offer.domain, decisionId: 'd1', score: 100, reasoning: 'The only one.' },
    '/transactions/start': start,
  }
  const server = createServer(async (request, response) => {
    const path = request.url ?? '/'
    if (path in answers)
      return response.setHeader('content-type', 'application/json').end(JSON.stringify(answers[path]))
    if (path.endsWith('.js')) {
      response.setHeader('content-type', 'text/javascript')
      return response.end(await readFile(join(folder, path.slice(1))))
    }
    return response.setHeader('content-type', 'text/html')
      .end(`<!doctype html><html lang="en"><title>Wallet</title>
      <script type="module" src="/windlass-ramp.js"></script>
      <windlass-ramp network="${anchor.network.passphrase}" asset="MUMBAI" rail="UPI" amount="20"></windlass-ramp>`)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => server.close(),
  }
}
