import {
  Browser,
  fundedWallet,
  give,
  openTrustline,
  registerWallet,
} from '@windlass/sep-server/testing/wallet.ts'
import { hasChromium, openBrowser } from '@windlass/ui/testing/browser.ts'
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Keypair } from '@stellar/stellar-sdk'
import { build, preview } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHECKOUT, COMPILES_WITHIN_MS, install, type Project } from './installed-packages.ts'
import { startWalletStand, type WalletStand } from './wallet-stand.ts'

const EXAMPLES = join(CHECKOUT, 'examples')
const root = mkdtempSync(join(tmpdir(), 'examples-'))

/** The example beside what npm would install for it. */
function withPackages(example: string, name: string): Project {
  const project = install(name, join(root, example))
  cpSync(join(EXAMPLES, example), project.folder, { recursive: true })
  return project
}

describe('the examples', () => {
  let stand: WalletStand
  beforeAll(async () => {
    stand = await startWalletStand()
  }, COMPILES_WITHIN_MS)
  afterAll(async () => {
    rmSync(root, { recursive: true, force: true })
    await stand.stop()
  })

  it('are all listed, and ask for versions that there are', () => {
    const page = readFileSync(join(EXAMPLES, 'README.md'), 'utf8')
    for (const { name } of readdirSync(EXAMPLES, { withFileTypes: true }).filter(each =>
      each.isDirectory(),
    )) {
      expect(page).toContain(`[${name}](${name})`)
      const { dependencies } = JSON.parse(readFileSync(join(EXAMPLES, name, 'package.json'), 'utf8'))
      for (const [dependency, range] of Object.entries(dependencies)) {
        const folder = dependency.startsWith('@windlass/')
          ? join(CHECKOUT, 'packages', dependency.slice('@windlass/'.length))
          : join(CHECKOUT, 'node_modules', dependency)
        const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
        expect([dependency, range]).toEqual([dependency, `^${version}`])
      }
    }
  })

  it(
    'withdraw: the program begins, pays when the customer has confirmed, and ends when the bank has paid',
    async () => {
      const { folder } = withPackages('withdraw', 'wallet')
      const { running } = stand
      const key = await fundedWallet(running)
      await openTrustline(running, key)
      await give(running, key, '50')
      registerWallet(running, key)
      const program = spawn(process.execPath, ['withdraw.js'], {
        cwd: folder,
        env: { ...process.env, ...stand.environment, WALLET_SECRET: key.secret() },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const lines: string[] = []
      for await (const line of createInterface(program.stdout)) {
        lines.push(line)
        const url = /^Open (.+)$/.exec(line)?.[1]
        if (url) await agree(url)
      }
      expect(lines).toContain('paid 10 LOTUS')
      expect(lines.at(-1)).toBe('completed')
    },
    COMPILES_WITHIN_MS,
  )

  async function agree(url: string): Promise<void> {
    const browser = new Browser(stand.running)
    await browser.open(url)
    const [{ id } = { id: '' }] = await stand.running.query<{ id: string }>(
      'select id from business.transfers order by created_at desc limit 1',
    )
    await browser.submit(`/interactive/t/${id}/details`, { amount: '10', dest: 'asha@upi' })
    await browser.submit(`/interactive/t/${id}/confirm`)
  }

  it.runIf(hasChromium('the example of a page with the ramp'))(
    'page: a visitor without an account deposits, and the page adds the trustline',
    async () => {
      const { folder } = withPackages('page', 'ramp')
      const { AGGREGATOR = '', HORIZON = '', FRIENDBOT = '', HTTP_PROXY = '' } = stand.environment
      const env = { VITE_AGGREGATOR: AGGREGATOR, VITE_HORIZON: HORIZON, VITE_FRIENDBOT: FRIENDBOT }
      const define = Object.fromEntries(
        Object.entries(env).map(([name, value]) => [`import.meta.env.${name}`, JSON.stringify(value)]),
      )
      await build({ root: folder, define, logLevel: 'error' })
      const site = await preview({ root: folder, preview: { port: 0, host: '127.0.0.1' }, logLevel: 'error' })
      const browser = await openBrowser()
      const context = await browser.newContext({ proxy: { server: HTTP_PROXY, bypass: '<-loopback>' } })
      const page = await context.newPage()
      await page.goto(site.resolvedUrls?.local[0] ?? '')
      const account = (await page.locator('#account').innerText()).slice('Account '.length)
      registerWallet(stand.running, Keypair.fromPublicKey(account))
      await page.getByRole('button', { name: 'Compare offers' }).click()
      const opens = context.waitForEvent('page')
      await page.getByRole('button', { name: /^Continue at/ }).click()
      const popup = await opens
      await popup.getByRole('button', { name: 'Confirm' }).click()
      await popup.getByRole('button', { name: 'Simulate my payment' }).click()
      await page.getByRole('heading', { name: 'Receipt' }).waitFor()
      await browser.close()
      await site.close()
    },
    COMPILES_WITHIN_MS,
  )
})
