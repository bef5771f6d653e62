import { readFile } from 'node:fs/promises'
import type { AnchorSummary } from '@windlass/contracts/anchor/business-server.ts'
import type { RegisterEntry } from '@windlass/contracts/anchor/registers.ts'
import type { RiskRules } from '@windlass/contracts/anchor/risk-rating.ts'
import { setWorkspaceRiskRules } from '@windlass/contracts/platform/workspace-compliance.ts'
import {
  getWorkspaceTreasury,
  listWorkspaceCustomers,
  listWorkspaceTransactions,
} from '@windlass/contracts/platform/workspace-records.ts'
import {
  addToWorkspaceRegister,
  listWorkspaceRegister,
} from '@windlass/contracts/platform/workspace-registers.ts'
import { getWorkspace, type Workspace } from '@windlass/contracts/platform/workspaces.ts'
import { endOperatorSession } from '@windlass/contracts/platform/operators.ts'
import { hasChromium, openPage, picture, visit } from '@windlass/ui/testing/browser.ts'
import { consoleInBrowser } from '@windlass/ui/testing/console-under-test.ts'
import { shippedScripts } from '@windlass/ui/testing/shipped-scripts.ts'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { answerScreening } from './testing/compliance.ts'
import { answerOperators } from './testing/operators.ts'
import {
  ANCHOR,
  DOMAIN,
  operatorsState,
  transaction,
  workspace,
  type OperatorsState,
} from './testing/operators-state.ts'

const emptyTreasury = ({ code, issuer = '', anchoredTo }: Workspace['asset']): AnchorSummary => ({
  status: 'ok',
  treasury_capacity: '0',
  assets: [{ code, issuer, anchoredTo, balance: '0', reserved: '0' }],
  ledger: { connected: true, lastLedger: 4711, observerLag: 0 },
  treasury: {
    ...{ low: '10000', ceiling: null, coldAccount: null, xlmLow: '1', cold: '0' },
    ...{ outflowPerDay: null, daysLeft: null },
    topUp: { account: workspace.distribution ?? '', memo: 'top-up' },
  },
  waiting: null,
  rails: [],
  version: '0.1.0',
})

