import {
  Asset,
  Claimant,
  hash,
  Keypair,
  Memo,
  Operation,
  SorobanDataBuilder,
  StrKey,
  Transaction,
  TransactionBuilder,
  xdr,
  type FeeBumpTransaction,
} from '@stellar/stellar-sdk/base'
import { ProblemError } from '@windlass/client/client.ts'
import {
  signChallenge,
  signContractChallenge,
  signFunding,
  signIssue,
  signPayment,
} from '@windlass/contracts/internal/signer.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import { transferOperation } from '@windlass/stellar/asset-contract.ts'
import { availableBalance, spendableXlm, type HorizonAccount } from '@windlass/stellar/horizon-account.ts'
import { buildContractChallenge, preimageOf } from '@windlass/stellar/sep45-challenge.ts'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOnLedger, type AnchorOnLedger } from '../testing/anchor-on-ledger.ts'
import {
  armOf,
  armsOf,
  changeOf,
  valueOf,
  type Given,
  type Schema,
  type Wire,
} from '../testing/xdr-values.ts'
import { challengeTransaction } from '../testing/challenge.ts'

/*
 * What the worst envelope can do that is signed for a thief of a credential: docs/security/signing.md says it for each
 * path. Envelopes are made from the SDK's XDR types, so what a later version adds is tried, or fails a test, at once.
 */

type Path = 'payment' | 'issue' | 'funding' | 'challenge'
type OperationName = xdr.OperationBody['type']

/** The operations of which some may be signed, by path. Anyone who adds one says in docs/security/signing.md what it can do at worst. */
const SIGNED: Record<OperationName, readonly Path[]> = {
  createAccount: ['payment', 'funding'],
  payment: ['payment', 'issue', 'funding'],
  pathPaymentStrictReceive: [],
  manageSellOffer: [],
  createPassiveSellOffer: [],
  setOptions: ['payment', 'issue'],
  changeTrust: ['issue'],
  allowTrust: [],
  accountMerge: ['payment'],
  inflation: [],
  manageData: ['issue', 'challenge'],
  bumpSequence: [],
  manageBuyOffer: [],
  pathPaymentStrictSend: [],
  createClaimableBalance: ['payment'],
  claimClaimableBalance: ['payment'],
  beginSponsoringFutureReserves: ['payment'],
  endSponsoringFutureReserves: ['payment'],
  revokeSponsorship: [],
  clawback: [],
  clawbackClaimableBalance: [],
  setTrustLineFlags: [],
  liquidityPoolDeposit: [],
  liquidityPoolWithdraw: [],
  invokeHostFunction: ['payment'],
  extendFootprintTtl: [],
  restoreFootprint: [],
}

const ENVELOPE: Schema = xdr.TransactionEnvelope.schema
/** Opened by one of the transactions. */
const channel = Keypair.random()
let on: AnchorOnLedger
let database: pg.Client
let honest: { path: Path; transaction: Transaction | FeeBumpTransaction }[]
let start: ReturnType<AnchorOnLedger['network']['snapshot']>
beforeAll(async () => {
  on = await startOnLedger()
  database = new pg.Client(on.signer.databaseUrl)
  await database.connect()
  honest = await honestTransactions()
  start = on.network.snapshot()
})
afterAll(async () => {
  await database.end()
  start.delete()
  await on.stop()
})

/** Asks for the signatures of all keys that the path has. Null: refused. */
async function ask(path: Path, transaction: string): Promise<Buffer[] | null> {
  const { signer, anchor } = on
  const { business, sep } = anchor.credentials
  const anchorId = anchor.id
  const asked = {
    payment: () => [signer.as(business).call(signPayment, { body: { transaction } })],
    challenge: () => [signer.as(sep).call(signChallenge, { body: { transaction } })],
    funding: () => [signer.control.call(signFunding, { body: { anchorId, transaction } })],
    issue: () =>
      [anchor.accounts.issuer, anchor.accounts.distribution].map(account =>
        signer.control.call(signIssue, { params: { anchorId }, body: { account, transaction } }),
      ),
  }[path]()
  try {
    return (await Promise.all(asked)).map(({ signature }) => Buffer.from(signature, 'base64'))
  } catch (error) {
    await Promise.allSettled(asked)
    // 503: the ledger has no such account as its source, or not yet.
    if (error instanceof ProblemError && [400, 403, 429, 503].includes(error.status)) return null
    throw error
  }
}

