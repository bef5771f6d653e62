import { createHash, createPrivateKey, sign, type KeyObject } from 'node:crypto'
import { Horizon, Keypair, StrKey, xdr } from '@stellar/stellar-sdk'
import { startLocalNetwork, type LocalNetwork, type LocalNetworkOptions } from '../local-network.ts'

export interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
}

export interface Draft {
  readonly source: string
  readonly operations: readonly xdr.Operation[]
  readonly signers: readonly Keypair[]
  /** Default: 100 per operation. */
  readonly fee?: number
  /** Default: the account's next one. */
  readonly sequence?: bigint
  readonly conditions?: xdr.Preconditions
  readonly memo?: xdr.Memo
  readonly sourceId?: bigint
}

/** A network in memory that closes a ledger for every submission, and short words for what tests do with it. */
export class Laboratory {
  readonly network: LocalNetwork
  readonly horizon: Horizon.Server
  readonly networkId: Buffer

  private constructor(network: LocalNetwork) {
    this.network = network
    this.horizon = new Horizon.Server(network.url, { allowHttp: true })
    this.networkId = createHash('sha256').update(network.passphrase).digest()
  }

  static async open(options: LocalNetworkOptions = {}): Promise<Laboratory> {
    return new Laboratory(await startLocalNetwork({ closeEvery: 'at-once', ...options }))
  }

  async close(): Promise<void> {
    await this.network.stop()
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return answerOf(await fetch(`${this.network.url}${path}`, { headers }))
  }

  async post(
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const body = new URLSearchParams(fields)
    return answerOf(await fetch(`${this.network.url}${path}`, { method: 'POST', body, headers }))
  }

  /** A new account with 10,000 XLM. */
  async funded(): Promise<Keypair> {
    const key = Keypair.random()
    const { status } = await this.get(`/friendbot?addr=${key.publicKey()}`)
    if (status !== 200) throw new Error(`friendbot answered ${status}`)
    return key
  }

  /** An account with exactly this many stroops. */
  async holding(stroops: bigint, maker?: Keypair): Promise<Keypair> {
    const key = Keypair.random()
    const from = maker ?? (await this.funded())
    await this.succeed({
      source: from.publicKey(),
      signers: [from],
      operations: [operation(createAccount(key, stroops))],
    })
    return key
  }

  async sequence(id: string): Promise<bigint> {
    return BigInt((await this.horizon.loadAccount(id)).sequence)
  }

  async nativeBalance(id: string): Promise<string> {
    const account = await this.horizon.loadAccount(id)
    return account.balances.find(balance => balance.asset_type === 'native')?.balance ?? ''
  }

  /** The signed envelope of a draft, and its hash in hex. */
  async sign(draft: Draft): Promise<{ envelope: xdr.TransactionEnvelope; hash: string }> {
    const sequence = draft.sequence ?? (await this.sequence(draft.source)) + 1n
    const key = StrKey.decodeEd25519PublicKey(draft.source)
    const tx = new xdr.Transaction({
      sourceAccount:
        draft.sourceId === undefined
          ? xdr.MuxedAccount.keyTypeEd25519(key)
          : xdr.MuxedAccount.keyTypeMuxedEd25519(
              new xdr.MuxedAccountMed25519({ id: draft.sourceId, ed25519: key }),
            ),
      fee: draft.fee ?? 100 * draft.operations.length,
      seqNum: sequence,
      cond: draft.conditions ?? xdr.Preconditions.precondNone(),
      memo: draft.memo ?? xdr.Memo.memoNone(),
      operations: [...draft.operations],
      ext: xdr.TransactionExt.v0(),
    })
    const hash = this.hash(2, tx.toXdr())
    const signatures = draft.signers.map(signer => signatureOf(signer, hash))
    return {
      envelope: xdr.TransactionEnvelope.envelopeTypeTx(new xdr.TransactionV1Envelope({ tx, signatures })),
      hash: hash.toString('hex'),
    }
  }

