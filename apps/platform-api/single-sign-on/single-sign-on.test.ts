import {
  confirmOperator,
  getOperatorProfile,
  refreshOperatorSession,
  requestOperatorCode,
} from '@windlass/contracts/platform/operators.ts'
import { addMember, listMembers, removeMember, type Member } from '@windlass/contracts/platform/members.ts'
import {
  listAdministrators,
  removeAdministrator,
} from '@windlass/contracts/platform/administrator-accounts.ts'
import {
  adminMe,
  getAdminSignOn,
  resetOperatorSecondFactors,
} from '@windlass/contracts/platform/administrators.ts'
import { operatorSecondFactors } from '@windlass/contracts/platform/second-factors.ts'
import * as contracts from '@windlass/contracts/platform/single-sign-on.ts'
import { getWorkspace } from '@windlass/contracts/platform/workspaces.ts'
import { declaredEndpoints } from '@windlass/testing/walk.ts'
import { findTexts } from '@windlass/testing/find-texts.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { activeAnchor } from '../testing/anchors.ts'
import { signInAdmin, type TestApp, testApp } from '../testing/app.ts'
import { mailedCode, signInAdministrator, signInOperator } from '../testing/sign-in.ts'
import { refusal } from '../testing/story.ts'
import { startProvider } from './testing/provider.ts'

const DAY_MS = 24 * 3_600_000

let app: TestApp
let provider: Awaited<ReturnType<typeof startProvider>>
let number = 0
beforeAll(async () => {
  provider = await startProvider()
  app = await testApp({
    env: {
      ADMIN_OIDC_ISSUER: provider.issuer,
      ADMIN_OIDC_CLIENT_ID: provider.client.clientId,
      ADMIN_OIDC_CLIENT_SECRET: provider.client.clientSecret,
    },
  })
})
afterAll(async () => {
  await app.close()
  await provider.close()
})

type SignedIn = Awaited<ReturnType<typeof signInOperator>>

const refusedAs = async (answer: Promise<unknown>) => {
  const { status, problem } = await refusal(answer)
  return [status, problem.code, ...(problem['reason'] === undefined ? [] : [problem['reason']])]
}

/** An organization with an anchor, its owner, and a provider that is open to everyone. */
async function founded(settings: object = {}) {
  const name = `sso-${++number}`
  const owner = await signInOperator(app, `owner@${name}.example`)
  const anchor = await activeAnchor(app, owner.user.id, name)
  const { organizations } = await owner.call(getOperatorProfile)
  const params = { organizationId: organizations[0]?.id ?? '' }
  const slug = organizations[0]?.slug ?? ''
  await owner.call(contracts.setSingleSignOn, { params, body: { ...provider.client, ...settings } })
  const open = () =>
    sql`update single_sign_on_providers set set_at = ${new Date(app.clock.now().getTime() - DAY_MS)}
      where organization_id = ${params.organizationId}`.execute(app.database.db)
  await open()
  const add = async (local: string, role: Member['role'] = 'member') => {
    const email = `${local}@${name}.example`
    await owner.call(addMember, { params, body: { email, role } })
    return { email, email_verified: true, sub: `${name}-${local}` }
  }
  return { name, owner, anchor, params, slug, open, add }
}

const begin = (organization: string) =>
  app.client().call(contracts.startOperatorSignOn, { body: { organization } })

type Begun = Awaited<ReturnType<typeof begin>>

/** As the page does it to which the provider sends people back. */
async function finishAt(page: URL, key: string, query = page.search.slice(1)) {
  const client = app.client()
  const organizationId = page.pathname.split('/')[2] ?? ''
  const body = { organizationId, key, query }
  const user = await client.call(contracts.finishOperatorSignOn, { body })
  return Object.assign(client, { user })
}

const redirectOf = ({ url }: Begun) => new URL(new URL(url).searchParams.get('redirect_uri') ?? '')

const finish = (begun: Begun, query: string) => finishAt(redirectOf(begun), begun.key, query)

async function signOn(slug: string, claims: Record<string, unknown>, how?: { forged: boolean }) {
  const begun = await begin(slug)
  return finish(begun, provider.signIn(begun.url, claims, how))
}

