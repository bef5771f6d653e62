import { OutboundError, type Outbound } from '@windlass/service/outbound.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkAnchor, demands } from './check-anchor.ts'

const anchor = {
  publicUrl: 'http://mumbai.example',
  homeDomain: 'mumbai.example',
  networkPassphrase: 'Test SDF Network ; September 2015',
  signingKey: generateKey().publicKey,
  asset: { code: 'MUMBAI', issuer: generateKey().publicKey },
  amount: '10',
}
const now = () => new Date('2026-03-01T10:00:00Z')
const answering = (request: Outbound['request']): Outbound => ({ request, close: async () => undefined })
const count = demands.flatMap(each => each.demands).length

describe('a check of an anchor', () => {
  it('finds every demand unmet, and ends, whatever a hostile server answers', async () => {
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
        const findings = await checkAnchor(anchor, { outbound, now })
        expect(findings).toHaveLength(count)
        for (const { detail } of findings.filter(each => !each.passed)) {
          expect(detail?.length).toBeLessThanOrEqual(300)
          expect(detail).not.toMatch(/\p{C}/u)
        }
        expect(findings.find(({ check }) => check === 'sep10-login')?.passed).toBe(false)
      }),
      { numRuns: 60 },
    )
  })

  it('says of a server that is away that it is away, and what was not tried for that', async () => {
    const outbound = answering(async () => {
      throw new OutboundError('mumbai.example: connect ECONNREFUSED')
    })
    const findings = await checkAnchor(anchor, { outbound, now })
    expect(findings.every(({ passed }) => !passed)).toBe(true)
    const detailOf = (name: string) => findings.find(({ check }) => check === name)?.detail
    expect(detailOf('sep1-file')).toContain('ECONNREFUSED')
    expect(detailOf('sep24-history')).toBe('Not tried: the login (SEP-10) did not succeed.')
  })

  it('asks nothing more once its time is up', async () => {
    let asked = 0
    const outbound = answering(async () => {
      asked++
      throw new OutboundError('late')
    })
    const findings = await checkAnchor(anchor, { outbound, now, budget: 0 })
    expect(asked).toBe(0)
    expect(findings[0]?.detail).toContain('longer than it may')
  })

  it('names each demand once', () => {
    const names = demands.flatMap(each => each.demands.map(({ check }) => check))
    expect(new Set(names).size).toBe(names.length)
  })
})