async function honestTransactions(): Promise<typeof honest> {
  const { asset, anchor, stranger, purse, keys, build, network } = on
  const { distribution, issuer, signing } = anchor.accounts
  const destination = stranger.publicKey()
  const paid = Operation.payment({ asset, amount: '10', destination })
  const own = (...operations: xdr.Operation[]) => build(distribution, operations)
  const opening = await own(
    Operation.beginSponsoringFutureReserves({ sponsoredId: channel.publicKey() }),
    Operation.createAccount({ destination: channel.publicKey(), startingBalance: '0' }),
    Operation.setOptions({
      source: channel.publicKey(),
      masterWeight: 0,
      ...{ lowThreshold: 1, medThreshold: 1, highThreshold: 1 },
      signer: { ed25519PublicKey: distribution, weight: 1 },
    }),
    Operation.endSponsoringFutureReserves({ source: channel.publicKey() }),
  )
  const contract = asset.contractId(network.passphrase)
  const to = StrKey.encodeContract(Buffer.alloc(32, 7))
  const call = await own(transferOperation({ contract, from: distribution, to, amount: 10_000_000n }))
  const sorobanData = new SorobanDataBuilder().setResourceFee(70_000n).build()
  const inner = await own(paid)
  inner.sign(keys.distribution)
  const payments = [
    await own(paid),
    await build(distribution, [paid], builder => builder.addMemo(Memo.text('withdrawal'))),
    await own(Operation.payment({ asset: Asset.native(), amount: '2', destination })),
    await own(
      Operation.createClaimableBalance({
        ...{ asset, amount: '3' },
        claimants: [
          new Claimant(destination),
          new Claimant(distribution, Claimant.predicateBeforeAbsoluteTime('9')),
        ],
      }),
    ),
    await own(Operation.claimClaimableBalance({ balanceId: '0'.repeat(72) })),
    await own(Operation.accountMerge({ source: destination, destination: distribution })),
    opening,
    TransactionBuilder.cloneFrom(call, { fee: '1000', sorobanData }).build(),
    await build(destination, [Operation.payment({ source: distribution, asset, amount: '4', destination })]),
    TransactionBuilder.buildFeeBumpTransaction(distribution, '5000', inner, network.passphrase),
  ]
  const issue = await build(issuer, [
    Operation.changeTrust({ asset, source: distribution }),
    Operation.payment({ asset, amount: '10', destination: distribution }),
    Operation.manageData({ name: 'config.memo_required', value: '1', source: distribution }),
    Operation.setOptions({ homeDomain: `${anchor.id}.anchors.test` }),
  ])
  const funding = await build(purse.publicKey(), [
    Operation.payment({ asset: Asset.native(), amount: '5', destination: distribution }),
  ])
  const homeDomain = `${anchor.id}.anchors.test`
  const terms = {
    server: signing,
    networkPassphrase: network.passphrase,
    homeDomain,
    webAuthDomain: homeDomain,
  }
  const challenge = challengeTransaction(signing, terms, { account: destination }, new Date())
  return [
    ...payments.map(transaction => ({ path: 'payment' as const, transaction })),
    { path: 'issue', transaction: issue },
    { path: 'funding', transaction: funding },
    { path: 'challenge', transaction: challenge },
  ]
}

const wireOf = (transaction: Transaction | FeeBumpTransaction): Wire => transaction.toEnvelope().toXdrObject()
/** Null: no envelope has this form. */
function encode(wire: Wire): string | null {
  try {
    return Buffer.from(xdr.TransactionEnvelope.fromXdrObject(wire as never).toXdr()).toString('base64')
  } catch {
    return null
  }
}

