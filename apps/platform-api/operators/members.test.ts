import { createApiKey, verifyApiKey } from '@windlass/contracts/platform/api-keys.ts'
import {
  type Member,
  addMember,
  changeMember,
  listMembers,
  removeMember,
} from '@windlass/contracts/platform/members.ts'
import {
  confirmOperator,
  getOperatorProfile,
  requestOperatorCode,
} from '@windlass/contracts/platform/operators.ts'
import { getWorkspace } from '@windlass/contracts/platform/workspaces.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { activeAnchor } from '../testing/anchors.ts'
import { productionEnv, type TestApp, testApp } from '../testing/app.ts'
import { mailedCode, signInOperator } from '../testing/sign-in.ts'
import { refusal } from '../testing/story.ts'
import { hashPassword } from '../infrastructure/passwords.ts'

let app: TestApp
let number = 0
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

type SignedIn = Awaited<ReturnType<typeof signInOperator>>

/** An organization with an anchor, and its owner. */
async function founded() {
  const name = `team-${++number}`
  const owner = await signInOperator(app, `owner@${name}.example`)
  const anchor = await activeAnchor(app, owner.user.id, name)
  const { organizations } = await owner.call(getOperatorProfile)
  const organizationId = organizations[0]?.id ?? ''
  const join = async (role: Member['role']): Promise<SignedIn> => {
    const email = `${role}-${++number}@${name}.example`
    await owner.call(addMember, { params: { organizationId }, body: { email, role } })
    return signInOperator(app, email)
  }
  return { owner, anchor, organizationId, params: { organizationId }, join, name }
}

const subjectsTo = (address: string) =>
  app.mails
    .filter(({ to, subject }) => to === address && /no longer/.test(subject))
    .map(({ subject }) => subject)

/** Everyone got their role a day earlier. */
const settle = (organizationId: string) =>
  app.database.pool.query(
    `update memberships set manager_since = manager_since - interval '1 day' where organization_id = $1`,
    [organizationId],
  )

const codeOf = async (answer: Promise<unknown>) => {
  const { status, problem } = await refusal(answer)
  return [status, problem.code]
}

