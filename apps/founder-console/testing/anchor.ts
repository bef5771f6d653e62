import { getExportKey, setExportKey, type ExportKey } from '@windlass/contracts/platform/anchor-life.ts'
import { listAnchorEvents } from '@windlass/contracts/platform/anchor-life.ts'
import {
  type AnchorSettings,
  getWorkspaceSettings,
  setWorkspaceSettings,
} from '@windlass/contracts/anchor/anchor-settings.ts'
import type { BodyOf } from '@windlass/contracts/endpoint.ts'
import * as railChanges from '@windlass/contracts/platform/rail-changes.ts'
import type { RailChange } from '@windlass/contracts/platform/rail-changes.ts'
import type { Figures } from '@windlass/contracts/anchor/developer-api.ts'
import { sendDeveloperRequest } from '@windlass/contracts/platform/developer-requests.ts'
import type { SigningLimits } from '@windlass/contracts/internal/signer.ts'
import {
  getTestDeposit,
  startTestDeposit,
  type TestRequest,
} from '@windlass/contracts/platform/test-deposits.ts'
import { approveWaitingAct, listWaitingActs } from '@windlass/contracts/platform/waiting-acts.ts'
import { getWalletChecks, startWalletChecks } from '@windlass/contracts/platform/wallet-checks.ts'
import { getWorkspaceFigures } from '@windlass/contracts/platform/workspace-records.ts'
import {
  getWorkspaceAudit,
  getWorkspaceDecisions,
  getWorkspaceHealth,
  getWorkspaceMissedRoutes,
  getWorkspaceSigning,
  setWorkspaceSigningLimits,
} from '@windlass/contracts/platform/workspaces.ts'
import { type FakePlatform, Refusal } from '@windlass/ui/testing/fake-platform.ts'
import {
  ANCHOR,
  DOMAIN,
  type Inside,
  type OperatorsState,
  reportAt,
  transaction,
  workspace,
} from './operators-state.ts'

/** What the platform answers about the anchor itself. */
export function answerAnchor(platform: FakePlatform, state: OperatorsState, inside: Inside): void {
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
  platform.answer(getExportKey, () => inside({ publicKey: null }))
  platform.answer(setExportKey, ({ body }) => inside(body as ExportKey))
  platform.answer(getWorkspaceSigning, () => inside(state.signing))
  platform.answer(setWorkspaceSigningLimits, ({ body }) => {
    if (!state.confirmed) return new Refusal('confirmation-needed', 'Confirm who you are.')
    state.signing = { ...state.signing, limits: body as SigningLimits }
    return inside(state.signing)
  })
  platform.answer(listWaitingActs, () => inside(state.waitingActs))
  platform.answer(approveWaitingAct, () => {
    state.waitingActs = []
    return inside({ ok: true })
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
  platform.answer(railChanges.getWorkspaceRails, () =>
    inside({ rails: ['UPI', 'SEPA'], changes: state.railChanges }),
  )
  platform.answer(railChanges.requestRailChange, ({ body }) => {
    const { rail, provider, credentials } = body as BodyOf<typeof railChanges.requestRailChange>
    const { webhookSecret, ...fields } = credentials
    const change: RailChange = {
      ...{ id: `rail_${state.railChanges.length}`, rail, provider, fields, adds: false, status: 'waiting' },
      ...{ secrets: webhookSecret ? ['webhookSecret'] : [], requestedBy: 'operator:usr_1' },
      ...{ requestedAt: transaction.createdAt, decidedBy: null, decidedAt: null },
    }
    state.railChanges = [change, ...state.railChanges]
    return inside(change)
  })
  const settingsHistory = () => inside({ history: state.settings })
  platform.answer(getWorkspaceSettings, settingsHistory)
  platform.answer(setWorkspaceSettings, ({ body }) => {
    if (!state.confirmed) return new Refusal('confirmation-needed', 'Confirm who you are.')
    const { settings, version } = body as { settings: AnchorSettings; version: number }
    const at = transaction.createdAt
    state.settings = [{ version: version + 1, settings, by: 'operator:usr_1', at }, ...state.settings]
    return settingsHistory()
  })
}

/** As little of the anchor's API as shows each kind of operation. */
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
    treasury: `${9000 + (at % 7) * 100}`,
  })),
  cash: [
    { day: '2026-11-19', rail: 'UPI', currency: 'INR', in: '8850.5', out: '0' },
    { day: '2026-11-20', rail: 'SEPA', currency: 'EUR', in: '0', out: '40' },
  ],
  pending: [
    { kind: 'deposit', status: 'awaiting_funds', count: 3, amount: '750' },
    { kind: 'withdrawal', status: 'paying_out', count: 1, amount: '100.5' },
  ],
  funnel: { started: 40, agreed: 30, paid: 24, completed: 22 },
  completion: { median: 4.2, p95: 31 },
})
