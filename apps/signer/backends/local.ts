import { StrKey } from '@stellar/stellar-sdk/base'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { signerFromSeed, type Signer } from '@windlass/stellar/ed25519.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import type { Backend } from './backend.ts'

const OPEN_KEYS = 1_000

/** Keys in the signer's own database, encrypted under SIGNER_KEY. */
export interface LocalBackend extends Backend {
  /** Encrypts a seed (`S…`) as the key of that label. */
  seal(label: string, seed: string): { publicKey: Buffer; reference: string }
}

export function createLocal(sealer: Sealer): LocalBackend {
  const opened = new Map<string, Signer>()
  const open = (label: string, reference: string): string =>
    sealer.open(Buffer.from(reference, 'base64'), label)
  const seal = (label: string, seed: string) => ({
    publicKey: Buffer.from(StrKey.decodeEd25519PublicKey(signerFromSeed(seed).address)),
    reference: sealer.seal(seed, label).toString('base64'),
  })
  return {
    seal,
    create: async label => seal(label, generateKey().secret),
    sign: async ({ label, reference }, bytes) => {
      const signer = opened.get(reference) ?? signerFromSeed(open(label, reference))
      if (opened.size >= OPEN_KEYS) opened.clear()
      opened.set(reference, signer)
      return signer.sign(bytes)
    },
  }
}