describe.runIf(hasChromium('the workspaces in a browser'))('the workspaces', () => {
  const console = consoleInBrowser(import.meta.dirname)
  let state: OperatorsState

  beforeEach(() => {
    state = operatorsState()
    answerOperators(console.platform, state)
  })

  const open = async (page: Page, path: string, heading: string): Promise<void> => {
    await page.goto(console.url + path)
    await page.getByRole('heading', { name: heading, exact: true }).waitFor()
  }

  const askForCode = async (page: Page): Promise<void> => {
    await page.getByLabel('Email').fill('mira@harbour.example')
    await page.getByRole('button', { name: 'Send code' }).click()
    await page.getByRole('heading', { name: 'Enter the code' }).waitFor()
  }

  test('customers are found by the status of their identity check, and a filter without a match can be removed', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/customers`, 'Customers')
    await page.getByLabel('Identity').selectOption('Verified')
    await page.waitForURL(/status=ACCEPTED/)
    await expect.poll(() => page.getByRole('table').getByText('Not verified').count()).toBe(0)
    await page.getByLabel('Identity').selectOption('Rejected')
    await page.getByText('No customer matches the filters').waitFor()
    await page.getByRole('link', { name: 'Show all' }).click()
    await page.waitForURL(url => url.search === '')
  })

  test('a list is sorted, a hidden column stays hidden, and all rows are saved as CSV', async () => {
    const customer = { account: transaction.account, memo: null, status: 'ACCEPTED' } as const
    const rows = ['Zoë Marsh', 'Ada Quay', null].map((name, at) => ({
      ...{ ...customer, id: `cus_${at}`, name, createdAt: transaction.createdAt },
    }))
    console.platform.answer(listWorkspaceCustomers, () => rows)
    const { page } = await openPage(console.browser, 'operator')
    const path = `/workspaces/${ANCHOR}/customers`
    await open(page, path, 'Customers')
    const names = () => page.locator('tbody tr td:nth-child(2)').allTextContents()
    await page.getByRole('button', { name: 'Name', exact: true }).click()
    await expect.poll(names).toEqual(['Name Ada Quay', 'Name Zoë Marsh', 'Name –'])
    await page.getByRole('button', { name: 'Name', exact: true }).click()
    await expect.poll(names).toEqual(['Name Zoë Marsh', 'Name Ada Quay', 'Name –'])
    await page.getByText('Columns').click()
    await page.getByRole('checkbox', { name: 'Memo' }).uncheck()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as CSV' }).click()
    const file = await download
    expect(file.suggestedFilename()).toMatch(/-customers\.csv$/)
    const text = await readFile(await file.path(), 'utf8')
    expect(text).toContain(`${transaction.account},Zoë Marsh,${transaction.createdAt},Verified`)
    await open(page, path, 'Customers')
    await page.getByRole('columnheader', { name: 'Name' }).waitFor()
    expect(await page.getByRole('columnheader', { name: 'Memo' }).count()).toBe(0)
  })

  test('an incident has its day where the operator is, and a register is saved whole', async () => {
    answerScreening(console.platform)
    const entry = (over: Partial<RegisterEntry>): RegisterEntry => ({
      ...{ id: 'entry_1', number: 1, register: 'incidents', category: 'outage', title: 'Bank away' },
      ...{ happenedAt: '2026-11-19T15:00:00.000Z', subject: null, status: 'open', closedAt: null },
      ...{ customers: 3, amount: '10', currency: 'EUR', cause: 'A certificate ended.', steps: [] },
      ...{ createdAt: '2026-11-20T10:00:00.000Z', ...over },
    })
    let entries: RegisterEntry[] = []
    let entered: unknown
    console.platform.answer(listWorkspaceRegister, ({ params }) =>
      params.register === 'incidents' ? entries : [],
    )
    console.platform.answer(addToWorkspaceRegister, ({ body }) => {
      entered = body
      entries = [entry({})]
      return entry({})
    })
    const { page, context, faults } = await visit(console.browser, 'operator', undefined, 'Asia/Tokyo')
    await open(page, `/workspaces/${ANCHOR}/compliance`, 'Incidents')
    await page.getByRole('button', { name: 'Enter incident' }).click()
    const panel = page.getByRole('dialog')
    await panel.getByLabel('What, in one line').fill('Bank away')
    await panel.getByLabel('What happened').fill('No answer.')
    await panel.getByLabel('Day').fill('2026-11-20')
    await panel.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('cell', { name: 'Bank away' }).waitFor()
    expect(entered).toMatchObject({ title: 'Bank away', happenedAt: '2026-11-19T15:00:00.000Z' })
    const section = page.locator('section', {
      has: page.getByRole('heading', { name: 'Incidents', exact: true }),
    })
    // The page has not loaded it.
    entries = [...entries, entry({ id: 'entry_2', number: 2, title: 'No payouts', status: 'closed' })]
    const download = page.waitForEvent('download')
    await section.getByRole('button', { name: 'Save as CSV' }).last().click()
    const text = await readFile(await (await download).path(), 'utf8')
    for (const part of ['1,Bank away,Outage', '2,No payouts,Outage', 'Closed', 'EUR', 'A certificate ended.'])
      expect(text).toContain(part)
    expect(faults).toEqual([])
    await context.close()
  })

  test('what follows from a rating is changed by itself, from what it is', async () => {
    answerScreening(console.platform)
    let changed: RiskRules | undefined
    console.platform.answer(setWorkspaceRiskRules, ({ body }) => {
      changed = (body as { rules: RiskRules }).rules
      return { history: [] }
    })
    const { page, faults } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/compliance`, 'Risk of customers')
    const months = page.getByRole('dialog').getByLabel('Months until the next review')
    await page.getByRole('button', { name: 'Change what follows from the rating: High' }).click()
    expect(await months.inputValue()).toBe('12')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Change what follows from the rating: Low' }).click()
    expect(await months.inputValue()).toBe('36')
    await months.fill('24')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(changed?.measures).toMatchObject({
      ...{ low: { reviewMonths: 24 }, normal: { reviewMonths: 36 }, high: { reviewMonths: 12 } },
    })
    expect(faults).toEqual([])
  })

  test('a customer is opened with their transactions and identity check, and gets a note', async () => {
    const { page, faults } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/customers`, 'Customers')
    await page.getByRole('table').getByRole('link').first().click()
    const panel = page.getByRole('dialog', { name: 'Customer' })
    await panel.getByText('Passport seen.').waitFor()
    await panel.getByText('photo_id_front').waitFor()
    await panel.getByText('Different', { exact: true }).waitFor()
    await panel.getByRole('link', { name: 'Deposit' }).first().waitFor()
    await panel.getByLabel('New note').fill('Called about a payout.')
    await panel.getByRole('button', { name: 'Add note' }).click()
    await panel.getByRole('listitem').getByText('Called about a payout.').waitFor()
    expect(await panel.getByLabel('New note').inputValue()).toBe('')
    await page.keyboard.press('Escape')
    await page.waitForURL(url => url.search === '')
    expect(faults).toEqual([])
  })

  test('an operation of the API is read about and sent with the reader’s own key, which is not kept', async () => {
    const { page, faults } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/developers`, 'API reference')
    expect(await page.getByText('Whether it is healthy').count()).toBe(0)
    await page.getByText('One deposit or withdrawal').click()
    await page.getByText('There is no such transaction').waitFor()
    await page.getByRole('button', { name: 'Send GET request' }).click()
    await page.getByRole('link', { name: 'Enter an API key of this anchor' }).waitFor()
    await page.getByRole('link', { name: 'Enter id' }).waitFor()
    await page.getByLabel('API key').fill('wl_test_mine')
    await page.getByLabel('id', { exact: true }).fill('tx/1')
    await page.getByRole('button', { name: 'Send GET request' }).click()
    await page.getByLabel('Body of the answer').getByText('tx_1').waitFor()
    const sent = () => console.platform.requests.findLast(({ line }) => line.endsWith('developer-requests'))
    expect(sent()?.asked.body).toEqual({
      method: 'GET',
      path: '/api/v1/transactions/tx%2F1',
      key: 'wl_test_mine',
    })
    // The next operation has the key already, and a body to start from.
    await page.getByText('Registers an endpoint').click()
    await page.getByRole('button', { name: 'Send POST request' }).click()
    await expect
      .poll(() => sent()?.asked.body)
      .toEqual({
        method: 'POST',
        path: '/api/v1/webhook-endpoints',
        key: 'wl_test_mine',
        body: JSON.stringify({ url: 'https://example.org/hook' }, null, 2),
      })
    expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))).not.toContain('wl_test')
    expect(page.url()).not.toContain('wl_test')
    expect(faults).toEqual([])
  })

  test('a visitor who never signed in is led to the sign-in and back, without a refused request', async () => {
    state.session = 'none'
    const { page } = await openPage(console.browser)
    await open(page, `/workspaces/${ANCHOR}/keys`, 'Sign in')
    expect(console.platform.requests).toEqual([])
    await askForCode(page)
    await page.getByLabel('Code').fill('000000')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('link', { name: /The code is wrong/ }).waitFor()
    await page.getByLabel('Code').fill('482 913')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    expect(page.url()).toBe(`${console.url}/workspaces/${ANCHOR}/keys`)
  })

  test('a member is added to the team and removed again', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/team`, 'Team')
    await page.getByRole('button', { name: 'Add member' }).click()
    await page.getByLabel('Email').fill('dev@harbour.example')
    await page.getByRole('button', { name: 'Add member' }).last().click()
    await page.getByRole('link', { name: 'This person is already a member' }).waitFor()
    await page.getByLabel('Email').fill('noor@harbour.example')
    await page.getByLabel('Admin').check()
    await page.getByRole('button', { name: 'Add member' }).last().click()
    await page.getByText('noor@harbour.example').waitFor()
    expect(state.team.at(-1)).toMatchObject({ role: 'admin' })
    await page.getByRole('button', { name: 'Remove Noor Haddad' }).click()
    await page.getByRole('button', { name: 'Remove', exact: true }).last().click()
    await expect.poll(() => page.getByText('noor@harbour.example').count()).toBe(0)
  })

  test('an operator who signed in a while ago confirms their identity, and the change continues as typed', async () => {
    state.confirmed = false
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/team`, 'Team')
    await page.getByRole('button', { name: 'Add member' }).click()
    await page.getByLabel('Email').fill('noor@harbour.example')
    await page.getByRole('button', { name: 'Add member' }).last().click()
    await page.getByRole('button', { name: 'Send code' }).click()
    await page.getByText('We sent a code to mira@harbour.example').waitFor()
    await page.getByLabel('Code or password').fill('000000')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('link', { name: /The code or password is wrong/ }).waitFor()
    await page.getByLabel('Code or password').fill('482 913')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('cell', { name: 'noor@harbour.example' }).waitFor()
  })

  test('an operator with an authenticator app finishes signing in, and confirms a change, with its code', async () => {
    state.session = 'none'
    state.secondFactors = ['authenticator-app', 'recovery-code']
    const { page } = await openPage(console.browser)
    await open(page, `/workspaces/${ANCHOR}/team`, 'Sign in')
    await askForCode(page)
    await page.getByLabel('Code').fill('482913')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Code of your authenticator app').fill('000000')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('link', { name: /The code is wrong or was used/ }).waitFor()
    await page.getByLabel('Code of your authenticator app').fill('123456')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Team' }).waitFor()

    state.confirmed = false
    await page.getByRole('button', { name: 'Add member' }).click()
    await page.getByLabel('Email').fill('noor@harbour.example')
    await page.getByRole('button', { name: 'Add member' }).last().click()
    await page.getByLabel('Code of your authenticator app').fill('123456')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('cell', { name: 'noor@harbour.example' }).waitFor()
  })

  test('a confirmation that is cancelled leaves the form as typed, with the reason', async () => {
    state.confirmed = false
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/team`, 'Team')
    await page.getByRole('button', { name: 'Add member' }).click()
    await page.getByLabel('Email').fill('noor@harbour.example')
    await page.getByRole('button', { name: 'Add member' }).last().click()
    await page.getByText('Confirm it is you to continue').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).first().click()
    await page.getByText('Who are you?').waitFor()
    expect(await page.getByLabel('Email').inputValue()).toBe('noor@harbour.example')
    expect(state.team).toHaveLength(2)
  })

  test('a sign-in never leads to another site', async () => {
    const { page } = await openPage(console.browser)
    await open(page, '/sign-in?from=https://evil.example/', 'Sign in')
    await askForCode(page)
    await page.getByLabel('Code').fill('482913')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Workspaces' }).waitFor()
    expect(new URL(page.url()).origin).toBe(console.url)
  })

  test('a new code can be requested only after a minute', async () => {
    const { page, context } = await visit(console.browser)
    await page.clock.install()
    await open(page, '/sign-in', 'Sign in')
    await askForCode(page)
    await page.getByText(/You can request a new code in \d+ s/).waitFor()
    await page.clock.runFor(61_000)
    await page.getByRole('button', { name: 'Send a new code' }).click()
    await page.getByText('Earlier codes no longer work').waitFor()
    expect(console.platform.requests.filter(r => r.line.endsWith('/otp/request'))).toHaveLength(2)
    await context.close()
  })

  test('an expired access token is rotated once, however many requests find it expired', async () => {
    state.session = 'stale'
    const { page } = await openPage(console.browser, 'operator')
    await open(page, '/account', 'Account')
    await page.getByText('Chrome, Linux').waitFor()
    expect(console.platform.requests.filter(r => r.line.endsWith('/auth/refresh'))).toHaveLength(1)
  })

  test('a session that ends while a page is open leads to the sign-in, which says so', async () => {
    const { page, context } = await visit(console.browser, 'operator')
    await page.clock.install()
    await open(page, `/workspaces/${ANCHOR}`, 'Business')
    state.session = 'none'
    await page.clock.runFor(20_000)
    await page.getByText('Your session has expired').waitFor()
    expect(page.url()).toBe(`${console.url}/sign-in?from=${encodeURIComponent(`/workspaces/${ANCHOR}`)}`)
    await context.close()
  })

  test('an earlier version of the settings is restored as a new one, after what changes was read', async () => {
    const { page } = await openPage(console.browser, 'operator')
    const [now] = state.settings
    const earlier = structuredClone(now!)
    earlier.settings.limits.max = '777'
    state.settings = [
      { ...now!, version: 2 },
      { ...earlier, version: 1 },
    ]
    state.confirmed = true
    await open(page, `/workspaces/${ANCHOR}/settings`, 'Fees')
    await page.getByRole('button', { name: /^Restore the settings of/ }).click()
    const panel = page.getByRole('dialog')
    await panel.getByText('→ 1 to 777 HARB').waitFor()
    await panel.getByRole('button', { name: 'Save' }).click()
    await panel.waitFor({ state: 'detached' })
    expect(state.settings[0]).toMatchObject({ version: 3, settings: { limits: { max: '777' } } })
  })

  test('a session that ends under a form offers to sign in beside it, and what was typed is sent after that', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/keys`, 'API keys')
    await page.getByRole('button', { name: 'Create API key' }).click()
    const panel = page.getByRole('dialog')
    const name = panel.getByLabel('Name', { exact: true })
    await expect.poll(() => name.evaluate(field => field === document.activeElement)).toBe(true)
    await page.keyboard.type('deploys')
    await panel.getByLabel('Webhooks').check()
    state.session = 'none'
    await panel.getByRole('button', { name: 'Create API key' }).click()
    const opens = page.context().waitForEvent('page')
    await panel.getByRole('link', { name: 'Sign in in a new tab' }).click()
    const signIn = await opens
    await signIn.getByRole('heading', { name: 'Sign in' }).waitFor()
    state.session = 'good'
    await signIn.close()
    expect(await name.inputValue()).toBe('deploys')
    await panel.getByRole('button', { name: 'Create API key' }).click()
    await page.getByText('wl_test_QwErTy123456', { exact: true }).waitFor()
  })

  test('a panel asks before it drops what was typed, and says offline where the device is', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/keys`, 'API keys')
    await page.getByRole('button', { name: 'Create API key' }).click()
    const panel = page.getByRole('dialog')
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Create API key' }).click()
    const name = panel.getByLabel('Name', { exact: true })
    await name.fill('deploys')
    await panel.getByLabel('Webhooks').check()
    await page.keyboard.press('Escape')
    await panel.getByText('Discard what you typed?').waitFor()
    await panel.getByRole('button', { name: 'Keep editing' }).click()
    expect(await name.inputValue()).toBe('deploys')
    await page.context().setOffline(true)
    await panel.getByRole('button', { name: 'Create API key' }).click()
    await panel.getByRole('alert').getByText('Nothing was sent').waitFor()
    await page.context().setOffline(false)
    await page.keyboard.press('Escape')
    await panel.getByRole('button', { name: 'Discard' }).click()
    await panel.waitFor({ state: 'detached' })
  })

  test('the operator sees what the signer stopped, and lowers a limit', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/anchor`, 'Signing')
    await page.getByText('250 HARB of 100,000 HARB signed in the last hour').waitFor()
    await page.getByRole('list', { name: 'Stopped requests' }).getByText('not setOptions').waitFor()
    await page.getByRole('button', { name: 'Change limits' }).click()
    await page.getByLabel('Per hour', { exact: true }).fill('much')
    await page.getByRole('button', { name: 'Save limits' }).click()
    await page.getByText('Enter a number such as 1,234.5.').first().waitFor()
    await page.getByLabel('Per hour', { exact: true }).fill('500')
    await page.getByRole('button', { name: 'Save limits' }).click()
    await page.getByText('250 HARB of 500 HARB signed in the last hour').waitFor()
    expect(state.signing.limits).toMatchObject({ perHour: '500', perPayment: null, destinations: null })
  })

  test('an owner sets the key that opens the export of the anchor’s data', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/anchor`, 'Key of the export')
    await page.getByText('No key is set').waitFor()
    await page.getByRole('button', { name: 'Set export key' }).click()
    await page.getByLabel('Public key').fill('not a key')
    await page.getByRole('button', { name: 'Save key' }).click()
    await page.getByRole('link', { name: 'Enter the public key' }).waitFor()
    const key = 'k'.repeat(43)
    await page.getByLabel('Public key').fill(key)
    await page.getByRole('button', { name: 'Save key' }).click()
    await page.getByText('No key is set').waitFor({ state: 'hidden' })
    const sent = console.platform.requests.findLast(({ line }) => line.endsWith('/export-key'))
    expect(sent?.asked.body).toEqual({ publicKey: key })
  })

  test('what lets more money out waits for a second person, who sees what it is and approves it', async () => {
    state.waitingActs = [
      {
        ...{ id: 'wait_1', action: 'anchor.signing-limits-set', requestedBy: 'operator:usr_other' },
        details: { perHour: '900000', perPayment: null, xlmPerHour: '100', destinations: null },
        ...{ requestedAt: '2026-11-20T10:00:00.000Z', endsAt: '2026-11-27T10:00:00.000Z' },
      },
    ]
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/anchor`, 'Waits for a second person')
    await page.getByText('changed the signing limits').waitFor()
    await page.getByText('900000', { exact: true }).waitFor()
    await picture(page, 'waiting-act')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('heading', { name: 'Waits for a second person' }).waitFor({ state: 'detached' })
  })

  test('the owner changes a fee, and the history says who, when, before and after', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/settings`, 'Fees')
    await page.getByRole('button', { name: 'Change: Fees' }).click()
    await page.getByLabel('Deposits: percentage fee').fill('100')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Enter a percentage below 100').first().waitFor()
    await page.getByLabel('Deposits: percentage fee').fill('1.25')
    await page.getByLabel('Withdrawals over UPI: fixed fee').fill('2')
    await page.getByLabel('Withdrawals over UPI: percentage fee').fill('0')
    await page.getByLabel('Spread, withdrawals').fill('21')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Enter a percentage of at most 20').first().waitFor()
    await page.getByLabel('Spread, withdrawals').fill('1.5')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(state.settings[0]?.settings.fees).toEqual({
      deposit: { fixed: '0.5', percentage: '0.0125' },
      withdrawal: { fixed: '0.5', percentage: '0.005' },
      rails: [{ rail: 'UPI', direction: 'withdrawal', fixed: '2', percentage: '0' }],
      spread: { deposit: '0', withdrawal: '0.015' },
    })
    await page.getByText('Spread, withdrawals: None → 1.5%').waitFor()
    await page.getByText('Deposits: 0.5 HARB + 0.5% → 0.5 HARB + 1.25%').waitFor()
    await page.getByRole('cell', { name: 'Mira Okafor' }).waitFor()
  })

  test('the owner requests another account for a rail, which waits for a second person', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/settings`, 'Fees')
    await page.getByText('Your rails are UPI, SEPA').waitFor()
    await page.getByRole('button', { name: 'Change account' }).click()
    await page.getByRole('combobox', { name: 'Rail' }).selectOption('SEPA')
    await page.getByLabel('IBAN').fill('DE89 3704 0044 0532 0130 01')
    await page.getByRole('button', { name: 'Request change' }).click()
    await page.getByText('its check digits do not fit').first().waitFor()
    await page.getByLabel('IBAN').fill('DE02 1203 0000 0000 2020 51')
    await page.getByRole('button', { name: 'Request change' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.getByText('Waits for another owner or admin.').waitFor()
    await page.getByText('DE02 1203 0000 0000 2020 51').waitFor()
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
    expect(state.railChanges).toMatchObject([{ rail: 'SEPA', provider: 'simulated', status: 'waiting' }])
  })

  test.each([
    {
      ...{
        locale: 'en-GB',
        heading: 'Fees',
        change: 'Change: Limits',
        label: 'Largest transaction',
        save: 'Save',
      },
      ...{ typed: '10,000', understood: 'Read as 10,000 HARB' },
      ...{ unclear: '10.000', problem: 'This can be read in two ways. Write 10 or 10000.' },
    },
    {
      ...{ locale: 'es-ES', heading: 'Comisiones', change: 'Cambiar: Límites', label: 'Transacción máxima' },
      ...{ save: 'Guardar', typed: '10.000', understood: 'Se lee como 10.000 HARB' },
      ...{ unclear: '10,000', problem: 'Se puede leer de dos maneras. Escriba 10 o 10000.' },
    },
  ])(
    '$typed in $locale is ten thousand, is shown before it is saved, and $unclear is not saved',
    async on => {
      const { page, context, faults } = await visit(console.browser, 'operator', on.locale)
      await open(page, `/workspaces/${ANCHOR}/settings`, on.heading)
      await page.getByRole('button', { name: on.change }).click()
      const field = page.getByLabel(on.label)
      await field.fill(on.unclear)
      await page.getByText(on.problem).waitFor()
      await page.getByRole('button', { name: on.save, exact: true }).click()
      await page.getByRole('alert').getByText(on.problem).waitFor()
      await picture(page, `amount-unclear-${on.locale}`)
      await field.fill(on.typed)
      await page.getByText(on.understood).waitFor()
      await picture(page, `amount-understood-${on.locale}`)
      await page.getByRole('button', { name: on.save, exact: true }).click()
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      expect(state.settings[0]?.settings.limits.max).toBe('10000')
      expect(faults).toEqual([])
      await context.close()
    },
  )

  test('a button pauses the anchor with a reason, and every page of the workspace says so', async () => {
    const { page, faults } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/settings`, 'Fees')
    await page.getByRole('button', { name: 'Pause the anchor' }).click()
    await page.getByRole('combobox', { name: 'Reason' }).selectOption('outage')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    const message = 'Paused because of a problem at a payment provider. Try again later.'
    expect(state.settings[0]?.settings.paused).toEqual({ deposits: message, withdrawals: message })
    await page.getByText('Paused', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Resume…' }).waitFor()
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByText('Problem at a payment provider', { exact: true }).waitFor()
    await picture(page, 'paused-overview')
    await page.getByRole('link', { name: 'Resume under Settings' }).click()
    await page.getByRole('heading', { name: 'Fees', exact: true }).waitFor()
    expect(faults).toEqual([])
  })

  test('what is open leads to where it is decided', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/notifications`, 'Notifications')
    await page.getByRole('table').getByRole('link', { name: 'Open Treasury' }).first().click()
    await page.waitForURL(/\/treasury$/)
  })

  test('the owner pauses deposits with a standard message, and with one of their own', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/settings`, 'Fees')
    const paused = () => state.settings[0]?.settings.paused
    await page.getByRole('button', { name: 'Change: Rails and pauses' }).click()
    await page.getByRole('combobox', { name: 'Deposits' }).selectOption('maintenance')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(paused()).toEqual({ deposits: 'Paused for maintenance. Try again later.', withdrawals: null })
    await page.getByRole('button', { name: 'Change: Rails and pauses' }).click()
    await page.getByRole('combobox', { name: 'Deposits' }).selectOption('own')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Enter the message.').first().waitFor()
    await page.getByLabel('Message while deposits are paused').fill('Back on Monday.')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(paused()).toEqual({ deposits: 'Back on Monday.', withdrawals: null })
  })

  test('the owner sets a ceiling and a cold account, and who set it is listed', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/treasury`, 'Treasury')
    await page.getByRole('button', { name: 'Change settings' }).click()
    await page.getByLabel('Cold account').fill(workspace.signingKey ?? '')
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.getByText('Enter the ceiling.').first().waitFor()
    await page.getByLabel('Ceiling').fill('900000')
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(state.treasury).toEqual({
      low: '100000',
      xlmLow: '1',
      ceiling: '900000',
      coldAccount: workspace.signingKey,
    })
    await page.getByText('send it from the cold account').waitFor()
  })

  test('the owner of an anchor of an existing asset reads how to fund it, and that its issuer froze it', async () => {
    const issuer = workspace.issuer ?? ''
    const asset = { code: 'USDC', issuer, name: 'USD Coin', anchoredTo: 'USD', issued: '0' }
    const { platform } = console
    platform.answer(getWorkspace, () => ({ ...workspace, asset }))
    const summary = emptyTreasury(asset)
    platform.answer(getWorkspaceTreasury, () => summary)
    const { page, faults } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}`, 'Business')
    await page.getByText('Fund the treasury').waitFor()
    await picture(page, 'existing-asset-overview')
    await page.getByRole('link', { name: 'See how' }).click()
    await page.getByText('USDC: buy it or take it from your own account').waitFor()
    await page.getByText(issuer).waitFor()
    expect(await page.getByText('frozen').count()).toBe(0)
    Object.assign(summary.assets[0] ?? {}, { fault: 'not-authorized' })
    await page.reload()
    await page.getByText('The issuer has not authorized the distribution account to hold USDC').waitFor()
    await picture(page, 'existing-asset-treasury')
    await page.getByRole('link', { name: 'Anchor', exact: true }).click()
    await page.getByText('Issuing account').waitFor()
    expect(await page.getByText('Issued', { exact: true }).count()).toBe(0)
    expect(faults).toEqual([])
  })

  test('the operator chooses emails, adds a webhook, copies its secret once, and removes one', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/notifications`, 'Emails')
    await page.getByLabel('XLM low').check()
    await page.getByLabel('Payout failed').uncheck()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    expect(state.emails.toSorted()).toEqual(['treasury-low', 'xlm-low'])
    await page.getByRole('button', { name: 'Add webhook' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('URL').fill('https://new.harbour.example/hook')
    await form.getByRole('button', { name: 'Add webhook' }).click()
    await page.getByText('whsec_c2VjcmV0').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Add webhook' }).click()
    await form.getByLabel('What is sent').selectOption('Messages for Slack, Mattermost or Discord')
    await form.getByLabel('URL').fill('https://hooks.slack.example/services/T0')
    await form.getByRole('button', { name: 'Add webhook' }).click()
    await page.getByText('https://hooks.slack.example/services/T0').waitFor()
    expect(await page.getByText('Copy the secret now').count()).toBe(0)
    expect(state.webhooks.at(-1)?.format).toBe('slack')
    await page.getByRole('button', { name: 'Remove https://hooks.slack.example/services/T0' }).click()
    await page.getByRole('button', { name: 'Remove https://ops.harbour.example/windlass' }).click()
    await page.getByText('the endpoint answered 500').waitFor({ state: 'hidden' })
    expect(state.webhooks.map(({ url }) => url)).toEqual(['https://new.harbour.example/hook'])
  })

  test('an anchor that fails a wallet compatibility check shows which and what it means, until a new check passes', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/anchor`, 'Wallet compatibility')
    await page.getByText('1 of 2 checks passed').waitFor()
    const failed = page.getByRole('list', { name: 'Failed checks' })
    await failed.getByText('Wallets that run in a browser do not find the anchor.').waitFor()
    await failed.getByText('Access-Control-Allow-Origin is missing').waitFor()
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText('All 2 checks passed').waitFor()
    await page.getByRole('button', { name: 'Check now' }).waitFor()
    expect(await failed.count()).toBe(0)
  })

  test('a test deposit runs with one click, and each request can be read', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}`, 'Business')
    await page.getByRole('button', { name: 'Run test deposit' }).click()
    await page.getByRole('link', { name: 'See each request' }).click()
    await page.getByText('Completed', { exact: true }).waitFor()
    await page.getByText('GET /.well-known/stellar.toml').click()
    await page.getByText('VERSION = "2.7.0"').waitFor()
    expect(await page.getByRole('link', { name: 'See transaction' }).getAttribute('href')).toContain(
      'open=tx_1',
    )
  })

  test('Overview stays within 170 kB of script', async () => {
    const { page, context } = await visit(console.browser, 'operator')
    const bytes = await shippedScripts(page, console.folder, shown =>
      open(shown, `/workspaces/${ANCHOR}`, 'Business'),
    )
    expect(bytes).toBeGreaterThan(50_000)
    expect(bytes).toBeLessThanOrEqual(170_000)
    await context.close()
  })

  test('developers see what their keys asked, and what of it failed', async () => {
    const { page, faults } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/developers`, 'Requests')
    const rows = page.getByRole('table', { name: 'Requests' }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(2)
    await page.getByRole('navigation', { name: 'Filter' }).getByRole('link', { name: 'Failed' }).click()
    await expect
      .poll(() => rows.allInnerTexts())
      .toEqual([expect.stringMatching(/GET \/api\/v1\/transactions\/:id.*404/s)])
    expect(faults).toEqual([])
  })

  test('a webhook endpoint is added for chosen events, tested and removed, and a message is replayed', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/webhooks`, 'Webhook endpoints')
    await page.getByRole('button', { name: 'Add endpoint' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('URL').fill('ftp://new.harbour.example')
    await form.getByRole('button', { name: 'Add endpoint' }).click()
    await form.getByText('Enter an address such as').first().waitFor()
    await form.getByLabel('URL').fill('https://new.harbour.example/hook')
    await form.getByLabel('Transaction started').uncheck()
    await form.getByRole('button', { name: 'Add endpoint' }).click()
    await page.getByText('whsec_ZW5kcG9pbnQ=').waitFor()
    expect(state.endpoints[0]?.events).not.toContain('transaction.new')
    expect(state.endpoints[0]?.events).toContain('transaction.completed')
    await page.getByRole('button', { name: 'Send test to https://new.harbour.example/hook' }).click()
    await page.getByText('webhook.test').waitFor()
    await page.getByLabel('Status').selectOption('Undelivered')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByText('webhook.test').waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Replay msg_del_2_3f9a1c' }).click()
    await page.getByText('No deliveries').waitFor()
    expect(state.deliveries.find(({ id }) => id === 'del_2')?.status).toBe('waiting')
    await page.getByRole('button', { name: 'Remove https://ops.harbour.example/anchor' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove endpoint' }).click()
    await page.getByText('https://ops.harbour.example/anchor').first().waitFor({ state: 'hidden' })
    expect(state.endpoints.map(({ id }) => id)).toEqual(['end_2'])
  })

  test('a transaction shows its steps and journal entries in one timeline, and takes notes', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/transactions`, 'Transactions')
    await page.getByRole('link', { name: 'Deposit' }).click()
    const panel = page.getByRole('dialog')
    await panel.getByText('Customers: -250 HARB').waitFor()
    const note = panel.getByRole('listitem').filter({ hasText: 'The customer called.' })
    await note.getByText('Dev Patel').waitFor()
    await panel.getByRole('button', { name: 'Add note' }).click()
    await panel.getByText('Enter a note').first().waitFor()
    await panel.getByLabel('New note').fill('Bank reference 4711')
    await panel.getByRole('button', { name: 'Add note' }).click()
    await panel.getByRole('listitem').filter({ hasText: 'Bank reference 4711' }).waitFor()
    expect(state.notes.map(({ text }) => text)).toEqual(['The customer called.', 'Bank reference 4711'])
    await expect.poll(() => panel.getByLabel('New note').inputValue()).toBe('')
  })

  test('a second person approves an action, and what is possible then is done with its evidence', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/transactions`, 'Transactions')
    await page.getByRole('link', { name: 'Deposit' }).click()
    const panel = page.getByRole('dialog')
    await panel.getByText('Asked for by Dev Patel').waitFor()
    expect(await panel.getByRole('button', { name: 'Run action' }).count()).toBe(0)
    await panel.getByRole('button', { name: 'Approve: Refund' }).click()
    await panel.getByText('Approved by Mira Okafor').waitFor()
    await panel.getByLabel('Mark as paid').check()
    await panel.getByLabel('Reason').fill('The bank has it.')
    await panel.getByRole('button', { name: 'Run action' }).click()
    await panel.getByText('Enter the ID of the payment.').first().waitFor()
    await panel.getByLabel('ID of the payment').fill('UTR4711')
    await panel.getByRole('button', { name: 'Run action' }).click()
    await panel.getByText('Payment UTR4711').waitFor()
    expect(state.actions).toMatchObject([
      { kind: 'refund', status: 'done', decidedBy: 'operator:usr_1' },
      { kind: 'mark-paid', reason: 'The bank has it.', paymentId: 'UTR4711' },
    ])
  })

  test('nobody approves their own action', async () => {
    state.actions = state.actions.map(action => ({ ...action, requestedBy: 'operator:usr_1' }))
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/transactions`, 'Transactions')
    await page.getByRole('link', { name: 'Deposit' }).click()
    const panel = page.getByRole('dialog')
    await panel.getByText('Another owner or admin approves it.').waitFor()
    expect(await panel.getByRole('button', { name: 'Approve: Refund' }).count()).toBe(0)
    await panel.getByRole('button', { name: 'Reject: Refund' }).click()
    await panel.getByText('Rejected by Mira Okafor').waitFor()
  })

  test('transactions are exported as JSON with every field', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/transactions`, 'Transactions')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export JSON' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('harbour-transactions.json')
    const rows: { kind: string }[] = JSON.parse(await readFile(await download.path(), 'utf8'))
    expect(rows.map(({ kind }) => kind)).toEqual(['deposit', 'withdrawal'])
  })

  test('an unproven payment is resolved only with what the history shows, and stays with its resolution', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await page.goto(`${console.url}/workspaces/${ANCHOR}/ledger`)
    await page.getByRole('button', { name: 'Resolve' }).first().click()
    await page.getByLabel('Resolution').fill('Found in a full history.')
    await page.getByRole('button', { name: 'Resolve' }).last().click()
    await page.getByText('Choose what the full history shows.').first().waitFor()
    await page.getByLabel('Yes').check()
    await page.getByRole('button', { name: 'Resolve' }).last().click()
    await page.getByText('Found in a full history.').waitFor()
    // Another incident is still open.
    await expect.poll(() => page.getByRole('button', { name: 'Resolve' }).count()).toBe(1)
    expect(state.incidents[0]).toMatchObject({ resolution: 'Found in a full history.' })
  })

  test('on a phone the pages are a menu in groups, which closes once one is chosen', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await page.setViewportSize({ width: 390, height: 844 })
    await open(page, `/workspaces/${ANCHOR}/team`, 'Team')
    const navigation = page.getByRole('navigation', { name: 'Workspace' })
    const keys = navigation.getByRole('link', { name: 'API keys' })
    expect(await keys.count()).toBe(0)
    await navigation.locator('summary').click()
    await navigation.getByRole('list', { name: 'Developers' }).waitFor()
    await keys.click()
    await page.getByRole('heading', { name: 'API keys', exact: true }).waitFor()
    expect(await navigation.locator('summary').innerText()).toBe('API keys')
    expect(await keys.count()).toBe(0)
  })

  test('beside its pages a workspace lists them in groups, without what comes before an anchor', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/team`, 'Team')
    const navigation = page.getByRole('navigation', { name: 'Workspace' })
    for (const name of ['Money', 'Customers', 'Anchor', 'Developers'])
      await navigation.getByRole('list', { name, exact: true }).waitFor()
    expect(await navigation.getByRole('list').count()).toBe(4)
    expect(await page.getByRole('link', { name: 'Apply' }).count()).toBe(0)
    // 200 % of a window of 1440 pixels.
    await page.setViewportSize({ width: 720, height: 450 })
    expect(await navigation.getByRole('link', { name: 'API keys' }).isVisible()).toBe(false)
    await navigation.locator('summary').click()
    await navigation.getByRole('link', { name: 'API keys' }).click()
    await page.getByRole('heading', { name: 'API keys', exact: true }).waitFor()
  })

  test('Ctrl-K in a workspace finds customers and transactions', async () => {
    const { page } = await openPage(console.browser, 'operator')
    console.platform.answer(listWorkspaceCustomers, ({ query }) =>
      query.get('text') === 'zoe'
        ? [
            {
              ...{ id: 'zoe', account: transaction.account, memo: null, name: 'Zoë Marsh' },
              ...{ status: 'ACCEPTED', createdAt: transaction.createdAt },
            },
          ]
        : [],
    )
    console.platform.answer(listWorkspaceTransactions, ({ query }) =>
      query.get('text') === 'zoe' ? [{ ...transaction, reference: 'W0011223344556677' }] : [],
    )
    await open(page, `/workspaces/${ANCHOR}/team`, 'Team')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('zoe')
    await page.getByRole('option', { name: /Zoë Marsh/ }).waitFor()
    await page.getByRole('option', { name: /W0011223344556677/ }).click()
    await expect.poll(() => page.url()).toContain(`/transactions?open=${transaction.id}`)
  })

  test('signing out lasts', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await open(page, '/workspaces', 'Workspaces')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await open(page, '/workspaces', 'Sign in')
  })

  test('another session is ended', async () => {
    console.platform.answer(endOperatorSession, () => ({ ok: true }))
    const { page } = await openPage(console.browser, 'operator')
    await open(page, '/account', 'Account')
    await page.getByRole('button', { name: 'End the session of Firefox, macOS' }).click()
    await expect
      .poll(() => console.platform.requests.some(r => r.line === 'DELETE /api/v1/auth/sessions/ses_2'))
      .toBe(true)
  })

  test('a new key is displayed once, with a command for the anchor’s domain, and is gone after a reload', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/keys`, 'API keys')
    await page.getByRole('button', { name: 'Create API key' }).click()
    await page.getByLabel('Name', { exact: true }).fill('deploys')
    await page.getByLabel('Webhooks').check()
    await page.getByRole('dialog').getByRole('button', { name: 'Create API key' }).click()
    await page.getByText('wl_test_QwErTy123456', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Copy the command' }).click()
    await page.getByRole('button', { name: 'Copied', exact: true }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `curl -H 'Authorization: Bearer wl_test_QwErTy123456' http://${DOMAIN}/api/v1/workspace`,
    )
    expect(
      console.platform.requests.find(r => r.line.startsWith('POST') && r.line.endsWith('/api-keys'))!.asked
        .body,
    ).toEqual({
      name: 'deploys',
      scopes: ['read', 'webhooks'],
    })
    await page.reload()
    await page.getByText('deploys').waitFor()
    expect(await page.getByText('wl_test_QwErTy123456').count()).toBe(0)
  })

  test('a key is revoked only once its name is typed', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/keys`, 'API keys')
    await page.getByRole('button', { name: 'Revoke nightly export' }).click()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByRole('link', { name: 'The name does not match' }).waitFor()
    await page.getByLabel('Type nightly export to confirm').fill('nightly export')
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await expect.poll(() => page.getByText('Revoked').count()).toBe(2)
  })

  test('rolling a key displays its replacement', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/keys`, 'API keys')
    await page.getByRole('button', { name: 'Roll nightly export' }).click()
    await page.getByLabel('Old key expires').selectOption('3600')
    await page.getByRole('button', { name: 'Create replacement key' }).click()
    await page.getByText('wl_test_Successor42', { exact: true }).waitFor()
    expect(console.platform.requests.find(r => r.line.endsWith('/roll'))!.asked.body).toEqual({
      overlapSeconds: 3600,
    })
  })
})
