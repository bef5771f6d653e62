import { activateAnchor } from '@windlass/contracts/internal/control-plane.ts'
import { addMember } from '@windlass/contracts/platform/members.ts'
import { getOperatorProfile } from '@windlass/contracts/platform/operators.ts'
import {
  approveRailChange,
  cancelRailChange,
  getWorkspaceRails,
  requestRailChange,
} from '@windlass/contracts/platform/rail-changes.ts'
import { getWorkspaceAudit } from '@windlass/contracts/platform/workspaces.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '../testing/app.ts'
import { type TestServices, stood, testServices } from '../testing/services.ts'
import { signInOperator } from '../testing/sign-in.ts'
import { redeemed, refusal } from '../testing/story.ts'

const IBAN = 'DE89370400440532013000'
const account = { iban: IBAN, bic: 'COBADEFFXXX', accountHolder: 'Mumbai Pay GmbH' }
const wish = { rail: 'SEPA', provider: 'bank-file', credentials: account } as const

describe('another account for a rail', () => {
  let app: TestApp
  let services: TestServices
  let anchorId: string
  let owner: Awaited<ReturnType<typeof signInOperator>>
  let admin: Awaited<ReturnType<typeof signInOperator>>
  const codeOf = async (act: Promise<unknown>) => (await refusal(act)).problem.code
  const settle = () =>
    app.database.pool.query("update memberships set manager_since = manager_since - interval '1 day'")
  const request = (over: object = {}) =>
    owner.call(requestRailChange, { params: { anchorId }, body: { ...wish, ...over } })
  const approve = (by: typeof owner, id: string) => by.call(approveRailChange, { params: { anchorId, id } })

  beforeAll(async () => {
    services = await testServices()
    app = await testApp({ deps: services.clients })
    const made = await redeemed(app, 'rails-one', { businessEmail: 'owner@rails.example' })
    anchorId = made.anchorId
    const body = { ...stood, serviceSecretHash: 'ef'.repeat(32) }
    await app.service.call(activateAnchor, { params: { jobId: made.jobId }, body })
    owner = await signInOperator(app, 'owner@rails.example')
    const { organizations } = await owner.call(getOperatorProfile)
    await owner.call(addMember, {
      params: { organizationId: organizations[0]?.id ?? '' },
      body: { email: 'admin@rails.example', role: 'admin' },
    })
    admin = await signInOperator(app, 'admin@rails.example')
  })
  afterAll(async () => {
    await app.close()
    await services.close()
  })

  it('is not approved by the person who requested it, nor by an admin of a minute', async () => {
    const { id } = await request()
    expect(await codeOf(approve(owner, id))).toBe('second-person-needed')
    expect(await codeOf(approve(admin, id))).toBe('second-person-needed')
    expect(await owner.call(getWorkspaceRails, { params: { anchorId } })).toMatchObject({
      rails: ['UPI'],
      changes: [{ id, status: 'waiting', fields: account, secrets: [], adds: true, decidedBy: null }],
    })
    await app.drain()
    expect(services.railsGiven.get(anchorId)).toBeUndefined()
  })

  it('waits alone, and leaves nothing in the secrets store when it is cancelled', async () => {
    expect(await codeOf(request())).toBe('rail-change-waiting')
    const [waiting] = (await owner.call(getWorkspaceRails, { params: { anchorId } })).changes
    await owner.call(cancelRailChange, { params: { anchorId, id: waiting?.id ?? '' } })
    expect(await codeOf(approve(owner, waiting?.id ?? ''))).toBe('rail-change-decided')
    await app.drain()
    expect([...app.secrets.keys()].filter(name => name.startsWith('windlass/anchors/'))).toEqual([])
  })

  it.each([
    ['a mistyped IBAN', { credentials: { ...account, iban: 'DE89370400440532013001' } }, 'credentials.iban'],
    ['a missing BIC', { credentials: { ...account, bic: '' } }, 'credentials.bic'],
    ['a provider that does not serve it', { provider: 'razorpay' }, 'provider'],
    ['an unknown provider', { provider: 'acme' }, 'provider'],
  ])('is refused with %s, and nothing is stored', async (_, over, path) => {
    const before = app.secrets.size
    expect((await refusal(request(over))).problem.errors).toMatchObject([{ path }])
    expect(app.secrets.size).toBe(before)
  })

  it('counts when a second person who was there for a day has approved it', async () => {
    await settle()
    const { id } = await request()
    const secret = { rail: 'SEPA', credentials: `windlass/anchors/${anchorId}/rails/${id}` }
    expect(JSON.parse(app.secrets.get(secret.credentials) ?? '')).toEqual({
      provider: 'bank-file',
      ...account,
    })
    expect(await approve(admin, id)).toMatchObject({
      status: 'approved',
      decidedBy: `operator:${admin.user.id}`,
    })
    expect(await codeOf(approve(admin, id))).toBe('rail-change-decided')
    await app.drain()
    expect(services.railsGiven.get(anchorId)).toEqual({ rails: ['UPI', 'SEPA'], railVersions: [secret] })
    expect(services.registry.get(anchorId)?.rails).toEqual(['UPI', 'SEPA'])
    const audit = await owner.call(getWorkspaceAudit, { params: { anchorId }, query: {} })
    expect(audit.slice(0, 4).map(({ action }) => action)).toEqual([
      'rail.change-approved',
      'rail.change-requested',
      'rail.change-cancelled',
      'rail.change-requested',
    ])
    expect(JSON.stringify(audit)).not.toContain(IBAN)
  })

  it('is for owners and admins who have just confirmed', async () => {
    await app.database.pool.query("update sessions set confirmed_at = now() - interval '16 minutes'")
    expect(await codeOf(request())).toBe('confirmation-needed')
    await app.database.pool.query("update memberships set role = 'member' where user_id = $1", [
      admin.user.id,
    ])
    expect(await codeOf(admin.call(getWorkspaceRails, { params: { anchorId } }))).toBe('forbidden')
  })
})
