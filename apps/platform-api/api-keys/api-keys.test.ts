import { type Client, ProblemError } from '@windlass/client/client.ts'
import { nextCursor } from '@windlass/client/next-page.ts'
import {
  createApiKey,
  listApiKeys,
  reportKeyActs,
  revokeApiKey,
  rollApiKey,
  verifyApiKey,
} from '@windlass/contracts/platform/api-keys.ts'
import { addMember, removeMember } from '@windlass/contracts/platform/members.ts'
import { moneyScopes } from '@windlass/contracts/realm.ts'
import { getOperatorProfile } from '@windlass/contracts/platform/operators.ts'
import { getWorkspace, getWorkspaceAudit } from '@windlass/contracts/platform/workspaces.ts'
import fc from 'fast-check'
import { sql } from 'kysely'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { activeAnchor } from '../testing/anchors.ts'
import { type TestApp, testApp } from '../testing/app.ts'
import { signInOperator } from '../testing/sign-in.ts'
import { isApiKey, newApiKey } from './key.ts'

let app: TestApp
let owner: Awaited<ReturnType<typeof signInOperator>>
let stranger: Awaited<ReturnType<typeof signInOperator>>
let anchor: Awaited<ReturnType<typeof activeAnchor>>
let other: Awaited<ReturnType<typeof activeAnchor>>
beforeAll(async () => {
  app = await testApp()
  owner = await signInOperator(app, 'owner@keys.example')
  stranger = await signInOperator(app, 'stranger@keys.example')
  anchor = await activeAnchor(app, owner.user.id, 'keys-one')
  other = await activeAnchor(app, stranger.user.id, 'keys-two')
})
afterAll(() => app.close())

const problemOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: unknown) =>
      error instanceof ProblemError ? `${error.status} ${error.problem.code}` : String(error),
  )
const make = (name = 'CI', extra: object = {}) =>
  owner.call(createApiKey, { params: { anchorId: anchor.id }, body: { name, ...extra } })
const good = (key: string, client = anchor.client) => problemOf(client.call(verifyApiKey, { body: { key } }))

