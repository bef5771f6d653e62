import { activateAnchor } from '@windlass/contracts/internal/control-plane.ts'
import type { SigningLimits } from '@windlass/contracts/internal/signer.ts'
import { addMember, changeMember, removeMember } from '@windlass/contracts/platform/members.ts'
import { getOperatorProfile } from '@windlass/contracts/platform/operators.ts'
import {
  approveWaitingAct,
  listWaitingActs,
  rejectWaitingAct,
} from '@windlass/contracts/platform/waiting-acts.ts'
import { getWorkspaceAudit, setWorkspaceSigningLimits } from '@windlass/contracts/platform/workspaces.ts'
import { setWorkspaceJournalSettings } from '@windlass/contracts/platform/workspace-journal.ts'
import { setWorkspaceTreasurySettings } from '@windlass/contracts/platform/workspace-records.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '../testing/app.ts'
import { stood, testServices, type TestServices } from '../testing/services.ts'
import { signInOperator } from '../testing/sign-in.ts'
import { redeemed, refusal } from '../testing/story.ts'
import { isMore } from '../workspaces/money-out.ts'

type SignedIn = Awaited<ReturnType<typeof signInOperator>>

const DAY_MS = 86_400_000
const limits: SigningLimits = { perHour: '500', perPayment: '100', xlmPerHour: '10', destinations: null }
const cold = { low: '5', ceiling: '10', coldAccount: `G${'A'.repeat(55)}`, xlmLow: '1' }

let services: TestServices
let app: TestApp
beforeAll(async () => {
  services = await testServices()
  app = await testApp({ deps: services.clients })
})
afterAll(async () => {
  await app.close()
  await services.close()
})

let number = 0
async function founded() {
  const name = `second-${++number}`
  const { anchorId, jobId } = await redeemed(app, name, { businessEmail: `owner@${name}.example` })
  const body = { ...stood, serviceSecretHash: String(number).padStart(64, '0') }
  await app.service.call(activateAnchor, { params: { jobId }, body })
  const owner = await signInOperator(app, `owner@${name}.example`)
  const params = { anchorId }
  const { organizations } = await owner.call(getOperatorProfile)
  const organizationId = organizations[0]?.id ?? ''
  services.signingLimits = limits
  const settled = () =>
    app.database.pool.query("update memberships set manager_since = manager_since - interval '1 day'")
  const join = async (role: 'owner' | 'admin') => {
    const email = `${role}-${++number}@${name}.example`
    await owner.call(addMember, { params: { organizationId }, body: { email, role } })
    return signInOperator(app, email)
  }
  const set = (by: SignedIn, body: SigningLimits) => by.call(setWorkspaceSigningLimits, { params, body })
  const waiting = (by = owner) => by.call(listWaitingActs, { params })
  const approve = (by: SignedIn, id: string) => by.call(approveWaitingAct, { params: { ...params, id } })
  return { owner, organizationId, params, name, join, settled, set, waiting, approve }
}

const codeOf = async (answer: Promise<unknown>) => (await refusal(answer)).problem.code
const higher = { ...limits, perHour: '900000000000' }

