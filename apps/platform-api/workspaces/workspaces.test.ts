import { everyPage, nextCursor } from '@windlass/client/next-page.ts'
import { activateAnchor } from '@windlass/contracts/internal/control-plane.ts'
import type { DeveloperTransaction } from '@windlass/contracts/anchor/developer-api.ts'
import type { AnchorOutcome } from '@windlass/contracts/aggregator/routing.ts'
import {
  addWorkspaceCustomerNote,
  addWorkspaceTransactionNote,
  createWorkspaceWebhook,
  deleteWorkspaceWebhook,
  getWorkspaceFigures,
  getWorkspaceTransaction,
  getWorkspaceTreasury,
  getWorkspaceTreasurySettings,
  listWorkspaceCustomers,
  listWorkspaceDeliveries,
  listWorkspaceIncidents,
  listWorkspaceTransactions,
  listWorkspaceWebhooks,
  replayWorkspaceDelivery,
  resolveWorkspaceIncident,
  setWorkspaceTreasurySettings,
  testWorkspaceWebhook,
} from '@windlass/contracts/platform/workspace-records.ts'
import {
  getWorkspaceAudit,
  getWorkspaceDecisions,
  getWorkspaceMissedRoutes,
} from '@windlass/contracts/platform/workspaces.ts'
import { queryKyc } from '@windlass/contracts/internal/internal.ts'
import { addMember } from '@windlass/contracts/platform/members.ts'
import { decideWorkspaceAction, requestWorkspaceAction } from '@windlass/contracts/anchor/operator-actions.ts'
import { getOperatorProfile } from '@windlass/contracts/platform/operators.ts'
import { getTestDeposit, startTestDeposit } from '@windlass/contracts/platform/test-deposits.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '../testing/app.ts'
import { type TestServices, stood, testServices } from '../testing/services.ts'
import { signInOperator } from '../testing/sign-in.ts'
import { outcomesOf, redeemed, refusal } from '../testing/story.ts'

let app: TestApp
let services: TestServices
beforeAll(async () => {
  services = await testServices()
  app = await testApp({ deps: services.clients })
})
afterAll(async () => {
  await app.close()
  await services.close()
})
beforeEach(() => {
  services.down = false
})

const outcome = (index: number): AnchorOutcome => ({
  decisionId: `dec_${index}`,
  decidedAt: '2026-11-20T10:00:00.000Z',
  amount: '100',
  asset: 'INRX',
  rail: 'UPI',
  outcome: 'rejected',
  winningScore: 90,
  rule: 'limits',
  detail: '100 is more than its limit',
})

async function ownedAnchor(subdomain: string, businessEmail: string) {
  const { jobId, anchorId } = await redeemed(app, subdomain, { businessEmail })
  return { jobId, anchorId, owner: await signInOperator(app, businessEmail) }
}

