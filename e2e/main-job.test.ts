import { Account, Asset, BASE_FEE, Operation, TransactionBuilder } from '@stellar/stellar-sdk'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import { readAccount } from '@windlass/stellar/horizon-account.ts'
import { ledgerIn } from '@windlass/stellar/network.ts'
import { findInMail, mailsTo } from '@windlass/windlass/demo/mailbox.ts'
import { STEPS } from '@windlass/windlass/demo/steps.ts'
import { beginStory, made, type Story } from '@windlass/windlass/demo/story.ts'
import { tokenAt } from '@windlass/windlass/demo/wallet.ts'
import { walk } from '@windlass/windlass/demo/walk.ts'
import { listNotifications } from '@windlass/contracts/platform/notifications.ts'
import { setWorkspaceTreasurySettings } from '@windlass/contracts/platform/workspace-records.ts'
import { loadWorkspaceSanctionsList } from '@windlass/contracts/platform/workspace-compliance.ts'
import type { CheckResult } from '@windlass/contracts/platform/wallet-checks.ts'
import { childEnvironment } from '@windlass/testing/processes.ts'
import { hasChromium, openBrowser, visit, type Watched } from '@windlass/ui/testing/browser.ts'
import type { Browser } from 'playwright-core'
import { homeAt } from '@windlass/windlass/home.ts'
import { anchorServers, leftServices } from '@windlass/windlass/leftovers.ts'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { foundersOf } from './founders.ts'
import { raiseWholeStack, type RaisedStack } from './raised-stack.ts'

let stack: RaisedStack
/** The demo that the first test walked. */
let walked: Story
beforeAll(async () => {
  stack = await raiseWholeStack()
})
afterAll(() => stack?.remove())

