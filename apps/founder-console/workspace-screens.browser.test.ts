import { getWorkspace } from '@windlass/contracts/platform/workspaces.ts'
import { faultsOfScreen, hasChromium } from '@windlass/ui/testing/browser.ts'
import { consoleInBrowser } from '@windlass/ui/testing/console-under-test.ts'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { answerBankFiles } from './testing/bank.ts'
import { answerScreening } from './testing/compliance.ts'
import { answerClosing } from './testing/closing.ts'
import { answerReconciliation } from './testing/reconciliation.ts'
import { answerOperators } from './testing/operators.ts'
import { ANCHOR, operatorsState, workspace, type OperatorsState } from './testing/operators-state.ts'

describe.runIf(hasChromium('the workspaces’ screens in a browser'))(
  'the workspaces’ screens',
  { timeout: 180_000 },
  () => {
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

    const screens: [string, (page: Page) => Promise<void>][] = [
      ['sign-in', page => open(page, '/sign-in', 'Sign in')],
      [
        'sign-in-code',
        async page => {
          await open(page, '/sign-in', 'Sign in')
          await askForCode(page)
          await page.getByLabel('Code').fill('000 000')
          await page.getByRole('button', { name: 'Sign in' }).click()
          await page.getByRole('alert').waitFor()
        },
      ],
      [
        'sign-in-second-factor',
        async page => {
          state.secondFactors = ['passkey', 'authenticator-app', 'recovery-code']
          await open(page, '/sign-in', 'Sign in')
          await askForCode(page)
          await page.getByLabel('Code').fill('482913')
          await page.getByRole('button', { name: 'Sign in' }).click()
          await page.getByRole('button', { name: 'Use passkey' }).waitFor()
        },
      ],
      ['workspaces', page => open(page, '/workspaces', 'Workspaces')],
      [
        'account',
        async page => {
          await open(page, '/account', 'Account')
          await page.getByText('Work laptop').waitFor()
          await page.getByText('Chrome, Linux').waitFor()
        },
      ],
      [
        'workspace',
        async page => {
          await open(page, `/workspaces/${ANCHOR}`, 'Business')
          await page.getByText('Set treasury thresholds').waitFor()
          await page.getByText('It lasts about 190 days.').waitFor()
          await page.getByText('Show figures').first().click()
        },
      ],
      ['anchor', page => open(page, `/workspaces/${ANCHOR}/anchor`, 'Endpoints')],
      [
        'keys',
        async page => {
          await open(page, `/workspaces/${ANCHOR}/keys`, 'API keys')
          await page.getByText('nightly export').waitFor()
        },
      ],
      [
        'key-form',
        async page => {
          await open(page, `/workspaces/${ANCHOR}/keys`, 'API keys')
          await page.getByRole('button', { name: 'Create API key' }).click()
          await page.getByLabel('Name', { exact: true }).waitFor()
        },
      ],
      [
        'webhooks',
        async page => {
          await open(page, `/workspaces/${ANCHOR}/webhooks`, 'Webhook endpoints')
          await page.getByText('the endpoint answered 500').waitFor()
        },
      ],
      [
        'webhook-form',
        async page => {
          await open(page, `/workspaces/${ANCHOR}/webhooks`, 'Webhook endpoints')
          await page.getByRole('button', { name: 'Add endpoint' }).click()
          await page.getByLabel('URL').waitFor()
        },
      ],
      [
        'developers',
        async page => {
          await open(page, `/workspaces/${ANCHOR}/developers`, 'Developers')
          await page.getByRole('button', { name: 'Run test deposit' }).click()
          await page.getByText('POST /auth').click()
          await page.getByText('eyJhbGciO…').waitFor()
        },
      ],
      [
        'customer',
        async page => {
          await open(page, `/workspaces/${ANCHOR}/customers`, 'Customers')
          await page.getByRole('table').getByRole('link').first().click()
          await page.getByRole('dialog').getByText('Passport seen.').waitFor()
          await page.getByRole('dialog').getByRole('link', { name: 'Deposit' }).first().waitFor()
        },
      ],
      [
        'api-reference',
        async page => {
          await open(page, `/workspaces/${ANCHOR}/developers`, 'Developers')
          await page.getByText('Registers an endpoint').click()
          await page.getByLabel('API key').fill('wl_test_mine')
          await page.getByRole('button', { name: 'Send POST request' }).click()
          await page.getByLabel('Body of the answer').getByText('tx_1').waitFor()
        },
      ],
      [
        'transactions',
        async page => {
          await open(page, `/workspaces/${ANCHOR}/transactions`, 'Transactions')
          await page.getByText('22,279.875 INR').waitFor()
        },
      ],
      [
        'transaction',
        async page => {
          await page.goto(`${console.url}/workspaces/${ANCHOR}/transactions`)
          await page.getByRole('link', { name: 'Deposit' }).click()
          await page.getByText('the ledger took the payment').waitFor()
        },
      ],
      [
        'customers',
        async page => {
          await open(page, `/workspaces/${ANCHOR}/customers`, 'Customers')
          await page.getByRole('table').getByText('Not verified').waitFor()
        },
      ],
      [
        'ledger',
        async page => {
          await open(page, `/workspaces/${ANCHOR}/ledger`, 'Ledger incidents')
          await page.getByText('Rail UPI').waitFor()
          await page.getByText('Open transactions (1)').click()
          await page.getByText('is refunded on the new chain').waitFor()
        },
      ],
      [
        'ledger-resolve',
        async page => {
          await open(page, `/workspaces/${ANCHOR}/ledger`, 'Ledger incidents')
          await page.getByRole('button', { name: 'Resolve' }).first().click()
          await page.getByLabel('Resolution').waitFor()
        },
      ],
      [
        'ledger-other-chain',
        async page => {
          await open(page, `/workspaces/${ANCHOR}/ledger`, 'Ledger incidents')
          await page.getByText('Horizon no longer has the last ledger as it was read.').waitFor()
          await page.getByRole('button', { name: 'Resolve' }).last().click()
          await page.getByText('Was the test network reset?').waitFor()
        },
      ],
      [
        'settings',
        async page => {
          await open(page, `/workspaces/${ANCHOR}/settings`, 'Fees')
          await page.getByText('Your application').waitFor()
        },
      ],
      [
        'settings-fees',
        async page => {
          await open(page, `/workspaces/${ANCHOR}/settings`, 'Fees')
          await page.getByRole('button', { name: 'Change: Fees' }).click()
          await page.getByLabel('Deposits over UPI: fixed fee').waitFor()
        },
      ],
      [
        'settings-account',
        async page => {
          await open(page, `/workspaces/${ANCHOR}/settings`, 'Fees')
          await page.getByRole('button', { name: 'Change account' }).click()
          await page.getByLabel('UPI ID').waitFor()
        },
      ],
      [
        'settings-branding',
        async page => {
          await open(page, `/workspaces/${ANCHOR}/settings`, 'Branding')
          await page.getByRole('button', { name: 'Change: Branding' }).click()
          await page.getByRole('textbox', { name: 'Colour' }).fill('#ffee00')
          await page.getByRole('button', { name: 'Save' }).click()
          await page.getByText('Choose a darker colour.').first().waitFor()
        },
      ],
      [
        'treasury',
        async page => {
          await open(page, `/workspaces/${ANCHOR}/treasury`, 'Treasury')
          await page.getByText('About 190 days', { exact: true }).waitFor()
          await page.getByRole('cell', { name: 'Mira Okafor' }).waitFor()
        },
      ],
      [
        'treasury-settings',
        async page => {
          await open(page, `/workspaces/${ANCHOR}/treasury`, 'Treasury')
          await page.getByRole('button', { name: 'Change settings' }).click()
          await page.getByLabel('Cold account').waitFor()
        },
      ],
      [
        'bank-files',
        async page => {
          answerBankFiles(console.platform)
          await open(page, `/workspaces/${ANCHOR}/bank`, 'Lines to review')
          await page.getByText('Possible duplicate of the line of 20 Nov 2026').first().waitFor()
          await page.getByText('2 of 3 ended').waitFor()
          await page.getByText('2 payouts wait. 1 without an account').waitFor()
          await page.getByText('2026-11-20-camt.053.xml').first().waitFor()
          // Who made a file is offered no approval, which would be refused.
          await page.getByRole('button', { name: 'Look at payments of the file of 7.00 EUR' }).click()
          await page.getByText('You made this file.').waitFor()
          await page.getByText('DE02120300000000202051 BYLADEM1001').waitFor()
          expect(await page.getByRole('button', { name: 'Approve file' }).count()).toBe(0)
          await page.keyboard.press('Escape')
          await page.getByRole('button', { name: 'Approve account NL91ABNA0417164300' }).click()
          await page.getByText('Accounts of returns to approve').first().waitFor({ state: 'detached' })
          await page.getByRole('button', { name: 'Report rejection of the file of 275.25 EUR' }).click()
          await page.getByLabel('Reason').fill('Invalid scheme')
          await page.getByRole('button', { name: 'Ask for approval' }).click()
          await page.getByText('Invalid scheme').waitFor()
          await page.getByRole('button', { name: 'Approve rejection of the file of 275.25 EUR' }).click()
          await page.getByText('Rejected by bank', { exact: true }).waitFor()
          await page.getByRole('button', { name: 'Look at payments of the file of 275.25 EUR' }).click()
          await page.getByText('1 payment has something new.').waitFor()
          await page.getByText('Changed account', { exact: true }).waitFor()
          await page.getByText('Return of a payment of 20 Nov 2026 from Anneliese').waitFor()
          await page.getByRole('button', { name: 'Approve file' }).click()
          await page.getByText('Approved', { exact: true }).waitFor()
        },
      ],
      [
        'bank-upload',
        async page => {
          const bank = answerBankFiles(console.platform)
          await open(page, `/workspaces/${ANCHOR}/bank`, 'Bank statements')
          await page.getByRole('button', { name: 'Upload statement' }).click()
          const file = {
            name: 'november.xml',
            mimeType: 'application/xml',
            buffer: Buffer.from('<Document/>'),
          }
          await page.locator('input[type=file]').setInputFiles(file)
          bank.lines = bank.lines.map(line => ({ ...line, status: 'new' }))
          await page.getByRole('button', { name: 'Upload', exact: true }).click()
          await page.getByText('41 lines read, 40 of them new. 1 of them may be').waitFor()
          await page.getByText('Lines are being matched').waitFor()
          expect(bank.uploaded).toEqual(['november.xml'])
        },
      ],
      [
        'bank-decision',
        async page => {
          const bank = answerBankFiles(console.platform)
          await open(page, `/workspaces/${ANCHOR}/bank`, 'Lines to review')
          await page.getByRole('button', { name: 'Decide about 248.50 EUR of 20 Nov 2026' }).click()
          const twin = 'Possible duplicate of the line of 20 Nov 2026 in the file 2026-11-20-camt.054.xml.'
          await page.getByRole('dialog').getByText(twin).waitFor()
          await page.getByLabel('Payment of a transaction').check()
          await page.getByRole('button', { name: 'Choose' }).click()
          await page.getByLabel('Reason').fill('The customer called.')
          await page.getByRole('button', { name: 'Save decision' }).click()
          await page.getByText('Nothing to review').waitFor()
          expect(bank.decided).toEqual([
            {
              decision: 'match',
              transactionId: 'b7c1e0a2-5d0e-4c56-8f0a-1f7a2c9d4e11',
              reason: 'The customer called.',
            },
          ])
        },
      ],
      [
        'bank-returned',
        async page => {
          answerBankFiles(console.platform)
          await open(page, `/workspaces/${ANCHOR}/bank`, 'Returned payments')
          await page.getByRole('link', { name: 'Open transaction of 91.50 EUR' }).waitFor()
          await page.getByRole('button', { name: 'Pay again: 44.00 EUR' }).click()
          await page.getByLabel('Reason').fill('They opened another account.')
          await page.getByRole('button', { name: 'Pay again', exact: true }).click()
          await page.getByText('asks for approval: Pay again').waitFor()
          await page.getByRole('button', { name: 'Approve the decision about 44.00 EUR' }).click()
          await page.getByText('They opened another account.').waitFor({ state: 'detached' })
        },
      ],
      [
        'bank-second-person',
        async page => {
          const bank = answerBankFiles(console.platform)
          await open(page, `/workspaces/${ANCHOR}/bank`, 'Lines to review')
          await page.getByRole('button', { name: 'Decide about 248.50 EUR of 20 Nov 2026' }).click()
          await page.getByLabel('Listed twice').check()
          await page.getByRole('button', { name: 'Choose' }).click()
          await page.getByLabel('Reason').fill('Twice in the file.')
          await page.getByRole('button', { name: 'Save decision' }).click()
          expect(bank.decided).toMatchObject([{ as: 'duplicate', duplicateOf: 'twin' }])
          await page.getByText('asks for approval: Listed twice').waitFor()
          await page.getByRole('button', { name: 'Approve the decision about 248.50 EUR' }).click()
          await page.getByText('Nothing to review').waitFor()
          await page.getByRole('button', { name: 'Reverse the decision about 248.50 EUR' }).click()
          await page.getByLabel('Reason').fill('It was another booking.')
          await page.getByRole('button', { name: 'Reverse', exact: true }).click()
          await page.getByRole('button', { name: 'Decide about 248.50 EUR of 20 Nov 2026' }).waitFor()
        },
      ],
      [
        'compliance',
        async page => {
          const state = answerScreening(console.platform)
          await open(page, `/workspaces/${ANCHOR}/compliance`, 'To review')
          await page.getByRole('link', { name: 'Kadir Testow' }).click()
          await page.getByText('SDGT; born 10 Mar 1957').waitFor()
          await page.getByText('Brand New').waitFor()
          await page.getByLabel('No, clear it').check()
          await page.getByLabel('Reason').fill('Born in another year.')
          await page.getByLabel('Evidence').fill('Passport X1')
          await page.getByRole('button', { name: 'Save decision' }).click()
          await page.getByText('Nothing to review').waitFor()
          expect(state.decided).toEqual([
            { decision: 'clear', reason: 'Born in another year.', evidence: 'Passport X1' },
          ])
        },
      ],
      [
        'compliance-velocity',
        async page => {
          const state = answerScreening(console.platform)
          await open(page, `/workspaces/${ANCHOR}/compliance?part=rules`, 'Velocity rules')
          await page.getByText('No rules yet').waitFor()
          await page.getByRole('button', { name: 'Add rule' }).click()
          const panel = page.getByRole('dialog')
          await panel.getByLabel('What is counted').selectOption('below-limit')
          await panel.getByRole('button', { name: 'Add rule' }).click()
          await panel.getByRole('link', { name: 'Enter a number.' }).waitFor()
          await panel.getByLabel('Most').fill('2')
          await panel.getByLabel('Amount').fill('1000')
          await panel.getByRole('button', { name: 'Add rule' }).click()
          await page
            .getByText('a customer’s transfer just below 1,000, after 2 such transfers')
            .first()
            .waitFor()
          expect(state.rules).toEqual([{ kind: 'below-limit', hours: 24, count: 2, amount: '1000' }])
          await page.getByRole('button', { name: 'Remove the rule' }).click()
          await page.getByRole('button', { name: 'Remove rule', exact: true }).click()
          await page.getByText('No rules yet').waitFor()
          await page.getByRole('link', { name: 'To decide' }).click()
          await page.getByRole('link', { name: 'Velocity rule' }).click()
          await page.getByText('3, together 2,985.5').waitFor()
          await page.getByLabel('No, confirm it').waitFor()
        },
      ],
      [
        'compliance-travel-rule',
        async page => {
          const state = answerScreening(console.platform)
          await open(page, `/workspaces/${ANCHOR}/compliance?part=institutions`, 'Travel rule')
          await page.getByText('No data is asked for.').waitFor()
          const section = page.locator('section', { has: page.getByRole('heading', { name: 'Travel rule' }) })
          await section.getByRole('button', { name: 'Change', exact: true }).click()
          const panel = page.getByRole('dialog')
          await panel.getByRole('textbox', { name: /^Amount( |$)/ }).fill('1000')
          await panel.getByLabel('Amounts towards countries').fill('us 3000\nBR')
          await panel.getByLabel('LEI').fill('5299')
          await panel.getByRole('button', { name: 'Save' }).click()
          await panel.getByRole('link', { name: 'Enter an LEI' }).waitFor()
          await panel.getByLabel('LEI').fill('529900T8BM49AURSDO55')
          await panel.getByRole('button', { name: 'Save' }).click()
          await page.getByText('Data is kept with transfers of 1,000').waitFor()
          await page.getByText('Towards countries: US 3000, BR.').waitFor()
          expect(state.travelRule).toEqual({
            ...{ threshold: '1000', lei: '529900T8BM49AURSDO55', country: null, ownershipAbove: null },
            corridors: [
              { country: 'US', threshold: '3000' },
              { country: 'BR', threshold: null },
            ],
            waitsForAnswer: true,
          })
        },
      ],
      [
        'compliance-inquiry',
        async page => {
          const state = answerScreening(console.platform)
          await open(page, `/workspaces/${ANCHOR}/compliance`, 'Inquiries')
          await page.getByText('refused: The provider did not take your message.').waitFor()
          await page.getByText('Waits for you').waitFor()
          await page.getByRole('button', { name: 'Reject: Frankfurt Wallet GmbH' }).click()
          const panel = page.getByRole('dialog')
          await panel.getByRole('button', { name: 'Reject' }).click()
          await panel.getByRole('link', { name: 'Enter a reason' }).waitFor()
          await panel.getByLabel('Reason').fill('Another name.')
          await panel.getByRole('button', { name: 'Reject' }).click()
          await panel.getByText('The inquiry was not decided').waitFor()
          expect(state.inquiries).toEqual([{ decision: 'reject', reason: 'Another name.' }])
        },
      ],
      [
        'compliance-load',
        async page => {
          const state = answerScreening(console.platform)
          await open(page, `/workspaces/${ANCHOR}/compliance?part=names`, 'Sanctions lists')
          await page.getByText('Names count as alike from a score of 0.85.').waitFor()
          await page.getByRole('button', { name: 'Load list' }).click()
          const file = { name: 'sdn.xml', mimeType: 'application/xml', buffer: Buffer.from('<sdnList/>') }
          await page.locator('input[type=file]').setInputFiles(file)
          await page.getByRole('button', { name: 'Load', exact: true }).click()
          await page.getByText('The list has 7 entries').waitFor()
          await page.getByLabel('Accept far fewer entries than before').check()
          await page.getByRole('button', { name: 'Load', exact: true }).click()
          await page.getByRole('dialog').waitFor({ state: 'detached' })
          expect(state.loaded).toEqual(['sdn.xml'])
        },
      ],
      [
        'agreements',
        async page => {
          const state = answerScreening(console.platform)
          await open(page, `/workspaces/${ANCHOR}/compliance?part=institutions`, 'Sending anchors')
          await page.getByRole('button', { name: 'Add agreement' }).click()
          const panel = page.getByRole('dialog')
          await panel.getByLabel('Name', { exact: true }).fill('London Pay')
          await panel.getByLabel('Account').fill(`G${'A'.repeat(55)}`)
          await panel.getByRole('button', { name: 'Add agreement' }).click()
          await page.getByRole('button', { name: 'Change the agreement with London Pay' }).click()
          await panel.getByLabel('Enhanced').check()
          await panel.getByRole('button', { name: 'Save' }).click()
          await page.getByRole('cell', { name: 'Enhanced' }).waitFor()
          expect(state.agreements).toMatchObject([{ account: `G${'A'.repeat(55)}`, tier: 'enhanced' }])
          await page.getByRole('button', { name: 'End the agreement with London Pay' }).click()
          await page.getByRole('button', { name: 'End agreement', exact: true }).click()
          await page.getByText('No agreements yet').waitFor()
          expect(state.agreements).toEqual([])
        },
      ],
      [
        'bank-csv',
        async page => {
          answerBankFiles(console.platform)
          await open(page, `/workspaces/${ANCHOR}/bank`, 'Bank statements')
          await page.getByRole('button', { name: 'CSV columns' }).click()
          await page.getByRole('button', { name: 'Save columns' }).click()
          await page.getByRole('alert').waitFor()
        },
      ],
      [
        'bank-csv-from-a-file',
        async page => {
          const bank = answerBankFiles(console.platform)
          await open(page, `/workspaces/${ANCHOR}/bank`, 'Bank statements')
          await page.getByRole('button', { name: 'CSV columns' }).click()
          const file = {
            name: 'november.csv',
            mimeType: 'text/csv',
            buffer: Buffer.from('Booked;Text;Amount;State'),
          }
          await page.getByLabel('A file of your bank').setInputFiles(file)
          await page.getByText('Its columns: Booked, Text, Amount, State.').waitFor()
          expect(await page.getByLabel('Decimal sign').inputValue()).toBe(',')
          await page.getByRole('button', { name: 'Show rows' }).click()
          await page.getByRole('link', { name: 'booked, pending or failed: Frozen.' }).waitFor()
          await page.getByLabel('Words for pending').fill('Frozen')
          await page.getByRole('button', { name: 'Show rows' }).click()
          await page.getByText('1,234.50 EUR').first().waitFor()
          await page.getByText('2, and 2 left out: pending or failed').waitFor()
          expect(bank.columns).toBeUndefined()
          // Other columns are read again before they can be saved.
          await page.getByLabel('Decimal sign').selectOption('.')
          await page.getByRole('button', { name: 'Show rows' }).waitFor()
          await page.getByLabel('Decimal sign').selectOption(',')
          await page.getByRole('button', { name: 'Save columns' }).click()
          await page.getByRole('dialog').waitFor({ state: 'hidden' })
          expect(bank.columns).toMatchObject({
            ...{ decimal: ',', date: 'Booked', text: ['Text'] },
            state: { column: 'State', booked: ['COMPLETED'], pending: ['Frozen'], failed: ['REVERTED'] },
          })
        },
      ],
      [
        'bank-upload-csv',
        async page => {
          const bank = answerBankFiles(console.platform)
          await open(page, `/workspaces/${ANCHOR}/bank`, 'Bank statements')
          await page.getByRole('button', { name: 'Upload statement' }).click()
          const file = { name: 'november.csv', mimeType: 'text/csv', buffer: Buffer.from('Booked;Amount') }
          await page.getByLabel('File', { exact: true }).setInputFiles(file)
          await page.getByRole('button', { name: 'Upload', exact: true }).click()
          await page.getByText('Nothing of it counts yet.').waitFor()
          expect(bank.uploaded).toEqual([])
          await page.getByRole('button', { name: 'Upload', exact: true }).click()
          await page.getByText('2 left out: pending or failed.').waitFor()
          expect(bank.uploaded).toEqual(['november.csv'])
        },
      ],
      [
        'reconciliation',
        async page => {
          const state = answerReconciliation(console.platform)
          await open(page, `/workspaces/${ANCHOR}/reconciliation`, 'Open differences')
          await page.getByText('They come to 3 EUR less.').waitFor()
          await page.getByText(/Difference over all currencies.*6,?242/).waitFor()
          await page.getByRole('button', { name: 'Edit Bank account, -3 EUR' }).click()
          await page.getByLabel('What it was').selectOption('bank-charge')
          await page.getByLabel('Reason').fill('The bank charged 3 EUR.')
          await page.getByRole('button', { name: 'Resolve' }).click()
          await page.getByText('Journal, ledger and rails agree.').waitFor()
          expect(state.reasons).toEqual(['The bank charged 3 EUR.'])
        },
      ],
      [
        'closing',
        async page => {
          const state = answerClosing(console.platform)
          await open(page, `/workspaces/${ANCHOR}/closing`, 'Close a period')
          await page.getByText('Money in suspense (1): -4.00 EUR').waitFor()
          await page.getByText(/Oct.*2026: 4.00 EUR/).waitFor()
          const lines = page.getByRole('link', { name: 'Lines of statements without a decision' })
          expect(await lines.getAttribute('href')).toBe(`/workspaces/${ANCHOR}/bank`)
          await page.getByText('Booked late (1 entry)').waitFor()
          await page.getByText('8,850 INR').first().waitFor()
          await page.getByRole('button', { name: 'Interest, -9.00 EUR: what it comes from' }).click()
          await page.getByText('The bank pays it each quarter.').waitFor()
          await page.getByRole('button', { name: 'october.xml' }).waitFor()
          await page.getByRole('button', { name: 'Close', exact: true }).click()
          await page.getByRole('button', { name: 'Close the period' }).click()
          await page.getByText('Enter the reason.').first().waitFor()
          await page.getByLabel('Reason').fill('The bank explains it next week.')
          await page.getByRole('button', { name: 'Close the period' }).click()
          await page.getByText('This period is closed.').waitFor()
          await page.getByLabel('Consultant at DATEV').fill('5')
          await page.getByRole('button', { name: 'Save', exact: true }).click()
          await page.getByText('Enter both numbers as DATEV gave them').first().waitFor()
          expect(state.reasons).toEqual(['The bank explains it next week.'])
        },
      ],
      [
        'notifications',
        async page => {
          await open(page, `/workspaces/${ANCHOR}/notifications`, 'Notifications')
          await page.getByText('The distribution account holds 5 HARB.').waitFor()
          await page.getByText('the endpoint answered 500').waitFor()
        },
      ],
      [
        'notification-webhook',
        async page => {
          await open(page, `/workspaces/${ANCHOR}/notifications`, 'Notifications')
          await page.getByRole('button', { name: 'Add webhook' }).click()
          await page.getByLabel('URL').waitFor()
        },
      ],
      [
        'routing',
        async page => {
          await open(page, `/workspaces/${ANCHOR}/routing`, 'Routing decisions')
          await page.getByText('77.25 of 91.4').waitFor()
          await page.getByText('Excluded', { exact: true }).waitFor()
          await page.getByText('9,000 HARB over PIX, Brazil').waitFor()
          await page.getByText('does not support the rail PIX').waitFor()
        },
      ],
      [
        'team',
        async page => {
          await open(page, `/workspaces/${ANCHOR}/team`, 'Team')
          await page.getByText('dev@harbour.example').waitFor()
        },
      ],
      [
        'team-form',
        async page => {
          await open(page, `/workspaces/${ANCHOR}/team`, 'Team')
          await page.getByRole('button', { name: 'Add member' }).click()
          await page.getByLabel('Email').waitFor()
        },
      ],
      [
        'team-confirming',
        async page => {
          state.confirmed = false
          await open(page, `/workspaces/${ANCHOR}/team`, 'Team')
          await page.getByRole('button', { name: 'Add member' }).click()
          await page.getByLabel('Email').fill('noor@harbour.example')
          await page.getByRole('button', { name: 'Add member' }).last().click()
          await page.getByLabel('Code or password').waitFor()
        },
      ],
      [
        'activity',
        async page => {
          await open(page, `/workspaces/${ANCHOR}/activity`, 'Activity')
          await page.getByText('Restored after a ledger reset').waitFor()
          await page.getByRole('cell', { name: 'Mira Okafor created an API key' }).waitFor()
          await page.getByText('Name: nightly export').waitFor()
        },
      ],
      [
        'workspace-restored',
        async page => {
          console.platform.answer(getWorkspace, () => ({
            ...workspace,
            ledgerResetAt: '2026-11-20T11:00:00.000Z',
          }))
          await open(page, `/workspaces/${ANCHOR}`, 'Business')
          await page.getByText('The ledger was reset').waitFor()
        },
      ],
      [
        'workspace-unknown',
        async page => {
          await page.goto(`${console.url}/workspaces/nothing-of-mine`)
          await page.getByText('None of your organizations has an anchor with this ID.').waitFor()
        },
      ],
    ]

    for (const [name, show] of screens) {
      test(`${name} has no violation, no overflow and no fault at either size`, async () => {
        expect(await faultsOfScreen(console.browser, `founder-${name}`, show, 'operator')).toEqual([])
      })
    }
  },
)
