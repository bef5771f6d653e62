import { endOperatorSession } from '@windlass/contracts/platform/operators.ts'
import { hasChromium, openPage, visit } from '@windlass/ui/testing/browser.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { ANCHOR, type OperatorsState } from './testing/operators-state.ts'
import { workspacesInBrowser } from './testing/workspaces.ts'

describe.runIf(hasChromium('sign-ins to the workspaces in a browser'))('sign-ins to the workspaces', () => {
  const { answer, askForCode, console, open } = workspacesInBrowser()
  let state: OperatorsState
  beforeEach(() => void (state = answer()))

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

  test('signing out lasts, and leaves no filters in the browser', async () => {
    const { page } = await openPage(console.browser, 'operator')
    await open(page, '/workspaces', 'Workspaces')
    // A filter may hold a customer's name.
    await page.evaluate(() => {
      localStorage.setItem('windlass.theme', 'dark')
      localStorage.setItem(
        'windlass.filters.customers',
        JSON.stringify([{ name: 'Ravi', values: { search: 'Ravi Menon' } }]),
      )
    })
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    const kept = await page.evaluate(() => JSON.stringify(localStorage))
    expect(kept).not.toContain('Ravi')
    expect(kept).toContain('dark')
    await open(page, '/workspaces', 'Sign in')
  })

  test('a filter is there again after a session that expired, for the same person alone', async () => {
    const { page } = await openPage(console.browser, 'operator')
    const kept = () => page.evaluate(() => localStorage.getItem('windlass.filters.customers'))
    const signInAgain = async () => {
      state.session = 'none'
      await open(page, '/workspaces', 'Sign in')
      await askForCode(page)
      await page.getByLabel('Code').fill('482 913')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'Workspaces' }).waitFor()
    }
    await open(page, '/workspaces', 'Workspaces')
    await page.evaluate(() => localStorage.setItem('windlass.filters.customers', '[{"name":"Ravi"}]'))
    await signInAgain()
    expect(await kept()).toContain('Ravi')
    state.userId = 'usr_noor'
    await signInAgain()
    expect(await kept()).toBeNull()
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
})
