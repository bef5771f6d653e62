import { StrKey, xdr, type FeeBumpTransaction, type Transaction } from '@stellar/stellar-sdk/base'
import { randomBytes } from 'node:crypto'
import { signerFromSeed, verifierFromAddress } from './ed25519.ts'

/** An account's key pair in StrKey form (SEP-23): `G…` and `S…`. */
export interface AccountKey {
  publicKey: string
  secret: string
}

/** A key that signs transactions, in this process or at the signer. */
export interface TransactionSigner {
  /** `G…` */
  readonly address: string
  /** The 64 bytes that sign the transaction's hash. */
  sign(transaction: Transaction | FeeBumpTransaction): Promise<Buffer>
}

/** A fresh key pair from the system's random source. */
export function generateKey(): AccountKey {
  const secret = StrKey.encodeEd25519SecretSeed(randomBytes(32))
  return { publicKey: signerFromSeed(secret).address, secret }
}

/** Signs with a seed (`S…`) in this process. */
export function seedSigner(secret: string): TransactionSigner {
  const signer = signerFromSeed(secret)
  return { address: signer.address, sign: async transaction => signer.sign(transaction.hash()) }
}

/** Adds the signature of a seed's key. */
export function signTransaction(transaction: Transaction | FeeBumpTransaction, secret: string): void {
  const signer = signerFromSeed(secret)
  decorate(transaction, signer.hint, signer.sign(transaction.hash()))
}

/** Adds a signature. Throws where it is not one of the signer's key: the ledger would refuse it, for a fee. */
export async function addSignature(
  transaction: Transaction | FeeBumpTransaction,
  signer: TransactionSigner,
): Promise<void> {
  const { hint, verify } = verifierFromAddress(signer.address)
  const signature = await signer.sign(transaction)
  if (!verify(transaction.hash(), signature)) {
    throw new Error(`the signature is not one of ${signer.address}`)
  }
  decorate(transaction, hint, signature)
}

function decorate(transaction: Transaction | FeeBumpTransaction, hint: Buffer, signature: Buffer): void {
  transaction.addDecoratedSignature(
    new xdr.DecoratedSignature({
      hint: new xdr.SignatureHint(hint),
      signature: new xdr.Signature(signature),
    }),
  )
}