/** Accounts, numbers and times with which most can be done. */
function given(): Given {
  const { accounts } = on.anchor
  const addresses = [...Object.values(accounts), on.stranger.publicKey(), on.purse.publicKey()]
  const keys = addresses.map(address => StrKey.decodeEd25519PublicKey(address))
  const publicKey = fc.constantFrom(...keys)
  const muxed = fc.record({
    type: fc.constant(0x100),
    med25519: fc.record({ id: fc.constant(7n), ed25519: publicKey }),
  })
  const account = fc.record({ type: fc.constant(0), ed25519: publicKey })
  const numbers = fc.constantFrom(-1n, 0n, 1n, 2n ** 63n - 2n, 2n ** 63n - 1n)
  const now = BigInt(Math.floor(Date.now() / 1_000))
  return {
    PublicKey: account,
    MuxedAccount: fc.oneof({ weight: 4, arbitrary: account }, muxed),
    Asset: fc.constantFrom(...[on.asset, Asset.native()].map(asset => asset.toXdrObject().toXdrObject())),
    ...{ seqNum: numbers, bumpTo: numbers },
    maxTime: fc.constantFrom(0n, now + 60n, now + 880n, now + 3_600n, 2n ** 64n - 1n),
    amount: fc.constantFrom(-1n, 0n, 1n, 10_000_000n, 9_990_000_000n, 2n ** 63n - 1n),
    startingBalance: fc.constantFrom(0n, 1n, 100_000_000n, 2n ** 63n - 1n),
  }
}

/** With a hostile sequence number, with preconditions beside its time bounds, with both or with neither. */
function inTime(wire: Wire): fc.Arbitrary<Wire> {
  if (!has(wire, TIME_BOUNDS)) return fc.constant(wire)
  const { seqNum = fc.constant(null) } = given()
  const fields = fc.record({
    timeBounds: fc.constant((wire as Template).v1.tx.cond.timeBounds),
    ...{ ledgerBounds: fc.constant(null), minSeqNum: fc.constantFrom(null, 0n, 1n) },
    ...{ minSeqAge: fc.constant(0n), minSeqLedgerGap: fc.constant(0), extraSigners: fc.constant([]) },
  })
  return fc.tuple(fc.option(seqNum, { freq: 1 }), fc.option(fields, { freq: 1 })).map(([number, v2]) => {
    const numbered = number === null ? wire : withAt(wire, ['v1', 'tx', 'seqNum'], number)
    return v2 === null ? numbered : withAt(numbered, ['v1', 'tx', 'cond'], { type: 2, v2 })
  })
}

const TIME_BOUNDS = ['v1', 'tx', 'cond', 'timeBounds']

interface Template {
  v1: { tx: { cond: { timeBounds: Wire }; operations: Wire[] } }
}

interface State {
  distribution: HorizonAccount
  issuer: HorizonAccount
  purse: HorizonAccount
}

async function stateOf(): Promise<State> {
  const { accounts } = on.anchor
  const names = { distribution: accounts.distribution, issuer: accounts.issuer, purse: on.purse.publicKey() }
  const found = await Promise.all(
    Object.entries(names).map(async ([name, address]) => [name, await on.horizon.account(address)] as const),
  )
  const gone = found.find(([, account]) => account === null)
  if (gone) throw new Error(`the ${gone[0]} account is gone`)
  return Object.fromEntries(found) as unknown as State
}

/** What an hour's limits, and fees and reserves of one transaction, leave at worst. */
const MOST_UNITS = parseAmount('1000')
const MOST_XLM = parseAmount('115')
const FEW = 20n
const BASE_RESERVE = 5_000_000n

