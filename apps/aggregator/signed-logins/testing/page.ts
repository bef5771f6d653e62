import { signerFromSeed } from '@windlass/stellar/ed25519.ts'
import { generateKey, type AccountKey } from '@windlass/stellar/keys.ts'
import { buildChallenge, readSignedChallenge, signChallenge } from '@windlass/stellar/sep10-challenge.ts'
import { createDecipheriv, createECDH, hkdfSync } from 'node:crypto'

export const NETWORK = 'Test SDF Network ; September 2015'
const server = generateKey()

/** A challenge of some anchor for the wallet; `sign` adds the wallet's signature. */
export function challengeFor(wallet: AccountKey, now = new Date()) {
  const domain = 'mumbai.example'
  const terms = {
    ...{ server: server.publicKey, networkPassphrase: NETWORK },
    ...{ homeDomain: domain, webAuthDomain: domain },
  }
  const xdr = buildChallenge(signerFromSeed(server.secret), terms, { account: wallet.publicKey }, now)
  return {
    xdr,
    hash: readSignedChallenge(xdr, NETWORK).hash.toString('hex'),
    signed: signChallenge(xdr, NETWORK, signerFromSeed(wallet.secret)),
  }
}

/** What a page has of its own: a key, and the way to read what was encrypted for it. */
export function pageKey() {
  const own = createECDH('prime256v1')
  own.generateKeys()
  return {
    publicKey: own.getPublicKey('base64url'),
    read: (id: string, text: string): string => {
      const sealed = Buffer.from(text, 'base64url')
      const shared = own.computeSecret(sealed.subarray(0, 65))
      const key = Buffer.from(hkdfSync('sha256', shared, '', `windlass signed login ${id}`, 32))
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(65, 77))
      decipher.setAuthTag(sealed.subarray(-16))
      return Buffer.concat([decipher.update(sealed.subarray(77, -16)), decipher.final()]).toString()
    },
  }
}
