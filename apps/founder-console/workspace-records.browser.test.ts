import { readFile } from 'node:fs/promises'
import type { BeneficialOwner } from '@windlass/contracts/anchor/beneficial-owners.ts'
import {
  addWorkspaceBeneficialOwner,
  listWorkspaceBeneficialOwners,
} from '@windlass/contracts/platform/workspace-beneficial-owners.ts'
import type { CaseFile } from '@windlass/contracts/anchor/cases.ts'
import { getWorkspaceCase, openWorkspaceCase } from '@windlass/contracts/platform/workspace-cases.ts'
import { setWorkspaceReportSettings } from '@windlass/contracts/platform/workspace-report-settings.ts'
import type { RegisterEntry } from '@windlass/contracts/anchor/registers.ts'
import type { RiskRules } from '@windlass/contracts/anchor/risk-rating.ts'
import {
  loadWorkspaceSanctionsList,
  setWorkspaceRiskRules,
} from '@windlass/contracts/platform/workspace-compliance.ts'
import {
  listWorkspaceCustomers,
  listWorkspaceTransactions,
} from '@windlass/contracts/platform/workspace-records.ts'
import {
  addToWorkspaceRegister,
  listWorkspaceRegister,
} from '@windlass/contracts/platform/workspace-registers.ts'
import { Refusal } from '@windlass/ui/testing/fake-platform.ts'
import { hasChromium, openPage, visit } from '@windlass/ui/testing/browser.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { answerScreening } from './testing/compliance.ts'
import { ANCHOR, transaction, type OperatorsState } from './testing/operators-state.ts'
import { workspacesInBrowser } from './testing/workspaces.ts'

