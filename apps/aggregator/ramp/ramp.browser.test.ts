import { Keypair, TransactionBuilder, WebAuth } from '@stellar/stellar-sdk'
import { builtRamp } from '@windlass/testing/processes.ts'
import {
  hasChromium,
  openBrowser,
  overflow,
  picture,
  sizes,
  violations,
  visit,
} from '@windlass/ui/testing/browser.ts'
import { readQrCode } from '@windlass/ui/testing/read-qr-code.ts'
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testAggregator, type TestAggregator } from '../testing/aggregator.ts'
import { startAnchorServer, type AnchorServer } from '../testing/anchor-server.ts'

const PASSPHRASE = 'Test SDF Network ; September 2015'
const anchorKey = Keypair.random()
const issuer = Keypair.random().publicKey()
const key = Keypair.random()

let folder: string
beforeAll(async () => {
  folder = await builtRamp()
})

it('is at most 40 kB gzip until the customer logs in, and the Stellar SDK loads only then', () => {
  const loaded = new Map<string, string>()
  const load = (name: string) => {
    if (loaded.has(name)) return
    const source = readFileSync(join(folder, name), 'utf8')
    loaded.set(name, source)
    for (const [, imported = ''] of source.matchAll(/(?:import|from)\s*["']\.\/([^"']+)["']/g)) load(imported)
  }
  load('windlass-ramp.js')
  const bytes = [...loaded.values()].reduce((sum, source) => sum + gzipSync(source, { level: 9 }).length, 0)
  expect(bytes).toBeLessThan(40_000)
  expect([...loaded.values()].join('')).toMatch(/import\(["'`]\.\/assets\/challenge-/)
})

describe.runIf(hasChromium('the ramp in a browser'))(
  '<windlass-ramp> in a page of another origin',
  { timeout: 180_000 },
  () => {
    let aggregator: TestAggregator
    let anchor: AnchorServer
    let wallet: AnchorServer
    let browser: Browser
    let platform: string
    /** What the anchor does; tests change it. */
    let behaviour: {
      signs: Keypair
      pageUrl: string | null
      transaction: Record<string, unknown>
      /** Whether the customer's account can receive the asset. */
      hasTrustline: boolean
    }
    let started: Record<string, string>[]

    beforeAll(async () => {
      anchor = await startAnchorServer()
      wallet = await startAnchorServer()
      aggregator = await testAggregator({
        env: { NETWORK_PASSPHRASE: PASSPHRASE, HORIZON_URL: anchor.url },
      })
      platform = `http://127.0.0.1:${await aggregator.server.listen(0, '127.0.0.1')}`
      aggregator.deps.config.publicUrl = platform
      serveAnchor()
      const common = { apiUrl: anchor.url, assets: [{ code: 'USDC', issuer, anchoredTo: 'USD' }] }
      await aggregator.register({ ...common, id: 'mumbai', slug: 'mumbai', domain: anchor.host })
      await aggregator.register({
        ...common,
        id: 'delhi',
        slug: 'delhi',
        domain: 'delhi.example',
        fees: { fixed: '2', percentage: '0.01' },
      })
      browser = await openBrowser()
    })
    afterAll(async () => {
      await browser?.close()
      await aggregator?.drop()
      await anchor?.close()
      await wallet?.close()
    })
    beforeEach(() => {
      started = []
      behaviour = {
        signs: anchorKey,
        hasTrustline: true,
        pageUrl: `${anchor.url}/page`,
        transaction: { id: 't1', kind: 'deposit', status: 'incomplete' },
      }
    })

    function serveAnchor(): void {
      const send = (response: ServerResponse, body: unknown, type = 'application/json') =>
        response
          .writeHead(200, {
            'content-type': type,
            'access-control-allow-origin': '*',
            'access-control-allow-headers': 'authorization, content-type',
          })
          .end(typeof body === 'string' ? body : JSON.stringify(body))
      anchor.on('/health', (_request, response) => send(response, { status: 'ok' }))
      // As the ledger, too.
      anchor.on('/', (_request, response) => send(response, { network_passphrase: PASSPHRASE }))
      anchor.on(`/accounts/${key.publicKey()}`, (_request, response) => {
        const line = { asset_type: 'credit_alphanum4', asset_code: 'USDC', asset_issuer: issuer }
        const balances = behaviour.hasTrustline ? [{ ...line, balance: '0', limit: '1000' }] : []
        const thresholds = { low_threshold: 0, med_threshold: 0, high_threshold: 0 }
        const account = { id: key.publicKey(), sequence: '7', subentry_count: 0, thresholds, signers: [] }
        send(response, { ...account, balances })
      })
      anchor.on('/.well-known/stellar.toml', (_request, response) =>
        send(
          response,
          `NETWORK_PASSPHRASE = "${PASSPHRASE}"\nSIGNING_KEY = "${anchorKey.publicKey()}"\nWEB_AUTH_ENDPOINT = "${anchor.url}/auth"\nTRANSFER_SERVER_SEP0024 = "${anchor.url}/sep24"\n`,
          'text/plain',
        ),
      )
      anchor.on('/auth', (request, response) => {
        if (request.method !== 'GET') return send(response, { token: 'token' })
        const account = new URL(request.url ?? '', anchor.url).searchParams.get('account') ?? ''
        const transaction = WebAuth.buildChallengeTx(
          behaviour.signs,
          account,
          anchor.host,
          300,
          PASSPHRASE,
          anchor.host,
        )
        return send(response, { transaction })
      })
      for (const side of ['deposit', 'withdraw']) {
        anchor.on(`/sep24/transactions/${side}/interactive`, (request, response) => {
          if (request.method === 'OPTIONS') return send(response, {})
          let body = ''
          request.on('data', part => (body += part))
          request.on('end', () => {
            started.push(JSON.parse(body))
            send(response, { id: 't1', url: behaviour.pageUrl })
          })
        })
      }
      anchor.on('/sep24/transaction', (_request, response) =>
        send(response, { transaction: behaviour.transaction }),
      )
      anchor.on('/page', (_request, response) =>
        send(response, '<!doctype html><title>The anchor’s page</title>', 'text/html'),
      )
    }

    /** A wallet's page that allows as little as it can. */
    async function embedded(attributes: string, setUp = '') {
      const policy = [
        "default-src 'none'",
        `script-src 'nonce-n' ${platform}`,
        `connect-src ${platform} ${anchor.url}`,
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
        "base-uri 'none'",
        "form-action 'none'",
      ].join('; ')
      wallet.on('/', (_request, response) =>
        response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy })
          .end(`<!doctype html>
        <html lang="en"><head><title>A wallet</title><meta name="color-scheme" content="light dark"><script type="module" src="${platform}/ramp/windlass-ramp.js"></script></head>
        <body><main><h1>A wallet</h1><windlass-ramp network="testnet" ${attributes}></windlass-ramp></main>
        <script type="module" nonce="n">
          const ramp = document.querySelector('windlass-ramp')
          window.events = []
          for (const name of ['windlass-start', 'windlass-status'])
            ramp.addEventListener(name, ({ type, detail }) => window.events.push([type, detail]))
          ramp.signer = { address: '${key.publicKey()}', sign: xdr => window.signInNode(xdr) }
          ${setUp}
        </script></body></html>`),
      )
      const seen = await visit(browser)
      const signed: string[] = []
      await seen.context.exposeFunction('signInNode', (xdr: string) => {
        signed.push(xdr)
        return sign(xdr)
      })
      await seen.page.goto(wallet.url)
      return { ...seen, signed }
    }

    const sign = (xdr: string) => {
      const transaction = TransactionBuilder.fromXdr(xdr, PASSPHRASE)
      transaction.sign(key)
      return transaction.toXdr()
    }

    /** No accessibility fault, light or dark, at either size. */
    async function expectSound(page: Page, name: string): Promise<void> {
      for (const [size, colorScheme] of [
        ['desktop', 'light'],
        ['phone', 'dark'],
      ] as const) {
        await page.setViewportSize(sizes[size])
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await picture(page, `ramp-${name}-${colorScheme}`)
        expect(await violations(page), `${name} ${colorScheme}`).toEqual([])
        expect(await overflow(page), `${name} ${colorScheme}`).toBe(0)
      }
    }

    const DEPOSIT = 'asset="USDC" rail="UPI" region="IN" amount="100"'
    const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click()

    it('shows the best offers with their fees and the reason, and follows a deposit to its receipt', async () => {
      const { page, context, faults, signed } = await embedded(DEPOSIT)
      await page.getByRole('heading', { name: 'Deposit USDC' }).waitFor()
      await expectSound(page, '1-form')
      await page.getByLabel('Amount in USDC').fill('1,234567891')
      await press(page, 'Compare offers')
      await page.getByText('Enter an amount above 0').waitFor()
      await page.getByLabel('Amount in USDC').fill('100')
      await press(page, 'Compare offers')

      const best = page.locator('.offer').first()
      await best.getByText('Best').waitFor()
      // (100 + 0.5 + 0.5) × 88.5
      await best.getByText('You pay: 8,938.50 INR').waitFor()
      await page.getByText('Service fee (0.5%)').waitFor()
      await page.getByText('Why this anchor?').click()
      await page.getByText('It has the highest score of 2 offers').waitFor()
      await page.getByText('Chosen: mumbai').waitFor()
      await expectSound(page, '2-offers')
      await page.getByRole('radio', { name: /delhi/ }).check()
      await page.getByRole('button', { name: 'Continue at delhi.example' }).waitFor()
      await page.getByRole('radio', { name: new RegExp(anchor.host) }).check()

      const opened = context.waitForEvent('page')
      await press(page, `Continue at ${anchor.host}`)
      const popup = await opened
      await popup.waitForURL(`${anchor.url}/page`)
      expect(await popup.evaluate(() => window.opener)).toBeNull()
      expect(signed).toHaveLength(1)
      expect(started).toEqual([{ asset_code: 'USDC', asset_issuer: issuer, amount: '100', lang: 'en' }])
      await page.getByText('Finish on the anchor’s page.').waitFor()
      await expectSound(page, '3-status')
      behaviour.transaction = {
        ...behaviour.transaction,
        status: 'completed',
        amount_in: '8938.5',
        amount_in_asset: 'iso4217:INR',
        amount_out: '100',
        amount_out_asset: `stellar:USDC:${issuer}`,
        fee_details: { total: '1', asset: `stellar:USDC:${issuer}` },
        stellar_transaction_id: 'ab'.repeat(32),
        more_info_url: `${anchor.url}/page`,
        completed_at: '2026-11-22T20:00:00Z',
        updated_at: '2026-11-22T20:00:00Z',
      }
      await page.getByRole('heading', { name: 'Receipt' }).waitFor()
      await page.getByText('8,938.50 INR').waitFor()
      await expectSound(page, '4-receipt')
      const events = await page.evaluate<[string, { status?: string; id: string }][]>('window.events')
      expect(events.map(([name, { id, status }]) => [name, id, status])).toEqual([
        ['windlass-start', 't1', undefined],
        ['windlass-status', 't1', 'incomplete'],
        ['windlass-status', 't1', 'completed'],
      ])
      expect(faults).toEqual([])
      await context.close()
    })

    it('offers the trustline that a deposit waits for, until the account has it', async () => {
      behaviour.hasTrustline = false
      const { page, context, faults } = await embedded(DEPOSIT)
      await press(page, 'Compare offers')
      const opened = context.waitForEvent('page')
      await press(page, `Continue at ${anchor.host}`)
      await opened
      behaviour.transaction = {
        ...behaviour.transaction,
        status: 'pending_trust',
        amount_out: '100',
        amount_out_asset: `stellar:USDC:${issuer}`,
        updated_at: '2026-11-22T20:00:00Z',
      }
      await page.getByText('Add a trustline for the asset in your wallet.').waitFor()
      const link = page.getByRole('link', { name: 'Add a trustline for USDC' })
      const asked = new URL((await link.getAttribute('href')) ?? '')
      const { operations } = TransactionBuilder.fromXdr(asked.searchParams.get('xdr') ?? '', PASSPHRASE)
      expect(operations).toMatchObject([{ type: 'changeTrust', line: { code: 'USDC', issuer } }])
      await expectSound(page, '3-trustline')
      behaviour.hasTrustline = true
      await press(page, 'Check again')
      await link.waitFor({ state: 'detached' })
      expect(faults).toEqual([])
      await context.close()
    })

    it('signs nothing that the anchor did not sign, and opens no script as a page', async () => {
      behaviour.signs = Keypair.random()
      const { page, context, faults, signed } = await embedded(DEPOSIT)
      const begin = async () => {
        await page.getByRole('button', { name: /Compare offers|Retry/ }).click()
        await press(page, `Continue at ${anchor.host}`)
      }
      await begin()
      await page.getByRole('alert').getByText('could not prove who it is').waitFor()
      expect(signed).toEqual([])
      behaviour.signs = anchorKey
      for (const pageUrl of [
        'javascript:opener.stolen=1',
        'data:text/html,<script>1</script>',
        'http://evil.example/',
        null,
      ]) {
        behaviour.pageUrl = pageUrl
        await begin()
        await page.getByRole('alert').getByText('cannot be opened safely').waitFor()
        expect(context.pages()).toHaveLength(1)
      }
      expect(faults).toEqual([])
      await context.close()
    })

    it('pays a withdrawal with the wallet’s own function, continues a saved transfer, speaks Spanish and takes a theme', async () => {
      const destination = Keypair.random().publicKey()
      behaviour.transaction = {
        id: 't1',
        kind: 'withdrawal',
        status: 'pending_user_transfer_start',
        amount_in: '20',
        amount_in_asset: `stellar:USDC:${issuer}`,
        withdraw_anchor_account: destination,
        withdraw_memo: '77',
        withdraw_memo_type: 'id',
        more_info_url: 'javascript:alert(1)',
      }
      const state = {
        version: 1,
        anchor: {
          anchorId: 'mumbai',
          homeDomain: anchor.host,
          signingKey: anchorKey.publicKey(),
          networkPassphrase: PASSPHRASE,
          endpoints: { webAuth: `${anchor.url}/auth`, transferServerSep24: `${anchor.url}/sep24` },
        },
        account: key.publicKey(),
        protocol: 'sep24',
        kind: 'withdrawal',
        id: 't1',
      }
      const { page, context, faults } = await embedded(
        'kind="withdraw" lang="es" amount="100" asset="USDC" rail="UPI"',
        `ramp.style.setProperty('--windlass-accent', 'rgb(120, 10, 90)')
       ramp.style.setProperty('--windlass-on-accent', 'white')
       window.ramp = ramp
       ramp.pay = async payment => void (window.paid = payment)
       window.resume = () => ramp.resume(${JSON.stringify(state)})`,
      )
      await press(page, 'Comparar ofertas')
      // (100 - 0.5 - 0.5) × 88.5
      await page.getByText('Usted recibe: 8761,50 INR').waitFor()
      const color = await page
        .getByRole('button', { name: `Continuar en ${anchor.host}` })
        .evaluate(button => getComputedStyle(button).backgroundColor)
      expect(color).toBe('rgb(120, 10, 90)')
      // Without a function of the wallet, a link asks any wallet of the device for the payment.
      await page.evaluate('(window.own = window.ramp.pay, window.ramp.pay = null, window.resume())')
      const link = page.getByRole('link', { name: 'Abrir en una billetera de este dispositivo' })
      const asked = new URL((await link.getAttribute('href')) ?? '')
      expect([asked.protocol, asked.pathname]).toEqual(['web+stellar:', 'pay'])
      expect(Object.fromEntries(asked.searchParams)).toEqual({
        ...{ destination, amount: '20', asset_code: 'USDC', asset_issuer: issuer },
        ...{ memo: '77', memo_type: 'MEMO_ID', network_passphrase: PASSPHRASE },
      })
      // The same for the wallet on a phone: its camera reads the code of the link.
      const scanned = page.getByRole('img', { name: 'Código QR del pago' })
      await scanned.waitFor()
      expect(await readQrCode(scanned)).toBe(asked.href)
      await picture(page, 'ramp-5-payment-code-es')
      expect(await violations(page)).toEqual([])
      await page.evaluate('(window.ramp.pay = window.own, window.resume())')
      await page.getByText('Envíe el importe al anchor.').waitFor()
      await page.getByText(destination).waitFor()
      await expectSound(page, '5-payment-es')
      await press(page, 'Enviar 20 USDC')
      await expect
        .poll(() => page.evaluate('window.paid'))
        .toEqual({
          destination,
          amount: '20',
          asset: `USDC:${issuer}`,
          memo: '77',
          memoType: 'id',
        })
      behaviour.transaction = {
        ...behaviour.transaction,
        status: 'completed',
        updated_at: '2026-11-22T20:00:00Z',
      }
      await page.getByRole('heading', { name: 'Recibo' }).waitFor()
      expect(await page.getByRole('link').count()).toBe(0)
      expect(faults).toEqual([])
      await context.close()
    })

    it('has a hosted page whose wallet signs by messages, and which listens to nobody else', async () => {
      const { page, context, faults } = await visit(browser)
      await context.exposeFunction('signInNode', sign)
      wallet.on('/', (_request, response) =>
        response.writeHead(200, { 'content-type': 'text/html' })
          .end(`<!doctype html><title>A wallet</title><button>Deposit</button><script>
          window.messages = []
          addEventListener('message', async ({ data, source, origin }) => {
            window.messages.push(data.type)
            const reply = message => source.postMessage(message, '${platform}')
            if (data.type === 'windlass-ramp:ready') reply({ type: 'windlass-ramp:account', address: '${key.publicKey()}' })
            if (data.type === 'windlass-ramp:sign')
              reply({ type: 'windlass-ramp:signed', id: data.id, transaction: await signInNode(data.transaction) })
          })
          document.querySelector('button').onclick = () =>
            open('${platform}/ramp?${new URLSearchParams({ asset: 'USDC', rail: 'UPI', amount: '5', origin: wallet.url })}')
        </script>`),
      )
      await page.goto(wallet.url)
      const [ramp] = await Promise.all([context.waitForEvent('page'), page.getByRole('button').click()])
      await press(ramp, 'Compare offers')
      await expectSound(ramp, '6-hosted')
      // The page itself is a window of the platform: what it says does not come from the wallet.
      await ramp.evaluate(() =>
        window.postMessage({ type: 'windlass-ramp:account', address: 'GSTRANGER' }, '*'),
      )
      // A page that anyone can open says for whom it acts.
      await ramp.getByText(`Wallet: ${wallet.url}`).waitFor()
      await ramp.getByText(key.publicKey()).waitFor()
      const opened = context.waitForEvent('page')
      await press(ramp, `Continue at ${anchor.host}`)
      await (await opened).waitForURL(`${anchor.url}/page`)
      await expect
        .poll(() => page.evaluate('window.messages'))
        .toEqual(['windlass-ramp:ready', 'windlass-ramp:sign', 'windlass-ramp:start', 'windlass-ramp:status'])
      const { headers } = await aggregator.get('/ramp')
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
      expect(faults).toEqual([])
      await context.close()
    })

    it.each([
      ['en', 'Sandbox: no real money'],
      ['es', 'Entorno de pruebas: sin dinero real'],
    ])('of a sandbox has a hosted page that says so (%s)', async (lang, band) => {
      const sandbox = await testAggregator({ env: { LIVE_URL: 'https://console.example.org' } })
      const address = `http://127.0.0.1:${await sandbox.server.listen(0, '127.0.0.1')}/ramp?lang=${lang}`
      const { page, context } = await visit(browser)
      await page.goto(address)
      await page.getByText(band).waitFor()
      await page.goto(address.replace(/\/ramp.*/, '/docs/guides/founders'))
      await page.getByText('Sandbox: no real money').waitFor()
      expect(await violations(page)).toEqual([])
      await context.close()
      await sandbox.drop()
    })

    describe('opened by the customer themselves', () => {
      const openHosted = async (setUp?: (page: Page) => Promise<unknown>) => {
        const seen = await visit(browser)
        await setUp?.(seen.page)
        await seen.page.goto(`${platform}/ramp?asset=USDC&rail=UPI&amount=5`)
        const toAnchor = async () => {
          await press(seen.page, 'Compare offers')
          await press(seen.page, `Continue at ${anchor.host}`)
        }
        return { ...seen, toAnchor }
      }

      it('connects Freighter, which signs for the account that it shares', async () => {
        const { page, context, faults, toAnchor } = await openHosted(async page => {
          await page.exposeFunction('signInNode', sign)
          await page.addInitScript(address => {
            const answers: Record<string, (data: { transactionXdr: string }) => object | Promise<object>> = {
              REQUEST_CONNECTION_STATUS: () => ({ isConnected: true }),
              REQUEST_ACCESS: () => ({ publicKey: address }),
              SUBMIT_TRANSACTION: async ({ transactionXdr }) => ({
                signedTransaction: await (
                  window as unknown as { signInNode(xdr: string): Promise<string> }
                ).signInNode(transactionXdr),
              }),
            }
            addEventListener('message', ({ data }) => {
              if (data?.source !== 'FREIGHTER_EXTERNAL_MSG_REQUEST') return
              void Promise.resolve(answers[data.type]?.(data)).then(answer =>
                postMessage(
                  { source: 'FREIGHTER_EXTERNAL_MSG_RESPONSE', messagedId: data.messageId, ...answer },
                  location.origin,
                ),
              )
            })
          }, key.publicKey())
        })
        await expectSound(page, '7-connect')
        await press(page, 'Connect Freighter')
        await page.getByRole('heading', { name: 'Connected account' }).waitFor()
        const opened = context.waitForEvent('page')
        await toAnchor()
        await (await opened).waitForURL(`${anchor.url}/page`)
        expect(faults).toEqual([])
        await context.close()
      })

      it('takes an address, whose owner signs in any wallet, and opens the anchor’s page after that', async () => {
        const { page, context, faults, toAnchor } = await openHosted()
        expect(await page.getByRole('button', { name: 'Connect Freighter' }).isVisible()).toBe(false)
        await page.getByText('Another wallet').click()
        await page.getByLabel('Address of your account').fill(key.publicKey().slice(1))
        await press(page, 'Use this account')
        await page.getByRole('alert').getByText('begins with G').waitFor()
        await page.getByLabel('Address of your account').fill(key.publicKey())
        await press(page, 'Use this account')
        await toAnchor()
        await page.getByRole('heading', { name: 'Confirm that the account is yours' }).waitFor()
        await page.getByText('Copy and paste instead').click()
        await expectSound(page, '8-sign')
        expect(started).toEqual([])
        const unsigned = await page.getByLabel('Transaction to sign (XDR)').inputValue()
        await page.getByLabel('Signed transaction (XDR)').fill(sign(unsigned))
        await page.locator('#connect').getByRole('button', { name: 'Continue' }).click()
        await page.getByText('Continue on the anchor’s page with the button below.').waitFor()
        expect(started.length).toBe(1)
        const opened = context.waitForEvent('page')
        await press(page, 'Open the anchor’s page')
        await (await opened).waitForURL(`${anchor.url}/page`)
        expect(faults).toEqual([])
        await context.close()
      })

      const useAddress = async (page: Page) => {
        await page.getByText('Another wallet').click()
        await page.getByLabel('Address of your account').fill(key.publicKey())
        await press(page, 'Use this account')
      }
      /** What a wallet on a phone reads: the code, which is the link. */
      const scan = async (page: Page) => {
        const code = page.getByRole('img', { name: 'QR code of the request to sign' })
        await code.waitFor()
        const link = page.getByRole('link', { name: 'Sign in a wallet on this device' })
        const read = (await readQrCode(code)) ?? ''
        expect(await link.getAttribute('href')).toBe(read)
        const { protocol, pathname, searchParams } = new URL(read)
        expect([protocol, pathname]).toEqual(['web+stellar:', 'tx'])
        return Object.fromEntries(searchParams)
      }
      /** As a wallet sends it; the callback is all that it knows of the page. */
      const deliver = async ({ callback = '' }: Record<string, string>, xdr: string) => {
        const answer = await fetch(callback.replace(/^url:/, ''), {
          method: 'POST',
          body: new URLSearchParams({ xdr }),
        })
        return answer.status
      }

      it('has the challenge signed by a wallet on a phone, which reads a code and names the number of the page', async () => {
        const { page, context, faults, toAnchor } = await openHosted()
        await useAddress(page)
        await toAnchor()
        const asked = await scan(page)
        await expectSound(page, '9-phone')
        expect(asked).toMatchObject({ pubkey: key.publicKey(), network_passphrase: PASSPHRASE })
        const number = await page.locator('#number').innerText()
        const message = asked['msg'] ?? ''
        expect(message).toMatch(new RegExp(`^Number ${number}: sign only if .*opened yourself`))
        expect(message).toContain(anchor.host)
        expect(message).toContain(`…${key.publicKey().slice(-4)}`)
        expect(message).toContain(new URL(platform).host)
        expect(message.length).toBeLessThanOrEqual(300)
        // Nothing but this challenge, and nothing unsigned.
        const other = WebAuth.buildChallengeTx(
          anchorKey,
          key.publicKey(),
          anchor.host,
          300,
          PASSPHRASE,
          anchor.host,
        )
        expect(await deliver(asked, sign(other))).toBe(400)
        expect(await deliver(asked, asked['xdr'] ?? '')).toBe(400)
        expect(await deliver(asked, 'A'.repeat(40_000))).toBe(413)
        expect(await deliver({ callback: `${asked['callback'] ?? ''}x` }, sign(asked['xdr'] ?? ''))).toBe(404)
        expect(started).toEqual([])
        expect(await deliver(asked, sign(asked['xdr'] ?? ''))).toBe(200)
        expect([400, 404]).toContain(await deliver(asked, sign(asked['xdr'] ?? '')))
        await page.getByText('Continue on the anchor’s page with the button below.').waitFor()
        expect(started.length).toBe(1)
        expect(faults).toEqual([])
        await context.close()
      })

      it('of two tabs gives each its own login, and shows a new code once one has ended', async () => {
        const [first, second] = [await openHosted(), await openHosted()]
        for (const { page, toAnchor } of [first, second]) {
          await useAddress(page)
          await toAnchor()
        }
        const [one, other] = [await scan(first.page), await scan(second.page)]
        expect(await deliver(other, sign(one['xdr'] ?? ''))).toBe(400)
        await aggregator.deps.database.pool.query(
          'update signed_logins set expires_at = now() where id = $1',
          [one['callback']?.split('/').at(-1)],
        )
        await first.page.getByText('This code is no longer valid.').waitFor()
        expect(await deliver(one, sign(one['xdr'] ?? ''))).toBe(404)
        await press(first.page, 'Show a new code')
        const again = await scan(first.page)
        expect(again['callback']).not.toBe(one['callback'])
        expect(await deliver(again, sign(again['xdr'] ?? ''))).toBe(200)
        await first.page.getByText('Continue on the anchor’s page with the button below.').waitFor()
        expect(await second.page.getByText('Waiting for your wallet').isVisible()).toBe(true)
        expect(await deliver(other, sign(other['xdr'] ?? ''))).toBe(200)
        await second.page.getByText('Continue on the anchor’s page with the button below.').waitFor()
        for (const { context, faults } of [first, second]) {
          expect(faults).toEqual([])
          await context.close()
        }
      })

      it('says with an address alone, before any login, that its account lacks a trustline, and how to add it', async () => {
        behaviour.hasTrustline = false
        const { page, context, faults } = await openHosted()
        await useAddress(page)
        await press(page, 'Compare offers')
        await page.getByText('This account cannot receive USDC yet.').waitFor()
        await page.getByText('The account has no trustline for USDC.').waitFor()
        const link = page.getByRole('link', { name: 'Add a trustline for USDC' })
        const asked = new URL((await link.getAttribute('href')) ?? '')
        const { operations } = TransactionBuilder.fromXdr(asked.searchParams.get('xdr') ?? '', PASSPHRASE)
        expect(operations).toMatchObject([{ type: 'changeTrust', line: { code: 'USDC', issuer } }])
        const code = page.getByRole('img', { name: 'QR code of the trustline' })
        await code.waitFor()
        expect(await readQrCode(code)).toBe(asked.href)
        await expectSound(page, '10-trustline')
        expect(started).toEqual([])
        behaviour.hasTrustline = true
        await press(page, 'Check again')
        await page.getByText('This account cannot receive USDC yet.').waitFor({ state: 'detached' })
        expect(faults).toEqual([])
        await context.close()
      })

      it('connects Albedo in a window of its own, and ends when that is closed', async () => {
        const { page, context, faults, toAnchor } = await openHosted(async page => {
          await page.context().exposeFunction('signInNode', sign)
          await page.context().route('https://albedo.link/**', route =>
            route.fulfill({
              contentType: 'text/html',
              body: `<!doctype html><title>Albedo</title><script>
                addEventListener('message', async ({ data }) => {
                  const answer = data.intent === 'tx'
                    ? { signed_envelope_xdr: await signInNode(data.xdr) }
                    : { pubkey: '${key.publicKey()}' }
                  opener.postMessage({ albedoIntentResult: { __reqid: data.__reqid, ...answer } }, '*')
                })
                opener.postMessage({ albedo: { protocol: 3 } }, '*')
              </script>`,
            }),
          )
        })
        await press(page, 'Connect Albedo')
        await page.getByRole('heading', { name: 'Connected account' }).waitFor()
        await toAnchor()
        await press(page, 'Confirm in Albedo')
        await page.getByText('Continue on the anchor’s page with the button below.').waitFor()
        expect(started.length).toBe(1)
        await context.unroute('https://albedo.link/**')
        await context.route('https://albedo.link/**', route => route.fulfill({ body: 'closed soon' }))
        await press(page, 'Change wallet')
        const opened = context.waitForEvent('page')
        await press(page, 'Connect Albedo')
        await (await opened).close()
        await page.getByRole('alert').getByText('was closed').waitFor()
        expect(faults).toEqual([])
        await context.close()
      })
    })

    it('says that no wallet is connected, and that no anchor can do it', async () => {
      const { page, context } = await embedded(DEPOSIT, 'ramp.signer = null')
      await press(page, 'Compare offers')
      await press(page, `Continue at ${anchor.host}`)
      await page.getByRole('alert').getByText('No wallet is connected').waitFor()
      await page.evaluate(() => document.querySelector('windlass-ramp')?.setAttribute('region', 'BR'))
      await press(page, 'Compare offers')
      await page.getByRole('alert').getByText('No anchor can do this now').waitFor()
      // Properties that are set before the script has loaded count.
      const early = await page.evaluate(() => {
        const ramp = document.implementation.createHTMLDocument('').createElement('windlass-ramp')
        Object.assign(ramp, { signer: { address: 'GEARLY' }, pay: () => 'paid' })
        document.body.append(ramp)
        const { signer, pay } = ramp as unknown as { signer: { address: string }; pay(): string }
        return [ramp.shadowRoot !== null, Object.keys(ramp), signer.address, pay()]
      })
      expect(early).toEqual([true, [], 'GEARLY', 'paid'])
      await context.close()
    })
  },
)