describe('what lets more money out of an anchor', () => {
  it('waits until another owner or admin of a day approves it, and is done once', async () => {
    const { owner, params, join, settled, set, waiting, approve } = await founded()
    const admin = await join('admin')
    expect(await codeOf(set(owner, higher))).toBe('second-person-waits')
    expect(await codeOf(set(owner, higher))).toBe('second-person-waits')
    expect(services.signingLimits).toEqual(limits)
    const [act, ...others] = await waiting()
    expect(others).toEqual([])
    expect(act).toMatchObject({ action: 'anchor.signing-limits-set', details: higher })

    const id = act?.id ?? ''
    expect(await codeOf(approve(owner, id))).toBe('second-person-needed')
    expect(await codeOf(approve(admin, id))).toBe('second-person-needed')
    expect(services.signingLimits).toEqual(limits)
    await settled()
    expect(await approve(admin, id)).toEqual({ ok: true })
    expect(services.signingLimits).toEqual(higher)
    expect(await waiting()).toEqual([])
    expect(await codeOf(approve(admin, id))).toBe('not-found')
    const audit = await owner.call(getWorkspaceAudit, { params, query: {} })
    expect(audit.slice(0, 3)).toMatchObject([
      {
        action: 'anchor.signing-limits-set',
        actor: `operator:${admin.user.id}`,
        details: { requestedBy: `operator:${owner.user.id}` },
      },
      { action: 'anchor.asked', actor: `operator:${admin.user.id}` },
      { action: 'anchor.wanted', actor: `operator:${owner.user.id}`, details: { act: 'signing-limits-set' } },
    ])
  })

  it('is emailed to the whole team before it is done', async () => {
    const { owner, name, set } = await founded()
    await codeOf(set(owner, higher))
    await app.drain()
    const mails = app.mails.filter(({ to }) => to === `owner@${name}.example`)
    expect(mails.at(-1)?.subject).toContain('waits for a second person')
    expect(mails.at(-1)?.text).toContain(
      `owner@${name}.example asked for: perHour 900000000000, perPayment 100`,
    )
  })

  it('holds for the cold account too, which an owner approves', async () => {
    const { owner, params, join, settled, waiting, approve } = await founded()
    const before = services.treasury
    const [second, admin] = [await join('owner'), await join('admin')]
    await settled()
    expect(await codeOf(owner.call(setWorkspaceTreasurySettings, { params, body: cold }))).toBe(
      'second-person-waits',
    )
    expect(services.treasury).toEqual(before)
    const id = (await waiting())[0]?.id ?? ''
    expect(await codeOf(approve(admin, id))).toBe('forbidden')
    await approve(second, id)
    expect(services.treasury).toEqual(cold)
  })

  it('is a higher tolerance for charges of banks, which takes less from customers for the same units', async () => {
    const { owner, params, join, settled, waiting, approve } = await founded()
    const other = await join('admin')
    await settled()
    const set = (tolerance: string, timeZone = 'UTC') => {
      const charges = { tolerance, returnsBorneBy: 'anchor' as const }
      return owner.call(setWorkspaceJournalSettings, { params, body: { timeZone, charges } })
    }
    expect(await codeOf(set('0.5'))).toBe('second-person-waits')
    expect(services.journal).toEqual({ timeZone: 'UTC' })
    await approve(other, (await waiting())[0]?.id ?? '')
    expect(services.journal.charges?.tolerance).toBe('0.5')
    await set('0.4', 'Asia/Kolkata')
    expect(services.journal).toMatchObject({ timeZone: 'Asia/Kolkata', charges: { tolerance: '0.4' } })
  })

  it('is lowered at once, and restored by one person within a day', async () => {
    const { owner, set, waiting } = await founded()
    const stopped = { ...limits, perHour: '0', xlmPerHour: '0' }
    await set(owner, stopped)
    await set(owner, { ...stopped, perPayment: '1' })
    await set(owner, limits)
    expect(services.signingLimits).toEqual(limits)
    expect(await codeOf(set(owner, { ...limits, perHour: '501' }))).toBe('second-person-waits')
    await set(owner, stopped)
    app.clock.advance(DAY_MS + 1)
    const again = await signInOperator(app, owner.user.email)
    expect(await codeOf(set(again, limits))).toBe('second-person-waits')
    expect(await waiting(again)).toHaveLength(2)
  })

  it('is approved by its only owner a day later, and gone after a week', async () => {
    const { owner, set, waiting, approve } = await founded()
    await codeOf(set(owner, higher))
    const id = (await waiting())[0]?.id ?? ''
    expect(await codeOf(approve(owner, id))).toBe('second-person-needed')
    app.clock.advance(DAY_MS)
    const later = await signInOperator(app, owner.user.email)
    expect(await approve(later, id)).toEqual({ ok: true })
    expect(services.signingLimits).toEqual(higher)

    services.signingLimits = limits
    await codeOf(set(later, higher))
    const second = (await waiting(later))[0]?.id ?? ''
    app.clock.advance(7 * DAY_MS)
    const latest = await signInOperator(app, owner.user.email)
    expect(await waiting(latest)).toEqual([])
    expect(await codeOf(approve(latest, second))).toBe('not-found')
    expect(services.signingLimits).toEqual(limits)
  })

  it('is not approved by an owner who took the other managers out of the team', async () => {
    const { owner, organizationId, join, set, waiting, approve } = await founded()
    const admin = await join('admin')
    await codeOf(set(owner, higher))
    const id = (await waiting())[0]?.id ?? ''
    await owner.call(removeMember, { params: { organizationId, userId: admin.user.id } })
    app.clock.advance(2 * DAY_MS)
    const later = await signInOperator(app, owner.user.email)
    expect(await codeOf(approve(later, id))).toBe('second-person-needed')
    expect(services.signingLimits).toEqual(limits)
  })

  it.each([
    ['took out of the team', null],
    ['made an admin', 'admin' as const],
  ])('is not approved by an owner who came after a session that %s the other one', async (_what, role) => {
    const { owner, organizationId, join, settled, set, waiting, approve } = await founded()
    const other = await join('owner')
    await settled()
    const inPlace = await join('owner')
    const params = { organizationId, userId: other.user.id }
    if (role) await owner.call(changeMember, { params, body: { role } })
    else await owner.call(removeMember, { params })
    // What happens to others later hides no loss.
    const { user } = await join('admin')
    for (let time = 0; time < 3; time++)
      await owner.call(changeMember, { params: { organizationId, userId: user.id }, body: { role: 'admin' } })
    await codeOf(set(owner, higher))
    const id = (await waiting())[0]?.id ?? ''
    app.clock.advance(2 * DAY_MS)
    const later = await signInOperator(app, inPlace.user.email)
    expect(await codeOf(approve(later, id))).toBe('second-person-needed')
    expect(services.signingLimits).toEqual(limits)
  })

  it('waits again where the anchor could not be asked, and is decided by one of two at the same moment', async () => {
    const { owner, params, join, settled, set, waiting, approve } = await founded()
    const admin = await join('admin')
    await settled()
    await codeOf(set(owner, higher))
    const id = (await waiting())[0]?.id ?? ''
    services.down = true
    expect(await codeOf(approve(admin, id))).toBe('dependency-unavailable')
    services.down = false
    expect(await waiting()).toMatchObject([{ id, details: higher }])
    const reject = owner.call(rejectWaitingAct, { params: { ...params, id } })
    const both = await Promise.allSettled([approve(admin, id), reject])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const isApproved = both[0]?.status === 'fulfilled'
    expect(services.signingLimits).toEqual(isApproved ? higher : limits)
  })

  it('is rejected by anyone of the owners and admins, and is no stranger’s to see', async () => {
    const { owner, params, join, set, waiting } = await founded()
    const admin = await join('admin')
    await codeOf(set(owner, higher))
    const id = (await waiting())[0]?.id ?? ''
    const stranger = await signInOperator(app, `stranger-${++number}@elsewhere.example`)
    for (const endpoint of [approveWaitingAct, rejectWaitingAct])
      expect(await codeOf(stranger.call(endpoint, { params: { ...params, id } }))).toBe('anchor-not-found')
    const other = await founded()
    const elsewhere = { ...other.params, id }
    expect(await codeOf(other.owner.call(rejectWaitingAct, { params: elsewhere }))).toBe('not-found')
    await admin.call(rejectWaitingAct, { params: { ...params, id } })
    expect(await waiting()).toEqual([])
    const [entry] = await owner.call(getWorkspaceAudit, { params, query: {} })
    expect(entry).toMatchObject({ action: 'anchor.dismissed', actor: `operator:${admin.user.id}` })
  })
})

const account = fc.constantFrom(`G${'A'.repeat(55)}`, `G${'B'.repeat(55)}`, `C${'A'.repeat(55)}`)
const amount = fc.nat(1_000).map(String)
const anyLimits: fc.Arbitrary<SigningLimits> = fc.record({
  perHour: amount,
  xlmPerHour: amount,
  perPayment: fc.option(amount),
  destinations: fc.option(fc.uniqueArray(account)),
})

it('lets more out exactly where some payment is allowed afterwards that was not before', () => {
  const allows = (of: SigningLimits, units: number, xlm: number, to: string) =>
    units <= Number(of.perHour) &&
    units <= Number(of.perPayment ?? Infinity) &&
    xlm <= Number(of.xlmPerHour) &&
    (of.destinations?.includes(to) ?? true)
  fc.assert(
    fc.property(
      anyLimits,
      anyLimits,
      fc.nat(1_001),
      fc.nat(1_001),
      account,
      (now, wanted, units, xlm, to) => {
        fc.pre(!isMore(now, wanted))
        expect(allows(wanted, units, xlm, to) && !allows(now, units, xlm, to)).toBe(false)
      },
    ),
  )
})
