import type {
  DeveloperTransaction,
  Figures,
  LedgerIncident,
  TransactionNote,
  WebhookDelivery,
  WebhookEndpoint,
} from '@windlass/contracts/developer-api.ts'
import { listAnchorEvents } from '@windlass/contracts/anchor-life.ts'
import {
  createApiKey,
  listApiKeys,
  revokeApiKey,
  rollApiKey,
  type ApiKey,
} from '@windlass/contracts/api-keys.ts'
import {
  startWalletChecks,
  getWalletChecks,
  type WalletCheckReport,
} from '@windlass/contracts/wallet-checks.ts'
import { sendDeveloperRequest } from '@windlass/contracts/developer-requests.ts'
import {
  getTestDeposit,
  startTestDeposit,
  type TestDeposit,
  type TestRequest,
} from '@windlass/contracts/test-deposits.ts'
import * as notifications from '@windlass/contracts/notifications.ts'
import { addMember, listMembers, removeMember, type Member } from '@windlass/contracts/members.ts'
import {
  confirmOperator,
  getOperatorProfile,
  listOperatorSessions,
  logoutOperator,
  refreshOperatorSession,
  requestOperatorCode,
  verifyOperatorCode,
} from '@windlass/contracts/operators.ts'
import {
  type ActionKind,
  decideWorkspaceAction,
  type OperatorAction,
  requestWorkspaceAction,
} from '@windlass/contracts/operator-actions.ts'
import { operatorSecondFactors, type SecondFactorMethod } from '@windlass/contracts/second-factors.ts'
import {
  addWorkspaceTransactionNote,
  createWorkspaceWebhook,
  deleteWorkspaceWebhook,
  getWorkspaceFigures,
  getWorkspaceTransaction,
  getWorkspaceTreasury,
  getWorkspaceTreasurySettings,
  listWorkspaceBalances,
  listWorkspaceCustomers,
  listWorkspaceDeliveries,
  listWorkspaceEntries,
  listWorkspaceIncidents,
  listWorkspaceTransactions,
  addWorkspaceCustomerNote,
  getWorkspaceCustomer,
  listWorkspaceWebhooks,
  replayWorkspaceDelivery,
  resolveWorkspaceIncident,
  setWorkspaceTreasurySettings,
  testWorkspaceWebhook,
} from '@windlass/contracts/workspace-records.ts'
import {
  type AnchorSettings,
  getWorkspaceSettings,
  plannedSettings,
  setWorkspaceSettings,
  type SettingsVersion,
} from '@windlass/contracts/anchor-settings.ts'
import {
  getWorkspace,
  getWorkspaceAudit,
  getWorkspaceDecisions,
  getWorkspaceHealth,
  getWorkspaceMissedRoutes,
  getWorkspaceSigning,
  setWorkspaceSigningLimits,
  type Workspace,
} from '@windlass/contracts/workspaces.ts'
import type { TreasurySettings } from '@windlass/contracts/business-server.ts'
import type { Signing, SigningLimits } from '@windlass/contracts/signer.ts'
import { Refusal, type FakePlatform } from '@windlass/ui/testing/fake-platform.ts'

export const ANCHOR = 'a1b2c3d4e5f6g7h8i9j0'
export const DOMAIN = 'harbour.anchors.localhost:8080'

