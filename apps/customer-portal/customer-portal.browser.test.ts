import {
  removeWalletByLink,
  listCustomerAnchors,
  listCustomerTransactions,
  deleteCustomerAccount,
  withdrawAnchorAccess,
  endCustomerSession,
} from '@windlass/contracts/platform/customers.ts'
import { chooseCustomerLanguage } from '@windlass/contracts/platform/emails.ts'
import { startKyc } from '@windlass/contracts/platform/kyc.ts'
import { faultsOfScreen, hasChromium, openPage, visit } from '@windlass/ui/testing/browser.ts'
import { consoleInBrowser, consoleUnderTest } from '@windlass/ui/testing/console-under-test.ts'
import { Refusal } from '@windlass/ui/testing/fake-platform.ts'
import { PSEUDO_LOCALE } from '@windlass/ui/pseudo-locale.ts'
import { pseudoFaults } from '@windlass/ui/testing/languages.ts'
import { shippedScripts } from '@windlass/ui/testing/shipped-scripts.ts'
import {
  accountOf,
  answerCustomer,
  customerState,
  type CustomerState,
  LINK,
  ADDRESS,
} from './testing/platform.ts'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'

describe.runIf(hasChromium('the customer portal in a browser'))(
  'the customer portal',
  { timeout: 180_000 },
  () => {
    const console = consoleInBrowser(import.meta.dirname)
    let state: CustomerState

    beforeEach(() => {
      state = customerState()
      answerCustomer(console.platform, state)
    })

    const open = async (page: Page, path: string, heading: string): Promise<void> => {
      await page.goto(console.url + path)
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    }

    test('a chosen language is kept with the account of someone who is signed in', async () => {
      console.platform.answer(chooseCustomerLanguage, () => ({ ok: true }))
      const { page } = await openPage(console.browser, 'customer')
      const kept = () =>
        console.platform.requests
          .filter(({ line }) => line === 'PUT /api/v1/customer/language')
          .map(({ asked }) => asked.body)
      await open(page, '/account', 'Identity')
      await page.getByLabel('Language').selectOption('Español')
      await page.getByRole('heading', { level: 1, name: 'Identidad' }).waitFor()
      expect(kept()).toEqual([{ language: 'es' }])
      await page.evaluate(() => localStorage.removeItem('windlass.customer'))
      await page.goto(console.url)
      await page.getByLabel('Idioma').selectOption('English')
      const title = 'One identity check for every anchor'
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      expect(kept()).toHaveLength(1)
    })

    const screens: [string, (page: Page) => Promise<void>][] = [
      ['home', page => open(page, '/', 'One identity check for every anchor')],
      ['sign-in', page => open(page, '/sign-in', 'Sign in')],
      [
        'account',
        async page => {
          await open(page, '/account', 'Identity')
          await page.getByRole('button', { name: 'Verify identity' }).waitFor()
        },
      ],
      [
        'account-verified',
        async page => {
          state.kyc = 'ACCEPTED'
          await open(page, '/account', 'Identity')
          await page.getByText('Verified on').waitFor()
        },
      ],
      [
        'account-withdrawal',
        async page => {
          await open(page, '/account', 'Identity')
          await page.getByRole('button', { name: 'Withdraw the access of Harbour Payments Ltd' }).click()
          await page.getByRole('dialog', { name: 'Withdraw access' }).waitFor()
        },
      ],
      [
        'account-deletion',
        async page => {
          await open(page, '/account', 'Identity')
          await page.getByRole('button', { name: 'Delete account' }).click()
          await page.getByText('We sent a code to asha@mail.example').waitFor()
        },
      ],
      [
        'wallets',
        async page => {
          await open(page, '/wallets', 'Wallets')
          await page.getByText('Laptop').waitFor()
        },
      ],
      [
        'transactions',
        async page => {
          await open(page, '/transactions', 'Transactions')
          await page.getByText('No answer from Quiet Bank').waitFor()
        },
      ],
      [
        'transaction',
        async page => {
          await open(page, '/transactions', 'Transactions')
          await page.getByRole('link', { name: 'Deposit' }).first().click()
          await page.getByText('Add a trustline for HARB').waitFor()
        },
      ],
      [
        'transactions-empty',
        async page => {
          console.platform.answer(listCustomerTransactions, () => ({
            transactions: [],
            unavailable: [],
            next: null,
          }))
          await open(page, '/transactions', 'Transactions')
          await page.getByText('No transactions yet').waitFor()
        },
      ],
      [
        'wallets-empty',
        async page => {
          state.wallets = []
          await open(page, '/wallets', 'Wallets')
          await page.getByText('No wallets yet').waitFor()
        },
      ],
      [
        'wallets-waiting',
        async page => {
          state.accounts = [accountOf('acc_1', 'waiting', null), accountOf('acc_2', 'confirmed', '77')]
          await open(page, '/wallets', 'Wallets')
          await page.getByText('Waiting', { exact: true }).waitFor()
        },
      ],
      [
        'wallet-confirmation',
        async page => {
          state.accounts = [accountOf('acc_1', 'waiting', null)]
          await open(page, '/wallets', 'Wallets')
          await page.getByRole('button', { name: /^Confirm GAV4VY/ }).click()
          await page.getByText('Confirm it only if you opened harbour.anchors.localhost').waitFor()
        },
      ],
      [
        'wallet-removal',
        async page => {
          await open(page, `/remove-wallet#token=${LINK}`, 'Remove a wallet')
          await page.getByText(ADDRESS).waitFor()
        },
      ],
      [
        'wallet-removal-gone',
        async page => {
          await open(page, '/remove-wallet#token=some-other-token-of-an-old-email', 'Remove a wallet')
          await page.getByText('This link does not work any more').waitFor()
        },
      ],
      [
        'wallet-proof',
        async page => {
          await open(page, '/wallets', 'Wallets')
          await page.getByRole('button', { name: 'Prove Laptop' }).click()
          await page.getByText('AAAAchallenge').waitFor()
        },
      ],
      ['not-found', page => open(page, '/nowhere', 'Page not found')],
    ]

    for (const [name, show] of screens) {
      test(`${name} has no violation, no overflow and no fault at either size`, async () => {
        expect(await faultsOfScreen(console.browser, `portal-${name}`, show, 'customer')).toEqual([])
      })
    }

    test.each([
      ['/', 'One identity check for every anchor', 131],
      ['/sign-in', 'Sign in', 131],
      ['/transactions', 'Transactions', 170],
      ['/wallets', 'Wallets', 170],
    ])('%s stays within its script size', async (path, heading, most) => {
      const { page, context } = await visit(console.browser, 'customer')
      const bytes = await shippedScripts(page, console.folder, shown => open(shown, path, heading))
      expect(bytes).toBeGreaterThan(50_000)
      expect(bytes).toBeLessThanOrEqual(most * 1000)
      await context.close()
    })

    test('a customer finds their transactions at all anchors, page by page, and opens one', async () => {
      const { page, faults } = await openPage(console.browser, 'customer')
      await open(page, '/transactions', 'Transactions')
      await page.getByRole('button', { name: 'Show more' }).click()
      await page.getByRole('cell', { name: 'Refunded' }).waitFor()
      expect(await page.getByRole('link', { name: 'Deposit' }).count()).toBe(3)
      await page.getByRole('link', { name: 'Deposit' }).nth(1).click()
      await page.getByRole('dialog').getByText('120.5 HARB').waitFor()
      await page.keyboard.press('Escape')
      await page.getByLabel('Anchor').selectOption('Harbour Payments Ltd')
      await page.getByLabel('Status').selectOption('Completed')
      await expect
        .poll(() => console.platform.requests.at(-1)?.asked.query.toString())
        .toBe('anchorId=anc_1&status=completed')
      expect(faults).toEqual([])
    })

    test('a customer confirms a wallet that signed in at an anchor, and refuses another', async () => {
      state.accounts = [accountOf('acc_1', 'waiting', null), accountOf('acc_2', 'waiting', '77')]
      const { page, faults } = await openPage(console.browser, 'customer')
      await open(page, '/wallets', 'Wallets')
      await page.getByRole('button', { name: /^Confirm GAV4VY\S+$/ }).click()
      await page.getByRole('dialog').getByText('Harbour Payments Ltd (harbour.anchors.localhost)').waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Confirm wallet' }).click()
      await page.getByRole('cell', { name: 'Confirmed', exact: true }).waitFor()
      await page.getByRole('button', { name: /^Remove GAV4VY\S+ · 77$/ }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Remove wallet' }).click()
      await expect.poll(() => page.getByText('Signed in at anchors').count()).toBe(0)
      expect(faults).toEqual([])
    })

    test('the link of an email removes a wallet once its button is pressed, without a session', async () => {
      state.signedIn = false
      const removed: unknown[] = []
      console.platform.answer(removeWalletByLink, ({ body }) => {
        removed.push(body)
        return { account: ADDRESS, memo: null }
      })
      const { page } = await openPage(console.browser)
      await open(page, `/remove-wallet#token=${LINK}`, 'Remove a wallet')
      await page.getByText(ADDRESS).waitFor()
      expect(removed).toEqual([])
      await page.getByRole('button', { name: 'Remove wallet' }).click()
      await page.getByText('Removed', { exact: true }).waitFor()
      expect(removed).toEqual([{ token: LINK }])
    })

    test('a customer withdraws the access of an anchor', async () => {
      const { page } = await openPage(console.browser, 'customer')
      await open(page, '/account', 'Identity')
      await page.getByRole('button', { name: 'Withdraw the access of Harbour Payments Ltd' }).click()
      console.platform.answer(withdrawAnchorAccess, ({ params }) => {
        console.platform.answer(listCustomerAnchors, () => [])
        return { ok: params.id === 'anc_1' }
      })
      await page.getByRole('dialog').getByRole('button', { name: 'Withdraw access' }).click()
      await page.getByText('None yet').waitFor()
    })

    test('a customer deletes their account with a code by email', async () => {
      console.platform.answer(deleteCustomerAccount, ({ body }) =>
        (body as { code: string }).code === '482913'
          ? { ok: true }
          : new Refusal('confirmation-refused', 'The code is wrong.'),
      )
      const { page } = await openPage(console.browser, 'customer')
      await open(page, '/account', 'Identity')
      await page.getByRole('button', { name: 'Delete account' }).click()
      await page.getByLabel('Code').fill('482 914')
      await page.getByRole('button', { name: 'Delete permanently' }).click()
      await page.getByRole('alert').getByText('The code is wrong').waitFor()
      await page.getByLabel('Code').fill('482 913')
      await page.getByRole('button', { name: 'Delete permanently' }).click()
      await page.getByRole('heading', { level: 1, name: 'One identity check for every anchor' }).waitFor()
    })

    test('the portal is in Spanish where the browser prefers it', async () => {
      const { page, context, faults } = await visit(console.browser, 'customer', 'es-MX')
      await open(page, '/account', 'Identidad')
      await page.getByRole('button', { name: 'Retirar el acceso de Harbour Payments Ltd' }).waitFor()
      await open(page, '/wallets', 'Billeteras')
      await open(page, '/transactions', 'Transacciones')
      await page.getByText('Sin respuesta de Quiet Bank').waitFor()
      expect(faults).toEqual([])
      await context.close()
    })

    test('every heading and control is in a catalogue, and longer texts have room', async () => {
      const { page, context, faults } = await visit(console.browser, 'customer')
      await using pseudo = await consoleUnderTest(import.meta.dirname, console.platform.url, PSEUDO_LOCALE)
      for (const [path, heading] of [
        ['/sign-in', '[Sign in'],
        ['/account', '[Identity'],
        ['/wallets', '[Wallets'],
        ['/transactions', '[Transactions'],
      ] as const) {
        await page.goto(pseudo.url + path)
        await page.getByRole('heading', { level: 1, name: heading }).waitFor()
        await page.waitForLoadState('networkidle')
        expect(await pseudoFaults(page), path).toEqual([])
      }
      expect(faults).toEqual([])
      await context.close()
    })

    test('a customer sees the anchors they use, and downloads what the platform has about them', async () => {
      const { page } = await openPage(console.browser, 'customer')
      await open(page, '/account', 'Identity')
      await page.getByRole('cell', { name: 'Harbour Payments Ltd', exact: true }).waitFor()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download your data' }).click(),
      ])
      const data = JSON.parse(await readFile(await download.path(), 'utf8'))
      expect(data).toMatchObject({
        profile: { email: 'asha@mail.example' },
        identityCheck: { status: 'NEEDS_INFO' },
        anchors: [{ organizationName: 'Harbour Payments Ltd' }],
      })
      expect([data.wallets.length, data.sessions.length]).toEqual([2, 2])
    })

    test('a customer ends another session', async () => {
      console.platform.answer(endCustomerSession, () => ({ ok: true }))
      const { page } = await openPage(console.browser, 'customer')
      await open(page, '/account', 'Identity')
      await page.getByRole('button', { name: 'End the session of Firefox' }).click()
      await expect
        .poll(() => console.platform.requests.some(r => r.line === 'DELETE /api/v1/customer/sessions/ses_2'))
        .toBe(true)
    })

    test('a visitor signs in with a code and returns to the page they opened', async () => {
      state.signedIn = false
      const { page } = await openPage(console.browser)
      await open(page, '/wallets', 'Sign in')
      await page.getByLabel('Email').fill('asha@mail.example')
      await page.getByRole('button', { name: 'Send code' }).click()
      await page.getByLabel('Code').fill('000 000')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('link', { name: /The code is wrong/ }).waitFor()
      await page.getByLabel('Code').fill('482 913')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { level: 1, name: 'Wallets' }).waitFor()
      expect(page.url()).toBe(`${console.url}/wallets`)
    })

    test('the identity check opens at the provider and returns to the portal', async () => {
      console.platform.answer(startKyc, () => ({
        url: `${console.url}/sign-in?provider`,
        sessionId: 'kyc_1',
      }))
      const { page } = await openPage(console.browser, 'customer')
      await open(page, '/account', 'Identity')
      await page.getByRole('button', { name: 'Verify identity' }).click()
      await page.waitForURL(`${console.url}/sign-in?provider`)
      expect(console.platform.requests.find(r => r.line.endsWith('/kyc/start'))!.asked.body).toEqual({
        returnUrl: `${console.url}/account`,
      })
    })

    test('a wallet is linked, proven by its signature and unlinked after a confirmation', async () => {
      const { page } = await openPage(console.browser, 'customer')
      await open(page, '/wallets', 'Wallets')
      await page.getByRole('textbox', { name: 'Address' }).fill('GSHORT')
      await page.getByRole('button', { name: 'Link wallet' }).click()
      await page.getByRole('link', { name: /Enter an address with 56 characters/ }).waitFor()
      await page.getByRole('textbox', { name: 'Address' }).fill(ADDRESS.toLowerCase())
      await page.getByLabel('Label').fill('Tablet')
      await page.getByRole('button', { name: 'Link wallet' }).click()
      await page.getByRole('button', { name: 'Prove Tablet' }).click()
      await page.getByLabel('Signed transaction').fill('AAAAother')
      await page.getByRole('button', { name: 'Submit proof' }).click()
      await page.getByText('The signature is not of this wallet.').waitFor()
      await page.getByLabel('Signed transaction').fill('AAAAsigned')
      await page.getByRole('button', { name: 'Submit proof' }).click()
      await expect.poll(() => page.getByText('Proven', { exact: true }).count()).toBe(2)
      await page.getByRole('button', { name: 'Unlink Tablet' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Unlink wallet' }).click()
      await expect.poll(() => page.getByText('Tablet').count()).toBe(0)
    })
  },
)