/** Acts while another transaction has deleted something and has not ended. */
async function whileDeleting<T>(statement: string, act: () => Promise<T>): Promise<T> {
  const client = await app.database.pool.connect()
  try {
    await client.query(`begin; ${statement}`)
    const acted = act()
    acted.catch(() => undefined)
    const isWaiting = async () =>
      (
        await app.database.pool.query<{ count: number }>(
          "select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        )
      ).rows[0]?.count
    await expect.poll(isWaiting).toBeGreaterThan(0)
    await client.query('commit')
    return await acted
  } finally {
    client.release()
  }
}

describe('an organization’s single sign-on', () => {
  it('signs in a member, for this organization alone', async () => {
    const { add, slug, anchor, params } = await founded()
    const member = await add('dev')
    const dev = await signOn(slug, member)
    expect(dev.user).toMatchObject({ email: member.email, isNew: false })
    expect(await dev.call(getWorkspace, { params: { anchorId: anchor.id } })).toMatchObject({
      role: 'member',
    })
    expect((await dev.call(listMembers, { params })).map(({ email }) => email)).toContain(member.email)
  })

  it('asks with PKCE, state and nonce, and comes back to our own page', async () => {
    const { slug, params } = await founded()
    const [one, other] = [await begin(slug), await begin(slug)]
    const asked = (url: string) => Object.fromEntries(new URL(url).searchParams)
    expect(asked(one.url)).toMatchObject({
      response_type: 'code',
      client_id: 'windlass',
      scope: 'openid email',
      code_challenge_method: 'S256',
      redirect_uri: `http://localhost:4001/single-sign-on/${params.organizationId}`,
    })
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(asked(one.url)[name]).not.toBe(asked(other.url)[name])
  })

  it('reaches no other organization of the same person, nor their account', async () => {
    const home = await founded()
    const away = await founded()
    const person = await home.add('both', 'admin')
    await away.owner.call(addMember, { params: away.params, body: { email: person.email, role: 'owner' } })
    const both = await signOn(home.slug, person)
    expect((await both.call(getOperatorProfile)).organizations.map(({ id }) => id)).toEqual([
      home.params.organizationId,
    ])
    const endpoints = (await declaredEndpoints()).filter(
      ({ realm, method, path }) => realm === 'operator' && app.server.app.hasRoute({ method, url: path }),
    )
    expect(endpoints.length).toBeGreaterThan(50)
    const reached: string[] = []
    const personal: string[] = []
    for (const { method, path } of endpoints) {
      const url = path
        .replace(':anchorId', away.anchor.id)
        .replace(':organizationId', away.params.organizationId)
        .replace(/:\w+/g, 'x1')
      const headers = {
        host: 'localhost:4000',
        origin: 'http://localhost:4001',
        cookie: both.cookies.header(),
      }
      const { statusCode, body } = await app.server.app.inject({ method, url, headers })
      const isElsewhere = url !== path.replace(/:(?!anchorId|organizationId)\w+/g, 'x1')
      if (!isElsewhere) {
        if (statusCode !== 403) personal.push(`${method} ${path}`)
      } else if (statusCode !== 404 || !/anchor-not-found|organization-not-found/.test(body))
        reached.push(`${method} ${path}: ${statusCode}`)
    }
    expect(reached).toEqual([])
    expect(personal.toSorted()).toEqual([
      'GET /api/v1/auth/me',
      'GET /api/v1/auth/second-factor',
      'POST /api/v1/auth/confirm',
      'POST /api/v1/auth/second-factor/challenge',
      'POST /api/v1/auth/second-factor/verify',
      'PUT /api/v1/auth/language',
      'PUT /api/v1/auth/time-zone',
    ])
  })

  it('signs in nobody of another organization, and no one without a membership', async () => {
    const home = await founded()
    const away = await founded()
    const stranger = await away.add('dev')
    expect(await refusedAs(signOn(home.slug, stranger))).toEqual([403, 'single-sign-on-refused', 'no-member'])
    const unknown = { sub: 'x', email: 'nobody@nowhere.example' }
    expect(await refusedAs(signOn(home.slug, unknown))).toEqual([403, 'single-sign-on-refused', 'no-member'])
    const { rows } = await sql`select 1 from users where email = 'nobody@nowhere.example'`.execute(
      app.database.db,
    )
    expect(rows).toEqual([])
    expect(await refusedAs(begin('no-such-organization'))).toEqual([404, 'single-sign-on-not-set'])
  })

  it.each<[string, (member: { email: string; sub: string }) => Record<string, unknown>, string]>([
    [
      'an address that was not verified',
      ({ email, sub }) => ({ email, sub, email_verified: false }),
      'email-not-verified',
    ],
    [
      'no word about the address',
      ({ email, sub }) => ({ email, sub, email_verified: undefined }),
      'email-not-verified',
    ],
    [
      'a token of another issuer',
      member => ({ ...member, iss: 'https://login.evil.example' }),
      'provider-refused',
    ],
    ['a token for another client', member => ({ ...member, aud: 'another-client' }), 'provider-refused'],
    ['another nonce', member => ({ ...member, nonce: 'n' }), 'provider-refused'],
    ['a token that is over', member => ({ ...member, exp: 1_700_000_000 }), 'provider-refused'],
  ])('refuses %s', async (_what, change, reason) => {
    const { add, slug } = await founded()
    const member = await add('dev')
    expect(await refusedAs(signOn(slug, change(member)))).toEqual([403, 'single-sign-on-refused', reason])
    expect((await signOn(slug, member)).user.email).toBe(member.email)
  })

  it('refuses a token that another key signed', async () => {
    const { add, slug } = await founded()
    expect(await refusedAs(signOn(slug, await add('dev'), { forged: true }))).toEqual([
      403,
      'single-sign-on-refused',
      'provider-refused',
    ])
  })

  it('takes each answer once, and from the browser that began', async () => {
    const { add, slug } = await founded()
    const member = await add('dev')
    const over = [403, 'single-sign-on-refused', 'attempt-over']
    const [mine, another] = [await begin(slug), await begin(slug)]
    const query = provider.signIn(mine.url, member)
    // Someone else's answer that a victim's browser was led to, and the victim's key with it.
    expect(await refusedAs(finish(another, query))).toEqual(over)
    expect((await finish(mine, query)).user.email).toBe(member.email)
    const { exchanges } = provider.changes
    expect(await refusedAs(finish(mine, query))).toEqual(over)
    expect(provider.changes.exchanges).toBe(exchanges)
    expect(await refusedAs(finish(mine, query.replace(/state=[^&]*/, '')))).toEqual(over)
    // A code of one sign-in under the state of another: the provider compares the proof of PKCE.
    const third = await begin(slug)
    const mixed = new URLSearchParams(provider.signIn(another.url, member))
    mixed.set('state', new URL(third.url).searchParams.get('state') ?? '')
    expect(await refusedAs(finish(third, mixed.toString()))).toEqual([
      403,
      'single-sign-on-refused',
      'provider-refused',
    ])
  })

  it('takes no answer without `iss` where the provider says that it sends one', async () => {
    const { add, slug } = await founded()
    const begun = await begin(slug)
    const query = new URLSearchParams(provider.signIn(begun.url, await add('dev')))
    query.delete('iss')
    const { exchanges } = provider.changes
    expect(await refusedAs(finish(begun, query.toString()))).toEqual([
      403,
      'single-sign-on-refused',
      'provider-refused',
    ])
    expect(provider.changes.exchanges).toBe(exchanges)
  })

  it('opens no session by a provider that is removed or changed while it is asked', async () => {
    const { add, slug, owner, params, open } = await founded()
    const member = await add('dev')
    onTestFinished(() => void (provider.changes.meanwhile = null))
    const change = async () => {
      await owner.call(contracts.setSingleSignOn, { params, body: provider.client })
      await open()
    }
    for (const meanwhile of [change, () => owner.call(contracts.removeSingleSignOn, { params })]) {
      provider.changes.meanwhile = meanwhile
      expect(await refusedAs(signOn(slug, member))).toEqual([403, 'single-sign-on-refused', 'attempt-over'])
    }
    const { rows } =
      await sql`select 1 from sessions where organization_id = ${params.organizationId}`.execute(
        app.database.db,
      )
    expect(rows).toEqual([])
  })

  it('takes no answer that names another provider than the one it began at', async () => {
    const evil = await startProvider()
    onTestFinished(async () => void (await evil.close()))
    const home = await founded()
    const member = await home.add('dev')
    const away = await founded(evil.client)
    const begun = await begin(home.slug)
    expect(await refusedAs(finish(begun, evil.signIn(begun.url, member)))).toEqual([
      403,
      'single-sign-on-refused',
      'provider-refused',
    ])
    expect(evil.changes.exchanges).toBe(0)
    // The other organization's provider names the member: it signs them in nowhere.
    const theirs = await begin(away.slug)
    expect(await refusedAs(finish(theirs, evil.signIn(theirs.url, member)))).toEqual([
      403,
      'single-sign-on-refused',
      'no-member',
    ])
  })

  it('knows a person by the provider’s subject: an address that changed hands signs in nobody', async () => {
    const { add, slug, owner, params } = await founded()
    const member = await add('dev')
    const first = await signOn(slug, member)
    expect(
      (await signOn(slug, { ...member, email: 'renamed@elsewhere.example', email_verified: false })).user,
    ).toEqual(first.user)
    const heir = { ...member, sub: 'someone-new' }
    expect(await refusedAs(signOn(slug, heir))).toEqual([403, 'single-sign-on-refused', 'other-person'])
    const dev = { params: { ...params, userId: first.user.id } }
    await owner.call(removeMember, dev)
    expect(await refusedAs(first.call(listMembers, { params }))).toEqual([401, 'unauthenticated'])
    expect(await refusedAs(signOn(slug, member))).toEqual([403, 'single-sign-on-refused', 'no-member'])
    await owner.call(addMember, { params, body: { email: member.email, role: 'member' } })
    expect((await signOn(slug, heir)).user.id).toBe(first.user.id)
    // The one who had the address before is not back with it.
    expect(await refusedAs(first.call(listMembers, { params }))).toEqual([401, 'unauthenticated'])
  })

  it('signs in nobody who is removed at the same moment', async () => {
    const { add, slug, params } = await founded()
    const member = await add('leaving')
    const begun = await begin(slug)
    const query = provider.signIn(begun.url, member)
    const removal = `select 1 from organizations where id = '${params.organizationId}' for update;
      delete from memberships where organization_id = '${params.organizationId}'
        and user_id = (select id from users where email = '${member.email}')`
    expect(await refusedAs(whileDeleting(removal, () => finish(begun, query)))).toEqual([
      403,
      'single-sign-on-refused',
      'no-member',
    ])
  })

  it('counts as no confirmation, and asks for our second factor, unless the owner says so', async () => {
    const { add, slug, owner, params, open } = await founded()
    const boss = await add('boss', 'owner')
    const recent = { amr: ['pwd', 'mfa'], auth_time: Math.floor(Date.now() / 1_000) - 60 }
    const invite = (by: SignedIn | Awaited<ReturnType<typeof signOn>>) =>
      by.call(addMember, { params, body: { email: `n${++number}@new.example`, role: 'member' } })
    const first = await signOn(slug, { ...boss, ...recent })
    expect(await refusedAs(invite(first))).toEqual([403, 'confirmation-needed'])
    await app.client().call(requestOperatorCode, { body: { email: boss.email, purpose: 'confirmation' } })
    await first.call(confirmOperator, { body: { code: await mailedCode(app, boss.email) } })
    expect((await invite(first)).role).toBe('member')

    await sql`insert into authenticator_apps (realm, subject, secret, created_at, confirmed_at)
      values ('operator', ${first.user.id}, '', now(), now())`.execute(app.database.db)
    const second = await signOn(slug, { ...boss, ...recent })
    expect(second.user.awaiting).toBe('second-factor')
    expect(await refusedAs(invite(second))).toEqual([403, 'second-factor-needed'])

    const { issuer, clientId } = provider.client
    await owner.call(contracts.setSingleSignOn, {
      params,
      body: { issuer, clientId, trustsSecondFactor: true },
    })
    await open()
    const third = await signOn(slug, { ...boss, ...recent })
    expect(third.user.awaiting).toBeUndefined()
    expect((await invite(third)).role).toBe('member')
    // One that the provider asked for hours ago confirms nothing now.
    const old = await signOn(slug, { ...boss, amr: ['mfa'], auth_time: recent.auth_time - 3_600 })
    expect(await refusedAs(invite(old))).toEqual([403, 'confirmation-needed'])
    expect((await signOn(slug, { ...boss, amr: ['pwd'] })).user.awaiting).toBe('second-factor')
  })

  it('uses up none of the tries that the person has at their own sign-in', async () => {
    const { add, slug } = await founded()
    const member = await add('dev')
    const own = await signInOperator(app, member.email)
    await sql`insert into authenticator_apps (realm, subject, secret, created_at, confirmed_at)
      values ('operator', ${own.user.id}, '', now(), now())`.execute(app.database.db)
    const bound = await signOn(slug, member)
    const tries = async () =>
      (
        await sql<{
          failures: number
        }>`select failures from authenticator_apps where subject = ${own.user.id}`.execute(app.database.db)
      ).rows[0]?.failures
    const guess = (session: Pick<typeof bound, 'call'>) =>
      session.call(operatorSecondFactors.verify, { body: { code: '123456' } })
    await expect(guess(bound)).rejects.toThrow()
    expect(await tries()).toBe(0)
    await expect(guess(own)).rejects.toThrow()
    expect(await tries()).toBe(1)
  })

  it('ends after twelve hours, however often it is refreshed, and with the provider at once', async () => {
    const { add, slug, owner, params } = await founded()
    const member = await add('dev')
    const dev = await signOn(slug, member)
    await dev.call(refreshOperatorSession)
    const lifetime = sql<{ hours: number }>`
      select extract(epoch from expires_at - created_at)::int / 3600 as hours
      from sessions where subject = ${dev.user.id}`
    expect((await lifetime.execute(app.database.db)).rows).toEqual([{ hours: 12 }])
    const old = await signOn(slug, member)
    await sql`update sessions set created_at = created_at - interval '13 hours', expires_at = now() + interval '1 hour'
      where id = (select id from sessions where subject = ${dev.user.id} order by created_at desc limit 1)`.execute(
      app.database.db,
    )
    expect(await refusedAs(old.call(refreshOperatorSession))).toEqual([401, 'session-expired'])
    expect((await dev.call(listMembers, { params })).length).toBe(2)
    await owner.call(contracts.removeSingleSignOn, { params })
    expect(await refusedAs(dev.call(listMembers, { params }))).toEqual([401, 'unauthenticated'])
    expect(await refusedAs(begin(slug))).toEqual([404, 'single-sign-on-not-set'])
    expect((await owner.call(listMembers, { params })).length).toBe(2)
  })
})

/** A browser that is signed in at the providers: it follows redirects until it is back at our page. */
async function follow(url: string): Promise<URL> {
  const answer = await fetch(url, { redirect: 'manual' })
  const next = new URL(answer.headers.get('location') ?? `no-redirect:${answer.status}`)
  return next.origin === 'http://localhost:4001' ? next : follow(next.href)
}

describe('an owner of another organization whose provider is malicious', () => {
  /** A provider of a harbour with a member, and another organization with one that forwards to it. */
  async function twoProviders() {
    const [honest, evil] = [await startProvider(), await startProvider()]
    onTestFinished(async () => void (await Promise.all([honest.close(), evil.close()])))
    const home = await founded(honest.client)
    const victim = await home.add('victim', 'admin')
    honest.changes.person = victim
    const shown = await home.owner.call(contracts.getSingleSignOn, { params: home.params })
    honest.changes.registered = [shown.redirectUrl]
    return { honest, evil, home, victim, away: await founded(evil.client) }
  }

  /**
   * The attacker begins at the other organization, and keeps key, state, nonce and challenge. Their own provider forwards a
   * member of it to its provider, for the code of the attacker's sign-in under the state of the member's.
   */
  async function mixUp({ honest, evil, home, away }: Awaited<ReturnType<typeof twoProviders>>) {
    const mine = await begin(home.slug)
    evil.changes.forward = asked => {
      const forwarded = new URL(mine.url)
      forwarded.searchParams.set('state', asked.get('state') ?? '')
      return forwarded.href
    }
    const theirs = await begin(away.slug)
    const page = await follow(theirs.url)
    const seenByVictim = await refusedAs(finishAt(page, theirs.key))
    const state = new URL(mine.url).searchParams.get('state') ?? ''
    const code = evil.changes.received[0] ?? 'none'
    const query = new URLSearchParams({ code, state, iss: honest.issuer })
    return { seenByVictim, end: () => finish(mine, query.toString()) }
  }

  it('is not signed in as a member of the other, whose code comes to the address of that one', async () => {
    const at = await twoProviders()
    const plain = { authorization_response_iss_parameter_supported: false }
    at.honest.changes.metadata = plain
    at.evil.changes.metadata = plain
    const { seenByVictim, end } = await mixUp(at)
    expect(await refusedAs(end())).toEqual([403, 'single-sign-on-refused', 'provider-refused'])
    expect(at.evil.changes.received).toEqual([])
    expect(seenByVictim).toEqual([403, 'single-sign-on-refused', 'attempt-over'])
    const begun = await begin(at.home.slug)
    expect((await finishAt(await follow(begun.url), begun.key)).user.email).toBe(at.victim.email)
  })

  it('cannot say that its issuer is that of the other', async () => {
    const at = await twoProviders()
    const { evil, honest, away } = at
    evil.changes.metadata = { issuer: honest.issuer }
    const issuer = `${evil.issuer}/.well-known/other`
    const body = { ...evil.client, issuer }
    expect(
      await refusedAs(away.owner.call(contracts.setSingleSignOn, { params: away.params, body })),
    ).toEqual([400, 'validation-failed'])
    // One that was set before this was refused.
    await sql`update single_sign_on_providers set issuer = ${issuer}
      where organization_id = ${away.params.organizationId}`.execute(app.database.db)
    expect(await refusedAs(mixUp(at))).toEqual([403, 'single-sign-on-refused', 'provider-refused'])
    expect(evil.changes.received).toEqual([])
  })
})

describe('setting a provider', () => {
  it('is for owners, after a confirmation, and tells every owner; its secret is stored sealed and never read', async () => {
    const { owner, params, add, name, slug } = await founded()
    await add('boss', 'owner')
    await signInOperator(app, `boss@${name}.example`)
    const admin = await signInOperator(app, (await add('adm', 'admin')).email)
    const body = provider.client
    expect(await refusedAs(admin.call(contracts.setSingleSignOn, { params, body }))).toEqual([
      403,
      'forbidden',
    ])
    await sql`update sessions set confirmed_at = now() - interval '16 minutes' where subject = ${owner.user.id}`.execute(
      app.database.db,
    )
    expect(await refusedAs(owner.call(contracts.setSingleSignOn, { params, body }))).toEqual([
      403,
      'confirmation-needed',
    ])
    expect(await refusedAs(owner.call(contracts.removeSingleSignOn, { params }))).toEqual([
      403,
      'confirmation-needed',
    ])
    const again = await signInOperator(app, owner.user.email)
    await again.call(contracts.setSingleSignOn, { params, body })
    await app.drain()
    const told = app.mails.filter(({ subject }) => subject === 'Single sign-on was set').map(({ to }) => to)
    expect(told).toEqual(expect.arrayContaining([`owner@${name}.example`, `boss@${name}.example`]))
    const shown = await again.call(contracts.getSingleSignOn, { params })
    expect(shown).toMatchObject({
      provider: { issuer: provider.issuer, clientId: 'windlass', trustsSecondFactor: false },
      redirectUrl: `http://localhost:4001/single-sign-on/${params.organizationId}`,
      signInUrl: `http://localhost:4001/single-sign-on?organization=${slug}`,
    })
    expect(JSON.stringify(shown)).not.toContain('provider-secret')
    expect(await findTexts(app.config.database.url, ['provider-secret'])).toEqual([])
  })

  it('opens it to its owner at once and to the others a day later: nobody makes their own second person', async () => {
    const { owner, params, add, slug } = await founded()
    const other = await add('other', 'admin')
    await owner.call(contracts.setSingleSignOn, { params, body: provider.client })
    const self = { sub: 'self', email: owner.user.email }
    expect((await signOn(slug, self)).user.id).toBe(owner.user.id)
    expect(await refusedAs(signOn(slug, other))).toEqual([403, 'single-sign-on-refused', 'opens-later'])
  })

  it('goes with the owner who set it, when they leave: it could sign them in as the others', async () => {
    const { owner, params, add, slug, open } = await founded()
    const [boss, member] = [await add('boss', 'owner'), await add('dev')]
    const bosses = await signInOperator(app, boss.email)
    await bosses.call(contracts.setSingleSignOn, { params, body: provider.client })
    await open()
    const dev = await signOn(slug, member)
    await owner.call(removeMember, { params: { ...params, userId: bosses.user.id } })
    expect(await refusedAs(begin(slug))).toEqual([404, 'single-sign-on-not-set'])
    expect(await refusedAs(dev.call(listMembers, { params }))).toEqual([401, 'unauthenticated'])
  })

  it('refuses an issuer without a configuration, a page that is none, and to send a secret elsewhere', async () => {
    const { owner, params, slug } = await founded()
    const set = (body: object) =>
      refusedAs(owner.call(contracts.setSingleSignOn, { params, body: { ...provider.client, ...body } }))
    for (const issuer of ['http://localhost:1', 'javascript:alert(1)', 'login', `${provider.issuer}/other`])
      expect(await set({ issuer })).toEqual([400, 'validation-failed'])
    const moved = await startProvider()
    onTestFinished(async () => void (await moved.close()))
    expect(await set({ issuer: moved.issuer, clientSecret: undefined })).toEqual([400, 'validation-failed'])
    provider.changes.metadata = { authorization_endpoint: 'javascript:alert(1)//' }
    expect(await refusedAs(begin(slug))).toEqual([403, 'single-sign-on-refused', 'provider-refused'])
    provider.changes.metadata = {}
    await begin(slug)
  })
})

describe('the platform’s single sign-on', () => {
  const start = () => app.client().call(contracts.startAdminSignOn)
  const finishAdmin = async (key: string, query: string) => {
    const client = app.client()
    const answer = await client.call(contracts.finishAdminSignOn, { body: { key, query } })
    return Object.assign(client, { answer })
  }

  it('signs in administrators who accepted an invitation', async () => {
    const email = 'grace@windlass.test'
    await signInAdministrator(app, email, 'operator')
    expect(await app.client().call(getAdminSignOn)).toEqual({ available: true, confirms: false })
    const { url, key } = await start()
    expect(new URL(url).searchParams.get('redirect_uri')).toBe('http://localhost:4002/single-sign-on')
    const grace = await finishAdmin(key, provider.signIn(url, { sub: 'grace', email }))
    expect(grace.answer).toEqual({ ok: true, username: email })
    expect(await grace.call(adminMe)).toMatchObject({ username: email, role: 'operator' })
  })

  it('knows a removed administrator no more, also where another person has the address later', async () => {
    const email = 'desk@windlass.test'
    const old = { sub: 'old-desk', email }
    const heir = { sub: 'new-desk', email }
    const signOnAs = async (claims: typeof old) => {
      const { url, key } = await start()
      return finishAdmin(key, provider.signIn(url, claims))
    }
    await signInAdministrator(app, email, 'operator')
    await signOnAs(old)
    const owner = await signInAdmin(app)
    const id = (await owner.call(listAdministrators)).find(({ username }) => username === email)?.id ?? ''
    await owner.call(removeAdministrator, { params: { id } })
    await signInAdministrator(app, email, 'operator')
    expect((await signOnAs(heir)).answer.username).toBe(email)
    expect(await refusedAs(signOnAs({ ...old, email: 'gone@windlass.test' }))).toEqual([
      403,
      'single-sign-on-refused',
      'no-member',
    ])
  })

  it('says that an address of an administrator signs in by another account of the provider', async () => {
    const email = 'taken@windlass.test'
    await signInAdministrator(app, email, 'operator')
    const signOnAs = async (sub: string) => {
      const { url, key } = await start()
      return finishAdmin(key, provider.signIn(url, { sub, email }))
    }
    await signOnAs('first-taken')
    expect(await refusedAs(signOnAs('second-taken'))).toEqual([
      403,
      'single-sign-on-refused',
      'other-administrator',
    ])
  })

  it('signs in nobody who is removed at the same moment', async () => {
    const email = 'leaving@windlass.test'
    await signInAdministrator(app, email, 'operator')
    const { url, key } = await start()
    const query = provider.signIn(url, { sub: 'leaving', email })
    expect(
      await refusedAs(
        whileDeleting(`delete from administrators where email = '${email}'`, () => finishAdmin(key, query)),
      ),
    ).toEqual([403, 'single-sign-on-refused', 'no-member'])
  })

  it('confirms dangerous acts where the settings trust it: with what it asked in the last 15 minutes', async () => {
    const trusting = await testApp({
      env: {
        ADMIN_OIDC_ISSUER: provider.issuer,
        ADMIN_OIDC_CLIENT_ID: provider.client.clientId,
        ADMIN_OIDC_CLIENT_SECRET: provider.client.clientSecret,
        ADMIN_OIDC_TRUSTS_SECOND_FACTOR: 'true',
        ADMIN_SECOND_FACTOR: 'required',
      },
    })
    onTestFinished(() => trusting.close())
    expect(await trusting.client().call(getAdminSignOn)).toEqual({ available: true, confirms: true })
    const email = 'trusted@windlass.test'
    await sql`insert into administrators (id, email, name, role, password_hash, invited_by)
      values ('adm_trusted', ${email}, 'Trusted', 'operator', '', 'admin')`.execute(trusting.database.db)
    const signOnAt = async (secondsAgo: number) => {
      const { url, key } = await trusting.client().call(contracts.startAdminSignOn)
      expect(new URL(url).searchParams.get('max_age')).toBe('900')
      const auth_time = Math.floor(Date.now() / 1_000) - secondsAgo
      const query = provider.signIn(url, { sub: 'trusted', email, amr: ['mfa'], auth_time })
      const client = trusting.client()
      await client.call(contracts.finishAdminSignOn, { body: { key, query } })
      return client
    }
    const reset = (client: Awaited<ReturnType<typeof signOnAt>>) =>
      refusedAs(
        client.call(resetOperatorSecondFactors, {
          body: { email: 'nobody@windlass.test', reason: 'Lost it.' },
        }),
      )
    expect(await reset(await signOnAt(3_600))).toEqual([403, 'confirmation-needed'])
    expect(await reset(await signOnAt(60))).toEqual([404, 'second-factor-not-found'])
  })

  it('signs in neither the owner whom the settings name, nor founders; nor do founders’ providers', async () => {
    const { add, slug, params } = await founded()
    const member = await add('dev')
    for (const claims of [{ sub: 'first', email: 'admin@windlass.test' }, member]) {
      const { url, key } = await start()
      expect(await refusedAs(finishAdmin(key, provider.signIn(url, claims)))).toEqual([
        403,
        'single-sign-on-refused',
        'no-member',
      ])
    }
    const founders = await begin(slug)
    const query = provider.signIn(founders.url, { sub: 'grace', email: 'grace@windlass.test' })
    expect(await refusedAs(finishAdmin(founders.key, query))).toEqual([
      403,
      'single-sign-on-refused',
      'attempt-over',
    ])
    const { url, key } = await start()
    const theirs = provider.signIn(url, member)
    const at = (name: string) =>
      finishAt(new URL(`http://localhost:4001/single-sign-on/${name}`), key, theirs)
    expect(await refusedAs(at(params.organizationId))).toEqual([
      403,
      'single-sign-on-refused',
      'attempt-over',
    ])
    expect(await refusedAs(at('administrators'))).toEqual([404, 'single-sign-on-not-set'])
  })

  it('is not there where the settings name no provider', async () => {
    const plain = await testApp()
    onTestFinished(() => plain.close())
    expect(await plain.client().call(getAdminSignOn)).toEqual({ available: false, confirms: false })
    expect(await refusedAs(plain.client().call(contracts.startAdminSignOn))).toEqual([
      404,
      'single-sign-on-not-set',
    ])
  })
})