describe('an API key', () => {
  it('is shown once, works at its anchor, and is 401 at another', async () => {
    const made = await make()
    expect(made.key).toMatch(/^wl_test_[0-9A-Za-z]{38}$/)
    expect(await anchor.client.call(verifyApiKey, { body: { key: made.key } })).toEqual({
      keyId: made.id,
      anchorId: anchor.id,
      scopes: ['read', 'write', 'webhooks'],
      expiresAt: null,
    })
    expect(await good(made.key, other.client)).toBe('401 unauthenticated')
    const listed = await owner.call(listApiKeys, { params: { anchorId: anchor.id } })
    expect(listed[0]).toMatchObject({
      id: made.id,
      prefix: made.key.slice(0, 12),
      lastUsedAt: expect.any(String),
    })
    expect(JSON.stringify(listed)).not.toContain(made.key)
    const { rows } = await sql<{
      text: string
    }>`select to_jsonb(api_keys)::text as text from api_keys`.execute(app.database.db)
    expect(rows.every(({ text }) => !text.includes(made.key))).toBe(true)
  })

  it('is 401 once revoked or expired, and when it is none', async () => {
    const revoked = await make('gone')
    await owner.call(revokeApiKey, { params: { anchorId: anchor.id, id: revoked.id } })
    const expiring = await make('short', { expiresAt: new Date(Date.now() + 60_000).toISOString() })
    expect(await good(expiring.key)).toBe('done')
    await app.database.db
      .updateTable('api_keys')
      .set({ expires_at: sql<Date>`now() - interval '1 second'` })
      .where('id', '=', expiring.id)
      .execute()
    for (const key of [revoked.key, expiring.key, newApiKey(false), 'wl_test_x', `${revoked.key}x`])
      expect(await good(key)).toBe('401 unauthenticated')
  })

  it('is replaced with an overlap in which both are good', async () => {
    const before = await make('rolled', { scopes: ['read'] })
    const params = { anchorId: anchor.id, id: before.id }
    const after = await owner.call(rollApiKey, { params, body: { overlapSeconds: 3600 } })
    expect(after).toMatchObject({ name: 'rolled', scopes: ['read'] })
    expect([await good(before.key), await good(after.key)]).toEqual(['done', 'done'])
    const final = await owner.call(rollApiKey, {
      params: { anchorId: anchor.id, id: after.id },
      body: { overlapSeconds: 0 },
    })
    expect([await good(after.key), await good(final.key)]).toEqual(['401 unauthenticated', 'done'])
  })

  it('keeps an expiry when it is rolled: the replacement lasts as long', async () => {
    const expiresAt = new Date(app.clock.now().getTime() + 3_600_000).toISOString()
    const before = await make('expiring', { expiresAt })
    app.clock.advance(60_000)
    const after = await owner.call(rollApiKey, { params: { anchorId: anchor.id, id: before.id }, body: {} })
    expect(after.expiresAt).toBe(new Date(app.clock.now().getTime() + 3_600_000).toISOString())
  })

  it('is created, rolled and revoked only after a fresh confirmation', async () => {
    const before = await make('confirmed')
    await app.database.pool.query(
      `update sessions set confirmed_at = now() - interval '16 minutes' where subject = $1`,
      [owner.user.id],
    )
    const count = async () =>
      (await app.database.pool.query('select 1 from api_keys where anchor_id = $1', [anchor.id])).rowCount
    const keys = await count()
    expect(await problemOf(make('late'))).toBe('403 confirmation-needed')
    const params = { anchorId: anchor.id, id: before.id }
    expect(await problemOf(owner.call(rollApiKey, { params, body: {} }))).toBe('403 confirmation-needed')
    expect(await problemOf(owner.call(revokeApiKey, { params }))).toBe('403 confirmation-needed')
    expect(await count()).toBe(keys)
    const { rows } = await app.database.pool.query('select revoked_at from api_keys where id = $1', [
      before.id,
    ])
    expect(rows).toEqual([{ revoked_at: null }])
    await app.database.pool.query('update sessions set confirmed_at = now() where subject = $1', [
      owner.user.id,
    ])
  })

  it('that moves money is created and rolled by someone who has been an owner or admin for a day', async () => {
    const granted = await make('bank', { scopes: [...moneyScopes] })
    const admin = await signInOperator(app, 'new-admin@keys.example')
    const { organizationId } = anchor
    await owner.call(addMember, {
      params: { organizationId },
      body: { email: admin.user.email, role: 'admin' },
    })
    const params = { anchorId: anchor.id }
    const create = (scopes: (typeof moneyScopes)[number][]) =>
      problemOf(admin.call(createApiKey, { params, body: { name: 'mine', scopes } }))
    const roll = () =>
      problemOf(
        admin.call(rollApiKey, { params: { ...params, id: granted.id }, body: { overlapSeconds: 0 } }),
      )
    for (const scope of moneyScopes) expect(await create([scope])).toBe('409 second-person-needed')
    expect(await roll()).toBe('409 second-person-needed')
    await admin.call(createApiKey, { params, body: { name: 'reads' } })
    await app.database.pool.query("update memberships set manager_since = manager_since - interval '1 day'")
    expect(await create(['statements'])).toBe('done')
    expect(await roll()).toBe('done')
  })

  it('has what it did in the log of its anchor, once, under its name', async () => {
    const { id: keyId } = await make('nightly')
    const { id: foreign } = await stranger.call(createApiKey, {
      params: { anchorId: other.id },
      body: { name: 'of another' },
    })
    const act = {
      ...{ id: 'a1', keyId, action: 'statement-line.decided', outcome: 'done' as const },
      ...{ details: { id: 'l1', decision: 'return', reason: 'x' }, at: '2026-11-27T10:00:00.000Z' },
    }
    const report = (acts: (typeof act)[], client: Client = anchor.client) =>
      problemOf(client.call(reportKeyActs, { body: { acts } }))
    expect([await report([act]), await report([act])]).toEqual(['done', 'done'])
    const entries = await owner.call(getWorkspaceAudit, { params: { anchorId: anchor.id } })
    const own = entries.filter(({ actor }) => actor === `key:${keyId}`)
    expect(own).toMatchObject([
      { action: 'statement-line.decided', details: { ...act.details, apiKey: 'nightly', at: act.at } },
    ])
    // Neither for a key of another anchor, nor by one that is none.
    expect(await report([{ ...act, id: 'a2', keyId: foreign }])).toBe('403 forbidden')
    expect(await report([{ ...act, id: 'a2' }], other.client)).toBe('403 forbidden')
    expect(await report([{ ...act, id: 'a2' }], app.service)).toBe('403 forbidden')
  })

  it('adds ten thousand entries a day at most, and the anchor tells the rest later', async () => {
    const { id: keyId } = await make('busy')
    const act = { keyId, action: 'statement-line.decided', outcome: 'done' as const, details: {} }
    const acts = [{ ...act, id: 'busy-1', at: '2026-11-27T10:00:00.000Z' }]
    const report = () => problemOf(anchor.client.call(reportKeyActs, { body: { acts } }))
    expect(await report()).toBe('done')
    await app.database.pool.query(`update rate_limits set points = 10000 where key like 'key-acts:%'`)
    expect(await report()).toBe('429 too-many-requests')
  })

  it('ends with the membership of its creator, and stays ended', async () => {
    const admin = await signInOperator(app, 'admin@keys.example')
    const { organizationId } = anchor
    const person = { email: admin.user.email, role: 'admin' as const }
    await owner.call(addMember, { params: { organizationId }, body: person })
    const params = { anchorId: anchor.id }
    const { key } = await admin.call(createApiKey, { params, body: { name: 'of the admin' } })
    const kept = await make('of the owner')
    expect(await good(key)).toBe('done')
    await owner.call(removeMember, { params: { organizationId, userId: admin.user.id } })
    expect([await good(key), await good(kept.key)]).toEqual(['401 unauthenticated', 'done'])
    await owner.call(addMember, { params: { organizationId }, body: person })
    expect(await good(key)).toBe('401 unauthenticated')
  })

  it('is found in a list of many, page by page', async () => {
    const manager = await signInOperator(app, 'paged@keys.example')
    const paged = await activeAnchor(app, manager.user.id, 'keys-paged')
    const params = { anchorId: paged.id }
    const names = Array.from({ length: 7 }, (_, n) => `key ${n}`)
    for (const name of names) {
      app.clock.advance(1)
      await manager.call(createApiKey, { params, body: { name } })
    }
    const found: string[] = []
    let cursor: string | undefined
    do {
      const page = await manager.send(listApiKeys, { params, query: { limit: 3, cursor } })
      found.push(...page.body.map(({ name }) => name))
      cursor = nextCursor(page.headers)
    } while (cursor)
    expect(found).toEqual(names.toReversed())
  })

  it('is one of at most a hundred usable ones, however many are created and rolled at once', async () => {
    const manager = await signInOperator(app, 'many@keys.example')
    const { id: anchorId } = await activeAnchor(app, manager.user.id, 'keys-many')
    const params = { anchorId }
    const first = await manager.call(createApiKey, { params, body: { name: 'first' } })
    await app.database.pool.query(
      `insert into api_keys (id, anchor_id, name, prefix, key_hash, scopes, created_by, created_at, revoked_at)
       select 'many-' || n, anchor_id, name, prefix, sha256(n::text::bytea), scopes, created_by, created_at,
         case when n > 97 then now() end
       from api_keys, generate_series(1, 110) n where id = $1`,
      [first.id],
    )
    const roll = () =>
      manager.call(rollApiKey, { params: { anchorId, id: first.id }, body: { overlapSeconds: 600 } })
    const create = () => manager.call(createApiKey, { params, body: { name: 'more' } })
    const answers = await Promise.allSettled([create(), roll(), create(), roll(), create(), roll()])
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    for (const answer of answers.filter(each => each.status === 'rejected'))
      expect(String(answer.reason)).toMatch(/validation-failed.*at most 100 keys/)
    await manager.call(revokeApiKey, { params: { anchorId, id: 'many-1' } })
    await create()
  })

  it('belongs to the workspace: a stranger neither makes, sees, rolls nor revokes it', async () => {
    const { id } = await make('mine')
    const params = { anchorId: anchor.id }
    expect(await problemOf(stranger.call(createApiKey, { params, body: { name: 'x' } }))).toBe(
      '404 anchor-not-found',
    )
    expect(await problemOf(stranger.call(listApiKeys, { params }))).toBe('404 anchor-not-found')
    expect(await problemOf(stranger.call(revokeApiKey, { params: { ...params, id } }))).toBe(
      '404 anchor-not-found',
    )
    expect(await problemOf(stranger.call(revokeApiKey, { params: { anchorId: other.id, id } }))).toBe(
      '404 api-key-not-found',
    )
    expect(await problemOf(stranger.call(rollApiKey, { params: { anchorId: other.id, id }, body: {} }))).toBe(
      '404 api-key-not-found',
    )
    expect(await problemOf(app.client().call(createApiKey, { params, body: { name: 'x' } }))).toBe(
      '401 unauthenticated',
    )
  })

  it('is made once for an Idempotency-Key, and its secret never told again', async () => {
    const headers = { 'idempotency-key': 'one' }
    const params = { anchorId: anchor.id }
    await owner.call(createApiKey, { params, body: { name: 'idem' }, headers })
    expect(await problemOf(owner.call(createApiKey, { params, body: { name: 'idem' }, headers }))).toBe(
      '409 idempotency-key-secret',
    )
    const listed = await owner.call(listApiKeys, { params })
    expect(listed.filter(({ name }) => name === 'idem')).toHaveLength(1)
  })

  it('tells a typing mistake by its checksum', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.nat(37), fc.constantFrom(...'0Az'), (mainnet, at, letter) => {
        const key = newApiKey(mainnet)
        expect(isApiKey(key)).toBe(true)
        const spoiled = key.slice(0, 8 + at) + letter + key.slice(9 + at)
        if (spoiled !== key) expect(isApiKey(spoiled)).toBe(false)
      }),
    )
  })
})

