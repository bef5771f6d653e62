import {
  Account,
  Asset,
  Claimant,
  FeeBumpTransaction,
  getLiquidityPoolId,
  Keypair,
  LiquidityPoolAsset,
  Memo,
  Operation,
  StrKey,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-sdk/base'
import { startLocalNetwork, type LocalNetwork } from '@windlass/local-network/local-network.ts'
import { formatAmount, amountOf } from '@windlass/money/amount.ts'
import fc from 'fast-check'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { muxedAccount } from './addresses.ts'
import { fundFromFaucet } from './friendbot.ts'
import { createHorizon } from './horizon.ts'
import { generateKey, type AccountKey } from './keys.ts'
import { readMovements } from './movements.ts'
import { readEnvelope } from './read-envelope.ts'
import { issuersOutOfOrder, signRaw, trustPool } from './testing/raw-transaction.ts'

const PASSPHRASE = 'Local network'
const issuers = issuersOutOfOrder()
const [a, b] = issuers.map(({ publicKey }) => publicKey) as [string, string]
const receiver = generateKey()

const amount = fc.bigInt({ min: 1n, max: 10n ** 12n }).map(units => formatAmount(amountOf(units)))
const asset = fc.constantFrom(Asset.native(), new Asset('USD', a), new Asset('LONGERCODE', b))
const credit = fc.constantFrom(new Asset('USD', a), new Asset('LONGERCODE', b))
const account = fc.constantFrom(a, b, receiver.publicKey)
const place = fc.oneof(
  account,
  fc
    .tuple(account, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }))
    .map(([base, id]) => muxedAccount(base, String(id))),
)
const price = fc.record({ n: fc.integer({ min: 1, max: 1_000 }), d: fc.integer({ min: 1, max: 1_000 }) })
const hex32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytes => Buffer.from(bytes).toString('hex'))
const path = fc.array(asset, { maxLength: 5 })
const predicate = fc.constantFrom(
  Claimant.predicateUnconditional(),
  Claimant.predicateNot(Claimant.predicateBeforeAbsoluteTime('9')),
  Claimant.predicateAnd(Claimant.predicateBeforeRelativeTime('7'), Claimant.predicateUnconditional()),
)
const balanceId = hex32.map(hex => `00000000${hex}`)
const ordered = new LiquidityPoolAsset(Asset.native(), new Asset('USD', a), 30)
const poolId = Buffer.from(
  getLiquidityPoolId('constant_product', ordered.getLiquidityPoolParameters()),
).toString('hex')
const signer = fc.oneof(
  fc.constant({ ed25519PublicKey: b, weight: 1 }),
  hex32.map(preAuthTx => ({ preAuthTx, weight: 1 })),
  hex32.map(sha256Hash => ({ sha256Hash, weight: 1 })),
)

