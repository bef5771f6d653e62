import { createClient } from '@windlass/client/client.ts'
import { activateAnchor } from '@windlass/contracts/internal/control-plane.ts'
import { addMember, changeMember } from '@windlass/contracts/platform/members.ts'
import { getOperatorProfile } from '@windlass/contracts/platform/operators.ts'
import {
  approveWorkspacePayoutFile,
  approveWorkspaceStatementLine,
  createWorkspacePayoutFile,
  decideWorkspaceFileRejection,
  decideWorkspaceStatementLine,
  downloadWorkspacePayoutFile,
  listWorkspaceStatements,
  rejectWorkspacePayoutFile,
  reverseWorkspaceStatementLine,
  uploadWorkspaceStatement,
} from '@windlass/contracts/platform/workspace-bank-files.ts'
import { getWorkspaceAudit } from '@windlass/contracts/platform/workspaces.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestApp, testApp } from '../testing/app.ts'
import { type TestServices, stood, testServices } from '../testing/services.ts'
import { signInOperator } from '../testing/sign-in.ts'
import { outcomesOf, redeemed, refusal } from '../testing/story.ts'

const file = {
  ...{
    id: 'f1',
    rail: 'SEPA',
    code: 'F1',
    format: 'pain.001',
    fileName: 'x.xml',
    sha256: 'ab',
    payouts: 1,
    ended: 0,
  },
  ...{ total: '5', currency: 'EUR', status: 'created', createdBy: 'x', approvedBy: null, approvedAt: null },
  ...{ downloadedAt: null, rejection: null, createdAt: '2026-11-20T10:00:00.000Z' },
}
const statement = {
  ...{
    id: 's1',
    rail: 'SEPA',
    account: 'DE',
    currency: 'EUR',
    format: 'camt.053',
    fileName: 'x.xml',
    lines: 1,
  },
  ...{ newLines: 1, bookedFrom: null, bookedTo: null, by: 'x', createdAt: '2026-11-20T10:00:00.000Z' },
}

const line = {
  ...{ id: 'l1', statementId: 's1', rail: 'SEPA', bookedOn: '2026-11-20', direction: 'in', amount: '77' },
  ...{ currency: 'EUR', bankReference: null, text: '', party: { name: null, account: null, bank: null } },
  ...{ status: 'ignored', reason: 'x', transactionId: null, payoutId: null, decidedBy: 'operator:x' },
  ...{ decidedAt: null, createdAt: '2026-11-20T10:00:00.000Z', pending: null },
}
const pending = {
  ...{ kind: 'own', transactionId: null, duplicateOf: null, reason: 'x', requestedBy: 'operator:x' },
  requestedAt: '2026-11-20T10:00:00.000Z',
}
const sheet = 'ab'.repeat(32)

let app: TestApp
let services: TestServices
const asked: { path: string; body: unknown }[] = []
/** An anchor's business server that notes what it is asked. */
const anchorServer = createClient({
  baseUrl: '',
  fetch: async (path, { body }) => {
    asked.push({ path, body: body instanceof Uint8Array ? Buffer.from(body).toString() : body })
    if (path.endsWith('/download')) {
      const headers = { 'content-type': 'text/html', 'content-disposition': 'inline; filename="x.html"' }
      return new Response('the file', { headers })
    }
    if (path.includes('/statement-lines/')) {
      const problem = { code: 'action-not-possible', detail: 'The asset was paid.', status: 409 }
      if (path.endsWith('/reversal')) return Response.json(problem, { status: 409 })
      return Response.json(path.endsWith('/approval') ? line : { ...line, status: 'review', pending })
    }
    if (path.includes('/approve')) {
      const problem = { code: 'second-person-needed', detail: 'You made this file.', status: 409 }
      return Response.json(problem, { status: 409 })
    }
    return path.includes('payout-files')
      ? Response.json(file, { status: 201 })
      : Response.json(path.includes('?') ? statement : [])
  },
})
beforeAll(async () => {
  services = await testServices()
  app = await testApp({ deps: { ...services.clients, anchorServer: () => anchorServer } })
})
afterAll(async () => {
  await app.close()
  await services.close()
})

