import type { AnchorSummary } from '@windlass/contracts/anchor/business-server.ts'
import { getWorkspaceTreasury } from '@windlass/contracts/platform/workspace-records.ts'
import { getWorkspace, type Workspace } from '@windlass/contracts/platform/workspaces.ts'
import { hasChromium, openPage, picture, visit } from '@windlass/ui/testing/browser.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { ANCHOR, workspace, type OperatorsState } from './testing/operators-state.ts'
import { workspacesInBrowser } from './testing/workspaces.ts'

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

describe.runIf(hasChromium('the settings of a workspace in a browser'))('the settings of a workspace', () => {
  const { answer, console, open } = workspacesInBrowser()
  let state: OperatorsState
  beforeEach(() => void (state = answer()))

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

  test('what wallets may do is one group, which says what was refused', async () => {
    const { page, faults } = await openPage(console.browser, 'operator')
    state.confirmed = true
    await open(page, `/workspaces/${ANCHOR}/settings`, 'Wallets')
    await page.getByText('May sign in without a memo too').waitFor()
    await page.getByRole('button', { name: 'Change: Wallets' }).click()
    await page.getByRole('combobox', { name: 'Accounts of many customers' }).selectOption('no')
    await page.getByRole('combobox', { name: /^Withdrawals paid with a little/ }).selectOption('no')
    await picture(page, 'wallet-settings')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(state.settings[0]?.settings).toMatchObject({
      limits: { nearAmounts: false },
      wallets: { mixedMemos: false, newAccounts: true, unnamedMethods: true },
    })
    await page
      .getByText('Accounts of many customers: May sign in without a memo too → Always need their memo')
      .waitFor()
    expect(faults).toEqual([])
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
})
