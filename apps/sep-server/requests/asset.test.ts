import { describe, expect, it } from 'vitest'
import { testAnchor } from '../testing/sep-app.ts'
import { assetIn, byCode } from './asset.ts'

describe('assets by their code', () => {
  it('name the second of a code with its issuer, whatever the code is', () => {
    const assets = [
      { code: 'toString', issuer: 'GA' },
      { code: 'USDC', issuer: 'GA' },
      { code: 'USDC', issuer: 'GB' },
    ]
    expect(Object.keys(byCode(assets, () => ({})))).toEqual(['toString', 'USDC', 'USDC:GB'])
  })

  it('is refused with anything beside the one issuer', () => {
    const { plan, accounts } = testAnchor
    const { issuer } = accounts
    const { code } = plan.asset
    for (const name of [code, `${code}:${issuer}`, `stellar:${code}:${issuer}`])
      expect(assetIn(testAnchor, name, issuer)).toMatchObject({ code, issuer })
    for (const name of [
      `${code}:`,
      `${code}:${issuer}:`,
      `${code}:${issuer}:x`,
      `:${issuer}`,
      code.toLowerCase(),
    ])
      expect(() => assetIn(testAnchor, name)).toThrow('not supported')
    const other = accounts.distribution
    expect(() => assetIn(testAnchor, `${code}:${issuer}`, other)).toThrow('not supported')
    expect(() => assetIn(testAnchor, `${code}:${other}`, issuer)).toThrow('not supported')
  })
})