it('payout files are made and approved by people who were owners or admins for a day: nobody adds their second person', async () => {
  const { jobId, anchorId } = await redeemed(app, 'bank-two', { businessEmail: 'owner@two.example' })
  const body = { ...stood, serviceSecretHash: 'ce'.repeat(32) }
  await app.service.call(activateAnchor, { params: { jobId }, body })
  const owner = await signInOperator(app, 'owner@two.example')
  const { organizations } = await owner.call(getOperatorProfile)
  const organizationId = organizations[0]?.id ?? ''
  const add = async (email: string, role: 'admin' | 'member') => {
    await owner.call(addMember, { params: { organizationId }, body: { email, role } })
    return signInOperator(app, email)
  }
  const second = await add('owner+two@two.example', 'admin')
  const third = await add('third@two.example', 'member')
  const params = { organizationId, userId: third.user.id }
  await owner.call(changeMember, { params, body: { role: 'admin' } })
  const acts = [second, third].flatMap(({ call }) => [
    () => call(createWorkspacePayoutFile, { params: { anchorId, rail: 'SEPA' } }),
    () => call(approveWorkspacePayoutFile, { params: { anchorId, id: 'f2' }, body: { sheet } }),
  ])
  const decisions = [second, third].flatMap(({ call }) => {
    const params = { anchorId, id: 'l1' }
    const decision = { decision: 'ignore', as: 'own', reason: 'x' } as const
    return [
      () => call(decideWorkspaceStatementLine, { params, body: decision }),
      () => call(approveWorkspaceStatementLine, { params, body: { approve: true } }),
      () => call(reverseWorkspaceStatementLine, { params, body: { reason: 'x' } }),
    ]
  })
  const rejections = [second, third].flatMap(({ call }) => [
    () => call(rejectWorkspacePayoutFile, { params: { anchorId, id: 'f2' }, body: { reason: 'x' } }),
    () => call(decideWorkspaceFileRejection, { params: { anchorId, id: 'f2' }, body: { approve: true } }),
  ])
  const before = asked.length
  for (const act of [...acts, ...rejections, ...decisions])
    expect((await refusal(act())).problem.code).toBe('second-person-needed')
  expect(asked).toHaveLength(before)
  await app.drain()
  const emailed = app.mails.filter(
    ({ to, subject }) => to === 'owner@two.example' && /is an admin of/.test(subject),
  )
  expect(emailed.map(({ subject }) => subject.split(' ')[0]).sort()).toEqual([
    'owner+two@two.example',
    'third@two.example',
  ])
  await app.deps.database.pool.query(
    "update memberships set manager_since = manager_since - interval '1 day'",
  )
  await app.deps.database.pool.query('update sessions set confirmed_at = now()')
  expect((await acts[0]!()).id).toBe('f1')
  await acts[3]!().catch(() => undefined)
  expect(asked.length).toBe(before + 2)
})