describe('a team', () => {
  it('lets a person in by address, mails them, and shows them the anchor', async () => {
    const { owner, anchor, params, name } = await founded()
    const body = { email: 'Dev@Team.Example', role: 'member' as const, fullName: 'Dev Patel' }
    const made = await owner.call(addMember, { params, body })
    expect(made).toMatchObject({ email: 'dev@team.example', fullName: 'Dev Patel', role: 'member' })
    const dev = await signInOperator(app, 'dev@team.example')
    expect(dev.user).toMatchObject({ isNew: false, fullName: 'Dev Patel' })
    expect(await dev.call(getWorkspace, { params: { anchorId: anchor.id } })).toMatchObject({
      role: 'member',
    })
    const mail = app.mails.find(({ to, subject }) => to === 'dev@team.example' && subject.includes(name))
    expect(mail?.text).toContain('http://localhost:4001/workspaces')
    expect((await dev.call(listMembers, { params })).map(({ role }) => role)).toEqual(['owner', 'member'])
    expect(await codeOf(owner.call(addMember, { params, body }))).toEqual([409, 'already-a-member'])
  })

  it('mails a person once a day, however often they are taken out and brought in', async () => {
    const { owner, params } = await founded()
    const body = { email: 'often@team.example', role: 'member' as const }
    for (let time = 0; time < 3; time++) {
      const { userId } = await owner.call(addMember, { params, body })
      await owner.call(removeMember, { params: { ...params, userId } })
    }
    await app.drain()
    expect(app.mails.filter(({ to }) => to === body.email)).toHaveLength(1)
  })

  it('mails a stranger once a week, whichever team adds them, until they have signed in', async () => {
    const body = { email: 'unasked@elsewhere.example', role: 'owner' as const }
    const mailed = async () => {
      await app.drain()
      return app.mails.filter(({ to }) => to === body.email).map(({ subject }) => subject)
    }
    const [first, second, third] = [await founded(), await founded(), await founded()]
    await first.owner.call(addMember, { params: first.params, body })
    await second.owner.call(addMember, { params: second.params, body })
    // News of the team, such as that another manager was added, wait for the first sign-in as well.
    await first.join('admin')
    expect(await mailed()).toEqual([expect.stringContaining(first.name)])

    const signedIn = await signInOperator(app, body.email)
    expect((await signedIn.call(getOperatorProfile)).organizations).toHaveLength(2)
    await third.owner.call(addMember, { params: third.params, body })
    await first.join('admin')
    const subjects = await mailed()
    expect(subjects).toContainEqual(expect.stringContaining(third.name))
    expect(subjects).toContainEqual(expect.stringContaining(`an admin of`))
  })

  it('adds twenty people an hour, and who may not add anybody takes none of them away', async () => {
    const strict = await testApp({ env: productionEnv })
    onTestFinished(() => strict.close())
    const owner = await signInOperator(strict, 'owner@strict.example')
    await activeAnchor(strict, owner.user.id, 'strict')
    const { organizations } = await owner.call(getOperatorProfile)
    const params = { organizationId: organizations[0]?.id ?? '' }
    const add = (by: SignedIn, n: number) =>
      by.call(addMember, { params, body: { email: `p${n}@strict.example`, role: 'member' } })
    const stranger = await signInOperator(strict, 'stranger@elsewhere.example')
    for (let n = 0; n < 5; n++)
      expect(await codeOf(add(stranger, n))).toEqual([404, 'organization-not-found'])
    for (let n = 0; n < 20; n++) {
      const { userId } = await add(owner, n)
      await owner.call(removeMember, { params: { ...params, userId } })
    }
    // Three hundred in all, as someone tries them who fills strangers' mailboxes.
    for (let n = 20; n < 300; n += 40) {
      const tries = await Promise.all(Array.from({ length: 40 }, (_, index) => codeOf(add(owner, n + index))))
      expect(tries).toEqual(Array(40).fill([429, 'too-many-requests']))
    }
    await strict.drain()
    expect(strict.mails.filter(({ to }) => /^p\d+@strict\.example$/.test(to))).toHaveLength(20)
    expect(await owner.call(listMembers, { params })).toHaveLength(1)
  })

  it('is nobody else’s: a stranger learns not even that it is there', async () => {
    const { params } = await founded()
    const stranger = await signInOperator(app, 'stranger@elsewhere.example')
    const unknown = { organizationId: 'org_unknown' }
    for (const of of [params, unknown]) {
      expect(await codeOf(stranger.call(listMembers, { params: of }))).toEqual([
        404,
        'organization-not-found',
      ])
      const body = { email: 'stranger@elsewhere.example', role: 'owner' as const }
      expect(await codeOf(stranger.call(addMember, { params: of, body }))).toEqual([
        404,
        'organization-not-found',
      ])
    }
    expect(await codeOf(app.client().call(listMembers, { params }))).toEqual([401, 'unauthenticated'])
  })

  it('lets members read, admins also bring in members, and owners alone make or unmake owners', async () => {
    const { owner, anchor, params, join } = await founded()
    const member = await join('member')
    const admin = await join('admin')
    const to = (userId: string) => ({ ...params, userId })
    const body = { email: 'new@team.example', role: 'member' as const }
    const key = { params: { anchorId: anchor.id }, body: { name: 'CI' } }
    expect(await codeOf(member.call(addMember, { params, body }))).toEqual([403, 'forbidden'])
    expect(await codeOf(member.call(createApiKey, key))).toEqual([403, 'forbidden'])
    expect((await admin.call(createApiKey, key)).name).toBe('CI')
    await admin.call(addMember, { params, body })
    const asOwner = { role: 'owner' as const }
    for (const userId of [admin.user.id, member.user.id]) {
      expect(await codeOf(admin.call(changeMember, { params: to(userId), body: asOwner }))).toEqual([
        403,
        'forbidden',
      ])
    }
    expect(await codeOf(admin.call(removeMember, { params: to(owner.user.id) }))).toEqual([403, 'forbidden'])
    expect(await owner.call(changeMember, { params: to(admin.user.id), body: asOwner })).toMatchObject(
      asOwner,
    )
    expect(await codeOf(admin.call(removeMember, { params: to(owner.user.id) }))).toEqual([403, 'forbidden'])
    const lower = { params: to(owner.user.id), body: { role: 'member' as const } }
    expect(await codeOf(admin.call(changeMember, lower))).toEqual([403, 'forbidden'])
    const asAdmin = { params: to(owner.user.id), body: { role: 'admin' as const } }
    expect(await codeOf(admin.call(changeMember, asAdmin))).toEqual([403, 'forbidden'])
    await settle(params.organizationId)
    expect(await admin.call(removeMember, { params: to(owner.user.id) })).toEqual({ ok: true })
    await app.drain()
    for (const { user } of [owner, admin])
      expect(subjectsTo(user.email).join()).toContain('is no longer an owner of')
    expect(await codeOf(owner.call(listMembers, { params }))).toEqual([404, 'organization-not-found'])
  })

  it.each(['made a member', 'made responsible for finance', 'removed'])(
    'ends the API keys of a manager who is %s: they, the owners and the log learn which',
    async how => {
      const { owner, anchor, params, join } = await founded()
      const admin = await join('admin')
      await settle(params.organizationId)
      const keyOf = (by: SignedIn, name: string) =>
        by.call(createApiKey, {
          params: { anchorId: anchor.id },
          body: { name, scopes: ['read', 'statements'] },
        })
      const theirs = await keyOf(admin, 'Ledger sync')
      const others = await keyOf(owner, 'Of the owner')
      const works = async (key: string) =>
        (await anchor.client.call(verifyApiKey, { body: { key } }).catch(() => null)) !== null
      expect([await works(theirs.key), await works(others.key)]).toEqual([true, true])

      const to = { ...params, userId: admin.user.id }
      if (how === 'removed') await owner.call(removeMember, { params: to })
      else
        await owner.call(changeMember, {
          params: to,
          body: { role: how === 'made a member' ? 'member' : 'finance' },
        })

      expect([await works(theirs.key), await works(others.key)]).toEqual([false, true])
      const { rows } = await app.database.pool.query(
        `select actor, details::jsonb as details from audit_log where action = 'api-key.revoked' and subject = $1`,
        [`anchor:${anchor.id}`],
      )
      expect(rows).toEqual([
        {
          actor: `operator:${owner.user.id}`,
          details: expect.objectContaining({ keyId: theirs.id, createdBy: admin.user.id }) as object,
        },
      ])
      await app.drain()
      for (const { user } of [owner, admin])
        expect(
          app.mails.filter(({ to: address, text }) => address === user.email && text.includes('Ledger sync')),
        ).toHaveLength(1)
    },
  )

  it('keeps the API keys of an owner who becomes an admin', async () => {
    const { owner, anchor, params, join } = await founded()
    const second = await join('owner')
    const { key } = await second.call(createApiKey, { params: { anchorId: anchor.id }, body: { name: 'CI' } })
    await settle(params.organizationId)
    await owner.call(changeMember, { params: { ...params, userId: second.user.id }, body: { role: 'admin' } })
    expect(await anchor.client.call(verifyApiKey, { body: { key } })).toMatchObject({ anchorId: anchor.id })
  })

  it('keeps its last owner, and lets everybody else leave', async () => {
    const { owner, params, join } = await founded()
    const member = await join('member')
    const own = { ...params, userId: owner.user.id }
    expect(await codeOf(owner.call(removeMember, { params: own }))).toEqual([409, 'last-owner'])
    expect(await codeOf(owner.call(changeMember, { params: own, body: { role: 'member' } }))).toEqual([
      409,
      'last-owner',
    ])
    await member.call(removeMember, { params: { ...params, userId: member.user.id } })
    expect(await codeOf(owner.call(removeMember, { params: { ...params, userId: member.user.id } }))).toEqual(
      [404, 'member-not-found'],
    )
  })

  it('is changed only by someone who proved lately who they are, by code or password', async () => {
    const { owner, params, name } = await founded()
    const body = (index: number) => ({ email: `late-${index}@${name}.example`, role: 'member' as const })
    const makeStale = () =>
      app.database.pool.query(
        `update sessions set confirmed_at = now() - interval '16 minutes' where subject = $1`,
        [owner.user.id],
      )
    await makeStale()
    expect(await codeOf(owner.call(addMember, { params, body: body(0) }))).toEqual([
      403,
      'confirmation-needed',
    ])
    const refused = [403, 'confirmation-refused']
    expect(await codeOf(owner.call(confirmOperator, { body: { code: '000000' } }))).toEqual(refused)
    expect(await codeOf(owner.call(confirmOperator, { body: { password: 'guessed' } }))).toEqual(refused)
    expect(await codeOf(owner.call(addMember, { params, body: body(0) }))).toEqual([
      403,
      'confirmation-needed',
    ])
    expect(await codeOf(owner.call(confirmOperator, { body: {} }))).toEqual([400, 'validation-failed'])
    await owner.call(requestOperatorCode, { body: { email: owner.user.email, purpose: 'confirmation' } })
    await owner.call(confirmOperator, { body: { code: await mailedCode(app, owner.user.email) } })
    await owner.call(addMember, { params, body: body(0) })
    await makeStale()
    await app.database.pool.query('update users set password_hash = $2 where id = $1', [
      owner.user.id,
      await hashPassword('correct horse'),
    ])
    await owner.call(confirmOperator, { body: { password: 'correct horse' } })
    await owner.call(addMember, { params, body: body(1) })
  })

  it('keeps an owner when two owners take each other out at once', async () => {
    const { owner, params, join } = await founded()
    const other = await join('owner')
    await settle(params.organizationId)
    const outcomes = await Promise.allSettled([
      owner.call(removeMember, { params: { ...params, userId: other.user.id } }),
      other.call(removeMember, { params: { ...params, userId: owner.user.id } }),
    ])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('has an owner after whatever its people do', async () => {
    const { owner, params, join } = await founded()
    const people = [owner, await join('owner'), await join('admin'), await join('member')]
    await settle(params.organizationId)
    const who = fc.integer({ min: 0, max: people.length - 1 })
    const act = fc.record({ by: who, on: who, role: fc.constantFrom('owner', 'admin', 'member', null) })
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 8 }), async acts => {
        for (const { by, on, role } of acts) {
          const to = { ...params, userId: people[on]?.user.id ?? '' }
          const actor = people[by] ?? owner
          const asked: Promise<unknown> = role
            ? actor.call(changeMember, { params: to, body: { role } })
            : actor.call(removeMember, { params: to })
          await asked.catch(() => undefined)
        }
        const { rows } = await app.database.pool.query(
          `select 1 from memberships where organization_id = $1 and role = 'owner'`,
          [params.organizationId],
        )
        expect(rows.length).toBeGreaterThan(0)
      }),
      { numRuns: 15 },
    )
  })
})
