import { SignerKey } from '@stellar/stellar-sdk/base'
import { createHash } from 'node:crypto'
import { baseAccount } from './addresses.ts'
import { verifierFromAddress } from './ed25519.ts'
import { readEnvelope, type Envelope } from './read-envelope.ts'

/** An envelope and who signed it. A fee bump's own signatures say nothing of what is inside. */
interface SignedEnvelope {
  /** Accounts without whose signatures the ledger does not apply an operation. @param places counted from 0 */
  sourcesOf(places: readonly number[]): string[]
  /** Whether one of these keys (`G…`, `X…`, `T…`) signed; each key is tried once. */
  isSignedBy(keys: readonly string[]): boolean
}

/** Reads an envelope (base64 XDR). */
export function readSigned(envelope: string, passphrase: string): SignedEnvelope {
  const { source, operations, signatures, innerHash } = readEnvelope(envelope, passphrase)
  const hash = Buffer.from(innerHash, 'hex')
  const known = new Map<string, boolean>()
  const signs = (key: string): boolean => {
    const isSigned = known.get(key) ?? signed(signatures, hash, key)
    known.set(key, isSigned)
    return isSigned
  }
  return {
    sourcesOf: places => {
      const all = [source, ...places.flatMap(place => operations[place]?.source ?? [])]
      return [...new Set(all.map(baseAccount))]
    },
    isSignedBy: keys => keys.some(signs),
  }
}

/** The accounts that an envelope (base64 XDR) names as sources: the keys that sign for them. */
export const signersIn = (envelope: string): string[] =>
  // Who its sources are does not depend on the network.
  readSigned(envelope, 'any').sourcesOf(Array.from({ length: 100 }, (_, place) => place))

function signed(signatures: Envelope['signatures'], hash: Buffer, key: string): boolean {
  if (key.startsWith('G')) {
    const verifier = verifierFromAddress(key)
    return signatures.some(
      ({ hint, signature }) => verifier.hint.equals(hint.value) && verifier.verify(hash, signature.value),
    )
  }
  const signer = SignerKey.decodeAddress(key)
  switch (signer.type) {
    case 'signerKeyTypePreAuthTx':
      return hash.equals(signer.preAuthTx.value)
    case 'signerKeyTypeHashX':
      return signatures.some(({ signature }) =>
        createHash('sha256').update(signature.value).digest().equals(signer.hashX.value),
      )
    default:
      // Who signs a fixed payload signs no transaction.
      return false
  }
}