describe('an anchor’s records', () => {
  const transaction = (index: number): DeveloperTransaction => ({
    id: `tx_${index}`,
    protocol: 'sep24',
    kind: 'deposit',
    status: 'completed',
    account: `G${'A'.repeat(55)}`,
    memo: null,
    rail: 'UPI',
    currency: 'INR',
    amount: '100',
    fee: '1',
    railAmount: '8938.5',
    ledgerTransaction: null,
    railPaymentId: null,
    message: null,
    createdAt: '2026-11-20T10:00:00.000Z',
    updatedAt: '2026-11-20T10:00:00.000Z',
  })

  it('are what its own server tells, page by page', async () => {
    const { jobId, anchorId, owner } = await ownedAnchor('booked', 'owner@booked.example')
    const params = { anchorId }
    expect(await refusal(owner.call(listWorkspaceTransactions, { params }))).toMatchObject({ status: 503 })
    await app.service.call(activateAnchor, {
      params: { jobId },
      body: { ...stood, serviceSecretHash: 'c0'.repeat(32) },
    })
    const zone = { days: 7, timeZone: 'Asia/Kolkata' }
    const figures = await owner.call(getWorkspaceFigures, { params, query: zone })
    expect([figures.timeZone, figures.days.length]).toEqual(['Asia/Kolkata', 7])
    services.transactions = [0, 1, 2].map(transaction)
    const first = await owner.send(listWorkspaceTransactions, { params, query: { limit: 2 } })
    expect(first.body).toEqual([transaction(0), transaction(1)])
    const cursor = nextCursor(first.headers)
    expect(await owner.call(listWorkspaceTransactions, { params, query: { limit: 2, cursor } })).toEqual([
      transaction(2),
    ])
    expect(services.anchorServers).toContainEqual([
      stood.apiUrl,
      stood.summarySecret,
      Buffer.from('c0'.repeat(32), 'hex'),
    ])
    const one = await owner.call(getWorkspaceTransaction, { params: { anchorId, id: 'tx_1' } })
    expect(one.history).toEqual([{ status: 'completed', reason: 'It arrived.' }])
    const noted = { params: { anchorId, id: 'tx_1' }, body: { text: 'The customer called.' } }
    expect((await owner.call(addWorkspaceTransactionNote, noted)).by).toBe(`operator:${owner.user.id}`)
    const ofCustomer = { params: { anchorId, id: 'c_1' }, body: { text: 'Called about a payout.' } }
    expect((await owner.call(addWorkspaceCustomerNote, ofCustomer)).by).toBe(`operator:${owner.user.id}`)
    const other = await signInOperator(app, 'other@booked.example')
    expect(await refusal(other.call(addWorkspaceCustomerNote, ofCustomer))).toMatchObject({ status: 404 })
    expect(await refusal(other.call(addWorkspaceTransactionNote, noted))).toMatchObject({ status: 404 })
    const unknown = await refusal(owner.call(getWorkspaceTransaction, { params: { anchorId, id: 'tx_9' } }))
    expect([unknown.status, unknown.problem.code]).toEqual([404, 'transaction-not-found'])
  })

  it('are closed to strangers, whose asking reaches no anchor', async () => {
    const { anchorId } = await ownedAnchor('closed', 'owner@closed.example')
    const stranger = await signInOperator(app, 'stranger@elsewhere.example')
    const asked = services.anchorServers.length
    for (const book of [
      getWorkspaceTreasury,
      getWorkspaceFigures,
      listWorkspaceTransactions,
      listWorkspaceCustomers,
      listWorkspaceDeliveries,
    ]) {
      expect(await refusal(stranger.call(book, { params: { anchorId } }))).toMatchObject({ status: 404 })
    }
    expect(services.anchorServers).toHaveLength(asked)
  })
})

describe('incidents with the ledger', () => {
  it('are resolved by owners and admins, in the name of the operator, and audited', async () => {
    const { jobId, anchorId, owner } = await ownedAnchor('incident', 'owner@incident.example')
    await app.service.call(activateAnchor, {
      params: { jobId },
      body: { ...stood, serviceSecretHash: 'ef'.repeat(32) },
    })
    const incidents = await everyPage(query =>
      owner.send(listWorkspaceIncidents, { params: { anchorId }, query }),
    )
    expect(incidents.map(({ id }) => id)).toEqual(['incident_1', 'incident_0'])
    const body = { resolution: 'found in a full history', outcome: 'applied' as const }
    const params = { anchorId, id: 'incident_1' }
    await owner.call(resolveWorkspaceIncident, { params, body })
    expect(services.resolved).toEqual([{ ...body, by: expect.stringMatching(/^operator:/) }])
    const audit = await owner.call(getWorkspaceAudit, { params: { anchorId }, query: {} })
    expect(audit).toContainEqual(expect.objectContaining({ action: 'ledger-incident.resolved' }))
    const stranger = await signInOperator(app, 'stranger@incident.example')
    expect(await refusal(stranger.call(resolveWorkspaceIncident, { params, body }))).toMatchObject({
      status: 404,
    })
    const [organization] = (await owner.call(getOperatorProfile)).organizations
    const team = { organizationId: organization?.id ?? '' }
    await owner.call(addMember, { params: team, body: { email: 'new@incident.example', role: 'admin' } })
    const newcomer = await signInOperator(app, 'new@incident.example')
    expect(await refusal(newcomer.call(resolveWorkspaceIncident, { params, body }))).toMatchObject({
      problem: { code: 'second-person-needed' },
    })
    const { rows } = await app.deps.database.pool.query<{ id: string }>(
      "update memberships set role = 'member' where organization_id = (select organization_id from anchors where id = $1) returning user_id as id",
      [anchorId],
    )
    expect(rows).toHaveLength(2)
    expect(await refusal(owner.call(resolveWorkspaceIncident, { params, body }))).toMatchObject({
      status: 403,
    })
    expect(services.resolved).toHaveLength(1)
  })
})

