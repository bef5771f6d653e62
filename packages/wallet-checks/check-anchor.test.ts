import { OutboundError, type Outbound } from '@windlass/service/outbound/outbound.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkAnchor, checksBySep } from './check-anchor.ts'

const anchor = {
  publicUrl: 'http://mumbai.example',
  homeDomain: 'mumbai.example',
  networkPassphrase: 'Test SDF Network ; September 2015',
  signingKey: generateKey().publicKey,
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

  it('has a name of its own for each check', () => {
    const names = checksBySep.flatMap(({ checks }) => checks.map(({ name }) => name))
    expect(new Set(names).size).toBe(names.length)
  })
})