/** Every type of operation, of any content that a ledger takes. */
const kinds: Record<xdr.OperationBody['type'], fc.Arbitrary<xdr.Operation>> = {
  createAccount: amount.map(startingBalance =>
    Operation.createAccount({ destination: generateKey().publicKey, startingBalance }),
  ),
  payment: fc.record({ destination: place, asset, amount }).map(Operation.payment),
  pathPaymentStrictReceive: fc
    .record({
      sendAsset: asset,
      sendMax: amount,
      destination: place,
      destAsset: asset,
      destAmount: amount,
      path,
    })
    .map(Operation.pathPaymentStrictReceive),
  pathPaymentStrictSend: fc
    .record({
      sendAsset: asset,
      sendAmount: amount,
      destination: place,
      destAsset: asset,
      destMin: amount,
      path,
    })
    .map(Operation.pathPaymentStrictSend),
  manageSellOffer: fc
    .record({ amount, price })
    .map(given =>
      Operation.manageSellOffer({ ...given, selling: Asset.native(), buying: new Asset('USD', a) }),
    ),
  manageBuyOffer: fc
    .record({ buyAmount: amount, price })
    .map(given =>
      Operation.manageBuyOffer({ ...given, selling: Asset.native(), buying: new Asset('USD', a) }),
    ),
  createPassiveSellOffer: fc
    .record({ amount, price })
    .map(given =>
      Operation.createPassiveSellOffer({ ...given, selling: Asset.native(), buying: new Asset('USD', a) }),
    ),
  setOptions: fc
    .record({ homeDomain: fc.stringMatching(/^[a-z.]{0,32}$/), signer, medThreshold: fc.nat(2) })
    .map(given => Operation.setOptions(given as Parameters<typeof Operation.setOptions>[0])),
  changeTrust: fc.oneof(
    fc.record({ asset: credit, limit: amount }).map(Operation.changeTrust),
    fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }).map(limit => trustPool(issuers, limit)),
    fc.constant(Operation.changeTrust({ asset: ordered })),
  ),
  allowTrust: fc
    .nat(2)
    .map(authorize =>
      Operation.allowTrust({ trustor: b, assetCode: 'USD', authorize: authorize as 0 | 1 | 2 }),
    ),
  accountMerge: place.map(destination => Operation.accountMerge({ destination })),
  inflation: fc.constant(Operation.inflation({})),
  manageData: fc
    .record({ name: fc.stringMatching(/^[\x20-\x7e]{1,64}$/), value: fc.stringMatching(/^[a-z]{1,64}$/) })
    .map(Operation.manageData),
  bumpSequence: fc
    .bigInt({ min: 0n, max: 2n ** 63n - 1n })
    .map(bumpTo => Operation.bumpSequence({ bumpTo: String(bumpTo) })),
  createClaimableBalance: fc.record({ amount, predicate, to: account }).map(({ amount, predicate, to }) =>
    Operation.createClaimableBalance({
      ...{ asset: Asset.native(), amount, claimants: [new Claimant(to, predicate)] },
    }),
  ),
  claimClaimableBalance: balanceId.map(id => Operation.claimClaimableBalance({ balanceId: id })),
  beginSponsoringFutureReserves: account.map(sponsoredId =>
    Operation.beginSponsoringFutureReserves({ sponsoredId }),
  ),
  endSponsoringFutureReserves: fc.constant(Operation.endSponsoringFutureReserves({})),
  revokeSponsorship: fc.oneof(
    account.map(each => Operation.revokeAccountSponsorship({ account: each })),
    credit.map(each => Operation.revokeTrustlineSponsorship({ account: b, asset: each })),
    fc.constant(Operation.revokeDataSponsorship({ account: b, name: 'name' })),
    balanceId.map(id => Operation.revokeClaimableBalanceSponsorship({ balanceId: id })),
    fc.constant(Operation.revokeSignerSponsorship({ account: a, signer: { ed25519PublicKey: b } })),
  ),
  clawback: fc
    .record({ amount, from: fc.constant(b) })
    .map(given => Operation.clawback({ ...given, asset: new Asset('USD', a) })),
  clawbackClaimableBalance: balanceId.map(id => Operation.clawbackClaimableBalance({ balanceId: id })),
  setTrustLineFlags: fc
    .boolean()
    .map(authorized =>
      Operation.setTrustLineFlags({ trustor: b, asset: new Asset('USD', a), flags: { authorized } }),
    ),
  liquidityPoolDeposit: fc
    .record({ maxAmountA: amount, maxAmountB: amount, minPrice: price, maxPrice: price })
    .map(given => Operation.liquidityPoolDeposit({ ...given, liquidityPoolId: poolId })),
  liquidityPoolWithdraw: fc
    .record({ amount, minAmountA: amount, minAmountB: amount })
    .map(given => Operation.liquidityPoolWithdraw({ ...given, liquidityPoolId: poolId })),
  invokeHostFunction: fc.nat(20).map(depth => callWith(nested(depth))),
  extendFootprintTtl: fc
    .integer({ min: 1, max: 1_000 })
    .map(extendTo => Operation.extendFootprintTtl({ extendTo })),
  restoreFootprint: fc.constant(Operation.restoreFootprint({})),
}
const operation = fc.oneof(...Object.values(kinds))
/** The ledger takes those of contracts only as the one operation of a transaction, and the local network no inflation. */
const REFUSED: ReadonlySet<string> = new Set([
  ...['invokeHostFunction', 'extendFootprintTtl', 'restoreFootprint', 'inflation'],
])
/** Takes the issuer's own asset alone. */
const OF_ISSUER: ReadonlySet<string> = new Set(['clawback', 'setTrustLineFlags'])

function nested(depth: number): xdr.ScVal {
  let value = xdr.ScVal.scvVoid() as xdr.ScVal
  for (let level = 0; level < depth; level++) value = xdr.ScVal.scvVec([value])
  return value
}

