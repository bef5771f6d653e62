import {
  approveApplication,
  getApplication,
  submitApplication,
} from '@windlass/contracts/platform/applications.ts'
import {
  checkSubdomain,
  redeemInvitation,
  reissueInvitation,
  revokeInvitation,
  verifyInvitation,
} from '@windlass/contracts/platform/invitations.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPassword } from '../infrastructure/passwords.ts'
import { type TestApp, signInAdmin, testApp } from '../testing/app.ts'
import { type TestServices, testServices } from '../testing/services.ts'
import { companyProfile, invited, redeemed, redemption, refusal } from '../testing/story.ts'

let app: TestApp
let services: TestServices
let admin: Awaited<ReturnType<typeof signInAdmin>>
let founder: ReturnType<TestApp['client']>

beforeAll(async () => {
  services = await testServices()
  app = await testApp({ deps: services.clients })
  admin = await signInAdmin(app)
  founder = app.client()
})
afterAll(async () => {
  await app.close()
  await services.close()
})

const redeem = (token: string, given: object = {}) =>
  founder.call(redeemInvitation, { body: { ...redemption, token, ...given } })
const codeOf = async (answer: Promise<unknown>) => {
  const { status, problem } = await refusal(answer)
  return [status, problem.code]
}
const count = async (table: string) => {
  const { rows } = await app.database.pool.query<{ count: string }>(`select count(*) from ${table}`)
  return Number(rows[0]?.count)
}
const expire = (id: string) =>
  app.database.pool.query(`update invitations set expires_at = now() where id = $1`, [id])

describe('verifying an invitation', () => {
  it('tells whom it is for and leaves it unused', async () => {
    const { rawToken, invitation } = await invited(app)
    for (let time = 0; time < 2; time++) {
      expect(await founder.call(verifyInvitation, { body: { token: rawToken } })).toEqual({
        email: companyProfile.businessEmail,
        companyName: companyProfile.name,
        expiresAt: invitation.expiresAt,
      })
    }
  })

  it('tells an unknown one from one that is used, revoked or expired', async () => {
    const verify = (token: string) => founder.call(verifyInvitation, { body: { token } })
    expect(await codeOf(verify('no-such-token'))).toEqual([404, 'invitation-not-found'])
    const expired = await invited(app)
    await expire(expired.invitation.id)
    const revoked = await invited(app)
    await admin.call(revokeInvitation, { params: { id: revoked.invitation.id } })
    const used = await invited(app)
    await redeem(used.rawToken, { subdomain: 'verified' })
    for (const [reason, { rawToken }] of Object.entries({ expired, revoked, used })) {
      for (const use of [verify, () => redeem(rawToken, { subdomain: 'elsewhere' })]) {
        const { status, problem } = await refusal(use(rawToken))
        expect([status, problem.code, problem.reason]).toEqual([410, 'invitation-gone', reason])
      }
    }
  })
})