describe('the whole stack', () => {
  it('walks the main job over public HTTP: every step of the demo holds', async () => {
    const { held, of, story } = await walk(STEPS, stack.variables, stack.progress, true)
    walked = story
    expect(stack.said.filter(line => line.startsWith('failed'))).toEqual([])
    expect(held).toBe(of)
    expect(stack.said.join('\n')).toMatch(/127\.0\.0\.1 lotus-\w+\.anchors\.localhost harbor-/)
  })

  it('raises three anchors that are redeemed at the same moment', async () => {
    const founders = foundersOf(stack.variables)
    const tokens: string[] = []
    while (tokens.length < 3) tokens.push(await founders.invite())
    const raised = await Promise.all(tokens.map(token => founders.redeem(token)))
    expect(raised.map(({ job }) => job.status)).toEqual(tokens.map(() => 'completed'))
    expect(new Set(raised.map(({ anchorId }) => anchorId)).size).toBe(3)
  })

  it.runIf(process.getuid?.() === 0)(
    'started as root, runs every service and every anchor’s server as a user of its own',
    async () => {
      const home = homeAt(stack.home)
      const processes = [...(await leftServices(home)), ...(await anchorServers(home))]
      const users = processes.map(({ name, pid }) => {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8')
        return { name, uids: /^Uid:\s+(.*)$/m.exec(status)?.[1]?.split('\t') ?? [] }
      })
      expect(users.length).toBeGreaterThan(20)
      // Backups read Postgres' own files and every key: they run as the launcher does (ADR 132).
      const own = users.filter(({ name }) => name !== 'backups')
      expect(own.filter(({ uids }) => uids.length !== 4 || uids.includes('0'))).toEqual([])
      expect(new Set(users.map(({ uids }) => uids.join())).size).toBe(users.length)
    },
  )

  it('has run the wallet compatibility check on every active anchor, and all of them passed', async () => {
    const platform = new pg.Client(stack.variables.PLATFORM_DATABASE_URL)
    await platform.connect()
    try {
      const failed = async () => {
        const { rows } = await platform.query<{ subdomain: string; results: CheckResult[] | null }>(
          `select a.subdomain, r.results from anchors a
           left join wallet_check_reports r on r.anchor_id = a.id where a.status = 'active'`,
        )
        expect(rows.length).toBeGreaterThan(0)
        return rows.flatMap(({ subdomain, results }) => {
          if (!results) return [`${subdomain} was not checked`]
          return results.filter(({ passed }) => !passed).map(({ name }) => `${subdomain}: ${name}`)
        })
      }
      await expect.poll(failed).toEqual([])
    } finally {
      await platform.end()
    }
  })

  it('is asked from another terminal whether its audit log is whole', async () => {
    const command = fileURLToPath(new URL('../apps/windlass/main.ts', import.meta.url))
    const asked = await promisify(execFile)(process.execPath, [command, 'audit:verify'], {
      env: {
        ...childEnvironment(),
        WINDLASS_HOME: stack.home,
        LOCAL_NETWORK_PORT: stack.variables.LOCAL_NETWORK_PORT,
      },
    })
    expect(asked.stdout).not.toContain('Horizon does not answer')
    expect(asked.stdout).toMatch(/The audit log is whole: [1-9]\d* entries\./)
  })

  it('lets an administrator who is signed in route a transaction from the console', async () => {
    const answer = await fetch(`${stack.variables.ADMIN_CONSOLE_URL}/aggregator/route`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        cookie: 'ns_admin=any',
        origin: stack.variables.ADMIN_CONSOLE_URL ?? '',
      },
      body: JSON.stringify({ amount: '100', asset: 'NOBODY', rail: 'UPI' }),
    })
    expect([answer.status, (await answer.json()).code]).toEqual([404, 'no-eligible-anchor'])
  })

  it('answers every health check of the specification', async () => {
    const { variables } = stack
    const addresses = [
      ...['PLATFORM_URL', 'CONTROL_PLANE_URL', 'AGGREGATOR_URL', 'SECRETS_ENDPOINT'].map(
        name => `${variables[name]}/health`,
      ),
      ...['FOUNDER_CONSOLE_URL', 'ADMIN_CONSOLE_URL', 'CUSTOMER_PORTAL_URL'].map(
        name => `${variables[name]}/`,
      ),
      `http://localhost:${variables.DASHBOARD_PORT}/`,
    ]
    const statuses = await Promise.all(
      addresses.map(async address => [address, (await fetch(address)).status]),
    )
    expect(statuses).toEqual(addresses.map(address => [address, 200]))
  })
})

