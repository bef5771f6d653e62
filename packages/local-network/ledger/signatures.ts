import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto'
import { SignerKey, type xdr } from '@stellar/stellar-sdk'
import type { Account, Signer } from './entries.ts'
import { Recent } from './recent.ts'

const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex')
const keys = new Recent<string, KeyObject>(20_000)
const signerKeys = new Recent<string, xdr.SignerKey>(20_000)

/** Ed25519 by node:crypto, which is many times faster than the SDK's own. */
function isSigned(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64) return false
  try {
    return verify(null, message, keyObject(publicKey), signature)
  } catch {
    return false // not a point on the curve
  }
}

function keyObject(publicKey: Uint8Array): KeyObject {
  const name = Buffer.from(publicKey).toString('latin1')
  const known = keys.get(name)
  if (known) return known
  const key = createPublicKey({
    key: Buffer.concat([spkiPrefix, publicKey]),
    format: 'der',
    type: 'spki',
  })
  keys.set(name, key)
  return key
}

function signerKey(address: string): xdr.SignerKey {
  const known = signerKeys.get(address)
  if (known) return known
  const key = SignerKey.decodeAddress(address)
  signerKeys.set(address, key)
  return key
}

/** Who may sign for an account: its signers, and its own key unless that has no weight. */
export function signersOf(account: Account): Signer[] {
  const { master } = account.thresholds
  return master > 0 ? [{ key: account.id, weight: master }, ...account.signers] : [...account.signers]
}

/**
 * The signatures of one envelope. Every signer counts once however often it has signed, and a signature that no
 * check has needed by the end makes the transaction invalid.
 */
export class Signatures {
  readonly #hash: Uint8Array
  readonly #signatures: readonly xdr.DecoratedSignature[]
  readonly #used: boolean[]
  readonly #verified = new Map<string, boolean>()

  constructor(hash: Uint8Array, signatures: readonly xdr.DecoratedSignature[]) {
    this.#hash = hash
    this.#signatures = signatures
    this.#used = signatures.map(() => false)
  }

  /** Whether the signers that have signed reach a weight; at least one must have signed, even for weight 0. */
  reach(needed: number, signers: readonly Signer[]): boolean {
    let weight = 0
    const counts = (signer: Signer) => {
      weight += Math.min(signer.weight, 255)
      return weight >= needed
    }
    const open = signers.map(signer => ({ signer, key: signerKey(signer.key) }))
    for (const { signer, key } of open)
      if (key.type === 'signerKeyTypePreAuthTx' && Buffer.compare(key.preAuthTx.value, this.#hash) === 0)
        if (counts(signer)) return true

    for (const type of ['signerKeyTypeHashX', 'signerKeyTypeEd25519', 'signerKeyTypeEd25519SignedPayload']) {
      const left = open.filter(({ key }) => key.type === type)
      for (const [index, signature] of this.#signatures.entries()) {
        const found = left.findIndex(({ key }) => this.#matches(index, signature, key))
        const match = left[found]
        if (!match) continue
        this.#used[index] = true
        if (counts(match.signer)) return true
        left.splice(found, 1)
      }
    }
    return false
  }

  allUsed(): boolean {
    return this.#used.every(Boolean)
  }

  #matches(index: number, { hint, signature }: xdr.DecoratedSignature, key: xdr.SignerKey): boolean {
    switch (key.type) {
      case 'signerKeyTypeHashX': {
        const expected = key.hashX.value
        return (
          endsWith(expected, hint.value) &&
          createHash('sha256').update(signature.value).digest().equals(expected)
        )
      }
      case 'signerKeyTypeEd25519':
        return (
          endsWith(key.ed25519.value, hint.value) &&
          this.#isSigned(index, key.ed25519.value, this.#hash, signature.value)
        )
      case 'signerKeyTypeEd25519SignedPayload': {
        const { ed25519, payload } = key.ed25519SignedPayload
        return (
          payloadHint(ed25519.value, payload).equals(hint.value) &&
          isSigned(ed25519.value, payload, signature.value)
        )
      }
      default:
        return false
    }
  }

  /** Every operation asks for the same signatures again: each is verified once. */
  #isSigned(index: number, key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
    const name = `${index} ${Buffer.from(key).toString('latin1')}`
    const known = this.#verified.get(name)
    if (known !== undefined) return known
    const valid = isSigned(key, message, signature)
    this.#verified.set(name, valid)
    return valid
  }
}

function endsWith(key: Uint8Array, hint: Uint8Array): boolean {
  return Buffer.compare(key.subarray(-4), hint) === 0
}

/** CAP-40: the hint of the key, changed by the last bytes of the payload. */
function payloadHint(key: Uint8Array, payload: Uint8Array): Buffer {
  const hint = Buffer.from(key.subarray(-4))
  const tail = Buffer.alloc(4)
  const last = payload.subarray(-4)
  tail.set(last)
  for (let index = 0; index < 4; index++) hint[index] = (hint[index] ?? 0) ^ (tail[index] ?? 0)
  return hint
}
