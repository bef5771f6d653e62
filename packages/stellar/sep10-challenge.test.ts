import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { signerFromSeed } from './ed25519.ts'
import { generateKey } from './keys.ts'
import {
  buildChallenge,
  ChallengeError,
  homeDomainOf,
  readChallenge,
  saysExpired,
} from './sep10-challenge.ts'

const server = signerFromSeed(generateKey().secret)
const terms = {
  server: server.address,
  networkPassphrase: 'Test SDF Network ; September 2015',
  homeDomain: 'mumbai.anchors.localhost',
  webAuthDomain: 'mumbai.anchors.localhost',
}
const account = generateKey().publicKey
const now = new Date('2026-11-20T12:00:00Z')
const challenge = buildChallenge(server, terms, { account, memo: '7' }, now)

describe('a SEP-10 challenge', () => {
  it('is read back as it was built', () => {
    expect(readChallenge(challenge, terms, now)).toMatchObject({ account, memo: '7', clientDomain: null })
    expect(homeDomainOf(challenge)).toBe(terms.homeDomain)
  })

  it('may begin some seconds ahead of the reader’s clock; the refusal of a later one names the reason', () => {
    const before = (seconds: number) => new Date(now.getTime() - seconds * 1_000)
    expect(readChallenge(challenge, terms, before(9)).account).toBe(account)
    expect(() => readChallenge(challenge, terms, before(60))).toThrow('not valid yet')
    expect(() => readChallenge(challenge, terms, before(-901))).toThrow('has expired')
  })

  it.each([
    ['the challenge is not valid yet: check the clocks of both machines', true],
    ['The challenge is not yet valid', true],
    ['Challenge transaction expired', true],
    ['Transaction is not within range of the specified timebounds.', true],
    ['the account is not approved yet', false],
    ['the challenge was used already', false],
  ])('whose refusal is “%s” may be in time at another try: %s', (text, isTime) => {
    expect(saysExpired(text)).toBe(isTime)
  })

  it('is refused as one, and with no other error, whatever strangers send in its place', () => {
    const bytes = Buffer.from(challenge, 'base64')
    const spoilt = fc.tuple(fc.nat(bytes.length - 1), fc.nat(255), fc.nat(12)).map(([at, value, more]) => {
      const copy = Buffer.concat([bytes, Buffer.alloc(more)])
      copy[at] = value
      return copy.toString('base64')
    })
    const cut = fc.nat(bytes.length - 1).map(end => bytes.subarray(0, end).toString('base64'))
    fc.assert(
      fc.property(fc.oneof(spoilt, cut, fc.base64String(), fc.string()), text => {
        homeDomainOf(text)
        try {
          expect(readChallenge(text, terms, now).account).toBe(account)
        } catch (error) {
          expect(error instanceof ChallengeError, String(error)).toBe(true)
        }
      }),
      { numRuns: 1_000 },
    )
  })
})