describe('actions on transactions', () => {
  it('are of owners and admins of a day or more who have just confirmed, and every step is audited', async () => {
    const { jobId, anchorId, owner } = await ownedAnchor('acting', 'owner@acting.example')
    await app.service.call(activateAnchor, {
      params: { jobId },
      body: { ...stood, serviceSecretHash: 'b7'.repeat(32) },
    })
    const [organization] = (await owner.call(getOperatorProfile)).organizations
    const params = { organizationId: organization?.id ?? '' }
    await owner.call(addMember, { params, body: { email: 'second@acting.example', role: 'admin' } })
    const second = await signInOperator(app, 'second@acting.example')
    const request = ({ call }: typeof owner) =>
      call(requestWorkspaceAction, {
        params: { anchorId, id: 'tx_1' },
        body: { kind: 'refund', reason: 'Paid twice' },
      })
    const decide = ({ call }: typeof owner, approve: boolean) =>
      call(decideWorkspaceAction, { params: { anchorId, id: 'act_1' }, body: { approve } })
    const codeOf = async (answer: Promise<unknown>) => (await refusal(answer)).problem.code
    services.acts = []

    expect((await request(owner)).requestedBy).toBe(`operator:${owner.user.id}`)
    expect(await codeOf(request(second))).toBe('second-person-needed')
    expect(await codeOf(decide(second, true))).toBe('second-person-needed')
    expect((await decide(second, false)).status).toBe('rejected')
    const change = (sql: string) => app.deps.database.pool.query(sql, [second.user.id])
    await change(`update memberships set manager_since = now() - interval '25 hours' where user_id = $1`)
    expect((await decide(second, true)).status).toBe('done')
    const by = `operator:${second.user.id}`
    expect(services.acts).toEqual([
      { kind: 'refund', reason: 'Paid twice', by: `operator:${owner.user.id}` },
      { approve: false, by },
      { approve: true, by },
    ])
    const audit = await owner.call(getWorkspaceAudit, { params: { anchorId }, query: {} })
    expect(outcomesOf(audit).slice(0, 3)).toMatchObject([
      { action: 'transaction.action-done', actor: by, details: { transactionId: 'tx_1', what: 'refund' } },
      { action: 'transaction.action-rejected', actor: by },
      { action: 'transaction.action-requested', actor: `operator:${owner.user.id}` },
    ])

    await change(`update sessions set confirmed_at = now() - interval '16 minutes' where subject = $1`)
    expect(await codeOf(request(second))).toBe('confirmation-needed')
    expect(await codeOf(decide(second, false))).toBe('confirmation-needed')
    await change(`update sessions set confirmed_at = now() where subject = $1`)
    await change(`update memberships set role = 'member' where user_id = $1`)
    expect(await codeOf(request(second))).toBe('forbidden')
    expect(await codeOf(decide(second, false))).toBe('forbidden')
    const stranger = await signInOperator(app, 'stranger@acting.example')
    expect(await codeOf(request(stranger))).toBe('anchor-not-found')
    expect(await codeOf(decide(stranger, true))).toBe('anchor-not-found')
    expect(services.acts).toHaveLength(3)
  })
})

describe('the treasury settings', () => {
  it('are an owner’s to set, after a fresh confirmation, and everyone is notified of them', async () => {
    const { jobId, anchorId, owner } = await ownedAnchor('cold-one', 'owner@cold.example')
    await app.service.call(activateAnchor, {
      params: { jobId },
      body: { ...stood, serviceSecretHash: 'cd'.repeat(32) },
    })
    const params = { anchorId }
    const coldAccount = `G${'A'.repeat(55)}`
    const body = { low: '5', ceiling: '10', coldAccount, xlmLow: '1' }
    services.treasury = { ...body, ceiling: '9' }
    const { history } = await owner.call(setWorkspaceTreasurySettings, { params, body })
    expect(history[0]?.by).toBe(`operator:${owner.user.id}`)
    expect((await owner.call(getWorkspaceTreasurySettings, { params })).settings).toEqual(body)
    await app.drain()
    const mail = app.mails.find(({ subject }) => subject.includes('the treasury settings were changed'))
    expect(mail).toMatchObject({ to: 'owner@cold.example', text: expect.stringContaining(coldAccount) })
    const audit = await owner.call(getWorkspaceAudit, { params, query: {} })
    expect(audit[0]).toMatchObject({ action: 'treasury.settings-changed', details: body })

    const set = () => owner.call(setWorkspaceTreasurySettings, { params, body: { ...body, low: '6' } })
    const change = (sql: string) => app.deps.database.pool.query(sql, [owner.user.id])
    await change(`update sessions set confirmed_at = now() - interval '16 minutes' where subject = $1`)
    expect((await refusal(set())).problem.code).toBe('confirmation-needed')
    await change(`update sessions set confirmed_at = now() where subject = $1`)
    await change(`update memberships set role = 'admin' where user_id = $1`)
    expect((await refusal(set())).problem.code).toBe('forbidden')
    const stranger = await signInOperator(app, 'stranger@cold.example')
    const read = stranger.call(getWorkspaceTreasurySettings, { params })
    expect((await refusal(read)).problem.code).toBe('anchor-not-found')
    expect(services.treasury).toEqual(body)
  })
})

