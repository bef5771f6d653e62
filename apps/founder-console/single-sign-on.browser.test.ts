import {
  finishOperatorSignOn,
  getSingleSignOn,
  setSingleSignOn,
  startOperatorSignOn,
} from '@windlass/contracts/platform/single-sign-on.ts'
import { hasChromium, openPage } from '@windlass/ui/testing/browser.ts'
import { Refusal } from '@windlass/ui/testing/fake-platform.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { ANCHOR, type OperatorsState } from './testing/operators-state.ts'
import { workspacesInBrowser } from './testing/workspaces.ts'

describe.runIf(hasChromium('single sign-on in a browser'))('single sign-on', () => {
  const { answer, console, open } = workspacesInBrowser()
  let state: OperatorsState
  beforeEach(() => void (state = answer()))

  test('a member signs in at their organization’s provider and is back where they were going', async () => {
    state.session = 'none'
    console.platform.answer(startOperatorSignOn, ({ body }) =>
      (body as { organization: string }).organization === 'harbour'
        ? { url: 'https://login.harbour.example/authorize', key: 'key-of-this-tab' }
        : new Refusal('single-sign-on-not-set', 'None.'),
    )
    let finished: unknown
    console.platform.answer(finishOperatorSignOn, ({ body }) => {
      finished = body
      state.session = 'good'
      return { id: 'usr_1', email: 'mira@harbour.example', fullName: 'Mira Okafor', isNew: false }
    })
    const { page } = await openPage(console.browser)
    // The provider has signed them in, and sends them back.
    await page.route('https://login.harbour.example/**', route =>
      route.fulfill({
        contentType: 'text/html',
        body: `<script>location.replace('${console.url}/single-sign-on/org_harbour?code=c1&state=s1')</script>`,
      }),
    )
    await open(page, `/workspaces/${ANCHOR}/keys`, 'Sign in')
    await page.getByRole('link', { name: 'Sign in with single sign-on' }).click()
    await page.getByRole('heading', { name: 'Single sign-on' }).waitFor()
    await page.getByLabel('Organization').fill('harbor')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('link', { name: /No organization with single sign-on/ }).waitFor()
    await page.getByLabel('Organization').fill('harbour')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    expect(finished).toEqual({
      organizationId: 'org_harbour',
      key: 'key-of-this-tab',
      query: 'code=c1&state=s1',
    })
  })

  test('a refusal says why, and the code stays in no address', async () => {
    state.session = 'none'
    console.platform.answer(
      finishOperatorSignOn,
      () => new Refusal('single-sign-on-refused', 'No.', { reason: 'no-member' }),
    )
    const { page } = await openPage(console.browser)
    await page.goto(`${console.url}/single-sign-on/org_harbour?code=c1&state=s1`)
    await page.getByText('Nobody here has your email address. Ask an owner to add you.').waitFor()
    expect(page.url()).toBe(`${console.url}/single-sign-on/org_harbour`)
    await page.getByLabel('Organization').waitFor()
  })

  test('an owner sets the provider, and sees what to enter there and what to send to the team', async () => {
    const addresses = {
      redirectUrl: 'https://console.windlass.example/single-sign-on/org_harbour',
      signInUrl: 'https://console.windlass.example/single-sign-on?organization=harbour',
    }
    let set: Record<string, unknown> | undefined
    const provider = () => ({
      issuer: String(set?.['issuer']),
      clientId: String(set?.['clientId']),
      trustsSecondFactor: false,
      setBy: 'Mira Okafor',
      setAt: new Date().toISOString(),
      opensAt: new Date(Date.now() + 86_400_000).toISOString(),
    })
    console.platform.answer(getSingleSignOn, () => ({ provider: set ? provider() : null, ...addresses }))
    console.platform.answer(setSingleSignOn, ({ body }) => {
      set = body as Record<string, unknown>
      return provider()
    })
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/team`, 'Team')
    await page.getByText(addresses.redirectUrl, { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Set up single sign-on' }).click()
    await page.getByLabel('Issuer').fill('https://login.harbour.example')
    await page.getByLabel('Client ID').fill('windlass')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'Enter a value' }).waitFor()
    await page.getByLabel('Client secret').fill('s3cret')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(addresses.signInUrl, { exact: true }).waitFor()
    await page.getByText(/until then to Mira Okafor alone/).waitFor()
    expect(set).toEqual({
      issuer: 'https://login.harbour.example',
      clientId: 'windlass',
      clientSecret: 's3cret',
      trustsSecondFactor: false,
    })
  })
})
