import { StrKey, xdr, type FeeBumpTransaction, type Transaction } from '@stellar/stellar-sdk/base'
import { randomBytes } from 'node:crypto'
import { signerFromSeed } from './ed25519.ts'

/** An account's key pair in StrKey form (SEP-23): `G…` and `S…`. */
export interface AccountKey {
  publicKey: string
  secret: string
}

/** A fresh key pair from the system's random source. */
export function generateKey(): AccountKey {
  const secret = StrKey.encodeEd25519SecretSeed(randomBytes(32))
  return { publicKey: signerFromSeed(secret).address, secret }
}

/** Adds the signature of a seed's key. */
export function signTransaction(transaction: Transaction | FeeBumpTransaction, secret: string): void {
  const signer = signerFromSeed(secret)
  const signature = new xdr.DecoratedSignature({
    hint: new xdr.SignatureHint(signer.hint),
    signature: new xdr.Signature(signer.sign(transaction.hash())),
  })
  transaction.addDecoratedSignature(signature)
}