describe('why an anchor was or was not chosen', () => {
  it('is what the aggregator keeps, page by page', async () => {
    const { jobId, anchorId, owner } = await ownedAnchor('explained', 'owner@explained.example')
    const params = { anchorId }
    expect(await owner.call(getWorkspaceDecisions, { params })).toEqual([])
    await app.service.call(activateAnchor, { params: { jobId }, body: stood })
    services.outcomes = [0, 1, 2].map(outcome)
    const first = await owner.send(getWorkspaceDecisions, { params, query: { limit: 2 } })
    expect(first.body.map(({ decisionId }) => decisionId)).toEqual(['dec_0', 'dec_1'])
    const cursor = nextCursor(first.headers)
    const second = await owner.send(getWorkspaceDecisions, { params, query: { limit: 2, cursor } })
    expect(second.body.map(({ decisionId }) => decisionId)).toEqual(['dec_2'])
    expect(nextCursor(second.headers)).toBeUndefined()

    // The routes that nobody could serve come the same way.
    const missed = (index: number) => ({
      decisionId: `dec_${index}`,
      decidedAt: '2026-11-20T10:00:00.000Z',
      amount: '100',
      asset: 'INRX',
      rail: 'SEPA',
      rule: 'rail' as const,
      detail: 'does not support the payment rail SEPA',
    })
    services.missed = [0, 1].map(missed)
    const firstMissed = await owner.send(getWorkspaceMissedRoutes, { params, query: { limit: 1 } })
    expect(firstMissed.body).toEqual([missed(0)])
    const missedCursor = nextCursor(firstMissed.headers)
    const secondMissed = await owner.send(getWorkspaceMissedRoutes, {
      params,
      query: { limit: 1, cursor: missedCursor },
    })
    expect(secondMissed.body).toEqual([missed(1)])
  })

  it('is the members’ alone, and says when the aggregator is away', async () => {
    const { anchorId, owner } = await ownedAnchor('private', 'owner@private.example')
    const stranger = await signInOperator(app, 'stranger@elsewhere.example')
    const params = { anchorId }
    expect(await refusal(stranger.call(getWorkspaceMissedRoutes, { params }))).toMatchObject({ status: 404 })
    expect(await refusal(stranger.call(getWorkspaceDecisions, { params }))).toMatchObject({ status: 404 })
    expect(await refusal(app.client().call(getWorkspaceDecisions, { params }))).toMatchObject({ status: 401 })
    services.down = true
    const { status, problem } = await refusal(owner.call(getWorkspaceDecisions, { params }))
    expect([status, problem.code]).toEqual([503, 'dependency-unavailable'])
  })
})