const at = '2026-11-20T10:00:00.000Z'
const caseFile: CaseFile = {
  case: {
    ...{ id: 'case_1', subject: { kind: 'customer', id: 'cus_9' }, status: 'open', outcome: null, hits: 0 },
    ...{ assignedTo: null, dueOn: '2026-11-25', isOverdue: false, openedBy: 'operator:usr_1' },
    ...{ openedAt: at, closedAt: null },
  },
  ...{ hits: [], linked: [] },
  steps: [{ kind: 'opened', text: 'A letter of the police.', by: 'operator:usr_1', at }],
}
type NewOwner = Omit<BeneficialOwner, 'id' | 'customer' | 'organization' | 'by' | 'createdAt' | 'ended'>
describe.runIf(hasChromium('the records of a workspace in a browser'))('the records of a workspace', () => {
  const { answer, console, open } = workspacesInBrowser()
  let state: OperatorsState
  beforeEach(() => void (state = answer()))

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
    await open(page, `/workspaces/${ANCHOR}/compliance?part=reports`, 'Incidents')
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

  test('an owner of an organization is entered with where that is known from', async () => {
    answerScreening(console.platform)
    let entered: unknown
    let owners: BeneficialOwner[] = []
    console.platform.answer(listWorkspaceBeneficialOwners, () => owners)
    console.platform.answer(addWorkspaceBeneficialOwner, ({ params, body }) => {
      entered = body
      const { id = '' } = params
      const known = { customer: id, organization: 'Quintrell GmbH', by: 'operator:usr_1', ended: null }
      owners = [{ id: 'own_1', ...known, ...(body as NewOwner), createdAt: '2026-11-20T10:00:00.000Z' }]
      return owners[0]!
    })
    const { page, faults } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/compliance?part=names`, 'Beneficial owners')
    await page.getByRole('button', { name: 'Enter owner' }).click()
    const panel = page.getByRole('dialog')
    for (const [label, value] of [
      ['Customer ID', 'cus_1'],
      ['Name', 'Wilhelmina Quintrell'],
      ['Country', 'de'],
      ['Share in %', '60.5'],
      ['Source', 'Handelsregister'],
      ['Day of the source', '2026-11-01'],
      ['Evidence', 'Extract, folder 12'],
    ] as const)
      await panel.getByLabel(label, { exact: false }).first().fill(value)
    await panel.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('cell', { name: 'Quintrell GmbH' }).waitFor()
    expect(entered).toEqual({
      ...{ name: 'Wilhelmina Quintrell', birthDate: null, country: 'DE', control: 'shares', share: '60.5' },
      ...{ source: 'Handelsregister', asOf: '2026-11-01', evidence: 'Extract, folder 12' },
    })
    await page.getByRole('button', { name: 'Wilhelmina Quintrell' }).click()
    await page.getByRole('dialog').getByText('Extract, folder 12').waitFor()
    expect(faults).toEqual([])
  })

  test('the officer opens a case without a hit, and enters what the unit gave for reports', async () => {
    answerScreening(console.platform)
    let opened: unknown
    let set: unknown
    console.platform.answer(openWorkspaceCase, ({ body }) => {
      opened = body
      return caseFile
    })
    console.platform.answer(getWorkspaceCase, () => caseFile)
    console.platform.answer(setWorkspaceReportSettings, ({ body }) => {
      set = body
      return { version: 1, goaml: null, schema: null, by: null, at: null }
    })
    const { page, faults } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/compliance`, 'Cases')
    await page.getByRole('button', { name: 'Open case' }).click()
    const panel = page.getByRole('dialog')
    await panel.getByLabel('ID').fill('cus_9')
    await panel.getByLabel('Why').fill('A letter of the police.')
    await panel.getByRole('button', { name: 'Open case' }).click()
    await panel.getByText('A letter of the police.').waitFor()
    expect(opened).toEqual({
      ...{ subject: { kind: 'customer', id: 'cus_9' }, reason: 'A letter of the police.' },
    })
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Reports and registers' }).click()
    await page.getByRole('button', { name: 'Change: Reports in goAML' }).click()
    for (const [label, value] of [
      ['Your number at the unit', '4711'],
      ['Currency', 'eur'],
      ['Kind of funds', 'ELEC'],
      ['Way of payment', 'INTR'],
      ['Indicators', 'V7, V9'],
      ['First name of who reports', 'Asha'],
      ['Last name of who reports', 'Rao'],
      ['What the schema demands', 'gender = -'],
    ] as const)
      await panel.getByLabel(label, { exact: false }).first().fill(value)
    await panel.locator('input[type=file]').setInputFiles({
      ...{ name: 'unit.xsd', mimeType: 'application/xml', buffer: Buffer.from('<schema/>') },
    })
    await panel.getByRole('button', { name: 'Save' }).click()
    await panel.waitFor({ state: 'detached' })
    expect(set).toMatchObject({
      goaml: { rentityId: 4711, currency: 'EUR', indicators: ['V7', 'V9'], unknown: { gender: '-' } },
      ...{ schema: { fileName: 'unit.xsd', text: '<schema/>' }, version: 0 },
    })
    expect(faults).toEqual([])
  })

  test('compliance asks for what is decided first, and for the rest when it is opened', async () => {
    answerScreening(console.platform)
    const { page } = await openPage(console.browser, 'operator')
    const asked: string[] = []
    const frame = ['settings']
    page.on('request', request => {
      const [, what] = /\/anchors\/[^/]+\/([\w/-]+)/.exec(request.url()) ?? []
      if (what && !frame.includes(what)) asked.push(what)
    })
    await open(page, `/workspaces/${ANCHOR}/compliance`, 'To review')
    await page.waitForLoadState('networkidle')
    expect(asked.length).toBeLessThanOrEqual(4)
    const first = asked.splice(0)
    await page.getByRole('link', { name: 'Rules', exact: true }).click()
    await page.getByRole('heading', { name: 'Velocity rules' }).waitFor()
    await page.waitForLoadState('networkidle')
    expect(asked.length).toBeGreaterThan(2)
    expect(asked.filter(what => first.includes(what))).toEqual([])
  })

  test('the same list again counts as looked at, and is no failure', async () => {
    answerScreening(console.platform)
    let loads = 0
    console.platform.answer(loadWorkspaceSanctionsList, () => {
      loads += 1
      return new Refusal('sanctions-list-already-loaded', 'This list was loaded before.')
    })
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/compliance?part=names`, 'Sanctions lists')
    await page.getByRole('button', { name: 'Load list' }).click()
    const panel = page.getByRole('dialog')
    await panel.locator('input[type=file]').setInputFiles({
      ...{ name: 'eu.xml', mimeType: 'application/xml', buffer: Buffer.from('<a/>') },
    })
    await panel.getByRole('button', { name: 'Load' }).click()
    await panel.waitFor({ state: 'detached' })
    expect(loads).toBe(1)
  })

  test('what follows from a rating is changed by itself, from what it is', async () => {
    answerScreening(console.platform)
    let changed: RiskRules | undefined
    console.platform.answer(setWorkspaceRiskRules, ({ body }) => {
      changed = (body as { rules: RiskRules }).rules
      return { history: [] }
    })
    const { page, faults } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/compliance?part=rules`, 'Risk of customers')
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
    await panel.getByText('They showed the same document.').waitFor()
    await panel.getByText('They have the same name and date of birth').waitFor()
    expect(await panel.getByRole('link', { name: / 43$/ }).getAttribute('href')).toContain('open=c2')
    await panel.getByRole('link', { name: 'Deposit' }).first().waitFor()
    await panel.getByLabel('New note').fill('Called about a payout.')
    await panel.getByRole('button', { name: 'Add note' }).click()
    await panel.getByRole('listitem').getByText('Called about a payout.').waitFor()
    expect(await panel.getByLabel('New note').inputValue()).toBe('')
    await page.keyboard.press('Escape')
    await page.waitForURL(url => url.search === '')
    expect(faults).toEqual([])
  })

  test('what is open leads to where it is decided', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/notifications`, 'Notifications')
    await page.getByRole('table').getByRole('link', { name: 'Open Treasury' }).first().click()
    await page.waitForURL(/\/treasury$/)
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
    await panel.getByText('Sends 22,279.875 INR back to the customer over UPI.').waitFor()
    expect(await panel.getByRole('button', { name: 'Choose an action' }).count()).toBe(0)
    await panel.getByRole('button', { name: 'Approve: Refund' }).click()
    await panel.getByText('Approved by Mira Okafor').waitFor()
    await panel.getByLabel('Mark as paid').check()
    await panel.getByLabel('Reason').fill('The bank has it.')
    await panel.getByRole('button', { name: 'Mark as paid', exact: true }).click()
    await panel.getByText('Enter the ID of the payment.').first().waitFor()
    await panel.getByLabel('ID of the payment').fill('UTR4711')
    await panel.getByRole('button', { name: 'Mark as paid', exact: true }).click()
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
    await panel.getByText('Another person who may do it (owner, admin or finance) approves it.').waitFor()
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

  test('a payment that fell out of the ledger’s history is credited from the incident that tells of it', async () => {
    const waiting = { id: 'tra_1', amount: '25.0000000', memo: '77' }
    const [incident] = state.incidents
    state.incidents = [
      {
        ...{ ...incident!, id: 'inc_gap', kind: 'history-gap', resolvedAt: null },
        details: { difference: '25', withdrawals: [waiting] },
      },
    ]
    state.actions = []
    state.possibleActions = ['mark-paid']
    const { page, faults } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/transactions`, 'Transactions')
    const href = await page.getByRole('table').getByRole('link').first().getAttribute('href')
    waiting.id = new URL(href ?? '', console.url).searchParams.get('open') ?? ''
    await page.goto(`${console.url}/workspaces/${ANCHOR}/ledger`)
    await page.getByText('mark it as paid with the hash of its transaction').waitFor()
    await page.getByText('Withdrawals that wait for a payment').click()
    await page.getByRole('link', { name: 'Open the withdrawal' }).click()
    const panel = page.getByRole('dialog')
    await panel.getByLabel('Mark as paid').check()
    await panel.getByLabel('Reason').fill('Seen on an explorer.')
    await panel.getByLabel('ID of the payment').fill('ab'.repeat(32))
    await panel.getByRole('button', { name: 'Mark as paid', exact: true }).click()
    await expect.poll(() => state.actions).toMatchObject([{ kind: 'mark-paid', paymentId: 'ab'.repeat(32) }])
    expect(faults).toEqual([])
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

  test('the ledger is read again from a ledger with a reason, and a second person has to approve it', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await page.goto(`${console.url}/workspaces/${ANCHOR}/ledger`)
    await page.getByRole('button', { name: 'Read the ledger again' }).click()
    const panel = page.getByRole('dialog')
    await panel.getByLabel('First ledger').fill('all of it')
    await panel.getByRole('button', { name: 'Read again' }).click()
    await panel.getByText('Enter the number of a ledger.').first().waitFor()
    await panel.getByLabel('First ledger').fill('4711')
    await panel.getByLabel('What is missing').fill('An explorer shows a payment of 20.')
    await panel.getByRole('button', { name: 'Read again' }).click()
    await panel.getByText('Another owner or admin has to approve this.').first().waitFor()
    expect(state.readAgain).toEqual({ from: 4_711, reason: 'An explorer shows a payment of 20.' })
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
    await page.getByRole('dialog').getByRole('combobox').fill('zoe')
    await page.getByRole('option', { name: /Zoë Marsh/ }).waitFor()
    await page.getByRole('option', { name: /W0011223344556677/ }).click()
    await expect.poll(() => page.url()).toContain(`/transactions?open=${transaction.id}`)
  })
})
