import type { DeveloperTransaction } from '@windlass/contracts/developer-api.ts'
import { listAnchorEvents } from '@windlass/contracts/anchor-life.ts'
import {
  createApiKey,
  listApiKeys,
  revokeApiKey,
  rollApiKey,
  type ApiKey,
} from '@windlass/contracts/api-keys.ts'
import { checkConformance, getConformance, type ConformanceReport } from '@windlass/contracts/conformance.ts'
import { addMember, listMembers, removeMember, type Member } from '@windlass/contracts/members.ts'
import {
  confirmOperator,
  endOperatorSession,
  getOperatorProfile,
  listOperatorSessions,
  logoutOperator,
  refreshOperatorSession,
  requestOperatorCode,
  verifyOperatorCode,
} from '@windlass/contracts/operators.ts'
import {
  getWorkspaceTransaction,
  getWorkspaceTreasury,
  listWorkspaceCustomers,
  listWorkspaceTransactions,
} from '@windlass/contracts/workspace-books.ts'
import {
  getWorkspace,
  getWorkspaceAudit,
  getWorkspaceDecisions,
  getWorkspaceHealth,
  type Workspace,
} from '@windlass/contracts/workspaces.ts'
import { faultsOfScreen, hasChromium, openBrowser, visit } from '@windlass/ui/testing/browser.ts'
import { consoleUnderTest, type ConsoleUnderTest } from '@windlass/ui/testing/console-under-test.ts'
import { Refusal } from '@windlass/ui/testing/fake-platform.ts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

const ANCHOR = 'a1b2c3d4e5f6g7h8i9j0'
const DOMAIN = 'harbour.anchors.localhost:8080'

const workspace: Workspace = {
  id: ANCHOR,
  organization: { id: 'org_1', name: 'Harbour Payments Ltd' },
  role: 'owner',
  subdomain: 'harbour',
  homeDomain: DOMAIN,
  status: 'active',
  reason: null,
  asset: { code: 'HARB', name: 'Harbour Dollar', anchoredTo: 'USD', issued: '1000000' },
  rails: ['UPI', 'SEPA'],
  regions: ['IN', 'DE'],
  settlement: 'instant',
  fees: { fixed: '0.5', percentage: '0.005' },
  limits: { min: '1', max: '1000000' },
  issuer: 'GCATAQ4HVR2YKS5A6HZKVPJ4TDVJ4QVJSTXVJ4DZC5YQIGAKIMQ2HJQB',
  distribution: 'GDT5ZKZ2E5FBGCG3XJMWQ4XNTOQHXKV27XVSJQ5CBLDBTYN2VFXXZIZX',
  signingKey: 'GAV4VYBHNTQ3SCTQW2DNQQPUUHJNVVXQ2C5XWNPQRNPIO4LFVTO7BZZW',
  jobId: 'Zk3vQm8sT1uYx5aBc7dEfG',
  createdAt: '2026-11-20T10:00:00.000Z',
  activatedAt: '2026-11-20T10:00:30.000Z',
}

const reportAt = (checkedAt: string, unmet: boolean): ConformanceReport => ({
  checkedAt,
  findings: [
    {
      check: 'sep10-login',
      sep: 10,
      demand: 'A signed challenge gives a token with iss, sub, iat, exp and jti.',
      meaning: 'Nobody can log in.',
      passed: true,
      detail: null,
      took: 9,
    },
    {
      check: 'sep1-cors',
      sep: 1,
      demand: 'The discovery file may be read by web pages of every origin.',
      meaning: 'Wallets that run in a browser do not find the anchor.',
      passed: !unmet,
      detail: unmet ? 'Access-Control-Allow-Origin is nothing, not *.' : null,
      took: 2,
    },
  ],
})

const keyOf = (id: string, name: string, extra: Partial<ApiKey> = {}): ApiKey => ({
  id,
  name,
  prefix: 'wl_test_Qz8',
  scopes: ['read'],
  createdAt: '2026-11-20T10:00:00.000Z',
  expiresAt: null,
  lastUsedAt: null,
  revokedAt: null,
  ...extra,
})

const transaction: DeveloperTransaction = {
  id: 'b7c1e0a2-5d0e-4c56-8f0a-1f7a2c9d4e11',
  protocol: 'sep24',
  kind: 'deposit',
  status: 'completed',
  account: 'GAV4VYBHNTQ3SCTQW2DNQQPUUHJNVVXQ2C5XWNPQRNPIO4LFVTO7BZZW',
  memo: null,
  rail: 'UPI',
  currency: 'INR',
  amount: '250',
  fee: '1.75',
  railAmount: '22279.875',
  ledgerTransaction: 'c0ffee'.repeat(10) + 'c0ff',
  railPaymentId: 'upi_7Qz',
  message: null,
  createdAt: '2026-11-20T10:00:00.000Z',
  updatedAt: '2026-11-20T10:00:20.000Z',
}