describe('webhook endpoints', () => {
  it('are owners’ and admins’ to change, after a fresh confirmation, and each change is audited', async () => {
    const { jobId, anchorId, owner } = await ownedAnchor('hooked', 'owner@hooked.example')
    await app.service.call(activateAnchor, {
      params: { jobId },
      body: { ...stood, serviceSecretHash: 'ae'.repeat(32) },
    })
    const params = { anchorId }
    const body = { url: 'https://hooked.example/hook', events: ['transaction.completed'] }
    const change = (sql: string) => app.deps.database.pool.query(sql, [owner.user.id])
    await change(`update sessions set confirmed_at = now() - interval '16 minutes' where subject = $1`)
    expect((await refusal(owner.call(createWorkspaceWebhook, { params, body }))).problem.code).toBe(
      'confirmation-needed',
    )
    await change(`update sessions set confirmed_at = now() where subject = $1`)
    const { id, secret } = await owner.call(createWorkspaceWebhook, { params, body })
    expect(secret).toBe('whsec_x')
    expect(await owner.call(listWorkspaceWebhooks, { params })).toMatchObject([{ id, url: body.url }])
    const one = { anchorId, id }
    expect(await owner.call(testWorkspaceWebhook, { params: one })).toMatchObject({ event: 'webhook.test' })
    await owner.call(replayWorkspaceDelivery, { params: { anchorId, id: 'del_1' } })
    const stranger = await signInOperator(app, 'stranger@hooked.example')
    expect(await refusal(stranger.call(listWorkspaceWebhooks, { params }))).toMatchObject({ status: 404 })
    await change(`update memberships set role = 'member' where user_id = $1`)
    const changes = [
      () => owner.call(createWorkspaceWebhook, { params, body }),
      () => owner.call(testWorkspaceWebhook, { params: one }),
      () => owner.call(deleteWorkspaceWebhook, { params: one }),
      () => owner.call(replayWorkspaceDelivery, { params: one }),
    ]
    for (const act of changes) expect((await refusal(act())).problem.code).toBe('forbidden')
    await change(`update memberships set role = 'admin' where user_id = $1`)
    await change(`update sessions set confirmed_at = now() - interval '16 minutes' where subject = $1`)
    expect((await refusal(owner.call(deleteWorkspaceWebhook, { params: one }))).problem.code).toBe(
      'confirmation-needed',
    )
    expect(await owner.call(listWorkspaceWebhooks, { params })).toMatchObject([{ id }])
    await change(`update sessions set confirmed_at = now() where subject = $1`)
    await owner.call(deleteWorkspaceWebhook, { params: one })
    const audit = await owner.call(getWorkspaceAudit, { params, query: {} })
    expect(outcomesOf(audit).slice(0, 4)).toMatchObject([
      { action: 'webhook-endpoint.removed' },
      { action: 'webhook-delivery.replayed' },
      { action: 'webhook-endpoint.tested' },
      { action: 'webhook-endpoint.added', details: { host: 'hooked.example' } },
    ])
  })
})

describe('a test deposit', () => {
  const upi = { name: 'UPI', currency: 'INR', simulated: true, rate: '88.5' }
  const problemOf = async (answer: Promise<unknown>) => (await refusal(answer)).problem.code

  it('is run by owners and admins with a wallet whose identity the mock provider verified', async () => {
    const { jobId, anchorId, owner } = await ownedAnchor('tested', 'owner@tested.example')
    await app.service.call(activateAnchor, {
      params: { jobId },
      body: { ...stood, serviceSecretHash: 'ad'.repeat(32) },
    })
    const params = { anchorId }
    expect(await owner.call(getTestDeposit, { params })).toEqual({ latest: null, available: true })
    services.rails = [{ ...upi, name: 'SEPA', rate: null }, upi]
    // Twice: the customer and the wallet are the same.
    for (let turn = 0; turn < 2; turn++) {
      const started = await owner.call(startTestDeposit, { params })
      expect(started).toMatchObject({ state: 'waiting', rail: 'UPI' })
    }
    const { latest } = await owner.call(getTestDeposit, { params })
    const known = await app.service.call(queryKyc, { query: { walletAddress: latest?.account ?? '' } })
    expect(known).toMatchObject({ status: 'ACCEPTED', walletVerified: false })
    const audit = await owner.call(getWorkspaceAudit, { params, query: {} })
    expect(audit.filter(({ action }) => action === 'anchor.test-deposit')).toHaveLength(2)

    const stranger = await signInOperator(app, 'stranger@tested.example')
    expect(await problemOf(stranger.call(getTestDeposit, { params }))).toBe('anchor-not-found')
    expect(await problemOf(stranger.call(startTestDeposit, { params }))).toBe('anchor-not-found')
    await app.deps.database.pool.query(
      `update memberships set role = 'member' where organization_id = (select organization_id from anchors where id = $1)`,
      [anchorId],
    )
    expect(await problemOf(owner.call(startTestDeposit, { params }))).toBe('forbidden')
  })

  it('is refused where money or identities are real', async () => {
    const { jobId, anchorId, owner } = await ownedAnchor('earnest', 'owner@earnest.example')
    await app.service.call(activateAnchor, {
      params: { jobId },
      body: { ...stood, serviceSecretHash: 'ac'.repeat(32) },
    })
    const params = { anchorId }
    const start = () => problemOf(owner.call(startTestDeposit, { params }))
    services.rails = [{ ...upi, simulated: false }]
    expect(await start()).toBe('anchor-wrong-state')
    services.rails = [upi]
    const { config } = app.deps
    const given = { ...config }
    config.kyc = null
    expect(await owner.call(getTestDeposit, { params })).toMatchObject({ available: false })
    expect(await start()).toBe('anchor-wrong-state')
    Object.assign(config, given)
    config.deployment = { ...given.deployment, mainnet: true }
    expect(await start()).toBe('anchor-wrong-state')
    Object.assign(config, given)
  })
})
