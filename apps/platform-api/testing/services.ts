import { type AnchorSettings, getSettings, setSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { RailVersion } from '@windlass/contracts/internal/anchor-plan.ts'
import { type Client, createClient } from '@windlass/client/client.ts'
import type { Upgrade } from '@windlass/contracts/platform/anchor-life.ts'
import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import type { SigningLimits } from '@windlass/contracts/internal/signer.ts'
import {
  ensureTestWallet,
  getControlPlaneTestDeposit,
  requestTestDeposit,
  type TestDeposit,
} from '@windlass/contracts/platform/test-deposits.ts'
import { requestWalletChecks } from '@windlass/contracts/platform/wallet-checks.ts'
import {
  acceptJob,
  acceptRemoval,
  countOpenTransfers,
  getJobLog,
  getUpgrades,
  readExport,
  requestUpgrade,
  retryControlPlaneJob,
  getAnchorSigning,
  setAnchorRunning,
  setAnchorSigningLimits,
} from '@windlass/contracts/internal/control-plane.ts'
import {
  addCustomerNote,
  addTransactionNote,
  type AnchorSummary,
  createAnchorWebhook,
  deleteAnchorWebhook,
  getAnchorSummary,
  getTreasurySettings,
  listAnchorWebhooks,
  replayAnchorDelivery,
  resolveAnchorIncident,
  setTreasurySettings,
  testAnchorWebhook,
  type TreasurySettings,
} from '@windlass/contracts/anchor/business-server.ts'
import {
  getJournalSettings,
  type JournalSettings,
  setJournalSettingsAs,
} from '@windlass/contracts/anchor/journal.ts'
import {
  type DeveloperTransaction,
  getDeveloperTransaction,
  getFigures,
  type LedgerIncident,
  listDeveloperTransactions,
  listLedgerIncidents,
  type WebhookDelivery,
  type WebhookEndpoint,
} from '@windlass/contracts/anchor/developer-api.ts'
import {
  decideAction,
  type OperatorAction,
  requestAction,
} from '@windlass/contracts/anchor/operator-actions.ts'
import { type Job, type LogLine, stageNames } from '@windlass/contracts/platform/provisioning.ts'
import {
  type Registration,
  type RegistryEntry,
  listAnchors,
  registerAnchor,
  removeRegistryEntry,
} from '@windlass/contracts/aggregator/registry.ts'
import {
  fillScores,
  type AnchorOutcome,
  type MissedRoute,
  type RoutingPolicy,
  activatePolicy,
  createPolicy,
  listAnchorOutcomes,
  listMissedRoutes,
  listPolicies,
  replayWeights,
} from '@windlass/contracts/aggregator/routing.ts'
import { answer } from '@windlass/service/http/answer.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { type PageQuery, linkCursor } from '@windlass/service/http/pages.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { serviceSecretGuard } from '@windlass/service/http/realms.ts'
import { createServer } from '@windlass/service/http/server.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { Readable } from 'node:stream'
import type { Deps } from '../deps.ts'
import { injectFetch, testEnv } from './app.ts'

/** Control plane and aggregator as far as the platform speaks to them: they serve the real contracts and take notes. */
export interface TestServices {
  /** For `Deps`. */
  clients: { controlPlane: Client; aggregator: Client; anchorServer: Deps['anchorServer'] }
  /** Nobody answers while true. */
  down: boolean
  /** Jobs the control plane has accepted, each as often as it was sent. */
  accepted: { jobId: string; plan: AnchorPlan }[]
  registered: Registration[]
  /** The registry as the last registrations left it; a test may spoil it. */
  registry: Map<string, RegistryEntry>
  running: { anchorId: string; running: boolean }[]
  /** The rails that an anchor was given. */
  railsGiven: Map<string, { rails: string[] | undefined; railVersions: RailVersion[] }>
  signingLimits: SigningLimits
  treasury: TreasurySettings
  journal: JournalSettings
  /** Anchors that were to be checked. */
  checked: string[]
  log: LogLine[]
  /** Every anchor's. */
  openTransfers: number
  owed: { unit: string; amount: string }[]
  /** Every anchor's; null: it has none. */
  anchorSettings: AnchorSettings | null
  unitsHeld: { code: string; amount: string }[]
  /** Removals the control plane has accepted, each as often as it was sent. */
  removals: { removalId: string; forced: boolean; records: Record<string, unknown> }[]
  upgrades: Upgrade[]
  policies: RoutingPolicy[]
  /** The anchors' own servers as they were reached: address and secret. */
  anchorServers: [string, string, Buffer][]
  /** What any anchor's server has recorded. */
  transactions: DeveloperTransaction[]
  rails: AnchorSummary['rails']
  endpoints: WebhookEndpoint[]
  testDeposit: TestDeposit | null
  /** What operators resolved incidents with. */
  resolved: unknown[]
  /** What operators did with transactions, or decided. */
  acts: unknown[]
  /** What the aggregator says of each anchor's part in decisions. */
  outcomes: AnchorOutcome[]
  missed: MissedRoute[]
  /** A registration waits for it before it is answered; `held` counts those that wait. */
  hold: Promise<void> | null
  held: number
  /** Thrown instead of an answer. */
  refusal: Problem | null
  close(): Promise<void>
}

const incident: LedgerIncident = {
  id: 'incident_1',
  kind: 'unproven-payment',
  message: 'A payment was signed, and no Horizon has the ledgers in which it was applied.',
  details: {},
  foundAt: '2026-11-20T10:00:00.000Z',
  resolvedAt: null,
  resolution: null,
}

export async function testServices(): Promise<TestServices> {
  const server = await createServer({
    name: 'services',
    logger: createLogger('test', 'silent'),
    guards: {
      service: serviceSecretGuard(testEnv.SERVICE_SECRET),
      'anchor-admin': () => ({ kind: 'summary' }),
      developer: () => ({ anchorId: 'any', keyId: 'platform', scopes: ['read'] }),
    },
    documents: false,
  })
  const inject = injectFetch(server)
  const client = createClient({
    baseUrl: '',
    headers: { 'x-service-secret': testEnv.SERVICE_SECRET },
    fetch: (url, init) => (services.down ? Promise.reject(new TypeError('fetch failed')) : inject(url, init)),
  })
  const services: TestServices = {
    clients: {
      controlPlane: client,
      aggregator: client,
      anchorServer: (url, secret, proofKey) => {
        services.anchorServers.push([url, secret, proofKey])
        return client
      },
    },
    down: false,
    accepted: [],
    registered: [],
    registry: new Map(),
    running: [],
    railsGiven: new Map(),
    checked: [],
    signingLimits: { perHour: '1000', perPayment: null, xlmPerHour: '100', destinations: null },
    treasury: { low: '100000', ceiling: null, coldAccount: null, xlmLow: '1' },
    journal: { timeZone: 'UTC' },
    log: [],
    openTransfers: 0,
    owed: [],
    anchorSettings: null,
    unitsHeld: [],
    removals: [],
    upgrades: [],
    policies: [],
    outcomes: [],
    missed: [],
    anchorServers: [],
    transactions: [],
    rails: [],
    endpoints: [],
    testDeposit: null,
    resolved: [],
    acts: [],
    hold: null,
    held: 0,
    refusal: null,
    close: () => server.close(),
  }
  const requireWilling = (): void => {
    if (services.refusal) throw services.refusal
  }
  const requireJob = (jobId: string): void => {
    if (services.accepted.every(job => job.jobId !== jobId)) {
      throw new Problem('job-not-found', 'There is no provisioning job with this id.')
    }
  }
  server.on(acceptJob).serve(({ body }) => {
    requireWilling()
    services.accepted.push(body)
    return jobAt(body.jobId, 0, 'pending')
  })
  server.on(retryControlPlaneJob).serve(({ params }) => {
    requireWilling()
    requireJob(params.jobId)
    return { jobId: params.jobId, status: 'pending', attempts: 2 }
  })
  server.on(getJobLog).serve(({ params, query }) => {
    requireJob(params.jobId)
    return services.log.filter(line => line.id > (query.after ?? 0))
  })
  server.on(countOpenTransfers).serve(() => ({
    open: services.openTransfers,
    units: services.unitsHeld,
    owed: services.owed,
  }))
  server.on(acceptRemoval).serve(({ body }) => {
    requireWilling()
    services.removals.push(body)
    return { ok: true }
  })
  server.on(readExport).serve(() => Readable.from(['the archive']))
  server.on(requestUpgrade).serve(({ body: { requestedBy, version = '0.1.0' } }) => {
    requireWilling()
    const upgrade = upgradeTo(version, requestedBy)
    services.upgrades.unshift(upgrade)
    return upgrade
  })
  server.on(getUpgrades).serve(() => ({ release: { version: '0.1.0' }, upgrades: services.upgrades }))
  server.on(removeRegistryEntry).serve(({ params }) => {
    requireWilling()
    if (!services.registry.delete(params.id)) throw new Problem('anchor-not-found', 'There is no such row.')
    return { ok: true }
  })
  server.on(setAnchorRunning).serve(({ params, body }) => {
    requireWilling()
    services.running.push({ anchorId: params.anchorId, running: body.running })
    const { rails, railVersions } = body
    if (railVersions) services.railsGiven.set(params.anchorId, { rails, railVersions })
    return { ok: true }
  })
  server.on(getAnchorSigning).serve(() => {
    requireWilling()
    return { limits: services.signingLimits, lastHour: '0', stopped: [] }
  })
  server.on(setAnchorSigningLimits).serve(({ body }) => {
    requireWilling()
    services.signingLimits = body
    return { limits: body, lastHour: '0', stopped: [] }
  })
  server.on(ensureTestWallet).serve(() => ({ account: TEST_ACCOUNT }))
  server.on(requestTestDeposit).serve(({ body: { rail } }) => {
    services.testDeposit = testDepositOf(rail)
    return services.testDeposit
  })
  server.on(getControlPlaneTestDeposit).serve(() => ({ latest: services.testDeposit }))
  server.on(getAnchorSummary).serve(() => ({
    ...{ status: 'ok' as const, treasury_capacity: '1000', assets: [], version: '0.1.0' },
    ledger: { connected: true, lastLedger: 1, observerLag: 0 },
    rails: services.rails,
  }))
  server.on(requestWalletChecks).serve(({ params }) => {
    requireWilling()
    services.checked.push(params.anchorId)
    return { ok: true }
  })
  server.on(listPolicies).serve(() => ({ policies: services.policies }))
  server.on(createPolicy).serve(({ body }) => {
    requireWilling()
    const policy = policyOf(`policy-${services.policies.length + 1}`, body.active !== false)
    services.policies.unshift(policy)
    return { policy }
  })
  server.on(activatePolicy).serve(({ params }) => {
    const policy = services.policies.find(({ id }) => id === params.id)
    if (!policy) throw new Problem('policy-not-found', 'There is no policy with this id.')
    return { policy: { ...policy, active: true } }
  })
  server.on(replayWeights).serve(() => ({ weights, decisions: 3, changed: 1, shares: [], examples: [] }))
  server.on(listAnchorOutcomes).serve(({ params, query, request, reply }) => {
    if (!services.registry.has(params.id)) throw new Problem('anchor-not-found', 'Not registered.')
    return { decisions: pageOf(services.outcomes, query, request, reply) }
  })
  server.on(listMissedRoutes).serve(({ params, query, request, reply }) => {
    if (!services.registry.has(params.id)) throw new Problem('anchor-not-found', 'Not registered.')
    return { missed: pageOf(services.missed, query, request, reply) }
  })
  server
    .on(listDeveloperTransactions)
    .serve(({ query, request, reply }) => pageOf(services.transactions, query, request, reply))
  server.on(getFigures).serve(({ query: { days = 30, timeZone = 'UTC' } }) => {
    const none = { count: 0, amount: '0' }
    const day = { day: NOW.slice(0, 10), deposits: none, withdrawals: none, fees: '0' }
    const funnel = { started: 0, agreed: 0, paid: 0, completed: 0 }
    return { timeZone, days: Array<typeof day>(days).fill(day), pending: [], funnel, completion: null }
  })
  server.on(listAnchorWebhooks).serve(() => services.endpoints)
  server.on(createAnchorWebhook).serve(({ body: { url, events = ['*'] } }) => {
    const endpoint = { id: 'end_1', url, events, active: true, createdAt: NOW }
    services.endpoints.push(endpoint)
    return answer(201, { ...endpoint, secret: 'whsec_x' })
  })
  server.on(deleteAnchorWebhook).serve(({ params }) => {
    services.endpoints = services.endpoints.filter(({ id }) => id !== params.id)
    return answer(204, undefined)
  })
  server.on(testAnchorWebhook).serve(({ params }) => answer(202, deliveryOf(params.id, 'webhook.test')))
  server.on(replayAnchorDelivery).serve(() => answer(202, deliveryOf('end_1', 'transaction.completed')))
  const settingsHistory = () => {
    if (!services.anchorSettings) throw new Problem('not-found', 'There are no settings.')
    return { history: [{ version: 3, settings: services.anchorSettings, by: null, at: null }] }
  }
  server.on(getSettings).serve(settingsHistory)
  server.on(setSettings).serve(({ body }) => {
    services.anchorSettings = body.settings
    return settingsHistory()
  })
  server.on(getTreasurySettings).serve(() => ({ settings: services.treasury, history: [] }))
  server.on(setTreasurySettings).serve(({ body: { by, ...settings } }) => {
    services.treasury = settings
    return { settings, history: [{ settings, by, at: NOW }] }
  })
  server.on(getJournalSettings).serve(() => services.journal)
  server.on(setJournalSettingsAs).serve(({ body: { by: _, ...settings } }) => (services.journal = settings))
  server.on(listLedgerIncidents).serve(({ query, request, reply }) => {
    if (query.cursor === 'older') return [{ ...incident, id: 'incident_0' }]
    linkCursor(request, reply, 'older')
    return [incident]
  })
  server.on(resolveAnchorIncident).serve(({ body }) => {
    services.resolved.push(body)
    return { ...incident, resolvedAt: incident.foundAt, resolution: body.resolution }
  })
  server.on(getDeveloperTransaction).serve(({ params }) => {
    const found = services.transactions.find(({ id }) => id === params.id)
    if (!found) throw new Problem('transaction-not-found', 'There is no transaction with this id.')
    return { ...found, history: [{ status: found.status, reason: 'It arrived.' }] }
  })
  const action: OperatorAction = {
    ...{ id: 'act_1', transactionId: 'tx_1', kind: 'refund', reason: 'Paid twice', paymentId: null },
    ...{ status: 'waiting', requestedBy: 'operator:x', requestedAt: NOW, decidedBy: null, decidedAt: null },
  }
  server.on(requestAction).serve(({ body }) => {
    services.acts.push(body)
    return answer(201, { ...action, requestedBy: body.by })
  })
  server.on(decideAction).serve(({ body }) => {
    services.acts.push(body)
    return { ...action, status: body.approve ? 'done' : 'rejected', decidedBy: body.by, decidedAt: NOW }
  })
  server.on(addCustomerNote).serve(({ body }) => answer(201, { id: 'note_2', ...body, at: NOW }))
  server.on(addTransactionNote).serve(({ body }) => answer(201, { id: 'note_1', ...body, at: NOW }))
  server.on(registerAnchor).serve(async ({ body }) => {
    requireWilling()
    services.registered.push(body)
    if (services.hold) {
      services.held++
      await services.hold
      services.held--
    }
    const anchor = entryOf(body)
    services.registry.set(body.id, anchor)
    return { anchor }
  })
  server.on(listAnchors).serve(() => ({ anchors: [...services.registry.values()] }))
  return services
}

const deliveryOf = (endpointId: string, event: string): WebhookDelivery => ({
  ...{ id: 'del_1', endpointId, messageId: 'msg_1', event, status: 'waiting', attempts: 0 },
  ...{ lastStatus: null, lastError: null, createdAt: NOW, deliveredAt: null },
})

const TEST_ACCOUNT = generateKey().publicKey
const testDepositOf = (rail: string): TestDeposit => ({
  ...{ id: 'test_1', state: 'waiting', account: TEST_ACCOUNT, rail, amount: '1', transactionId: null },
  ...{ failure: null, requests: [], startedAt: NOW, endedAt: null },
})

/** A page whose cursor is a place in the list, and the `Link` to the next. */
function pageOf<T>(
  rows: readonly T[],
  query: PageQuery,
  request: Parameters<typeof linkCursor>[0],
  reply: Parameters<typeof linkCursor>[1],
): T[] {
  const start = Number(query.cursor ?? 0)
  const end = start + (query.limit ?? 100)
  if (end < rows.length) linkCursor(request, reply, String(end))
  return rows.slice(start, end)
}

export const weights = fillScores({ fee: 0.4, speed: 0.2, uptime: 0.2, liquidity: 0.2 }, 0)

const policyOf = (id: string, active: boolean): RoutingPolicy => ({
  id,
  version: 1,
  name: 'test',
  weights,
  active,
  createdAt: NOW,
  activatedAt: NOW,
})

const NOW = '2026-01-01T00:00:00.000Z'

const upgradeTo = (version: string, requestedBy: string): Upgrade => ({
  id: `upgrade-to-${version}`,
  from: { version: '0.1.0' },
  to: { version },
  state: 'waiting',
  requestedBy,
  error: null,
  createdAt: NOW,
  finishedAt: null,
})

function entryOf(body: Registration): RegistryEntry {
  const { limits, fees, withdrawal, railFees, ...described } = body
  const feeOf = ({ fixed, percentage }: Registration['fees']) => ({
    fixed: String(fixed),
    percentage: String(percentage),
  })
  return {
    ...described,
    ...(withdrawal ? { withdrawal: { rails: withdrawal.rails, fees: feeOf(withdrawal.fees) } } : {}),
    ...(railFees
      ? { railFees: railFees.map(({ rail, direction, ...fee }) => ({ rail, direction, ...feeOf(fee) })) }
      : {}),
    limits: { min: String(limits.min), max: String(limits.max) },
    fees: feeOf(fees),
    treasury_capacity: '1000000',
    current_availability: true,
    domainVerified: true,
    lastCheckedAt: NOW,
    createdAt: NOW,
    updatedAt: NOW,
  }
}

/** A job as the control plane reports it, with so many stages done. */
export function jobAt(jobId: string, done: number, status: Job['status']): Job {
  const stage = stageNames[Math.min(done, stageNames.length - 1)] ?? 'completed'
  return {
    jobId,
    status,
    stage,
    result: { stage },
    stages: stageNames.map((name, index) => ({
      name,
      status: index < done ? 'completed' : index === done ? status : 'pending',
      startedAt: index <= done ? NOW : null,
      finishedAt: index < done ? NOW : null,
      attempts: index <= done ? 1 : 0,
    })),
    attempts: 1,
    createdAt: NOW,
    updatedAt: NOW,
  }
}

export const stood = {
  issuer: `G${'A'.repeat(55)}`,
  distribution: `G${'B'.repeat(55)}`,
  signingKey: `G${'C'.repeat(55)}`,
  apiUrl: 'http://127.0.0.1:20001',
  summarySecret: 'm'.repeat(40),
  serviceSecretHash: 'ab'.repeat(32),
  treasuryCapacity: '1000000',
}