describe('redeeming', () => {
  it('makes user, organization, membership, anchor draft, job and message together', async () => {
    const { rawToken } = await invited(app, { name: 'Pune Pay', businessEmail: 'Owner@Pune.example' })
    const { jobId, anchorId, organizationId, subdomain, homeDomain } = await redeem(rawToken, {
      subdomain: 'pune',
    })
    expect(jobId).toMatch(/^[\w-]{32}$/)
    expect(anchorId).toMatch(/^[a-z][a-z0-9]{19}$/)
    expect([subdomain, homeDomain]).toEqual(['pune', 'pune.anchors.localhost'])

    const { rows } = await app.database.pool.query(
      `select u.email, u.full_name, u.password_hash, o.name, o.slug, m.role, a.status, j.id as job
       from anchors a join organizations o on o.id = a.organization_id
       join memberships m on m.organization_id = o.id join users u on u.id = m.user_id
       join jobs j on j.anchor_id = a.id where a.id = $1 and o.id = $2`,
      [anchorId, organizationId],
    )
    expect(rows).toEqual([
      {
        email: 'owner@pune.example',
        full_name: redemption.fullName,
        password_hash: expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/),
        name: 'Pune Pay',
        slug: 'pune',
        role: 'owner',
        status: 'draft',
        job: jobId,
      },
    ])
    expect(await isPassword(redemption.password, rows[0].password_hash)).toBe(true)
    await app.drain()
    expect(services.accepted.filter(job => job.jobId === jobId)).toEqual([
      {
        jobId,
        plan: {
          anchorId,
          organizationName: 'Pune Pay',
          businessEmail: 'owner@pune.example',
          subdomain: 'pune',
          homeDomain: 'pune.anchors.localhost',
          asset: { code: 'PUNE', name: 'PUNE', anchoredTo: 'USD', issued: '1000000' },
          rails: ['UPI'],
          regions: ['IN'],
          settlement: 'instant',
          fees: { fixed: '0.5', percentage: '0.005' },
          limits: { min: '1', max: '1000000' },
        },
      },
    ])
  })

  it('plans an anchor of an existing asset, of which nothing is issued', async () => {
    const issuer = 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5'
    const application = {
      companyProfile,
      stellarConfig: { assets: [{ code: 'USDC', issuer, anchoredTo: 'usd' }] },
    }
    const { id } = await founder.call(submitApplication, { body: application })
    expect(await admin.call(getApplication, { params: { id } })).toMatchObject(application)
    const { rawToken } = await admin.call(approveApplication, { params: { id } })
    const { jobId } = await redeem(rawToken, { subdomain: 'existing-asset' })
    await app.drain()
    expect(services.accepted.find(job => job.jobId === jobId)?.plan).toMatchObject({
      asset: { code: 'USDC', issuer, name: 'USDC', anchoredTo: 'USD', issued: '0' },
      limits: { min: '1', max: '10000' },
    })
  })

  it('plans further assets as existing ones, beside one of its own too', async () => {
    const issuer = 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5'
    const eurc = { code: 'EURC', issuer, name: ' Euro coin ', anchoredTo: 'eur' }
    const stellarConfig = { assets: [{ code: 'INRX', anchoredTo: 'INR' }, eurc, { code: 'USDC', issuer }] }
    const paymentRails = { rails: ['UPI', 'SEPA'] }
    const { id } = await founder.call(submitApplication, {
      body: { companyProfile, stellarConfig, paymentRails },
    })
    const { rawToken } = await admin.call(approveApplication, { params: { id } })
    const { jobId } = await redeem(rawToken, { subdomain: 'several-assets' })
    await app.drain()
    expect(services.accepted.find(job => job.jobId === jobId)?.plan).toMatchObject({
      asset: { code: 'INRX', name: 'INRX', anchoredTo: 'INR', issued: '1000000' },
      furtherAssets: [
        { code: 'EURC', issuer, name: 'Euro coin', anchoredTo: 'EUR' },
        { code: 'USDC', issuer, name: 'USDC', anchoredTo: 'USD' },
      ],
    })
  })

  it('plans the anchor as the application says', async () => {
    const application = {
      companyProfile: { ...companyProfile, website: 'javascript:alert(1)' },
      stellarConfig: { assetCode: 'eurx', assetName: 'Euro', anchoredTo: 'eur' },
      paymentRails: {
        rails: ['SEPA'],
        fee: { fixed: 0 },
        limits: { max: '0.5' },
        settlement: 'under_60_minutes' as const,
        credentials: { iban: 'secret' },
      },
      compliance: { regions: ['de', 'fr'] },
    }
    const { id } = await founder.call(submitApplication, { body: application })
    const { rawToken } = await admin.call(approveApplication, { params: { id } })
    const { jobId } = await redeem(rawToken, { subdomain: 'my-long-anchor-name' })
    await app.drain()
    const { plan } = services.accepted.find(job => job.jobId === jobId)!
    expect(plan).not.toHaveProperty('website')
    expect(plan).toMatchObject({
      asset: { code: 'eurx', name: 'Euro', anchoredTo: 'EUR' },
      rails: ['SEPA'],
      regions: ['DE', 'FR'],
      settlement: 'under_60_minutes',
      fees: { fixed: '0', percentage: '0.005' },
      limits: { min: '0.5', max: '0.5' },
      railCredentials: `windlass/applications/${id}/rails`,
    })
  })

  it('makes the asset code from the subdomain', async () => {
    const { anchorId } = await redeemed(app, 'a-very-long-name-9')
    const { rows } = await app.database.pool.query('select plan from anchors where id = $1', [anchorId])
    expect(rows[0].plan.asset).toMatchObject({ code: 'AVERYLONGNAM', name: 'AVERYLONGNAM' })
  })

  it.each([
    'ab',
    'Mumbai',
    '-mumbai',
    'mumbai-',
    'mum_bai',
    'mum.bai',
    ' mumbai',
    'mümbai',
    'xn--mmbai-kva',
    'admin',
    'internal',
    'a'.repeat(64),
    'a'.repeat(43),
    "x'; drop table anchors; --",
    '../../etc',
  ])('refuses the subdomain %s and leaves the invitation as it was', async subdomain => {
    const { rawToken } = await invited(app)
    expect(await codeOf(redeem(rawToken, { subdomain }))).toEqual([400, 'subdomain-not-allowed'])
    expect(await founder.call(checkSubdomain, { query: { subdomain } })).toMatchObject({ available: false })
    expect(await founder.call(verifyInvitation, { body: { token: rawToken } })).toBeDefined()
  })

  it('allows the longest home domain that SEP-10 can name', async () => {
    const subdomain = 'b'.repeat(59 - '.anchors.localhost'.length)
    expect((await redeemed(app, subdomain)).homeDomain).toHaveLength(59)
  })

  it('puts the port into the home domain where it is not 80 or 443', async () => {
    const ported = await testApp({ env: { ANCHOR_PUBLIC_PORT: '8080' } })
    expect((await redeemed(ported, 'mumbai')).homeDomain).toBe('mumbai.anchors.localhost:8080')
    await ported.close()
  })

  it('refuses a password that attackers try first; the same token then takes another', async () => {
    const { rawToken } = await invited(app, { name: 'Harbour Payments' })
    for (const password of ['password', 'Harbour Payments']) {
      const refused = await refusal(redeem(rawToken, { subdomain: 'strong', password }))
      expect([refused.status, refused.problem.errors]).toEqual([
        400,
        [{ path: 'password', message: expect.stringContaining('several unrelated words') }],
      ])
    }
    expect(await redeem(rawToken, { subdomain: 'strong' })).toMatchObject({ subdomain: 'strong' })
  })

  it('refuses a taken subdomain with 409; the same token then takes another', async () => {
    await redeemed(app, 'chennai')
    expect(await founder.call(checkSubdomain, { query: { subdomain: 'chennai' } })).toMatchObject({
      available: false,
      homeDomain: 'chennai.anchors.localhost',
      reason: expect.stringContaining('taken'),
    })
    const { rawToken } = await invited(app)
    const before = await count('users')
    expect(await codeOf(redeem(rawToken, { subdomain: 'chennai' }))).toEqual([409, 'subdomain-taken'])
    expect(await count('users')).toBe(before)
    expect(await founder.call(checkSubdomain, { query: { subdomain: 'chennai-2' } })).toMatchObject({
      available: true,
    })
    expect(await redeem(rawToken, { subdomain: 'chennai-2' })).toMatchObject({ subdomain: 'chennai-2' })
  })

  it.each([
    ['a short password', { password: 'seven77' }, 'password'],
    ['a password of 257 characters', { password: 'x'.repeat(257) }, 'password'],
    ['no full name', { fullName: '' }, 'fullName'],
    ['a number for a subdomain', { subdomain: 7 }, 'subdomain'],
  ])('refuses %s', async (_what, given, path) => {
    const { rawToken } = await invited(app)
    const { status, problem } = await refusal(redeem(rawToken, given))
    expect([status, problem.errors?.map(error => error.path)]).toEqual([400, [path]])
  })

  it('gives an operator who exists a further organization; name and password stay', async () => {
    const businessEmail = 'serial@founder.example'
    const first = await redeemed(app, 'serial-1', { businessEmail })
    const { rawToken } = await invited(app, { businessEmail: businessEmail.toUpperCase() })
    const second = await redeem(rawToken, {
      subdomain: 'serial-2',
      fullName: 'Impostor',
      password: 'another pass',
    })
    const { rows } = await app.database.pool.query(
      `select u.full_name, u.password_hash, array_agg(m.organization_id) as organizations from users u
       join memberships m on m.user_id = u.id where u.email = $1 group by u.id`,
      [businessEmail],
    )
    expect(rows).toHaveLength(1)
    expect(rows[0].full_name).toBe(redemption.fullName)
    expect(await isPassword(redemption.password, rows[0].password_hash)).toBe(true)
    expect(rows[0].organizations.sort()).toEqual([first.organizationId, second.organizationId].sort())
  })

  it('has one winner when fifty redeem one token at once', async () => {
    const { rawToken } = await invited(app)
    const before = {
      jobs: await count('jobs'),
      anchors: await count('anchors'),
      orgs: await count('organizations'),
    }
    const answers = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) => redeem(rawToken, { subdomain: `raced-${index}` })),
    )
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const refusals = answers.flatMap(answer => (answer.status === 'rejected' ? [answer.reason.status] : []))
    // On a busy machine some wait too long for a connection.
    for (const status of refusals) expect([410, 503]).toContain(status)
    expect(await count('jobs')).toBe(before.jobs + 1)
    expect(await count('anchors')).toBe(before.anchors + 1)
    expect(await count('organizations')).toBe(before.orgs + 1)
  })

  it('has one winner when ten tokens want one subdomain at once; the others stay good', async () => {
    const invitations = await Promise.all(Array.from({ length: 10 }, () => invited(app)))
    const answers = await Promise.allSettled(
      invitations.map(({ rawToken }) => redeem(rawToken, { subdomain: 'wanted' })),
    )
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const losers = invitations.filter((_, index) => answers[index]?.status === 'rejected')
    for (const { rawToken } of losers) {
      expect(await founder.call(verifyInvitation, { body: { token: rawToken } })).toBeDefined()
    }
  })

  it('answers a repeat with the same Idempotency-Key with the same job', async () => {
    const { rawToken } = await invited(app)
    const call = {
      body: { ...redemption, token: rawToken, subdomain: 'repeated' },
      headers: { 'idempotency-key': 'redeem-1' },
    }
    const first = await founder.call(redeemInvitation, call)
    expect(await founder.call(redeemInvitation, call)).toEqual(first)
  })
})