function callWith(value: xdr.ScVal): xdr.Operation {
  const contractAddress = xdr.ScAddress.scAddressTypeContract(new xdr.ContractId(Buffer.alloc(32, 7)))
  const call = new xdr.InvokeContractArgs({ contractAddress, functionName: 'f', args: [value] })
  return Operation.invokeHostFunction({
    ...{ func: xdr.HostFunction.hostFunctionTypeInvokeContract(call), auth: [] },
  })
}

const isSdks = (given: xdr.Operation): boolean => {
  try {
    return Operation.fromXdrObject(given).type !== undefined
  } catch {
    return false
  }
}

describe('an envelope', () => {
  const memo = fc.oneof(
    fc.constant(Memo.none()),
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(id => Memo.id(String(id))),
    fc.uint8Array({ maxLength: 28 }).map(bytes => Memo.text(bytes)),
    hex32.map(Memo.hash),
    hex32.map(Memo.return),
  )

  it('is read as the SDK reads it, where that does', () => {
    const given = fc.record({
      operations: fc.array(operation.filter(isSdks), { minLength: 1, maxLength: 4 }),
      ...{ source: place, memo, bumped: fc.boolean(), maxTime: fc.constantFrom(0, 2_000_000_000) },
      own: fc.option(place),
    })
    fc.assert(
      fc.property(given, ({ operations, source, memo, bumped, maxTime, own }) => {
        const key = Keypair.random()
        const base = source.startsWith('M') ? null : source
        const builder = new TransactionBuilder(new Account(base ?? a, '41'), {
          ...{ fee: '100', networkPassphrase: PASSPHRASE, memo, timebounds: { minTime: 7, maxTime } },
        })
        for (const each of operations)
          builder.addOperation(
            own === null
              ? each
              : new xdr.Operation({
                  sourceAccount: Operation.bumpSequence({ bumpTo: '1', source: own }).sourceAccount,
                  body: each.body,
                }),
          )
        const plain = builder.build()
        plain.sign(key, Keypair.random())
        const wrapped = bumped
          ? TransactionBuilder.buildFeeBumpTransaction(b, '1000', plain, PASSPHRASE)
          : plain
        wrapped.sign(key)
        const theirs = TransactionBuilder.fromXdr(wrapped.toXdr(), PASSPHRASE)
        const inner = theirs instanceof FeeBumpTransaction ? theirs.innerTransaction : theirs
        const ours = readEnvelope(wrapped.toXdr(), PASSPHRASE)
        const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
        expect([ours.hash, ours.innerHash]).toEqual([hex(theirs.hash()), hex(inner.hash())])
        expect(ours.feeSource).toBe(theirs instanceof FeeBumpTransaction ? theirs.feeSource : theirs.source)
        expect([ours.source, ours.sequence, ours.inner]).toEqual([
          ...[inner.source, inner.sequence, inner.toXdr()],
        ])
        expect([ours.memo.type, ours.memo.value]).toEqual([inner.memo.type, inner.memo.value])
        expect([ours.minTime, ours.maxTime]).toEqual([7, maxTime])
        expect(ours.signatures.map(each => each.toXdr('hex'))).toEqual(
          inner.signatures.map(each => each.toXdr('hex')),
        )
        expect(ours.operations.map(({ source }) => source)).toEqual(
          inner.operations.map(each => each.source ?? inner.source),
        )
        expect(ours.operations.map(each => JSON.stringify(each.read()))).toEqual(
          inner.operations.map(each => JSON.stringify(each)),
        )
      }),
      { numRuns: 200, endOnFailure: true },
    )
  })

  it('of the form before protocol 13 is read as today’s', () => {
    const key = Keypair.random()
    const plain = new TransactionBuilder(new Account(key.publicKey(), '41'), {
      ...{ fee: '100', networkPassphrase: PASSPHRASE, timebounds: { minTime: 0, maxTime: 9 } },
    })
      .addOperation(Operation.bumpSequence({ bumpTo: '5' }))
      .build()
    plain.sign(key)
    const envelope = plain.toEnvelope()
    if (envelope.type !== 'envelopeTypeTx') throw new Error('no such envelope')
    const { fee, seqNum, memo, operations, cond } = envelope.v1.tx
    const old = xdr.TransactionEnvelope.envelopeTypeTxV0(
      new xdr.TransactionV0Envelope({
        tx: new xdr.TransactionV0({
          sourceAccountEd25519: key.rawPublicKey(),
          ...{ fee, seqNum, memo, operations, ext: xdr.TransactionV0Ext.v0() },
          timeBounds: cond.type === 'precondTime' ? cond.timeBounds : null,
        }),
        signatures: envelope.v1.signatures,
      }),
    )
    const hash = Buffer.from(plain.hash()).toString('hex')
    expect(readEnvelope(old.toXdr('base64'), PASSPHRASE)).toMatchObject({
      ...{ hash, innerHash: hash, source: key.publicKey(), feeSource: key.publicKey(), maxTime: 9 },
    })
  })

  it.each([250, 400, 500])(
    'is read with %i values in one another, which the SDK refuses from 375 on',
    depth => {
      const key = generateKey()
      const plain = signRaw({
        ...{ source: key, sequence: '1', operations: [callWith(nested(1))], passphrase: PASSPHRASE },
      })
      // Vectors of one value: type, present, length.
      const level = Buffer.from([0, 0, 0, 16, 0, 0, 0, 1, 0, 0, 0, 1])
      const bytes = Buffer.from(plain.envelope, 'base64')
      const at = bytes.indexOf(level)
      const deep = Buffer.concat([
        bytes.subarray(0, at),
        ...Array.from({ length: depth - 1 }, () => level),
        bytes.subarray(at),
      ])
      const signatures = 4 + 4 + 4 + 64
      const signed = [createHash('sha256').update(PASSPHRASE).digest(), Buffer.from([0, 0, 0, 2])]
      const hash = createHash('sha256').update(Buffer.concat([...signed, deep.subarray(4, -signatures)]))
      const { operations, ...read } = readEnvelope(deep.toString('base64'), PASSPHRASE)
      expect(read.hash).toBe(hash.digest('hex'))
      expect(operations[0]?.read().type).toBe('invokeHostFunction')
    },
  )

  it.each(['', 'AAAA', 'no base64', StrKey.encodeContract(Buffer.alloc(32))])(
    'that is none is refused: %s',
    text => {
      expect(() => readEnvelope(text, PASSPHRASE)).toThrow()
    },
  )
})