describe('a workspace', () => {
  it('shows the anchor to the members of its organization alone', async () => {
    const params = { anchorId: anchor.id }
    expect(await owner.call(getWorkspace, { params })).toMatchObject({
      id: anchor.id,
      role: 'owner',
      status: 'active',
      homeDomain: 'keys-one.anchors.localhost',
      asset: { code: 'TEST' },
    })
    expect(await problemOf(stranger.call(getWorkspace, { params }))).toBe('404 anchor-not-found')
  })

  it("is listed in the operator's profile with its organization", async () => {
    const { organizations, projects } = await owner.call(getOperatorProfile)
    expect(organizations).toMatchObject([
      { name: 'keys-one', role: 'owner', anchors: [{ id: anchor.id, status: 'active' }] },
    ])
    expect(projects).toEqual([
      {
        id: anchor.id,
        name: 'keys-one',
        anchorId: anchor.id,
        subdomain: 'keys-one',
        status: 'active',
        homeDomain: 'keys-one.anchors.localhost',
      },
    ])
  })

  it('keeps what was done to it', async () => {
    const { id } = await make('audited')
    const [newest] = await owner.call(getWorkspaceAudit, { params: { anchorId: anchor.id } })
    expect(newest).toMatchObject({
      action: 'api-key.made',
      actor: `operator:${owner.user.id}`,
      details: { keyId: id },
    })
  })
})

it('an upgrade takes the scope of statements from keys whose scopes nobody chose, and from no other', async () => {
  const text = readFileSync(
    join(import.meta.dirname, '../migrations/0161-scopes-that-move-money.sql'),
    'utf8',
  )
  const { id } = await make('old default')
  const chosen = await make('old chosen')
  const set = (key: string, scopes: string[]) =>
    app.database.pool.query('update api_keys set scopes = $2 where id = $1', [key, scopes])
  await set(id, ['read', 'write', 'webhooks', 'statements'])
  await set(chosen.id, ['read', 'statements'])
  await app.database.pool.query(text)
  const scopes = async (key: string) =>
    (await app.database.pool.query('select scopes from api_keys where id = $1', [key])).rows[0]
  expect(await scopes(id)).toEqual({ scopes: ['read', 'write', 'webhooks'] })
  expect(await scopes(chosen.id)).toEqual({ scopes: ['read', 'statements'] })
})