describe('withdrawing an invitation', () => {
  it('revokes it, as often as one likes', async () => {
    const { id, invitation } = await invited(app)
    for (let time = 0; time < 2; time++) {
      const revoked = await admin.call(revokeInvitation, { params: { id: invitation.id } })
      expect(revoked).toEqual({ id: invitation.id, status: 'revoked' })
    }
    expect(await admin.call(getApplication, { params: { id } })).toMatchObject({
      status: 'approved',
      invitation: { id: invitation.id, status: 'revoked' },
    })
  })

  it.each(['open', 'expired', 'revoked'])('reissues one that is %s and mails the new link', async state => {
    const businessEmail = `${state}@reissued.example`
    const { id, rawToken, invitation } = await invited(app, { businessEmail })
    if (state === 'expired') await expire(invitation.id)
    if (state === 'revoked') await admin.call(revokeInvitation, { params: { id: invitation.id } })
    app.clock.advance(1)
    const again = await admin.call(reissueInvitation, { params: { id: invitation.id } })
    expect(again).toMatchObject({ id, status: 'approved' })
    expect(again.rawToken).not.toBe(rawToken)
    await app.drain()
    const mails = app.mails.filter(({ to, subject }) => to === businessEmail && /is approved/.test(subject))
    expect(mails).toHaveLength(2)
    expect(mails.some(({ text }) => text.includes(again.redeemUrl))).toBe(true)
    expect(await codeOf(redeem(rawToken))).toEqual([410, 'invitation-gone'])
    expect(await redeem(again.rawToken, { subdomain: `reissued-${state}` })).toBeDefined()
    expect(await admin.call(getApplication, { params: { id } })).toMatchObject({
      invitation: { id: again.invitation.id, status: 'used' },
    })
  })

  it('is over once it is used or replaced', async () => {
    const used = await invited(app)
    await redeem(used.rawToken, { subdomain: 'over' })
    const replaced = await invited(app)
    await admin.call(reissueInvitation, { params: { id: replaced.invitation.id } })
    const usedId = { params: { id: used.invitation.id } }
    expect(await codeOf(admin.call(revokeInvitation, usedId))).toEqual([409, 'invitation-not-revocable'])
    expect(await codeOf(admin.call(reissueInvitation, usedId))).toEqual([409, 'invitation-not-revocable'])
    const replacedId = { params: { id: replaced.invitation.id } }
    expect(await codeOf(admin.call(reissueInvitation, replacedId))).toEqual([409, 'invitation-not-revocable'])
  })

  it('gives one new invitation when five reissue at once', async () => {
    const { id, invitation } = await invited(app)
    const answers = await Promise.allSettled(
      Array.from({ length: 5 }, () => admin.call(reissueInvitation, { params: { id: invitation.id } })),
    )
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const { rowCount } = await app.database.pool.query(
      'select 1 from invitations where application_id = $1 and revoked_at is null',
      [id],
    )
    expect(rowCount).toBe(1)
  })

  it('is the administrator’s alone, and of invitations that exist', async () => {
    for (const endpoint of [revokeInvitation, reissueInvitation]) {
      expect(await codeOf(founder.call(endpoint, { params: { id: 'inv_x' } }))).toEqual([
        401,
        'unauthenticated',
      ])
      expect(await codeOf(admin.call(endpoint, { params: { id: 'inv_x' } }))).toEqual([
        404,
        'invitation-not-found',
      ])
    }
  })
})