function expectBounded(before: State, after: State): void {
  for (const name of ['distribution', 'issuer', 'purse'] as const) {
    const { signers, thresholds, issuing, sequence } = after[name]
    const { signers: signersBefore, thresholds: thresholdsBefore, issuing: issuingBefore } = before[name]
    expect({ signers, thresholds, issuing }).toEqual({
      signers: signersBefore,
      thresholds: thresholdsBefore,
      issuing: issuingBefore,
    })
    expect(BigInt(sequence) - BigInt(before[name].sequence)).toBeLessThanOrEqual(FEW)
    const xlm = spendableXlm(before[name], BASE_RESERVE) - spendableXlm(after[name], BASE_RESERVE)
    expect(xlm).toBeLessThanOrEqual(MOST_XLM)
  }
  const units = `${on.asset.getCode()}:${on.asset.getIssuer()}`
  const paid = availableBalance(before.distribution, units) - availableBalance(after.distribution, units)
  expect(paid).toBeLessThanOrEqual(MOST_UNITS)
  const lineOf = ({ distribution }: State) => distribution.balances.find(({ asset }) => asset === units)
  expect(lineOf(after)?.limit).toBe(lineOf(before)?.limit)
}

/** Applies what was signed, with the thief’s own signatures where they are needed, and then an ordinary payment. */
async function expectHarmless(envelope: string, signatures: Buffer[]): Promise<boolean> {
  const before = await stateOf()
  const signed = TransactionBuilder.fromXdr(envelope, on.network.passphrase)
  const digest = signed.hash()
  const { issuer, distribution, signing } = on.keys
  // The ledger refuses a signature that it does not need.
  if (signed instanceof Transaction) signed.signatures.length = 0
  for (const key of [issuer, distribution, signing, on.purse])
    for (const signature of signatures)
      if (key.verify(digest, signature)) signed.addSignature(key.publicKey(), signature.toString('base64'))
  if (signed instanceof Transaction) {
    const sources = [signed.source, ...signed.operations.map(({ source }) => source)]
    for (const key of [on.stranger, channel]) if (sources.includes(key.publicKey())) signed.sign(key)
  }
  const { outcome } = await on.submit(signed)
  expectBounded(before, await stateOf())
  const { asset, stranger } = on
  const ordinary = await on.build(distribution.publicKey(), [
    Operation.payment({ asset, amount: '1', destination: stranger.publicKey() }),
  ])
  ordinary.sign(distribution)
  expect(await on.submit(ordinary)).toEqual({ outcome: 'applied' })
  return outcome === 'applied'
}

async function again(): Promise<void> {
  on.network.restore(start)
  await database.query('delete from payments')
  await database.query('delete from funding')
}

describe('an envelope', () => {
  it('of our own servers is signed, and applied without harm', async () => {
    let applied = 0
    for (const { path, transaction } of honest) {
      await again()
      const envelope = transaction.toXdr()
      const signatures = await ask(path, envelope)
      expect(signatures).not.toBeNull()
      if (await expectHarmless(envelope, signatures ?? [])) applied++
    }
    // The ledger refuses a challenge, the claim of a balance that nobody has, the merger of an account with a trustline,
    // and a call that declares no entries.
    expect(applied).toBe(honest.length - 4)
  })

  it('changed at any place is refused, or does no more harm than the limits allow', async () => {
    const counts = { signed: 0, refused: 0, applied: 0 }
    const change = fc.constantFrom(...honest).chain(({ path, transaction }) =>
      inTime(wireOf(transaction))
        .chain(wire => changeOf(ENVELOPE, wire, given()))
        .map(wire => ({ path, envelope: encode(wire) })),
    )
    await fc.assert(
      fc.asyncProperty(change, async ({ path, envelope }) => {
        if (envelope === null || envelope.length > 20_000) return
        await again()
        const signatures = await ask(path, envelope)
        if (signatures) counts.signed++
        else counts.refused++
        if (!signatures) return
        const signed = TransactionBuilder.fromXdr(envelope, on.network.passphrase)
        const inner = signed instanceof Transaction ? signed : signed.innerTransaction
        for (const { type } of inner.operations) expect(SIGNED[type as OperationName]).toContain(path)
        if (await expectHarmless(envelope, signatures)) counts.applied++
      }),
      { numRuns: Number(process.env.HOSTILE_RUNS) || 250 },
    )
    expect(counts.applied).toBeGreaterThan(3)
    expect(counts.refused).toBeGreaterThan(100)
  }, 300_000)
})