describe('an anchor of the demo', () => {
  let story: Story
  beforeAll(() => {
    // With a wallet and a customer of its own.
    const { first, operator } = walked
    story = { ...beginStory(stack.variables), first, operator }
  })
  afterAll(() => story?.anchors.close())

  it('takes a deposit of a wallet that nobody knows, whose owner is known everywhere after', async () => {
    const { homeDomain = '', issuer = '', assetCode = '' } = made(story.first.anchor, 'anchor')
    const address = story.wallet.publicKey()
    await openAccountWithTrustline(story, new Asset(assetCode, issuer))
    const authorization = `Bearer ${await tokenAt(story, story.first)}`
    const begun = await story.anchors.request(`http://${homeDomain}/sep24/transactions/deposit/interactive`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ asset_code: assetCode, amount: '100' }),
    })
    const { id, url }: { id: string; url: string } = JSON.parse(begun.text)
    const page = browserAt(story, homeDomain, `/interactive/t/${id}`)

    expect(await page.open(url)).toContain('Email address')
    expect(await page.submit('email', { email: story.customerEmail })).toContain('6-digit code')
    const code = await findInMail(story, story.customerEmail, /\b(\d{6})\b/)
    expect(await page.submit('code', { code })).toContain('Verify my identity')
    expect(await page.submit('verify')).toContain('Test identity check')
    await expect.poll(() => page.open(), { timeout: 60_000, interval: 300 }).toContain('Review and confirm')
    expect(await page.submit('confirm')).toContain('Simulate my payment')
    await page.submit('paid')
    await expect.poll(() => page.open(), { timeout: 60_000, interval: 300 }).toContain('<h1>Completed</h1>')

    const account = await readAccount(ledgerIn(stack.variables), address)
    expect(account?.balances.find(({ asset }) => asset === `${assetCode}:${issuer}`)?.balance).toBe(
      '100.0000000',
    )
    const registered = await fetch(
      `${stack.variables.PLATFORM_URL}/api/v1/internal/customers/kyc?walletAddress=${address}`,
      { headers: { 'x-service-secret': stack.variables.SERVICE_SECRET ?? '' } },
    )
    expect(await registered.json()).toMatchObject({ status: 'ACCEPTED', verified: true })
  })

  it('loads a sanctions list that its owner uploads', async () => {
    const { operator, first } = story
    const params = { anchorId: made(first.anchorId, 'anchor') }
    const loaded = await operator.call(loadWorkspaceSanctionsList, {
      params,
      query: { fileName: 'sdn.csv' },
      body: Buffer.from(`7,"ROSE, Amber","individual","SDGT"${',-0- '.repeat(8)}\r\n`),
    })
    expect(loaded).toMatchObject({ source: 'OFAC', entries: 1 })
  })

  it('emails its owner when it lacks XLM, and when it has enough again', async () => {
    const { operator, first } = story
    const params = { anchorId: made(first.anchorId, 'anchor') }
    const least = (xlmLow: string) =>
      operator.call(setWorkspaceTreasurySettings, {
        params,
        body: { low: '1', ceiling: null, coldAccount: null, xlmLow },
      })
    const subjects = async () => (await mailsTo(story, first.email)).map(({ subject }) => subject)
    const received = { timeout: 90_000, interval: 500 }

    await least('1000000')
    await expect.poll(subjects, received).toContainEqual(expect.stringContaining('XLM is low'))
    const [open] = await operator.call(listNotifications, { params, query: { open: true } })
    expect(open).toMatchObject({ kind: 'xlm-low', detail: expect.stringContaining('1000000 XLM') })
    await least('1')
    await expect.poll(subjects, received).toContainEqual(expect.stringContaining('enough XLM again'))
    const mails = (await subjects()).filter(subject => subject.includes('XLM'))
    expect(mails).toHaveLength(2)
  }, 240_000)
})

async function openAccountWithTrustline({ wallet }: Story, asset: Asset): Promise<void> {
  const { FRIENDBOT_URL = '', NETWORK_PASSPHRASE = '' } = stack.variables
  await (await fetch(`${FRIENDBOT_URL}?addr=${wallet.publicKey()}`)).text()
  const account = made(
    await readAccount(ledgerIn(stack.variables), wallet.publicKey()),
    'account of the wallet',
  )
  const transaction = new TransactionBuilder(new Account(account.id, account.sequence), {
    fee: BASE_FEE,
    networkPassphrase: NETWORK_PASSPHRASE,
    timebounds: { minTime: 0, maxTime: 0 },
  })
    .addOperation(Operation.changeTrust({ asset }))
    .build()
  transaction.sign(wallet)
  expect(await createHorizon(ledgerIn(stack.variables)).submit(transaction.toXdr())).toEqual({
    outcome: 'applied',
  })
}

/** A customer's browser on the pages of one transaction, over the reverse proxy: keeps the cookie, follows redirects. */
function browserAt(story: Story, homeDomain: string, base: string) {
  const origin = `http://${homeDomain}`
  let cookie = ''
  const go = async (url: string, init: { method?: 'POST'; body?: string } = {}): Promise<string> => {
    const form = init.body === undefined ? undefined : 'application/x-www-form-urlencoded'
    const answer = await story.anchors.request(url.startsWith('http') ? url : origin + url, {
      ...init,
      headers: { cookie, origin, ...(form ? { 'content-type': form } : {}) },
      timeout: 15_000,
    })
    const set = [answer.headers['set-cookie']].flat()[0]
    if (set) cookie = set.split(';')[0] ?? ''
    const { location } = answer.headers
    return answer.status === 303 && typeof location === 'string' ? go(location) : answer.text
  }
  return {
    open: (url = base) => go(url),
    submit: (act: string, fields: Record<string, string> = {}) =>
      go(`${base}/${act}`, { method: 'POST', body: new URLSearchParams(fields).toString() }),
  }
}

