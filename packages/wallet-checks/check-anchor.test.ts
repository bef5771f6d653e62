import { OutboundError, type Outbound } from '@windlass/service/outbound/outbound.ts'
import { signerFromSeed } from '@windlass/stellar/ed25519.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { buildChallenge } from '@windlass/stellar/sep10-challenge.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkAnchor, checksBySep } from './check-anchor.ts'
import { logIn } from './sep10.ts'
import { startVisit } from './visit.ts'

const signing = generateKey()
const anchor = {
  publicUrl: 'http://mumbai.example',
  homeDomain: 'mumbai.example',
  networkPassphrase: 'Test SDF Network ; September 2015',
  signingKey: signing.publicKey,
  asset: { code: 'MUMBAI', issuer: generateKey().publicKey },
  accounts: [],
  amount: '10',
}
const now = () => new Date('2026-03-01T10:00:00Z')
const answering = (request: Outbound['request']): Outbound => ({ request, close: async () => undefined })
const count = checksBySep.flatMap(({ checks }) => checks).length

describe('the wallet compatibility check', () => {
  it('ends with results whatever a hostile server answers, and never takes a login as passed', async () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.constantFrom(
        '{"transaction":{},"token":7}',
        '{"transaction":"AAAA","network_passphrase":"x"}',
        '{"token":"a.b.c\\r\\nset-cookie: x"}',
        '{"__proto__":{"status":"NEEDS_INFO"},"assets":[null]}',
        '['.repeat(50_000),
        'SIGNING_KEY = "\u0000"',
      ),
    )
    const answers = fc.record({ status: fc.constantFrom(200, 204, 302, 400, 403, 404, 500), text: texts })
    await fc.assert(
      fc.asyncProperty(answers, async ({ status, text }) => {
        const outbound = answering(async () => ({ status, text, headers: {} }))
        const results = await checkAnchor(anchor, { outbound, now })
        expect(results).toHaveLength(count)
        for (const { detail } of results.filter(each => !each.passed)) {
          expect(detail?.length).toBeLessThanOrEqual(300)
          expect(detail).not.toMatch(/\p{C}/u)
        }
        expect(results.find(({ name }) => name === 'sep10-login')?.passed).toBe(false)
      }),
      { numRuns: 60 },
    )
  })

  it('reports an unreachable server, and what was not tried because of it', async () => {
    const outbound = answering(async () => {
      throw new OutboundError('mumbai.example: connect ECONNREFUSED')
    })
    const results = await checkAnchor(anchor, { outbound, now })
    expect(results.every(({ passed }) => !passed)).toBe(true)
    const detailOf = (name: string) => results.find(result => result.name === name)?.detail
    expect(detailOf('sep1-file')).toContain('ECONNREFUSED')
    expect(detailOf('sep24-history')).toBe('Not tried: the login (SEP-10) did not succeed.')
  })

  it('sends no request once its time is over', async () => {
    let asked = 0
    const outbound = answering(async () => {
      asked++
      throw new OutboundError('late')
    })
    const results = await checkAnchor(anchor, { outbound, now, budget: 0 })
    expect(asked).toBe(0)
    expect(results[0]?.detail).toContain('time for all checks')
  })

  describe('while a clock is set', () => {
    const TWO_HOURS = 7_200_000
    const login = async (answers: { checkerAheadMs?: number; refusals?: number }) => {
      const { checkerAheadMs = 0, refusals = 0 } = answers
      let [ahead, refused, challenges] = [checkerAheadMs, 0, 0]
      const outbound = answering(async (address, init) => {
        const url = new URL(address)
        const answer = (status: number, body: object) => ({ status, text: JSON.stringify(body), headers: {} })
        if (url.pathname !== '/auth') return answer(404, { error: 'nothing here' })
        if (init?.method === 'POST')
          return refused++ < refusals
            ? answer(400, { error: 'the challenge has expired' })
            : answer(200, { token: 'a.b.c' })
        challenges++
        // The second challenge is issued by a clock that agrees again.
        if (challenges > 1) ahead = 0
        const { homeDomain, networkPassphrase } = anchor
        const terms = { server: signing.publicKey, networkPassphrase, homeDomain, webAuthDomain: homeDomain }
        const account = url.searchParams.get('account') ?? ''
        const transaction = buildChallenge(signerFromSeed(signing.secret), terms, { account }, now())
        return answer(200, { transaction, network_passphrase: networkPassphrase })
      })
      const checking = () => new Date(now().getTime() + ahead)
      const visit = startVisit(anchor, { outbound, now: checking })
      return logIn(visit).then(({ token }) => token, String)
    }

    it.each([TWO_HOURS, -TWO_HOURS])('logs in with another challenge: %d ms ahead', async checkerAheadMs => {
      expect(await login({ checkerAheadMs })).toBe('a.b.c')
    })

    it('answers another challenge where the anchor says that the first has expired, once', async () => {
      expect(await login({ refusals: 1 })).toBe('a.b.c')
      expect(await login({ refusals: 2 })).toContain('The login was answered with 400')
    })
  })

  it('has a name of its own for each check', () => {
    const names = checksBySep.flatMap(({ checks }) => checks.map(({ name }) => name))
    expect(new Set(names).size).toBe(names.length)
  })
})