/** Samples of one thing that is done to the first of a path's transactions. */
async function refused(path: Path, wires: Wire[]): Promise<void> {
  for (const wire of wires) {
    const envelope = encode(wire)
    if (envelope !== null && envelope.length <= 20_000) expect(await ask(path, envelope)).toBeNull()
  }
}

/** The wire form with another value at a place. */
function withAt(wire: Wire, [first, ...rest]: (string | number)[], value: Wire): Wire {
  if (first === undefined) return value
  const before = wire as Record<string, Wire>
  const part = withAt(before[first], rest, value)
  return Array.isArray(before) ? before.with(Number(first), part) : { ...before, [first]: part }
}

const SAMPLES = 4
const OPERATIONS = ['v1', 'tx', 'operations']
const first = (path: Path): Wire => {
  const found = honest.find(each => each.path === path)
  return found && wireOf(found.transaction)
}
const operationsOf = (wire: Wire) => (wire as Template).v1.tx.operations

describe('of the XDR types, so that what the SDK adds is decided here', () => {
  it('no other operation is signed, alone or beside an honest one', async () => {
    expect(Object.keys(SIGNED).toSorted()).toEqual(armsOf(xdr.OperationBody.schema).toSorted())
    for (const [name, paths] of Object.entries(SIGNED))
      for (const path of ['payment', 'issue', 'funding', 'challenge'] as const) {
        if (paths.includes(path)) continue
        const own = { type: 0, ed25519: StrKey.decodeEd25519PublicKey(on.anchor.accounts.distribution) }
        const operation = fc.record({
          sourceAccount: fc.constantFrom(null, own),
          body: armOf(xdr.OperationBody.schema, name, given()),
        })
        const wire = first(path)
        await refused(
          path,
          fc
            .sample(operation, SAMPLES)
            .flatMap(each => [
              withAt(wire, OPERATIONS, [each]),
              withAt(wire, OPERATIONS, [...operationsOf(wire), each]),
            ]),
        )
      }
  })

  /** Each union, the place of one, and which of its arms are never signed there. */
  it.each<[string, Schema, Path, (string | number)[], Record<string, 'may be' | 'never'>]>([
    [
      'envelope',
      ENVELOPE,
      'payment',
      [],
      {
        envelopeTypeTxV0: 'never',
        envelopeTypeTx: 'may be',
        envelopeTypeTxFeeBump: 'may be',
      },
    ],
    ...(['payment', 'issue', 'funding', 'challenge'] as const).flatMap(
      path =>
        [
          [
            'preconditions',
            xdr.Preconditions.schema,
            path,
            ['v1', 'tx', 'cond'],
            {
              precondNone: 'never',
              precondTime: 'may be',
              precondV2: 'never',
            },
          ],
          [
            'source',
            xdr.MuxedAccount.schema,
            path,
            ['v1', 'tx', 'sourceAccount'],
            {
              keyTypeEd25519: 'may be',
              keyTypeMuxedEd25519: 'never',
            },
          ],
        ] as [string, Schema, Path, (string | number)[], Record<string, 'may be' | 'never'>][],
    ),
    [
      'operation’s source',
      xdr.MuxedAccount.schema,
      'payment',
      [...OPERATIONS, 0, 'sourceAccount'],
      {
        keyTypeEd25519: 'may be',
        keyTypeMuxedEd25519: 'never',
      },
    ],
    [
      'memo',
      xdr.Memo.schema,
      'payment',
      ['v1', 'tx', 'memo'],
      {
        memoNone: 'may be',
        memoText: 'may be',
        memoId: 'may be',
        memoHash: 'may be',
        memoReturn: 'may be',
      },
    ],
    [
      'host function',
      xdr.HostFunction.schema,
      'payment',
      [...callPath(), 'hostFunction'],
      {
        hostFunctionTypeInvokeContract: 'may be',
        hostFunctionTypeCreateContract: 'never',
        hostFunctionTypeUploadContractWasm: 'never',
        hostFunctionTypeCreateContractV2: 'never',
      },
    ],
    [
      'credentials',
      xdr.SorobanCredentials.schema,
      'payment',
      [...callPath(), 'auth', 0, 'credentials'],
      {
        sorobanCredentialsSourceAccount: 'may be',
        sorobanCredentialsAddress: 'never',
        sorobanCredentialsAddressV2: 'never',
        sorobanCredentialsAddressWithDelegates: 'never',
      },
    ],
    [
      'authorized function',
      xdr.SorobanAuthorizedFunction.schema,
      'payment',
      [...callPath(), 'auth', 0, 'rootInvocation', 'function'],
      {
        sorobanAuthorizedFunctionTypeContractFn: 'may be',
        sorobanAuthorizedFunctionTypeCreateContractHostFn: 'never',
        sorobanAuthorizedFunctionTypeCreateContractV2HostFn: 'never',
      },
    ],
    [
      'claimant’s predicate',
      xdr.ClaimPredicate.schema,
      'payment',
      [...OPERATIONS, 0, 'body', 'createClaimableBalanceOp', 'claimants', 0, 'v0', 'predicate'],
      {
        claimPredicateUnconditional: 'may be',
        claimPredicateAnd: 'never',
        claimPredicateOr: 'never',
        claimPredicateNot: 'never',
        claimPredicateBeforeAbsoluteTime: 'never',
        claimPredicateBeforeRelativeTime: 'never',
      },
    ],
    [
      'trustline',
      xdr.ChangeTrustAsset.schema,
      'issue',
      [...OPERATIONS, 0, 'body', 'changeTrustOp', 'line'],
      {
        assetTypeNative: 'never',
        assetTypeCreditAlphanum4: 'never',
        assetTypeCreditAlphanum12: 'may be',
        assetTypePoolShare: 'never',
      },
    ],
    [
      'signer of a channel',
      xdr.SignerKey.schema,
      'payment',
      [...OPERATIONS, 2, 'body', 'setOptionsOp', 'signer', 'key'],
      {
        signerKeyTypeEd25519: 'may be',
        signerKeyTypePreAuthTx: 'never',
        signerKeyTypeHashX: 'never',
        signerKeyTypeEd25519SignedPayload: 'never',
      },
    ],
  ])('of each %s (%s, %s) only what is listed is signed', async (_, schema, path, place, arms) => {
    expect(Object.keys(arms).toSorted()).toEqual(armsOf(schema).toSorted())
    const wire = honest
      .filter(each => each.path === path)
      .map(each => wireOf(each.transaction))
      .find(each => has(each, place))
    expect(wire).toBeDefined()
    const never = Object.keys(arms).filter(name => arms[name] === 'never')
    for (const name of never) {
      const samples = fc.sample(armOf(schema, name, given()), SAMPLES)
      await refused(
        path,
        samples.map(sample => withAt(wire, place, sample)),
      )
    }
  })

  it('each precondition alone is refused', async () => {
    const none = { timeBounds: { minTime: 0n, maxTime: BigInt(Math.floor(Date.now() / 1_000)) + 60n } }
    const all = {
      ...none,
      ...{ ledgerBounds: null, minSeqNum: null, minSeqAge: 0n, minSeqLedgerGap: 0, extraSigners: [] },
    }
    const fields = (xdr.PreconditionsV2.schema as unknown as { entries: [string, Schema][] }).entries
    expect(fields.map(([name]) => name).toSorted()).toEqual(Object.keys(all).toSorted())
    for (const path of ['payment', 'issue', 'funding', 'challenge'] as const)
      for (const [name, schema] of fields) {
        const values =
          name === 'timeBounds' ? [none.timeBounds] : fc.sample(valueOf(schema, given()), SAMPLES)
        await refused(
          path,
          values.map(value =>
            withAt(first(path), ['v1', 'tx', 'cond'], { type: 2, v2: { ...all, [name]: value } }),
          ),
        )
      }
  })
})