const memberOf = (userId: string, fullName: string, role: Member['role']): Member => ({
  userId,
  email: `${fullName.split(' ')[0]?.toLowerCase()}@harbour.example`,
  fullName,
  role,
  since: '2026-11-20T10:00:00.000Z',
})

describe.runIf(hasChromium('the workspaces in a browser'))('the workspaces', { timeout: 60_000 }, () => {
  let console: ConsoleUnderTest
  let browser: Browser
  let session: 'none' | 'stale' | 'good'
  let keys: ApiKey[]
  let team: Member[]
  let confirmed: boolean
  let report: ConformanceReport

  beforeAll(async () => {
    console = await consoleUnderTest(import.meta.dirname)
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await console?.close()
  })
  beforeEach(() => {
    session = 'good'
    keys = [
      keyOf('key_1', 'nightly export', { lastUsedAt: '2026-11-20T10:00:00.000Z' }),
      keyOf('key_0', 'old', { revokedAt: '2026-11-19T10:00:00.000Z' }),
    ]
    report = reportAt('2026-11-20T10:00:00.000Z', true)
    confirmed = true
    team = [memberOf('usr_1', 'Mira Okafor', 'owner'), memberOf('usr_2', 'Dev Patel', 'member')]
    const { platform } = console
    const inside = <T>(answer: T): T | Refusal =>
      session === 'good' ? answer : new Refusal('unauthenticated', 'Sign in first.')
    platform.requests.length = 0
    platform.answer(requestOperatorCode, () => ({ ok: true }))
    platform.answer(verifyOperatorCode, ({ body }) => {
      if ((body as { code: string }).code !== '482913') return new Refusal('code-not-accepted', 'No.')
      session = 'good'
      return { id: 'usr_1', email: 'mira@harbour.example', fullName: 'Mira Okafor', isNew: false }
    })
    platform.answer(refreshOperatorSession, () => {
      if (session === 'none') return new Refusal('session-expired', 'It has ended.')
      session = 'good'
      return { ok: true }
    })
    platform.answer(logoutOperator, () => {
      session = 'none'
      return { ok: true }
    })
    platform.answer(getOperatorProfile, () =>
      inside({
        user: { id: 'usr_1', email: 'mira@harbour.example', fullName: 'Mira Okafor' },
        organizations: [
          {
            id: 'org_1',
            name: 'Harbour Payments Ltd',
            slug: 'harbour',
            role: 'owner' as const,
            anchors: [{ id: ANCHOR, subdomain: 'harbour', status: 'active', homeDomain: DOMAIN }],
          },
        ],
        projects: [],
      }),
    )
    platform.answer(listOperatorSessions, () =>
      inside([
        {
          id: 'ses_1',
          current: true,
          createdAt: '2026-11-20T10:00:00.000Z',
          lastSeenAt: '2026-11-20T10:00:00.000Z',
          userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/142.0 Safari/537.36',
          address: '127.0.0.1',
        },
        {
          id: 'ses_2',
          current: false,
          createdAt: '2026-11-18T10:00:00.000Z',
          lastSeenAt: '2026-11-19T10:00:00.000Z',
          userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) Firefox/144.0',
          address: '203.0.113.9',
        },
      ]),
    )
    platform.answer(getWorkspace, ({ params }) =>
      params.anchorId === ANCHOR ? inside(workspace) : new Refusal('anchor-not-found', 'None of yours.'),
    )
    platform.answer(getWorkspaceHealth, () =>
      inside({
        uptime: { good: 200, checks: 208, percentage: 96.15 },
        minutes: Array.from({ length: 52 }, (_, at) => ({
          minute: new Date(Date.now() - (52 - at) * 60_000).toISOString(),
          good: at === 30 ? 0 : 4,
          checks: 4,
          latencyMs: 9,
        })),
      }),
    )
    platform.answer(getWorkspaceDecisions, () => {
      const asked = {
        decidedAt: '2026-11-20T10:00:00.000Z',
        amount: '250',
        asset: 'HARB',
        rail: 'UPI',
        winningScore: 91.4,
      }
      return inside([
        {
          ...asked,
          decisionId: 'd1',
          outcome: 'chosen',
          rank: 1,
          score: 91.4,
          detail: 'had the highest sum',
        },
        {
          ...asked,
          decisionId: 'd2',
          outcome: 'outscored',
          rank: 3,
          score: 77.25,
          detail: 'another had more',
        },
        { ...asked, decisionId: 'd3', outcome: 'rejected', rule: 'region', detail: 'does not serve BR' },
      ])
    })
    platform.answer(listAnchorEvents, () =>
      inside([
        {
          id: 'evt_1',
          at: '2026-11-20T11:00:00.000Z',
          kind: 'ledger-reset' as const,
          detail: 'The accounts were funded and HARB was issued again.',
        },
      ]),
    )
    platform.answer(getConformance, () => inside({ latest: report, history: [] }))
    platform.answer(checkConformance, () => {
      report = reportAt(new Date(Date.now() + 60_000).toISOString(), false)
      return inside({ ok: true })
    })
    platform.answer(getWorkspaceAudit, () =>
      inside([
        {
          id: '1',
          at: '2026-11-20T10:00:00.000Z',
          actor: 'operator:usr_1',
          action: 'api-key.made',
          subject: `anchor:${ANCHOR}`,
          details: { name: 'nightly export' },
          hash: 'c0ffee',
        },
      ]),
    )
    platform.answer(getWorkspaceTreasury, () =>
      inside({
        status: 'ok' as const,
        treasury_capacity: '998750',
        assets: [
          {
            code: 'HARB',
            issuer: workspace.issuer ?? '',
            anchoredTo: 'USD',
            balance: '999750',
            reserved: '1000',
          },
        ],
        ledger: { connected: true, lastLedger: 4711, observerLag: 0 },
        rails: [],
        version: '0.1.0',
      }),
    )
    platform.answer(listWorkspaceTransactions, () =>
      inside([
        transaction,
        {
          ...transaction,
          id: 'other',
          kind: 'withdrawal' as const,
          status: 'pending_user_transfer_start',
          amount: null,
          railAmount: null,
        },
      ]),
    )
    platform.answer(getWorkspaceTransaction, () =>
      inside({
        ...transaction,
        history: [
          { status: 'incomplete', reason: 'the wallet began it' },
          { status: 'completed', reason: 'the ledger took the payment' },
        ],
      }),
    )
    platform.answer(listWorkspaceCustomers, () =>
      inside([
        {
          id: 'c1',
          account: transaction.account,
          memo: '42',
          status: 'ACCEPTED',
          createdAt: transaction.createdAt,
        },
        {
          id: 'c2',
          account: transaction.account,
          memo: null,
          status: 'NEEDS_INFO',
          createdAt: transaction.createdAt,
        },
      ]),
    )
    platform.answer(listMembers, () => inside(team))
    platform.answer(confirmOperator, ({ body }) => {
      confirmed = (body as { code?: string }).code === '482 913'
      return confirmed ? { ok: true } : new Refusal('confirmation-refused', 'No.')
    })
    platform.answer(addMember, ({ body }) => {
      if (!confirmed) return new Refusal('confirmation-needed', 'Who are you?')
      const { email, role } = body as Member
      if (team.some(member => member.email === email)) return new Refusal('already-a-member', 'Known.')
      const made = { ...memberOf('usr_3', 'Noor Haddad', role), email }
      team = [...team, made]
      return made
    })
    platform.answer(removeMember, ({ params }) => {
      team = team.filter(({ userId }) => userId !== params.userId)
      return { ok: true }
    })
    platform.answer(listApiKeys, () => inside(keys))
    platform.answer(createApiKey, ({ body }) => {
      const made = keyOf('key_2', (body as { name: string }).name)
      keys = [made, ...keys]
      return { ...made, key: 'wl_test_QwErTy123456' }
    })
    platform.answer(revokeApiKey, ({ params }) => {
      keys = keys.map(key => (key.id === params.id ? { ...key, revokedAt: new Date().toISOString() } : key))
      return { ok: true }
    })
    platform.answer(rollApiKey, () => ({ ...keyOf('key_3', 'nightly export'), key: 'wl_test_Successor42' }))
  })

  const open = async (page: Page, path: string, heading: string): Promise<void> => {
    await page.goto(console.url + path)
    await page.getByRole('heading', { name: heading, exact: true }).waitFor()
  }

  const askForCode = async (page: Page): Promise<void> => {
    await page.getByLabel('Email').fill('mira@harbour.example')
    await page.getByRole('button', { name: 'Mail me a code' }).click()
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
    ['workspaces', page => open(page, '/workspaces', 'Your sessions')],
    ['workspace', page => open(page, `/workspaces/${ANCHOR}`, 'Where wallets reach it')],
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
        await page.getByRole('button', { name: 'Make a key' }).click()
        await page.getByLabel('Name').waitFor()
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
        await page.getByText('Not verified').waitFor()
      },
    ],
    [
      'routing',
      async page => {
        await open(page, `/workspaces/${ANCHOR}/routing`, 'Why your anchor was or was not chosen')
        await page.getByText('77.25 of 91.4').waitFor()
        await page.getByText('Left out').waitFor()
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
        await page.getByRole('button', { name: 'Bring someone in' }).click()
        await page.getByLabel('Email').waitFor()
      },
    ],
    [
      'team-confirming',
      async page => {
        confirmed = false
        await open(page, `/workspaces/${ANCHOR}/team`, 'Team')
        await page.getByRole('button', { name: 'Bring someone in' }).click()
        await page.getByLabel('Email').fill('noor@harbour.example')
        await page.getByRole('button', { name: 'Bring someone in' }).last().click()
        await page.getByLabel('Code or password').waitFor()
      },
    ],
    [
      'activity',
      async page => {
        await open(page, `/workspaces/${ANCHOR}/activity`, 'Activity')
        await page.getByText('Restored after a ledger reset').waitFor()
      },
    ],
    [
      'workspace-restored',
      async page => {
        console.platform.answer(getWorkspace, () => ({
          ...workspace,
          ledgerResetAt: '2026-11-20T11:00:00.000Z',
        }))
        await open(page, `/workspaces/${ANCHOR}`, 'Where wallets reach it')
        await page.getByText('The ledger was reset').waitFor()
      },
    ],
    [
      'workspace-unknown',
      async page => {
        await page.goto(`${console.url}/workspaces/nothing-of-mine`)
        await page.getByText('None of your organizations has this anchor.').waitFor()
      },
    ],
  ]

  for (const [name, show] of screens) {
    test(`${name} has no violation, no overflow and no fault at either size in either scheme`, async () => {
      expect(await faultsOfScreen(browser, `founder-${name}`, show, 'operator')).toEqual([])
    })
  }

  test('a visitor who never signed in is led to the sign-in and back, without a refused request', async () => {
    session = 'none'
    const { page, context } = await visit(browser)
    await open(page, `/workspaces/${ANCHOR}/keys`, 'Sign in')
    expect(console.platform.requests).toEqual([])
    await askForCode(page)
    await page.getByLabel('Code').fill('000000')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('link', { name: /This code is not right/ }).waitFor()
    await page.getByLabel('Code').fill('482 913')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    expect(page.url()).toBe(`${console.url}/workspaces/${ANCHOR}/keys`)
    await context.close()
  })

  test('a person is brought into the team and taken out again', async () => {
    const { page, context } = await visit(browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/team`, 'Team')
    await page.getByRole('button', { name: 'Bring someone in' }).click()
    await page.getByLabel('Email').fill('dev@harbour.example')
    await page.getByRole('button', { name: 'Bring someone in' }).last().click()
    await page.getByRole('link', { name: 'This person belongs to the organization already' }).waitFor()
    await page.getByLabel('Email').fill('noor@harbour.example')
    await page.getByLabel('Admin').check()
    await page.getByRole('button', { name: 'Bring someone in' }).last().click()
    await page.getByText('noor@harbour.example').waitFor()
    expect(team.at(-1)).toMatchObject({ role: 'admin' })
    await page.getByRole('button', { name: 'Take out Noor Haddad' }).click()
    await page.getByRole('button', { name: 'Take out', exact: true }).last().click()
    await expect.poll(() => page.getByText('noor@harbour.example').count()).toBe(0)
    await context.close()
  })

  test('who signed in a while ago shows that it is them, and the act goes on as it was typed', async () => {
    confirmed = false
    const { page, context } = await visit(browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/team`, 'Team')
    await page.getByRole('button', { name: 'Bring someone in' }).click()
    await page.getByLabel('Email').fill('noor@harbour.example')
    await page.getByRole('button', { name: 'Bring someone in' }).last().click()
    await page.getByRole('button', { name: 'Mail me a code' }).click()
    await page.getByText('A code is on its way to mira@harbour.example').waitFor()
    await page.getByLabel('Code or password').fill('000000')
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByRole('link', { name: /This is not right/ }).waitFor()
    await page.getByLabel('Code or password').fill('482 913')
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByRole('cell', { name: 'noor@harbour.example' }).waitFor()
    await context.close()
  })

  test('a sign-in never leads to another site', async () => {
    const { page, context } = await visit(browser)
    await open(page, '/sign-in?from=https://evil.example/', 'Sign in')
    await askForCode(page)
    await page.getByLabel('Code').fill('482913')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Workspaces' }).waitFor()
    expect(new URL(page.url()).origin).toBe(console.url)
    await context.close()
  })

  test('a new code can be mailed only after a minute', async () => {
    const { page, context } = await visit(browser)
    await page.clock.install()
    await open(page, '/sign-in', 'Sign in')
    await askForCode(page)
    await page.getByText(/A new code can be mailed in \d+ s/).waitFor()
    await page.clock.runFor(61_000)
    await page.getByRole('button', { name: 'Mail a new code' }).click()
    await page.getByText('Only the newest one is good').waitFor()
    expect(console.platform.requests.filter(r => r.line.endsWith('/otp/request'))).toHaveLength(2)
    await context.close()
  })

  test('the short-lived half of a session is rotated once, however many requests find it run out', async () => {
    session = 'stale'
    const { page, context } = await visit(browser, 'operator')
    await open(page, '/workspaces', 'Workspaces')
    await page.getByText('Chrome, Linux').waitFor()
    expect(console.platform.requests.filter(r => r.line.endsWith('/auth/refresh'))).toHaveLength(1)
    await context.close()
  })

  test('a session that ends while a page stands open leads to the sign-in, saying so', async () => {
    const { page, context } = await visit(browser, 'operator')
    await page.clock.install()
    await open(page, `/workspaces/${ANCHOR}`, 'Where wallets reach it')
    session = 'none'
    await page.clock.runFor(20_000)
    await page.getByText('Your session has ended').waitFor()
    expect(page.url()).toBe(`${console.url}/sign-in?from=${encodeURIComponent(`/workspaces/${ANCHOR}`)}`)
    await context.close()
  })

  test('an anchor that does not meet a demand of wallets says which and what it means, until a new check finds it met', async () => {
    const { page, context } = await visit(browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}`, 'What wallets demand')
    await page.getByText('1 of 2 demands met').waitFor()
    const unmet = page.getByRole('list', { name: 'Not met' })
    await unmet.getByText('Wallets that run in a browser do not find the anchor.').waitFor()
    await unmet.getByText('Access-Control-Allow-Origin is nothing').waitFor()
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText('All 2 demands met').waitFor()
    await page.getByRole('button', { name: 'Check now' }).waitFor()
    expect(await unmet.count()).toBe(0)
    await context.close()
  })

  test('signing out lasts', async () => {
    const { page, context } = await visit(browser, 'operator')
    await open(page, '/workspaces', 'Workspaces')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await open(page, '/workspaces', 'Sign in')
    await context.close()
  })

  test('a foreign session is ended', async () => {
    console.platform.answer(endOperatorSession, () => ({ ok: true }))
    const { page, context } = await visit(browser, 'operator')
    await open(page, '/workspaces', 'Your sessions')
    await page.getByRole('button', { name: 'End the session of Firefox, macOS' }).click()
    await expect
      .poll(() => console.platform.requests.some(r => r.line === 'DELETE /api/v1/auth/sessions/ses_2'))
      .toBe(true)
    await context.close()
  })

  test('a key is shown once, with a command at the own domain, and is gone after a reload', async () => {
    const { page, context } = await visit(browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/keys`, 'API keys')
    await page.getByRole('button', { name: 'Make a key' }).click()
    await page.getByLabel('Name').fill('deploys')
    await page.getByLabel('Webhooks').check()
    await page.getByRole('dialog').getByRole('button', { name: 'Make a key' }).click()
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
    await context.close()
  })

  test('a key is revoked only once its name is typed', async () => {
    const { page, context } = await visit(browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/keys`, 'API keys')
    await page.getByRole('button', { name: 'Revoke nightly export' }).click()
    await page.getByRole('button', { name: 'Revoke the key' }).click()
    await page.getByRole('link', { name: 'This is not the name of the key' }).waitFor()
    await page.getByLabel('Type nightly export to confirm').fill('nightly export')
    await page.getByRole('button', { name: 'Revoke the key' }).click()
    await expect.poll(() => page.getByText('Revoked').count()).toBe(2)
    await context.close()
  })

  test('a rolled key shows its successor', async () => {
    const { page, context } = await visit(browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/keys`, 'API keys')
    await page.getByRole('button', { name: 'Roll nightly export' }).click()
    await page.getByLabel('The older key stays good for').selectOption('3600')
    await page.getByRole('button', { name: 'Make the successor' }).click()
    await page.getByText('wl_test_Successor42', { exact: true }).waitFor()
    expect(console.platform.requests.find(r => r.line.endsWith('/roll'))!.asked.body).toEqual({
      overlapSeconds: 3600,
    })
    await context.close()
  })
})