it('statements and payout files are an owner’s or admin’s who has just confirmed, and all is recorded', async () => {
  const { jobId, anchorId } = await redeemed(app, 'bank-one', { businessEmail: 'owner@bank.example' })
  await app.service.call(activateAnchor, {
    params: { jobId },
    body: { ...stood, serviceSecretHash: 'cd'.repeat(32) },
  })
  const owner = await signInOperator(app, 'owner@bank.example')
  const change = (sql: string) => app.deps.database.pool.query(sql, [owner.user.id])
  const ofRail = { anchorId, rail: 'SEPA' }
  const upload = () =>
    owner.call(uploadWorkspaceStatement, {
      params: ofRail,
      query: { fileName: 'x.xml' },
      body: Buffer.from('<Document/>'),
    })
  expect((await upload()).id).toBe('s1')
  expect(asked.at(-1)).toEqual({
    path: `/admin/rails/SEPA/statements?fileName=x.xml&by=operator%3A${owner.user.id}`,
    body: '<Document/>',
  })
  expect((await owner.call(createWorkspacePayoutFile, { params: ofRail })).id).toBe('f1')
  expect(asked.at(-1)?.body).toBe(JSON.stringify({ by: `operator:${owner.user.id}` }))
  const one = { anchorId, id: 'f1' }
  const refused = await refusal(owner.call(approveWorkspacePayoutFile, { params: one, body: { sheet } }))
  expect(refused.problem.code).toBe('second-person-needed')
  const download = await owner.open(downloadWorkspacePayoutFile, { params: one })
  expect(await download.text()).toBe('the file')
  // A browser does with it what the platform says, whatever the anchor's server says.
  expect([download.headers.get('content-type'), download.headers.get('content-disposition')]).toEqual([
    'application/octet-stream',
    'attachment; filename="payout-file-f1"',
  ])
  await owner.call(rejectWorkspacePayoutFile, { params: one, body: { reason: 'Invalid scheme' } })
  expect(asked.at(-1)?.body).toBe(
    JSON.stringify({ reason: 'Invalid scheme', by: `operator:${owner.user.id}` }),
  )
  for (const approve of [false, true]) {
    await owner.call(decideWorkspaceFileRejection, { params: one, body: { approve } })
    expect(asked.at(-1)?.body).toBe(JSON.stringify({ approve, by: `operator:${owner.user.id}` }))
  }
  const audit = await owner.call(getWorkspaceAudit, { params: { anchorId }, query: {} })
  expect(
    outcomesOf(audit)
      .slice(0, 7)
      .map(({ action }) => action),
  ).toEqual([
    'payout-file.rejected',
    'payout-file.rejection-dismissed',
    'payout-file.rejection-requested',
    'payout-file.downloaded',
    'payout-file.failed',
    'payout-file.created',
    'bank-statement.uploaded',
  ])

  const decide = () =>
    owner.call(decideWorkspaceStatementLine, { params: one, body: { decision: 'return', reason: 'x' } })
  const acts = [upload, decide, () => owner.call(createWorkspacePayoutFile, { params: ofRail })]
  const before = asked.length
  await change(`update sessions set confirmed_at = now() - interval '16 minutes' where subject = $1`)
  for (const act of acts) expect((await refusal(act())).problem.code).toBe('confirmation-needed')
  await change(`update sessions set confirmed_at = now() where subject = $1`)
  await change(`update memberships set role = 'member' where user_id = $1`)
  for (const act of acts) expect((await refusal(act())).problem.code).toBe('forbidden')
  const stranger = await signInOperator(app, 'stranger@bank.example')
  const read = stranger.call(listWorkspaceStatements, { params: { anchorId } })
  expect((await refusal(read)).problem.code).toBe('anchor-not-found')
  expect(asked).toHaveLength(before)
})

it('what people decide about lines is recorded before it is done and after, also that it waits or fails', async () => {
  const { jobId, anchorId } = await redeemed(app, 'bank-lines', { businessEmail: 'owner@lines.example' })
  const body = { ...stood, serviceSecretHash: 'cf'.repeat(32) }
  await app.service.call(activateAnchor, { params: { jobId }, body })
  const owner = await signInOperator(app, 'owner@lines.example')
  const params = { anchorId, id: 'l1' }
  const entries = async () => {
    const audit = await owner.call(getWorkspaceAudit, { params: { anchorId }, query: {} })
    return audit.flatMap(({ action, details }) =>
      action.startsWith('statement-line') ? [[action, details]] : [],
    )
  }
  const decision = { decision: 'ignore', as: 'own', reason: 'interest' } as const
  const asked = await owner.call(decideWorkspaceStatementLine, { params, body: decision })
  expect(asked.pending).toMatchObject({ kind: 'own' })
  const details = { id: 'l1', what: 'own', reason: 'interest' }
  expect(await entries()).toEqual([
    ['statement-line.waiting', { ...details, amount: '77', currency: 'EUR', status: 'review' }],
    ['statement-line.asked', { ...details, act: 'decided' }],
  ])
  await owner.call(approveWorkspaceStatementLine, { params, body: { approve: true } })
  const reversal = owner.call(reverseWorkspaceStatementLine, { params, body: { reason: 'wrong' } })
  expect((await refusal(reversal)).problem.code).toBe('action-not-possible')
  expect((await entries()).map(([action]) => action)).toEqual([
    'statement-line.failed',
    'statement-line.asked',
    'statement-line.decision-approved',
    'statement-line.asked',
    'statement-line.waiting',
    'statement-line.asked',
  ])
  expect((await entries())[0]?.[1]).toMatchObject({ problem: 'action-not-possible', reason: 'wrong' })
})
