import { createClient } from '@windlass/client/client.ts'
import {
  type AnchorSettings,
  getWorkspaceSettings,
  pauseMessages,
  plannedSettings,
  setWorkspaceCustomerTier,
  setWorkspaceSettings,
  type SettingsVersion,
  uploadWorkspaceLogo,
} from '@windlass/contracts/anchor/anchor-settings.ts'
import { activateAnchor } from '@windlass/contracts/internal/control-plane.ts'
import { getWorkspace, getWorkspaceAudit } from '@windlass/contracts/platform/workspaces.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { reconcileRegistry, registrationOf, syncAnchor } from '../anchors/registry.ts'
import { anchorPlan, findAnchor } from '../anchors/anchors.ts'
import { type TestApp, testApp } from '../testing/app.ts'
import { type TestServices, stood, testServices } from '../testing/services.ts'
import { signInOperator } from '../testing/sign-in.ts'
import { redeemed, refusal } from '../testing/story.ts'
import { readSettings } from './settings.ts'

let app: TestApp
let services: TestServices
let versions: SettingsVersion[] = []
/** The answer is lost after the change is made. */
let cutOff = false
/** An anchor's business server, which keeps settings. */
const anchorServer = createClient({
  baseUrl: '',
  fetch: async (path, { method, body }) => {
    if (path.endsWith('/tier')) return Response.json({ tier: 'enhanced', before: 'standard' })
    if (path.endsWith('/logos'))
      return Response.json({ id: 'a'.repeat(64), width: 1, height: 1 }, { status: 201 })
    if (method === 'PUT') {
      const { settings, by } = JSON.parse(String(body)) as { settings: AnchorSettings; by: string }
      const version = versions.length
      versions = [{ version, settings, by, at: '2026-11-20T10:00:00.000Z' }, ...versions]
      if (cutOff) throw new Error('the connection was cut')
    }
    return Response.json({ history: versions })
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

it('settings reach the anchor, the registry, emails and the audit log, with a confirmation where they are dangerous', async () => {
  const { jobId, anchorId } = await redeemed(app, 'settings-one', { businessEmail: 'owner@settings.example' })
  await app.service.call(activateAnchor, {
    params: { jobId },
    body: { ...stood, serviceSecretHash: 'ef'.repeat(32) },
  })
  const owner = await signInOperator(app, 'owner@settings.example')
  const { db } = app.deps.database
  const planned = plannedSettings(await anchorPlan(db, anchorId))
  versions = [{ version: 0, settings: planned, by: null, at: null }]
  const params = { anchorId }
  const put = (over: Partial<AnchorSettings>) =>
    owner.call(setWorkspaceSettings, {
      params,
      body: { settings: { ...planned, ...over }, version: versions[0]?.version ?? 0 },
    })
  const registration = async () => {
    const anchor = await findAnchor(db, anchorId)
    if (!anchor) throw new Error('gone')
    return registrationOf(anchor, app.deps.sealer)
  }
  const query = (sql: string) => app.deps.database.pool.query(sql, [owner.user.id])

  const branding = { color: '#8a1c1c', logo: null, supportEmail: 'help@settings.example' }
  const deposit = { fixed: '2', percentage: '0.01' }
  const fees = {
    ...planned.fees,
    deposit,
    rails: [{ rail: 'UPI', direction: 'withdrawal' as const, ...deposit }],
    spread: { deposit: '0.01', withdrawal: '0.02' },
  }
  const wallets = { mixedMemos: false }
  await put({ fees, branding, wallets })
  expect(await registration()).toMatchObject({
    fees: deposit,
    withdrawal: { rails: ['UPI'], fees: planned.fees.withdrawal },
    railFees: fees.rails,
    spread: fees.spread,
  })
  expect((await owner.call(getWorkspace, { params })).fees).toEqual(deposit)
  const [entry] = await owner.call(getWorkspaceAudit, { params, query: {} })
  expect(entry).toMatchObject({
    action: 'settings.changed',
    actor: `operator:${owner.user.id}`,
    details: {
      before: { fees: planned.fees, branding: planned.branding, wallets: null },
      after: { fees, branding, wallets },
    },
  })

  await query(`update sessions set confirmed_at = now() - interval '16 minutes' where subject = $1`)
  expect((await refusal(put({ fees, branding }))).problem.code).toBe('confirmation-needed')
  expect((await refusal(put({ branding, wallets }))).problem.code).toBe('confirmation-needed')
  const phishing = { deposits: 'Send your deposit to GEVIL instead.', withdrawals: null }
  expect((await refusal(put({ fees, branding, wallets, paused: phishing }))).problem.code).toBe(
    'confirmation-needed',
  )
  expect(await registration()).toMatchObject({ rails: ['UPI'] })
  const paused = { deposits: pauseMessages.maintenance as string, withdrawals: null }
  await put({ fees, branding, wallets, paused })
  expect((await refusal(put({ fees, branding, wallets, paused: phishing }))).problem.code).toBe(
    'confirmation-needed',
  )
  expect(await registration()).toMatchObject({ rails: [], withdrawal: { rails: ['UPI'] } })
  expect((await refusal(put({ fees, branding, wallets }))).problem.code).toBe('confirmation-needed')
  const off = {
    fees,
    branding,
    wallets,
    paused,
    rails: [{ name: 'UPI', deposits: false, withdrawals: false }],
  }
  await put(off)
  // A rail that is not named would be on again.
  expect((await refusal(put({ ...off, rails: [] }))).problem.code).toBe('confirmation-needed')
  const ahead = { settings: { ...planned, ...off }, version: 99 }
  expect((await refusal(owner.call(setWorkspaceSettings, { params, body: ahead }))).problem.code).toBe(
    'confirmation-needed',
  )
  const tier = { params: { anchorId, id: 'c' }, body: { tier: 'enhanced' as const, reason: 'Seen' } }
  expect((await refusal(owner.call(setWorkspaceCustomerTier, tier))).problem.code).toBe('confirmation-needed')
  await query(`update sessions set confirmed_at = now() where subject = $1`)
  expect(await owner.call(setWorkspaceCustomerTier, tier)).toEqual({ tier: 'enhanced' })
  // The registry refuses an anchor of which it learns no rail, and would keep its old terms.
  const closed = { deposits: paused.deposits, withdrawals: paused.deposits }
  const equal = { deposit, withdrawal: deposit, rails: [] }
  await put({ fees: equal, branding, paused: closed })
  expect(await registration()).toMatchObject({ rails: [], withdrawal: { rails: [], fees: deposit } })
  await owner.call(uploadWorkspaceLogo, { params, body: { data: 'AAAA' } })

  cutOff = true
  await refusal(put({ branding }))
  cutOff = false
  expect(await registration()).toMatchObject({ rails: [] })
  const { rows } = await app.deps.database.pool.query<{ payload: unknown }>(
    `select payload from outbox where topic = 'read-settings' order by id desc limit 1`,
  )
  await readSettings(app.deps)({
    id: 'x',
    key: 'x',
    payload: rows[0]?.payload ?? { anchorId, after: 4 },
    attempt: 1,
  })
  expect(await registration()).toMatchObject({ rails: ['UPI'], fees: planned.fees.deposit })
  const known = await registration()
  const hostile = { color: 'red"><a href="https://evil.example">', logo: '../x', supportEmail: null }
  const claimed = { ...versions[0]!, version: 99, settings: { ...planned, branding: hostile } }
  versions = [claimed, ...versions]
  const read = { id: 'z', key: 'z', payload: { anchorId, after: 5 }, attempt: 1 }
  await expect(readSettings(app.deps)(read)).rejects.toThrow()
  expect(await registration()).toEqual(known)
  versions = versions.slice(1)
  await syncAnchor(app.deps)({ id: 'y', key: 'y', payload: { anchorId }, attempt: 1 })
  expect(await reconcileRegistry(app.deps)).toEqual([])

  await query(`update memberships set role = 'member' where user_id = $1`)
  expect((await owner.call(getWorkspaceSettings, { params })).history).toHaveLength(6)
  expect((await refusal(put({}))).problem.code).toBe('forbidden')
  expect(
    (await refusal(owner.call(uploadWorkspaceLogo, { params, body: { data: 'AA' } }))).problem.code,
  ).toBe('forbidden')
  const stranger = await signInOperator(app, 'stranger@settings.example')
  expect((await refusal(stranger.call(getWorkspaceSettings, { params }))).problem.code).toBe(
    'anchor-not-found',
  )
})