function callPath(): (string | number)[] {
  return [...OPERATIONS, 0, 'body', 'invokeHostFunctionOp']
}

function has(wire: Wire, [next, ...rest]: (string | number)[]): boolean {
  if (next === undefined) return true
  if (typeof wire !== 'object' || wire === null || !(next in wire)) return false
  const part = (wire as Record<string, Wire>)[next]
  return part !== undefined && has(part, rest)
}

describe('what the SEP server has signed of a challenge by contract', () => {
  const PREIMAGE: Schema = xdr.HashIdPreimage.schema
  const honestPreimage = () => {
    const homeDomain = `${on.anchor.id}.anchors.test`
    const terms = {
      ...{ server: on.anchor.accounts.signing, networkPassphrase: on.network.passphrase },
      ...{ homeDomain, webAuthDomain: homeDomain, contract: StrKey.encodeContract(Buffer.alloc(32, 7)) },
    }
    const account = StrKey.encodeContract(Buffer.alloc(32, 9))
    const [, entry] = buildContractChallenge(terms, { account }, new Date())
    if (!entry) throw new Error('there is no entry for the server')
    return preimageOf(entry, 1_000, on.network.passphrase)
  }
  const askPreimage = async (wire: Wire): Promise<boolean> => {
    const preimage = Buffer.from(xdr.HashIdPreimage.fromXdrObject(wire as never).toXdr()).toString('base64')
    if (preimage.length > 20_000) return false
    const asked = on.signer.as(on.anchor.credentials.sep).call(signContractChallenge, { body: { preimage } })
    return asked.then(
      () => true,
      (error: unknown) => {
        if (error instanceof ProblemError && error.status === 403) return false
        throw error
      },
    )
  }
  const wireOfPreimage = () => xdr.HashIdPreimage.fromXdr(honestPreimage()).toXdrObject()

  it('is an authorization of the login on this network alone, whatever is changed', async () => {
    expect(await askPreimage(wireOfPreimage())).toBe(true)
    const change = fc.constant(wireOfPreimage()).chain(wire => changeOf(PREIMAGE, wire, given()))
    await fc.assert(
      fc.asyncProperty(change, async wire => {
        if (!(await askPreimage(wire))) return
        const preimage = xdr.HashIdPreimage.fromXdrObject(wire as never)
        if (preimage.type !== 'envelopeTypeSorobanAuthorization') throw new Error(preimage.type)
        const { networkId, invocation } = preimage.sorobanAuthorization
        expect(Buffer.from(networkId.toBytes())).toEqual(Buffer.from(hash(on.network.passphrase)))
        expect(invocation.subInvocations).toEqual([])
        if (invocation.function.type !== 'sorobanAuthorizedFunctionTypeContractFn') throw new Error('no call')
        expect(invocation.function.contractFn.functionName.toString()).toBe('web_auth_verify')
      }),
      { numRuns: 200 },
    )
  })

  it('is of one form only', async () => {
    const [signed, ...never] = [
      'envelopeTypeSorobanAuthorization',
      'envelopeTypeOpId',
      'envelopeTypePoolRevokeOpId',
      'envelopeTypeContractId',
      'envelopeTypeSorobanAuthorizationWithAddress',
    ]
    expect([signed, ...never].toSorted()).toEqual(armsOf(PREIMAGE).toSorted())
    for (const name of never)
      for (const wire of fc.sample(armOf(PREIMAGE, name, given()), SAMPLES))
        expect(await askPreimage(wire)).toBe(false)
  })
})