describe('what the local network accepts', () => {
  let network: LocalNetwork
  beforeAll(async () => {
    network = await startLocalNetwork({ closeEvery: 'at-once' })
    const horizon = createHorizon(network)
    for (const key of [receiver, ...issuers])
      await fundFromFaucet(network.friendbotUrl, horizon, key.publicKey)
  })
  afterAll(() => network.stop())

  const submit = async (source: AccountKey, operations: readonly xdr.Operation[]) => {
    const { sequence = '0' } = (await createHorizon(network).account(source.publicKey)) ?? {}
    const raw = signRaw({ source, sequence, operations, passphrase: network.passphrase })
    const body = new URLSearchParams({ tx: raw.envelope })
    await (await fetch(`${network.url}/transactions`, { method: 'POST', body })).text()
    return raw.hash
  }

  it.each(Object.entries(kinds))('of %s beside a payment, is read', async (name, kind) => {
    const horizon = createHorizon(network)
    let accepted = 0
    const isRead = fc.asyncProperty(kind, async given => {
      const stranger = OF_ISSUER.has(name) ? issuers[0] : generateKey()
      if (stranger !== issuers[0]) await fundFromFaucet(network.friendbotUrl, horizon, stranger.publicKey)
      const stroop = Operation.payment({
        ...{ asset: Asset.native(), amount: '0.0000001', destination: receiver.publicKey },
      })
      const hash = await submit(stranger, [stroop, given])
      const { status } = await fetch(`${network.url}/transactions/${hash}`)
      if (status !== 200) return
      accepted++
      const [newest] = await horizon.transactionsOf(receiver.publicKey)
      expect(newest).toMatchObject({ hash, xdr: expect.any(String) })
      expect(await readMovements(network, hash)).not.toBeNull()
    })
    // What a pool takes depends on its price, which four random deposits may all miss.
    for (let rounds = 0; rounds < 10 && (rounds === 0 || (accepted === 0 && !REFUSED.has(name))); rounds++)
      await fc.assert(isRead, { numRuns: 4, endOnFailure: true })
    const records = await horizon.paymentsOf(receiver.publicKey, '0')
    expect(records.filter(({ fault }) => fault !== null)).toEqual([])
    expect(accepted > 0).toBe(!REFUSED.has(name))
  })
})
