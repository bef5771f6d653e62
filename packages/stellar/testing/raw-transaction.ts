import { Asset, Keypair, xdr } from '@stellar/stellar-sdk/base'
import { createHash } from 'node:crypto'
import { generateKey, type AccountKey } from '../keys.ts'

/** What is put together from XDR, since the SDK refuses to build some of what the ledger takes. */
interface Raw {
  source: AccountKey
  /** The account's last one. */
  sequence: string
  operations: readonly xdr.Operation[]
  passphrase: string
}

/** A signed envelope in base64, and its hash. */
export function signRaw({ source, sequence, operations, passphrase }: Raw): {
  envelope: string
  hash: string
} {
  const key = Keypair.fromSecret(source.secret)
  const tx = new xdr.Transaction({
    sourceAccount: xdr.MuxedAccount.keyTypeEd25519(key.rawPublicKey()),
    fee: 100 * operations.length,
    seqNum: BigInt(sequence) + 1n,
    cond: xdr.Preconditions.precondNone(),
    memo: xdr.Memo.memoNone(),
    operations: [...operations],
    ext: xdr.TransactionExt.v0(),
  })
  const hash = createHash('sha256')
    .update(createHash('sha256').update(passphrase).digest())
    .update(Buffer.from([0, 0, 0, 2]))
    .update(tx.toXdr())
    .digest()
  const signatures = [key.signDecorated(hash)]
  const envelope = xdr.TransactionEnvelope.envelopeTypeTx(new xdr.TransactionV1Envelope({ tx, signatures }))
  return { envelope: envelope.toXdr('base64'), hash: hash.toString('hex') }
}

/** Two issuers whose keys are in another order than their addresses: base32 has its digits after its letters, ASCII before. */
export function issuersOutOfOrder(): [AccountKey, AccountKey] {
  for (;;) {
    const [one, other] = [generateKey(), generateKey()]
    const bytes = ({ publicKey }: AccountKey) => Keypair.fromPublicKey(publicKey).rawPublicKey()
    if (Buffer.compare(bytes(one), bytes(other)) < 0 && one.publicKey > other.publicKey) return [one, other]
  }
}

/** A trustline to the pool of these issuers' USD, in the ledger's order, which the SDK refuses. */
export function trustPool([a, b]: readonly [AccountKey, AccountKey], limit: bigint): xdr.Operation {
  const [assetA, assetB] = [a, b].map(({ publicKey }) => new Asset('USD', publicKey).toXdrObject())
  if (!assetA || !assetB) throw new Error('two issuers have two assets')
  const pool = new xdr.LiquidityPoolConstantProductParameters({ assetA, assetB, fee: 30 })
  const line = xdr.ChangeTrustAsset.assetTypePoolShare(
    xdr.LiquidityPoolParameters.liquidityPoolConstantProduct(pool),
  )
  const change = new xdr.ChangeTrustOp({ line, limit })
  return new xdr.Operation({ sourceAccount: null, body: xdr.OperationBody.changeTrust(change) })
}
