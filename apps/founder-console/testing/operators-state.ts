import { plannedSettings, type SettingsVersion } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { ApiKey } from '@windlass/contracts/platform/api-keys.ts'
import type { TreasurySettings } from '@windlass/contracts/anchor/business-server.ts'
import type {
  DeveloperTransaction,
  LedgerIncident,
  TransactionNote,
  WebhookDelivery,
  WebhookEndpoint,
} from '@windlass/contracts/anchor/developer-api.ts'
import type { Member } from '@windlass/contracts/platform/members.ts'
import * as notifications from '@windlass/contracts/platform/notifications.ts'
import type { ActionKind, OperatorAction } from '@windlass/contracts/anchor/operator-actions.ts'
import type { WaitingAct } from '@windlass/contracts/platform/waiting-acts.ts'
import type { RailChange } from '@windlass/contracts/platform/rail-changes.ts'
import type { SecondFactorMethod } from '@windlass/contracts/platform/second-factors.ts'
import type { Signing } from '@windlass/contracts/internal/signer.ts'
import type { TestDeposit } from '@windlass/contracts/platform/test-deposits.ts'
import type { WalletCheckReport } from '@windlass/contracts/platform/wallet-checks.ts'
import type { Workspace } from '@windlass/contracts/platform/workspaces.ts'
import { Refusal } from '@windlass/ui/testing/fake-platform.ts'

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

export const reportAt = (checkedAt: string, failed: boolean): WalletCheckReport => ({
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

export const actionOf = (id: string, rest: Partial<OperatorAction>): OperatorAction => ({
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

export const memberOf = (userId: string, fullName: string, role: Member['role']): Member => ({
  userId,
  email: `${fullName.split(' ')[0]?.toLowerCase()}@harbour.example`,
  fullName,
  role,
  since: '2026-11-20T10:00:00.000Z',
})

export const deliveryOf = (id: string, rest: Partial<WebhookDelivery> = {}): WebhookDelivery => ({
  ...{ id, endpointId: 'end_1', messageId: `msg_${id}_3f9a1c`, event: 'transaction.completed' },
  ...{ status: 'waiting', attempts: 0, lastStatus: null, lastError: null },
  ...{ createdAt: '2026-11-20T10:00:00.000Z', deliveredAt: null, ...rest },
})

/** How the operator and what they own stand; a test may change it under way. */
export interface OperatorsState {
  /** Who is signed in, where it is not Mira. */
  userId?: string
  /** `stale`: its short-lived half has run out. */
  session: 'none' | 'stale' | 'good'
  keys: ApiKey[]
  team: Member[]
  /** Whether who sits there proved lately who they are. */
  confirmed: boolean
  secondFactors: SecondFactorMethod[]
  report: WalletCheckReport
  incidents: LedgerIncident[]
  readAgain?: { from: number; reason: string }
  signing: Signing
  treasury: TreasurySettings
  waitingActs: WaitingAct[]
  railChanges: RailChange[]
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
      id: 'incident_2',
      kind: 'other-chain',
      message: 'Horizon contradicts what was read from it before.',
      details: { reason: 'ledger-differs', lastLedger: 521 },
      foundAt: '2026-11-19T09:00:00.000Z',
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
  waitingActs: [],
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
  railChanges: [],
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

/** The answer where the operator is signed in. */
export type Inside = <T>(answer: T) => T | Refusal