export const workspace: Workspace = {
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

/** Of the anchor's API, as little as shows each kind of operation. */
const apiDocument = {
  openapi: '3.1.0',
  paths: {
    '/health': {
      get: {
        operationId: 'health',
        summary: 'Whether it is healthy',
        tags: ['Service'],
        security: [],
        responses: {},
      },
    },
    '/api/v1/transactions/{id}': {
      get: {
        operationId: 'getDeveloperTransaction',
        summary: 'One deposit or withdrawal with its history',
        tags: ['Anchor'],
        security: [{ apiKey: [] }],
        'x-required-scopes': ['read'],
        parameters: [
          {
            name: 'id',
            in: 'path',
            required: true,
            schema: { type: 'string' },
            example: 'a7Qk2ZxN0bTf8RmW4cVdLs',
          },
          { name: 'kind', in: 'query', schema: { enum: ['deposit', 'withdrawal'] } },
        ],
        responses: { 200: { description: 'OK' }, 404: { description: 'There is no such transaction' } },
      },
    },
    '/api/v1/webhook-endpoints': {
      post: {
        operationId: 'createWebhookEndpoint',
        summary: 'Registers an endpoint for signed events',
        description: 'The secret is shown once.',
        tags: ['Webhooks'],
        security: [{ apiKey: [] }],
        'x-required-scopes': ['webhooks'],
        requestBody: {
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/CreateWebhookEndpointRequest' },
              example: { url: 'https://example.org/hook' },
            },
          },
        },
        responses: { 201: { description: 'Created' } },
      },
    },
  },
  components: {
    schemas: {
      CreateWebhookEndpointRequest: {
        type: 'object',
        required: ['url'],
        properties: {
          url: { type: 'string', format: 'uri' },
          events: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  },
}

const reportAt = (checkedAt: string, failed: boolean): WalletCheckReport => ({
  checkedAt,
  results: [
    {
      name: 'sep10-login',
      sep: 10,
      requirement: 'A signed challenge gives a token with iss, sub, iat, exp and jti.',
      impact: 'Nobody can log in.',
      passed: true,
      detail: null,
      durationMs: 9,
    },
    {
      name: 'sep1-cors',
      sep: 1,
      requirement: 'Web pages of every origin can read the discovery file.',
      impact: 'Wallets that run in a browser do not find the anchor.',
      passed: !failed,
      detail: failed ? 'Access-Control-Allow-Origin is missing, not *.' : null,
      durationMs: 2,
    },
  ],
})

export const keyOf = (id: string, name: string, extra: Partial<ApiKey> = {}): ApiKey => ({
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

export const transaction: DeveloperTransaction = {
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

const actionOf = (id: string, rest: Partial<OperatorAction>): OperatorAction => ({
  ...{
    id,
    transactionId: transaction.id,
    kind: 'resend',
    reason: 'The customer paid twice.',
    paymentId: null,
  },
  ...{ status: 'waiting', requestedBy: 'operator:usr_1', requestedAt: '2026-11-20T10:06:00.000Z' },
  ...{ decidedBy: null, decidedAt: null, ...rest },
})

const memberOf = (userId: string, fullName: string, role: Member['role']): Member => ({
  userId,
  email: `${fullName.split(' ')[0]?.toLowerCase()}@harbour.example`,
  fullName,
  role,
  since: '2026-11-20T10:00:00.000Z',
})

const deliveryOf = (id: string, rest: Partial<WebhookDelivery> = {}): WebhookDelivery => ({
  ...{ id, endpointId: 'end_1', messageId: `msg_${id}_3f9a1c`, event: 'transaction.completed' },
  ...{ status: 'waiting', attempts: 0, lastStatus: null, lastError: null },
  ...{ createdAt: '2026-11-20T10:00:00.000Z', deliveredAt: null, ...rest },
})

/** How the operator and what they own stand; a test may change it under way. */
export interface OperatorsState {
  /** `stale`: its short-lived half has run out. */
  session: 'none' | 'stale' | 'good'
  keys: ApiKey[]
  team: Member[]
  /** Whether who sits there proved lately who they are. */
  confirmed: boolean
  secondFactors: SecondFactorMethod[]
  report: WalletCheckReport
  incidents: LedgerIncident[]
  signing: Signing
  treasury: TreasurySettings
  settings: SettingsVersion[]
  treasuryWasSet: boolean
  testDeposit: TestDeposit | null
  notes: TransactionNote[]
  actions: OperatorAction[]
  possibleActions: ActionKind[]
  endpoints: WebhookEndpoint[]
  deliveries: WebhookDelivery[]
  emails: notifications.AnchorNotificationKind[]
  webhooks: notifications.NotificationWebhook[]
}

export const operatorsState = (): OperatorsState => ({
  session: 'good',
  keys: [
    keyOf('key_1', 'nightly export', { lastUsedAt: '2026-11-20T10:00:00.000Z' }),
    keyOf('key_0', 'old', { revokedAt: '2026-11-19T10:00:00.000Z' }),
  ],
  report: reportAt('2026-11-20T10:00:00.000Z', true),
  incidents: [
    {
      id: 'incident_1',
      kind: 'unproven-payment',
      message: 'The payment of 10 HARB was signed, and no Horizon has the ledgers in which it was applied.',
      details: { amount: '10', difference: '-10' },
      foundAt: '2026-11-20T10:00:00.000Z',
      resolvedAt: null,
      resolution: null,
    },
    {
      id: 'incident_0',
      kind: 'network-reset',
      message: 'The network was reset. 1 open transfers continue on the new chain.',
      details: {
        lastLedger: 521,
        lostBalances: 0,
        envelopes: [],
        transfers: [{ id: 'tx_1', status: 'returning', result: 'is refunded on the new chain' }],
      },
      foundAt: '2026-11-19T10:00:00.000Z',
      resolvedAt: '2026-11-19T10:00:00.000Z',
      resolution: 'The server started over on the new chain.',
    },
  ],
  signing: {
    limits: { perHour: '100000', perPayment: null, xlmPerHour: '100', destinations: null },
    lastHour: '250',
    stopped: [
      {
        server: 'business',
        reason: 'wrong-operation',
        detail: 'Only a payment or a claimable balance for one account may be signed, not setOptions.',
        count: 3,
        firstAt: '2026-11-20T10:00:00.000Z',
        lastAt: '2026-11-20T10:20:00.000Z',
      },
    ],
  },
  treasuryWasSet: true,
  testDeposit: null,
  notes: [
    { id: 'note_0', text: 'The customer called.', by: 'operator:usr_2', at: '2026-11-20T10:03:00.000Z' },
  ],
  actions: [actionOf('act_0', { kind: 'refund', requestedBy: 'operator:usr_2' })],
  possibleActions: ['resend', 'mark-paid'],
  endpoints: [
    {
      ...{ id: 'end_1', url: 'https://ops.harbour.example/anchor', active: true },
      ...{ events: ['transaction.completed'], createdAt: '2026-11-20T10:00:00.000Z' },
    },
  ],
  deliveries: [
    deliveryOf('del_2', { status: 'dead', attempts: 11, lastError: 'the endpoint answered 500' }),
    deliveryOf('del_1', { status: 'delivered', attempts: 1 }),
  ],
  treasury: { low: '100000', ceiling: null, coldAccount: null, xlmLow: '1' },
  settings: [{ version: 0, settings: plannedSettings(workspace), by: null, at: null }],
  emails: ['treasury-low', 'payout-failed'],
  webhooks: [
    {
      id: 'hook_1',
      url: 'https://ops.harbour.example/windlass',
      kinds: ['treasury-low'],
      createdAt: '2026-11-20T10:00:00.000Z',
      lastSentAt: '2026-11-20T10:00:00.000Z',
      lastError: 'the endpoint answered 500',
    },
  ],
  confirmed: true,
  secondFactors: [],
  team: [memberOf('usr_1', 'Mira Okafor', 'owner'), memberOf('usr_2', 'Dev Patel', 'member')],
})

/** What the platform answers to an operator. */
export function answerOperators(platform: FakePlatform, state: OperatorsState): void {
  const inside = <T>(answer: T): T | Refusal =>
    state.session === 'good' ? answer : new Refusal('unauthenticated', 'Sign in first.')
  platform.requests.length = 0
  platform.answer(requestOperatorCode, () => ({ ok: true }))
  platform.answer(verifyOperatorCode, ({ body }) => {
    if ((body as { code: string }).code !== '482913') return new Refusal('code-not-accepted', 'No.')
    state.session = 'good'
    const awaiting = state.secondFactors.length > 0 ? { awaiting: 'second-factor' as const } : {}
    return { id: 'usr_1', email: 'mira@harbour.example', fullName: 'Mira Okafor', isNew: false, ...awaiting }
  })
  platform.answer(refreshOperatorSession, () => {
    if (state.session === 'none') return new Refusal('session-expired', 'It has ended.')
    state.session = 'good'
    return { ok: true }
  })
  platform.answer(logoutOperator, () => {
    state.session = 'none'
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
  platform.answer(operatorSecondFactors.challenge, () => ({ methods: state.secondFactors, passkey: null }))
  platform.answer(operatorSecondFactors.list, () =>
    inside({
      required: false,
      passkeys: [
        { id: 'pky_1', name: 'Work laptop', createdAt: '2026-11-18T10:00:00.000Z', lastUsedAt: null },
      ],
      authenticatorApp: { createdAt: '2026-11-18T10:00:00.000Z', lastUsedAt: '2026-11-19T10:00:00.000Z' },
      recoveryCodesLeft: 9,
    }),
  )
  platform.answer(operatorSecondFactors.verify, ({ body }) => {
    if ((body as { code?: string }).code !== '123456') return new Refusal('second-factor-refused', 'No.')
    state.confirmed = true
    return { ok: true, recoveryCodesLeft: 9 }
  })
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
        latencyMs: 9 + ((at * 7) % 20),
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
  platform.answer(getWorkspaceMissedRoutes, () =>
    inside([
      {
        decisionId: 'd4',
        decidedAt: '2026-11-20T10:00:00.000Z',
        amount: '9000',
        asset: 'HARB',
        rail: 'PIX',
        region: 'BR',
        rule: 'rail' as const,
        detail: 'does not support the rail PIX',
      },
    ]),
  )
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
  platform.answer(getWorkspaceSigning, () => inside(state.signing))
  platform.answer(setWorkspaceSigningLimits, ({ body }) => {
    if (!state.confirmed) return new Refusal('confirmation-needed', 'Confirm who you are.')
    state.signing = { ...state.signing, limits: body as SigningLimits }
    return inside(state.signing)
  })
  platform.answer(getWalletChecks, () => inside({ latest: state.report, history: [] }))
  platform.answer(startWalletChecks, () => {
    state.report = reportAt(new Date(Date.now() + 60_000).toISOString(), false)
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
      ledger: {
        connected: true,
        lastLedger: 4711,
        observerLag: 0,
        spendableXlm: '0.5',
        fee: { last: '0.00001', max: '0.1' },
      },
      treasury: {
        ...state.treasury,
        cold: '25000',
        outflowPerDay: '5000',
        daysLeft: 190.5,
        topUp: { account: workspace.distribution ?? '', memo: 'top-up' },
      },
      waiting: { payments: 1, reason: 'needs 2.5 XLM' },
      rails: [{ name: 'SEPA', currency: 'EUR', simulated: false, bankFiles: true, rate: '0.92' }],
      version: '0.1.0',
    }),
  )
  platform.answer(getWorkspaceFigures, ({ query }) => inside(figuresOf(Number(query.get('days')))))
  platform.answer(sendDeveloperRequest, ({ body }) => {
    const { path, key } = body as { path: string; key?: string }
    const isDocument = path === '/api/v1/openapi.json'
    const status = isDocument || key === 'wl_test_mine' ? 200 : 401
    return inside({
      status,
      headers: { 'content-type': 'application/json', 'x-request-id': 'req_7' },
      body: JSON.stringify(
        isDocument ? apiDocument : status === 200 ? [{ id: 'tx_1' }] : { code: 'unauthenticated' },
      ),
      cut: false,
      durationMs: 12,
    })
  })
  platform.answer(getTestDeposit, () => {
    const latest = state.testDeposit
    // Completed when it is asked for the second time.
    if (latest?.state === 'running')
      state.testDeposit = { ...latest, state: 'completed', requests: testRequests, transactionId: 'tx_1' }
    return inside({ latest, available: true })
  })
  platform.answer(startTestDeposit, () => {
    state.testDeposit = {
      ...{
        id: 'test_1',
        state: 'running' as const,
        account: workspace.issuer ?? '',
        rail: 'UPI',
        amount: '1',
      },
      ...{
        transactionId: null,
        failure: null,
        requests: [],
        startedAt: transaction.createdAt,
        endedAt: null,
      },
    }
    return inside(state.testDeposit)
  })
  answerWebhooks(platform, state, inside)
  answerNotifications(platform, state, inside)
  const treasuryHistory = () => {
    const version = { settings: state.treasury, by: 'operator:usr_1', at: transaction.createdAt }
    return inside({ settings: state.treasury, history: state.treasuryWasSet ? [version] : [] })
  }
  const settingsHistory = () => inside({ history: state.settings })
  platform.answer(getWorkspaceSettings, settingsHistory)
  platform.answer(setWorkspaceSettings, ({ body }) => {
    if (!state.confirmed) return new Refusal('confirmation-needed', 'Confirm who you are.')
    const { settings, version } = body as { settings: AnchorSettings; version: number }
    const at = transaction.createdAt
    state.settings = [{ version: version + 1, settings, by: 'operator:usr_1', at }, ...state.settings]
    return settingsHistory()
  })
  platform.answer(getWorkspaceTreasurySettings, treasuryHistory)
  platform.answer(setWorkspaceTreasurySettings, ({ body }) => {
    if (!state.confirmed) return new Refusal('confirmation-needed', 'Confirm who you are.')
    state.treasury = body as TreasurySettings
    return treasuryHistory()
  })
  platform.answer(listWorkspaceTransactions, () =>
    inside([
      transaction,
      {
        ...transaction,
        id: 'other',
        kind: 'withdrawal' as const,
        status: 'awaiting_funds',
        amount: null,
        railAmount: null,
      },
    ]),
  )
  platform.answer(getWorkspaceTransaction, () =>
    inside({
      ...transaction,
      history: [
        { status: 'new', reason: 'the wallet began it', at: '2026-11-20T10:00:00.000Z' },
        { status: 'completed', reason: 'the ledger took the payment', at: '2026-11-20T10:05:00.000Z' },
      ],
      notes: state.notes,
      actions: state.actions,
      possibleActions: state.possibleActions,
      payments: [
        {
          purpose: 'deposit' as const,
          status: 'paid' as const,
          asset: null,
          amount: '250',
          hash: 'c'.repeat(64),
          networkFee: '0.00001',
          waitsFor: null,
        },
      ],
    }),
  )
  platform.answer(addWorkspaceTransactionNote, ({ body }) => {
    const { text } = body as { text: string }
    const note = {
      id: `note_${state.notes.length}`,
      text,
      by: 'operator:usr_1',
      at: '2026-11-20T10:09:00.000Z',
    }
    state.notes = [...state.notes, note]
    return inside(note)
  })
  platform.answer(requestWorkspaceAction, ({ body }) => {
    if (!state.confirmed) return new Refusal('confirmation-needed', 'Confirm who you are.')
    const asked = body as Pick<OperatorAction, 'kind' | 'reason'> & { paymentId?: string }
    const action = actionOf(`act_${state.actions.length}`, { ...asked, status: 'done' })
    state.actions = [...state.actions, action]
    return inside(action)
  })
  platform.answer(decideWorkspaceAction, ({ params, body }) => {
    if (!state.confirmed) return new Refusal('confirmation-needed', 'Confirm who you are.')
    const status = (body as { approve: boolean }).approve ? 'done' : 'rejected'
    const found = state.actions.find(({ id }) => id === params.id)
    if (!found) throw new Refusal('action-not-found', 'There is no action with this id.')
    const action = {
      ...found,
      status,
      decidedBy: 'operator:usr_1',
      decidedAt: '2026-11-20T10:10:00.000Z',
    } as const
    state.actions = state.actions.map(each => (each === found ? action : each))
    return inside(action)
  })
  platform.answer(listWorkspaceIncidents, () => inside(state.incidents))
  platform.answer(resolveWorkspaceIncident, ({ params, body }) => {
    const incident = state.incidents.find(({ id }) => id === params.id)
    if (!incident)
      throw new Refusal('ledger-incident-not-found', 'There is no open ledger incident with this id.')
    Object.assign(incident, {
      resolvedAt: transaction.createdAt,
      resolution: (body as { resolution: string }).resolution,
    })
    return inside(incident)
  })
  platform.answer(listWorkspaceBalances, () =>
    inside([
      { account: 'customers', unit: 'asset', amount: '-250' },
      { account: 'rail:UPI', unit: 'INR', amount: '22279.88' },
      { account: 'treasury', unit: 'asset', amount: '999750' },
    ]),
  )
  platform.answer(listWorkspaceEntries, () =>
    inside([
      {
        id: 'entry_1',
        kind: 'deposit',
        transactionId: transaction.id,
        createdAt: transaction.createdAt,
        lines: [
          { account: 'exchange', unit: 'asset', amount: '251.75' },
          { account: 'customers', unit: 'asset', amount: '-250' },
          { account: 'fees', unit: 'asset', amount: '-1.75' },
        ],
      },
    ]),
  )
  platform.answer(listWorkspaceCustomers, ({ query }) => inside(customersOf(query.get('status'))))
  const notes: TransactionNote[] = []
  platform.answer(getWorkspaceCustomer, ({ params }) => {
    const { id, status } = customersOf(null).find(each => each.id === params.id)!
    return inside({
      ...{ id, status, account: transaction.account, memo: transaction.memo, tier: 'enhanced' as const },
      createdAt: transaction.createdAt,
      checked: { provider: 'didit', at: transaction.createdAt },
      held: ['first_name', 'last_name', 'photo_id_front'],
      tiers: [
        { tier: 'enhanced', reason: 'Passport seen.', by: 'operator:usr_1', at: transaction.createdAt },
      ],
      notes,
    })
  })
  platform.answer(addWorkspaceCustomerNote, ({ body }) => {
    const { text } = body as { text: string }
    const note = { id: `note_${notes.length}`, text, by: 'operator:usr_1', at: transaction.createdAt }
    notes.push(note)
    return note
  })
  platform.answer(listMembers, () => inside(state.team))
  platform.answer(confirmOperator, ({ body }) => {
    state.confirmed = (body as { code?: string }).code === '482 913'
    return state.confirmed ? { ok: true } : new Refusal('confirmation-refused', 'No.')
  })
  platform.answer(addMember, ({ body }) => {
    if (!state.confirmed) return new Refusal('confirmation-needed', 'Who are you?')
    const { email, role } = body as Member
    if (state.team.some(member => member.email === email)) return new Refusal('already-a-member', 'Known.')
    const made = { ...memberOf('usr_3', 'Noor Haddad', role), email }
    state.team = [...state.team, made]
    return made
  })
  platform.answer(removeMember, ({ params }) => {
    state.team = state.team.filter(({ userId }) => userId !== params.userId)
    return { ok: true }
  })
  platform.answer(listApiKeys, () => inside(state.keys))
  platform.answer(createApiKey, ({ body }) => {
    const made = keyOf('key_2', (body as { name: string }).name)
    state.keys = [made, ...state.keys]
    return { ...made, key: 'wl_test_QwErTy123456' }
  })
  platform.answer(revokeApiKey, ({ params }) => {
    if (!state.confirmed) return new Refusal('confirmation-needed', 'Confirm who you are.')
    state.keys = state.keys.map(key =>
      key.id === params.id ? { ...key, revokedAt: new Date().toISOString() } : key,
    )
    return { ok: true }
  })
  platform.answer(rollApiKey, () => ({ ...keyOf('key_3', 'nightly export'), key: 'wl_test_Successor42' }))
}

const testRequests: TestRequest[] = [
  {
    ...{ step: 'discovery', method: 'GET', url: `http://${DOMAIN}/.well-known/stellar.toml`, body: null },
    ...{ status: 200, answer: 'VERSION = "2.7.0"', durationMs: 12 },
  },
  {
    ...{ step: 'login', method: 'POST', url: `http://${DOMAIN}/auth`, body: '{"transaction":"AAAA"}' },
    ...{ status: 200, answer: '{"token":"eyJhbGciO…"}', durationMs: 31 },
  },
]

const figuresOf = (days: number): Figures => ({
  timeZone: 'UTC',
  days: Array.from({ length: days }, (_, at) => ({
    day: new Date(Date.UTC(2026, 10, 20 - days + at + 1)).toISOString().slice(0, 10),
    deposits: { count: at % 5, amount: `${(at % 5) * 250}` },
    withdrawals: { count: at % 3, amount: `${(at % 3) * 100.5}` },
    fees: `${(at % 5) * 1.75}`,
  })),
  pending: [
    { kind: 'deposit', status: 'awaiting_funds', count: 3, amount: '750' },
    { kind: 'withdrawal', status: 'paying_out', count: 1, amount: '100.5' },
  ],
  funnel: { started: 40, agreed: 30, paid: 24, completed: 22 },
  completion: { median: 4.2, p95: 31 },
})

function answerWebhooks(
  platform: FakePlatform,
  state: OperatorsState,
  inside: <T>(answer: T) => T | Refusal,
): void {
  platform.answer(listWorkspaceWebhooks, () => inside(state.endpoints))
  platform.answer(createWorkspaceWebhook, ({ body }) => {
    if (!state.confirmed) return new Refusal('confirmation-needed', 'Confirm who you are.')
    const { url, events = ['*'] } = body as { url: string; events?: string[] }
    const added = { id: 'end_2', url, events, active: true, createdAt: '2026-11-20T11:00:00.000Z' }
    state.endpoints = [added, ...state.endpoints]
    return inside({ ...added, secret: 'whsec_ZW5kcG9pbnQ=' })
  })
  platform.answer(deleteWorkspaceWebhook, ({ params }) => {
    if (!state.confirmed) return new Refusal('confirmation-needed', 'Confirm who you are.')
    state.endpoints = state.endpoints.filter(({ id }) => id !== params.id)
    return inside({ ok: true })
  })
  platform.answer(testWorkspaceWebhook, ({ params: { id = '' } }) => {
    const made = deliveryOf('del_3', { endpointId: id, event: 'webhook.test' })
    state.deliveries = [made, ...state.deliveries]
    return inside(made)
  })
  platform.answer(listWorkspaceDeliveries, ({ query }) => {
    const status = query.get('status')
    return inside(state.deliveries.filter(each => status === null || each.status === status))
  })
  platform.answer(replayWorkspaceDelivery, ({ params }) => {
    state.deliveries = state.deliveries.map(each =>
      each.id === params.id ? { ...each, status: 'waiting', attempts: 0 } : each,
    )
    return inside(state.deliveries.find(({ id }) => id === params.id) ?? deliveryOf('none'))
  })
}

function answerNotifications(
  platform: FakePlatform,
  state: OperatorsState,
  inside: <T>(answer: T) => T | Refusal,
): void {
  const at = '2026-11-20T10:00:00.000Z'
  platform.answer(notifications.listNotifications, () =>
    inside([
      {
        id: 'ntf_2',
        kind: 'treasury-low' as const,
        subject: 'treasury',
        detail: 'The distribution account holds 5 HARB.',
        startedAt: at,
        endedAt: null,
      },
      {
        id: 'ntf_1',
        kind: 'anchor-active' as const,
        subject: ANCHOR,
        detail: 'harbour is active.',
        startedAt: at,
        endedAt: at,
      },
    ]),
  )
  platform.answer(notifications.getNotificationPreferences, () => inside({ email: state.emails }))
  platform.answer(notifications.setNotificationPreferences, ({ body }) => {
    state.emails = (body as notifications.NotificationPreferences).email
    return inside({ email: state.emails })
  })
  platform.answer(notifications.listNotificationWebhooks, () => inside(state.webhooks))
  platform.answer(notifications.createNotificationWebhook, ({ body }) => {
    const { url, kinds } = body as notifications.NotificationWebhook
    const added = { id: 'hook_2', url, kinds, createdAt: at, lastSentAt: null, lastError: null }
    state.webhooks = [...state.webhooks, added]
    return inside({ ...added, secret: 'whsec_c2VjcmV0' })
  })
  platform.answer(notifications.deleteNotificationWebhook, ({ params }) => {
    if (!state.confirmed) return new Refusal('confirmation-needed', 'Confirm who you are.')
    state.webhooks = state.webhooks.filter(({ id }) => id !== params.id)
    return inside({ ok: true })
  })
  platform.answer(notifications.testNotificationWebhook, () => inside({ ok: true }))
}

const customersOf = (status: string | null) =>
  [
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
  ].filter(customer => status === null || customer.status === status)