describe.runIf(hasChromium('the onboarding journey in a browser'))(
  'a founder and an administrator in their browsers',
  () => {
    const company = 'Tidewater Pay'
    const email = 'mira@tidewater.example'
    let browser: Browser
    let founder: Watched
    let administrator: Watched

    beforeAll(async () => {
      browser = await openBrowser()
      founder = await visit(browser)
      administrator = await visit(browser)
      for (const { context } of [founder, administrator]) context.setDefaultTimeout(120_000)
    })
    afterAll(() => browser?.close())

    it('apply, approve, open the mail, redeem and watch the seven stages to the end', async () => {
      await apply()
      await approve()
      await redeem(await redeemLink())
      const { page } = founder
      await page.getByRole('heading', { level: 1, name: 'Your anchor is live' }).waitFor({ timeout: 120_000 })
      await page.getByText('tidewater.anchors.localhost').first().waitFor()
      expect(page.url()).toMatch(/\/provisioning\/[\w-]{22,}$/)
      await page.reload()
      await page.getByRole('heading', { level: 1, name: 'Your anchor is live' }).waitFor()
      expect([...founder.faults, ...administrator.faults]).toEqual([])
    }, 240_000)

    async function apply(): Promise<void> {
      const { page } = founder
      await page.goto(`${stack.variables.FOUNDER_CONSOLE_URL}/apply/company`)
      await page.getByLabel('Country of registration').first().selectOption('IN')
      await page.getByLabel('Company name').first().fill(company)
      await page.getByLabel('Business email').first().fill(email)
      await page.getByRole('link', { name: 'Check and send' }).click()
      await page.getByRole('button', { name: 'Send application' }).click()
      await page.getByRole('heading', { level: 1, name: 'Application sent' }).waitFor()
    }

    async function approve(): Promise<void> {
      const { page } = administrator
      const { ADMIN_CONSOLE_URL, ADMIN_USERNAME = '', ADMIN_PASSWORD = '' } = stack.variables
      await page.goto(`${ADMIN_CONSOLE_URL}/`)
      await page.getByLabel('User name or email').first().fill(ADMIN_USERNAME)
      await page.getByLabel('Password').first().fill(ADMIN_PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('link', { name: 'Applications', exact: true }).first().click()
      await page.getByRole('link', { name: company }).first().click()
      await page
        .getByRole('button', { name: /^Approve/ })
        .first()
        .click()
      await page
        .getByText(/redeem#token=/)
        .first()
        .waitFor()
    }

    async function redeemLink(): Promise<string> {
      const story = beginStory(stack.variables)
      await expect.poll(() => linksTo(story)).not.toHaveLength(0)
      const [link = ''] = await linksTo(story)
      return link
    }

    const linksTo = async (story: ReturnType<typeof beginStory>): Promise<string[]> =>
      (await mailsTo(story, email)).flatMap(({ text }) => /https?:\S+#token=\S+/.exec(text)?.[0] ?? [])

    async function redeem(link: string): Promise<void> {
      const { page } = founder
      await page.goto(link)
      await page.getByLabel('Subdomain').fill('tidewater')
      await page.getByText('tidewater.anchors.localhost').first().waitFor()
      await page.getByLabel('Your full name').fill('Mira Holm')
      await page.getByLabel('Password').first().fill('tide and 4 barnacles')
      await page.getByRole('button', { name: 'Launch anchor' }).click()
      await page.waitForURL(/\/provisioning\//)
    }
  },
)