  async submit(draft: Draft): Promise<Answer & { hash: string }> {
    const { envelope, hash } = await this.sign(draft)
    return { ...(await this.post('/transactions', { tx: envelope.toXdr('base64') })), hash }
  }

  async succeed(draft: Draft): Promise<string> {
    const answer = await this.submit(draft)
    if (answer.status !== 200) throw new Error(`expected success: ${JSON.stringify(answer.body)}`)
    return answer.hash
  }

  /** Wraps a signed transaction in a fee bump. */
  bump(
    inner: xdr.TransactionEnvelope,
    { payer, fee, signers }: { payer: Keypair; fee: bigint; signers: readonly Keypair[] },
  ): { envelope: string; hash: string } {
    if (inner.type !== 'envelopeTypeTx') throw new TypeError('only a plain transaction can be bumped')
    const tx = new xdr.FeeBumpTransaction({
      feeSource: xdr.MuxedAccount.keyTypeEd25519(payer.rawPublicKey()),
      fee,
      innerTx: xdr.FeeBumpTransactionInnerTx.envelopeTypeTx(inner.v1),
      ext: xdr.FeeBumpTransactionExt.v0(),
    })
    const hash = this.hash(5, tx.toXdr())
    const signatures = signers.map(signer => signatureOf(signer, hash))
    return {
      envelope: xdr.TransactionEnvelope.envelopeTypeTxFeeBump(
        new xdr.FeeBumpTransactionEnvelope({ tx, signatures }),
      ).toXdr('base64'),
      hash: hash.toString('hex'),
    }
  }

  hash(type: number, transaction: Uint8Array): Buffer {
    const tag = Buffer.alloc(4)
    tag.writeInt32BE(type)
    return createHash('sha256').update(this.networkId).update(tag).update(transaction).digest()
  }
}

async function answerOf(response: Response): Promise<Answer> {
  return { status: response.status, body: await response.json() }
}

/** Signs with node:crypto: the SDK's own Ed25519 would take most of the tests' time. */
export function signatureOf(signer: Keypair, hash: Uint8Array): xdr.DecoratedSignature {
  return new xdr.DecoratedSignature({
    hint: signer.signatureHint(),
    signature: sign(null, hash, privateKeyOf(signer)),
  })
}

const privateKeys = new WeakMap<Keypair, KeyObject>()

function privateKeyOf(signer: Keypair): KeyObject {
  const known = privateKeys.get(signer)
  if (known) return known
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
  const der = Buffer.concat([prefix, signer.rawSecretKey()])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  privateKeys.set(signer, key)
  return key
}

/** `extras.result_codes` of a failed submission. */
export function codesOf({ body }: Answer): unknown {
  const extras = body['extras']
  return typeof extras === 'object' && extras !== null && 'result_codes' in extras
    ? extras.result_codes
    : undefined
}

export function operation(body: xdr.OperationBody, source?: Keypair): xdr.Operation {
  return new xdr.Operation({
    sourceAccount: source ? xdr.MuxedAccount.keyTypeEd25519(source.rawPublicKey()) : null,
    body,
  })
}

export const publicKey = (key: Keypair) => xdr.PublicKey.publicKeyTypeEd25519(key.rawPublicKey())
export const plain = (key: Keypair) => xdr.MuxedAccount.keyTypeEd25519(key.rawPublicKey())

export function createAccount(key: Keypair, startingBalance: bigint): xdr.OperationBody {
  return xdr.OperationBody.createAccount(
    new xdr.CreateAccountOp({ destination: publicKey(key), startingBalance }),
  )
}

export const native = xdr.Asset.assetTypeNative()

export function credit(code: string, issuer: Keypair): xdr.Asset {
  return code.length <= 4
    ? xdr.Asset.assetTypeCreditAlphanum4(new xdr.AlphaNum4({ assetCode: code, issuer: publicKey(issuer) }))
    : xdr.Asset.assetTypeCreditAlphanum12(new xdr.AlphaNum12({ assetCode: code, issuer: publicKey(issuer) }))
}

