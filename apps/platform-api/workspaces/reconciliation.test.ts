import { createClient } from '@windlass/client/client.ts'
import { activateAnchor } from '@windlass/contracts/internal/control-plane.ts'
import { downloadWorkspaceRecords } from '@windlass/contracts/platform/exports.ts'
import {
  assignWorkspaceDifference,
  getWorkspaceReconciliation,
  listWorkspaceDifferences,
  reconcileWorkspace,
  resolveWorkspaceDifference,
} from '@windlass/contracts/platform/workspace-reconciliation.ts'
import { getWorkspaceAudit } from '@windlass/contracts/platform/workspaces.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestApp, testApp } from '../testing/app.ts'
import { type TestServices, stood, testServices } from '../testing/services.ts'
import { signInOperator } from '../testing/sign-in.ts'
import { outcomesOf, redeemed, refusal } from '../testing/story.ts'

const AT = '2026-11-20T10:00:00.000Z'
const difference = {
  ...{ id: 'd1', kind: 'bank-account', subject: 'DE', unit: 'EUR', amount: '-3', detail: 'It lacks 3 EUR.' },
  ...{ status: 'open', foundAt: AT, lastSeenAt: AT, assignedTo: null, endedBy: null, endedAt: null },
  reason: null,
}

let app: TestApp
let services: TestServices
let fileHeaders: Record<string, string> = { 'content-disposition': 'attachment; filename="j.csv"' }
const asked: { path: string; body: unknown }[] = []
const anchorServer = createClient({
  baseUrl: '',
  fetch: async (path, { body }) => {
    asked.push({ path, body: typeof body === 'string' ? JSON.parse(body) : undefined })
    if (path.includes('/exports/')) return new Response('at,entry', { headers: fileHeaders })
    if (/(assign|resolve)$/.test(path)) return Response.json(difference)
    return path.endsWith('/differences')
      ? Response.json([difference])
      : Response.json({ open: 1, last: null })
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

it('differences are read by members and ended by owners and admins, and all of it is recorded', async () => {
  const { jobId, anchorId } = await redeemed(app, 'books-one', { businessEmail: 'owner@books.example' })
  await app.service.call(activateAnchor, {
    params: { jobId },
    body: { ...stood, serviceSecretHash: 'cd'.repeat(32) },
  })
  const owner = await signInOperator(app, 'owner@books.example')
  const change = (sql: string) => app.deps.database.pool.query(sql, [owner.user.id])
  const by = `operator:${owner.user.id}`
  const [params, one] = [{ anchorId }, { anchorId, id: 'd1' }]
  const run = () => owner.call(reconcileWorkspace, { params })
  const assign = (to: string | null) => owner.call(assignWorkspaceDifference, { params: one, body: { to } })
  const resolve = () =>
    owner.call(resolveWorkspaceDifference, { params: one, body: { reason: 'The bank charged 3 EUR.' } })
  expect(await run()).toEqual({ open: 1, last: null })
  expect(asked.at(-1)).toEqual({ path: '/admin/reconciliation', body: { by } })
  await assign(by)
  expect(asked.at(-1)?.body).toEqual({ to: by })
  expect((await refusal(assign('operator:nobody'))).problem.code).toBe('member-not-found')
  expect((await resolve()).id).toBe('d1')
  expect(asked.at(-1)?.body).toEqual({ reason: 'The bank charged 3 EUR.', by })
  const query = { from: '2026-10-01', to: '2026-10-31' }
  const file = await owner.open(downloadWorkspaceRecords, {
    params: { anchorId, name: 'journal.csv' },
    query,
  })
  expect([await file.text(), file.headers.get('content-disposition')]).toEqual([
    'at,entry',
    'attachment; filename="j.csv"',
  ])
  const audit = await owner.call(getWorkspaceAudit, { params, query: {} })
  expect(
    outcomesOf(audit)
      .slice(0, 4)
      .map(({ action }) => action),
  ).toEqual([
    ...['records.downloaded', 'difference.resolved', 'difference.assigned', 'reconciliation.started'],
  ])

  await change(`update sessions set confirmed_at = now() - interval '16 minutes' where subject = $1`)
  expect((await refusal(resolve())).problem.code).toBe('confirmation-needed')
  const sent = asked.length
  const taken = owner.open(downloadWorkspaceRecords, { params: { anchorId, name: 'journal.csv' }, query })
  expect((await refusal(taken)).problem.code).toBe('confirmation-needed')
  expect(asked).toHaveLength(sent)
  expect(await owner.call(getWorkspaceAudit, { params, query: {} })).toHaveLength(audit.length)
  await change(`update memberships set role = 'member' where user_id = $1`)
  for (const act of [run, () => assign(null), resolve])
    expect((await refusal(act())).problem.code).toBe('forbidden')
  expect((await owner.call(listWorkspaceDifferences, { params, query: {} })).map(({ id }) => id)).toEqual([
    'd1',
  ])
  const stranger = await signInOperator(app, 'stranger@books.example')
  const read = stranger.call(getWorkspaceReconciliation, { params })
  expect((await refusal(read)).problem.code).toBe('anchor-not-found')
})

it('a file of an anchor is saved by browsers and never shown, whatever its server says', async () => {
  const { jobId, anchorId } = await redeemed(app, 'files-one', { businessEmail: 'owner@files.example' })
  await app.service.call(activateAnchor, {
    params: { jobId },
    body: { ...stood, serviceSecretHash: 'ce'.repeat(32) },
  })
  const owner = await signInOperator(app, 'owner@files.example')
  fileHeaders = { 'content-type': 'text/javascript', 'content-disposition': 'inline; filename="a.js"' }
  const { headers } = await owner.open(downloadWorkspaceRecords, {
    params: { anchorId, name: 'journal.csv' },
    query: { from: '2026-10-01', to: '2026-10-31' },
  })
  expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual([
    'application/octet-stream',
    'attachment; filename="journal.csv"',
  ])
})
