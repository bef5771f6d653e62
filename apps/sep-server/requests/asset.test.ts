import { describe, expect, it } from 'vitest'
import { byCode } from './asset.ts'

describe('assets by their code', () => {
  it('name the second of a code with its issuer, whatever the code is', () => {
    const assets = [
      { code: 'toString', issuer: 'GA' },
      { code: 'USDC', issuer: 'GA' },
      { code: 'USDC', issuer: 'GB' },
    ]
    expect(Object.keys(byCode(assets, () => ({})))).toEqual(['toString', 'USDC', 'USDC:GB'])
  })
})