export function pay(to: Keypair, asset: xdr.Asset, amount: bigint): xdr.OperationBody {
  return xdr.OperationBody.payment(new xdr.PaymentOp({ destination: plain(to), asset, amount }))
}

export function trust(asset: xdr.Asset, limit = 2n ** 63n - 1n): xdr.OperationBody {
  return xdr.OperationBody.changeTrust(
    new xdr.ChangeTrustOp({ line: xdr.ChangeTrustAsset.fromXdr(asset.toXdr()), limit }),
  )
}

export interface Options {
  inflationDest?: xdr.PublicKey
  clearFlags?: number
  setFlags?: number
  masterWeight?: number
  lowThreshold?: number
  medThreshold?: number
  highThreshold?: number
  homeDomain?: string | Uint8Array
  signer?: { key: xdr.SignerKey; weight: number }
}

export function options(given: Options): xdr.OperationBody {
  const { signer, ...others } = given
  return xdr.OperationBody.setOptions(
    new xdr.SetOptionsOp({
      inflationDest: null,
      clearFlags: null,
      setFlags: null,
      masterWeight: null,
      lowThreshold: null,
      medThreshold: null,
      highThreshold: null,
      homeDomain: null,
      ...others,
      signer: signer ? new xdr.Signer(signer) : null,
    }),
  )
}

export const keySigner = (key: Keypair) => xdr.SignerKey.signerKeyTypeEd25519(key.rawPublicKey())

export function data(name: string | Uint8Array, value: string | null): xdr.OperationBody {
  return xdr.OperationBody.manageData(
    new xdr.ManageDataOp({ dataName: name, dataValue: value === null ? null : Buffer.from(value) }),
  )
}

export function merge(into: Keypair): xdr.OperationBody {
  return xdr.OperationBody.accountMerge(plain(into))
}

export function lineFlags(
  trustor: Keypair,
  asset: xdr.Asset,
  flags: { set?: number; clear?: number },
): xdr.OperationBody {
  return xdr.OperationBody.setTrustLineFlags(
    new xdr.SetTrustLineFlagsOp({
      trustor: publicKey(trustor),
      asset,
      setFlags: flags.set ?? 0,
      clearFlags: flags.clear ?? 0,
    }),
  )
}

export function clawback(from: Keypair, asset: xdr.Asset, amount: bigint): xdr.OperationBody {
  return xdr.OperationBody.clawback(new xdr.ClawbackOp({ asset, from: plain(from), amount }))
}

export const unconditional = xdr.ClaimPredicate.claimPredicateUnconditional()

export function claimable(
  asset: xdr.Asset,
  amount: bigint,
  claimants: readonly (readonly [Keypair, xdr.ClaimPredicate])[],
): xdr.OperationBody {
  return xdr.OperationBody.createClaimableBalance(
    new xdr.CreateClaimableBalanceOp({
      asset,
      amount,
      claimants: claimants.map(([key, predicate]) =>
        xdr.Claimant.claimantTypeV0(new xdr.ClaimantV0({ destination: publicKey(key), predicate })),
      ),
    }),
  )
}

export function claim(id: string): xdr.OperationBody {
  return xdr.OperationBody.claimClaimableBalance(
    new xdr.ClaimClaimableBalanceOp({ balanceId: xdr.ClaimableBalanceId.fromXdr(id, 'hex') }),
  )
}

export function clawbackBalance(id: string): xdr.OperationBody {
  return xdr.OperationBody.clawbackClaimableBalance(
    new xdr.ClawbackClaimableBalanceOp({ balanceId: xdr.ClaimableBalanceId.fromXdr(id, 'hex') }),
  )
}

export const xlm = (amount: number) => BigInt(Math.round(amount * 1e7))
