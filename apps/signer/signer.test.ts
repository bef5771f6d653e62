import { metricIn } from '@windlass/testing/metrics.ts'
import {
  Account,
  Address,
  Asset,
  Claimant,
  Keypair,
  Memo,
  nativeToScVal,
  Operation,
  Transaction,
  TransactionBuilder,
  type FeeBumpTransaction,
  hash,
  SorobanDataBuilder,
  StrKey,
  xdr,
} from '@stellar/stellar-sdk/base'
import { createServerSigner, issueSigner } from '@windlass/client/signer.ts'
import {
  endSigning,
  getSigning,
  putSigningLimits,
  signCallback,
  signChallenge,
  signIssue,
  signPayment,
  type SigningLimits,
} from '@windlass/contracts/signer.ts'
import { RESERVES_TYPE } from '@windlass/contracts/reserves.ts'
import { MAX_RESOURCE_FEE, transferOperation } from '@windlass/stellar/asset-contract.ts'
import { verifierFromAddress } from '@windlass/stellar/ed25519.ts'
import { addSignature, generateKey, seedSigner } from '@windlass/stellar/keys.ts'
import { prepareChallenge } from '@windlass/stellar/sep10-challenge.ts'
import { buildContractChallenge, preimageOf } from '@windlass/stellar/sep45-challenge.ts'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PASSPHRASE, startSigner, type AnchorAtSigner, type RunningSigner } from './testing/running-signer.ts'

let signer: RunningSigner
let mumbai: AnchorAtSigner
let delhi: AnchorAtSigner
let number = 0
beforeAll(async () => {
  signer = await startSigner()
})
beforeEach(async () => {
  mumbai = await signer.addAnchor(`mumbai${number}`)
  delhi = await signer.addAnchor(`delhi${number++}`)
})
afterAll(() => signer.stop())

const wallet = Keypair.random().publicKey()
const assetOf = ({ accounts }: AnchorAtSigner, code = 'MUMBAI') => new Asset(code, accounts.issuer)
const soon = () => Math.floor(Date.now() / 1_000) + 120
const ERROR = { refused: { status: 403, problem: { code: 'signature-refused' } }, limited: { status: 429 } }

interface Form {
  source?: string
  sequence?: string
  fee?: string
  maxTime?: number
  passphrase?: string
}

function transactionOf(operations: xdr.Operation[], form: Form = {}, anchor = mumbai): Transaction {
  const { source = anchor.accounts.distribution, sequence = '1', fee = '100', maxTime = soon() } = form
  const builder = new TransactionBuilder(new Account(source, String(BigInt(sequence) - 1n)), {
    fee,
    networkPassphrase: form.passphrase ?? PASSPHRASE,
    timebounds: { minTime: 0, maxTime },
    memo: Memo.text('withdrawal'),
  })
  for (const operation of operations) builder.addOperation(operation)
  return builder.build()
}

function reservesOf({ accounts }: AnchorAtSigner) {
  return {
    ...{ type: RESERVES_TYPE, homeDomain: 'mumbai.example', networkPassphrase: PASSPHRASE, ledger: 7 },
    ...{ at: new Date().toISOString(), asset: { code: 'MUMBAI', issuer: accounts.issuer } },
    units: { issued: '0', held: '0', cold: '0', circulating: '0', owed: '0' },
    ...{ distributionAccount: accounts.distribution, coldAccount: null, money: [], owedMoney: [] },
  }
}

const pay = (amount: string, form: Form = {}, destination = wallet) =>
  transactionOf([Operation.payment({ asset: assetOf(mumbai), amount, destination })], form)

/** Asks for the signature with whatever credential someone holds. */
const askPayment = async (
  transaction: Transaction | FeeBumpTransaction,
  by = mumbai.credentials.business,
) => {
  const body = { transaction: transaction.toXdr() }
  return Buffer.from((await signer.as(by).call(signPayment, { body })).signature, 'base64')
}
const seen = async ({ id }: AnchorAtSigner) => signer.control.call(getSigning, { params: { anchorId: id } })
const setLimits = (body: SigningLimits) =>
  signer.control.call(putSigningLimits, { params: { anchorId: mumbai.id }, body })

describe('the business server', () => {
  it('has its payments signed with the distribution account’s key', async () => {
    const transaction = pay('12.5')
    const { distribution } = mumbai.accounts
    await addSignature(
      transaction,
      createServerSigner(signer.url, mumbai.credentials.business).payments(distribution),
    )
    expect(transaction.signatures).toHaveLength(1)
    const balance = Operation.createClaimableBalance({
      asset: assetOf(mumbai),
      amount: '7.5',
      claimants: [new Claimant(wallet)],
    })
    await askPayment(transactionOf([balance], { sequence: '2' }))
    const shared = Operation.createClaimableBalance({
      asset: assetOf(mumbai),
      amount: '5',
      claimants: [
        new Claimant(wallet),
        new Claimant(distribution, Claimant.predicateBeforeAbsoluteTime('9')),
      ],
    })
    await askPayment(transactionOf([shared], { sequence: '3' }))
    const balanceId = '0'.repeat(72)
    await askPayment(transactionOf([Operation.claimClaimableBalance({ balanceId })], { sequence: '4' }))
    expect(await seen(mumbai)).toMatchObject({ lastHour: '25', stopped: [] })
  })

  it('raises the fee of a payment that was signed, which counts once', async () => {
    const inner = pay('10')
    const bump = () =>
      TransactionBuilder.buildFeeBumpTransaction(mumbai.accounts.distribution, '5000', inner, PASSPHRASE)
    await expect(askPayment(bump())).rejects.toMatchObject(ERROR.refused)
    inner.addSignature(mumbai.accounts.distribution, (await askPayment(inner)).toString('base64'))
    const signature = await askPayment(bump())
    expect(verifierFromAddress(mumbai.accounts.distribution).verify(bump().hash(), signature)).toBe(true)
    expect(await seen(mumbai)).toMatchObject({ lastHour: '10' })
  })
})

describe('channels', () => {
  const channel = () => Keypair.random().publicKey()
  const through = (source: string, amount = '10', by: string | undefined = mumbai.accounts.distribution) => {
    const payment = { asset: assetOf(mumbai), amount, destination: wallet }
    return transactionOf([Operation.payment({ ...payment, ...(by ? { source: by } : {}) })], { source })
  }
  interface Opening {
    balance?: string
    signer?: string
    creator?: string
    masterWeight?: number
    weight?: number
    highThreshold?: number
  }
  const opening = (
    account: string,
    { balance = '0', signer, creator, masterWeight = 0, weight = 1, highThreshold = 1 }: Opening = {},
  ) => [
    Operation.beginSponsoringFutureReserves({ sponsoredId: account }),
    Operation.createAccount({
      destination: account,
      startingBalance: balance,
      ...(creator ? { source: creator } : {}),
    }),
    Operation.setOptions({
      source: account,
      masterWeight,
      highThreshold,
      signer: { ed25519PublicKey: signer ?? mumbai.accounts.distribution, weight },
    }),
    Operation.endSponsoringFutureReserves({ source: account }),
  ]
  const merging = (source: string | undefined, destination: string) =>
    Operation.accountMerge({ destination, ...(source ? { source } : {}) })

  it('give payments their sequence numbers: those of two channels are two payments', async () => {
    await askPayment(through(channel()))
    await askPayment(through(channel()))
    const one = channel()
    await askPayment(through(one))
    await askPayment(through(one, '9'))
    expect(await seen(mumbai)).toMatchObject({ lastHour: '30', stopped: [] })
  })

  it('are opened within the limit of XLM, as accounts that obey the distribution account alone, and closed', async () => {
    await askPayment(transactionOf([...opening(channel()), ...opening(channel())]))
    await askPayment(transactionOf([merging(channel(), mumbai.accounts.distribution)], { sequence: '2' }))
    await setLimits({ perHour: '1000', perPayment: null, xlmPerHour: '4.4', destinations: null })
    await expect(askPayment(transactionOf(opening(channel()), { sequence: '3' }))).rejects.toMatchObject(
      ERROR.limited,
    )
  })

  it.each<[string, () => Transaction]>([
    ['a payment out of a channel', () => through(channel(), '10', '')],
    ['a payment out of another account', () => through(mumbai.accounts.distribution, '10', channel())],
    ['a channel with XLM', () => transactionOf(opening(channel(), { balance: '5' }))],
    ['a channel of someone else', () => transactionOf(opening(channel(), { signer: wallet }))],
    ['a channel that keeps its key', () => transactionOf(opening(channel(), { masterWeight: 1 }))],
    ['a channel that another account creates', () => transactionOf(opening(channel(), { creator: wallet }))],
    ['a channel that no key can close', () => transactionOf(opening(channel(), { weight: 0 }))],
    ['a channel that our key cannot close', () => transactionOf(opening(channel(), { highThreshold: 2 }))],
    ['half a channel', () => transactionOf(opening(channel()).slice(0, 3))],
    [
      'a payment beside a channel',
      () =>
        transactionOf([
          ...opening(channel()),
          Operation.payment({ asset: assetOf(mumbai), amount: '1', destination: wallet }),
        ]),
    ],
    ['the end of the distribution account', () => transactionOf([merging(undefined, wallet)])],
    ['a channel merged into another account', () => transactionOf([merging(channel(), wallet)])],
    [
      'a channel closed beside a payment',
      () =>
        transactionOf([
          merging(channel(), mumbai.accounts.distribution),
          Operation.payment({ asset: assetOf(mumbai), amount: '1', destination: wallet }),
        ]),
    ],
  ])('do not open a way to have %s signed', async (_, made) => {
    await expect(askPayment(made())).rejects.toMatchObject(ERROR.refused)
  })

  it('bound what fees may come to in an hour', async () => {
    const [most, perHour] = [1_000_000n, 2_000_000_000n]
    const database = new pg.Client({ connectionString: signer.databaseUrl })
    await database.connect()
    await database.query('insert into payments (anchor_id, source, sequence, fee) values ($1, $2, 1, $3)', [
      mumbai.id,
      channel(),
      String(perHour - most),
    ])
    await database.end()
    const dear = (sequence: string) => pay('1', { sequence, fee: String(most) })
    await askPayment(dear('1'))
    await expect(askPayment(dear('2'))).rejects.toMatchObject(ERROR.limited)
  })
})

describe('calls of the asset’s contract', () => {
  const to = StrKey.encodeContract(Buffer.alloc(32, 7))
  const contractOf = (asset: Asset) => asset.contractId(PASSPHRASE)
  const transfer = (over: Partial<Parameters<typeof transferOperation>[0]> = {}, source?: string) =>
    transferOperation(
      {
        contract: contractOf(assetOf(mumbai)),
        from: mumbai.accounts.distribution,
        to,
        amount: 100_000_000n,
        ...over,
      },
      source,
    )
  /** A call with what its resources cost, and further entries that it may touch. */
  function calling(
    operations: xdr.Operation[],
    {
      resourceFee = 70_000n,
      touched = [] as xdr.LedgerKey[],
      ...form
    }: Form & {
      resourceFee?: bigint
      touched?: xdr.LedgerKey[]
    } = {},
  ): Transaction {
    const { fee = '100' } = form
    const sorobanData = new SorobanDataBuilder().setFootprint([], touched).setResourceFee(resourceFee).build()
    return TransactionBuilder.cloneFrom(transactionOf(operations, form), { fee, sorobanData }).build()
  }
  /** The call of a valid transfer, changed. */
  function changed(
    change: (
      call: xdr.InvokeContractArgs,
      auth: xdr.SorobanAuthorizationEntry,
    ) => {
      call?: Partial<Pick<xdr.InvokeContractArgs, 'args'>> & { functionName?: string }
      auth?: xdr.SorobanAuthorizationEntry[]
    },
  ): Transaction {
    const [valid] = calling([transfer()]).operations
    if (valid?.type !== 'invokeHostFunction' || valid.func.type !== 'hostFunctionTypeInvokeContract')
      throw new Error('not a call')
    const [entry] = valid.auth ?? []
    if (!entry) throw new Error('no authorization')
    const { contractAddress, functionName, args } = valid.func.invokeContract
    const { call = {}, auth } = change(valid.func.invokeContract, entry)
    const made = new xdr.InvokeContractArgs({
      contractAddress,
      functionName: call.functionName ?? functionName,
      args: call.args ?? args,
    })
    const func = xdr.HostFunction.hostFunctionTypeInvokeContract(made)
    return calling([Operation.invokeHostFunction({ func, auth: auth ?? [authorizing(made)] })])
  }
  const authorizing = (
    call: xdr.InvokeContractArgs,
    {
      credentials = xdr.SorobanCredentials.sorobanCredentialsSourceAccount() as xdr.SorobanCredentials,
      subInvocations = [] as xdr.SorobanAuthorizedInvocation[],
    } = {},
  ) =>
    new xdr.SorobanAuthorizationEntry({
      credentials,
      rootInvocation: new xdr.SorobanAuthorizedInvocation({
        function: xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(call),
        subInvocations,
      }),
    })

  it('that pay contract accounts are signed and counted as payments, with a channel’s number and a raised fee too', async () => {
    await askPayment(calling([transfer()]))
    const channel = Keypair.random().publicKey()
    const inner = calling([transfer({}, mumbai.accounts.distribution)], { source: channel })
    inner.addSignature(mumbai.accounts.distribution, (await askPayment(inner)).toString('base64'))
    const { distribution } = mumbai.accounts
    await askPayment(TransactionBuilder.buildFeeBumpTransaction(distribution, '5000', inner, PASSPHRASE))
    expect(await seen(mumbai)).toMatchObject({ lastHour: '20', stopped: [] })
    // Whatever entries a call may touch, the asset's contract changes two balances.
    const touched = [
      xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId: Keypair.random().xdrPublicKey() })),
    ]
    await askPayment(calling([transfer()], { sequence: '3', touched }))
  })

  it('exceed no limit of payments', async () => {
    await setLimits({ perHour: '15', perPayment: '11', xlmPerHour: '5', destinations: [to] })
    const twelve = transfer({ amount: 120_000_000n })
    await expect(askPayment(calling([twelve]))).rejects.toMatchObject(ERROR.limited)
    const other = transfer({ to: StrKey.encodeContract(Buffer.alloc(32, 8)) })
    await expect(askPayment(calling([other]))).rejects.toMatchObject(ERROR.refused)
    await askPayment(calling([transfer()], { sequence: '2' }))
    await expect(askPayment(calling([transfer()], { sequence: '3' }))).rejects.toMatchObject(ERROR.limited)
    await expect(askPayment(pay('10', { sequence: '4' }, wallet))).rejects.toMatchObject(ERROR.refused)
  })

  it.each<[string, () => Transaction]>([
    ['another function', () => changed(() => ({ call: { functionName: 'approve' } }))],
    ['a function that burns', () => changed(() => ({ call: { functionName: 'burn' } }))],
    ['further arguments', () => changed(({ args }) => ({ call: { args: [...args, ...args] } }))],
    ['another contract', () => calling([transfer({ contract: to })])],
    ['the contract of XLM', () => calling([transfer({ contract: contractOf(Asset.native()) })])],
    [
      'the contract of another anchor’s asset',
      () => calling([transfer({ contract: contractOf(assetOf(delhi)) })]),
    ],
    ['a transfer from the issuer', () => calling([transfer({ from: mumbai.accounts.issuer })])],
    [
      'a call of the issuer',
      () => calling([transfer({ from: mumbai.accounts.issuer }, mumbai.accounts.issuer)]),
    ],
    ['a transfer from a contract account', () => calling([transfer({ from: to })])],
    ['a transfer to an account', () => calling([transfer({ to: wallet })])],
    ['a transfer of nothing', () => calling([transfer({ amount: 0n })])],
    ['a transfer of less than nothing', () => calling([transfer({ amount: -100_000_000n })])],
    ['a transfer of more than there can be', () => calling([transfer({ amount: 2n ** 64n })])],
    ['a call without authorization', () => changed(() => ({ auth: [] }))],
    ['two authorizations', () => changed((_, entry) => ({ auth: [entry, entry] }))],
    [
      'an authorization of another amount',
      () =>
        changed(call => {
          const [from, payee, amount] = call.args
          const { contractAddress, functionName } = call
          const more = nativeToScVal(10n ** 12n, { type: 'i128' })
          const args = from && payee && amount ? [from, payee, more] : []
          return { auth: [authorizing(new xdr.InvokeContractArgs({ contractAddress, functionName, args }))] }
        }),
    ],
    [
      'a further call inside the authorization',
      () =>
        changed((call, { rootInvocation }) => ({
          auth: [authorizing(call, { subInvocations: [rootInvocation] })],
        })),
    ],
    [
      'an authorization that outlives the transaction',
      () =>
        changed(call => {
          const credentials = xdr.SorobanCredentials.sorobanCredentialsAddress(
            new xdr.SorobanAddressCredentials({
              address: Address.fromString(mumbai.accounts.distribution).toScAddress(),
              nonce: 1n,
              signatureExpirationLedger: 1_000_000,
              signature: xdr.ScVal.scvVoid(),
            }),
          )
          return { auth: [authorizing(call, { credentials })] }
        }),
    ],
    ['two calls', () => calling([transfer(), transfer()])],
    [
      'a call beside a payment',
      () =>
        calling([
          transfer(),
          Operation.payment({ asset: assetOf(mumbai), amount: '1', destination: wallet }),
        ]),
    ],
    ['a call of a channel', () => calling([transfer()], { source: Keypair.random().publicKey() })],
    ['new code on the ledger', () => calling([Operation.uploadContractWasm({ wasm: Buffer.alloc(8) })])],
    ['resources that burn XLM', () => calling([transfer()], { resourceFee: MAX_RESOURCE_FEE + 1n })],
    ['a fee that burns XLM', () => calling([transfer()], { fee: '1000001' })],
  ])('do not open a way to have %s signed', async (_, made) => {
    await expect(askPayment(made())).rejects.toMatchObject(ERROR.refused)
    expect(await seen(mumbai)).toMatchObject({ lastHour: '0' })
  })
})

describe('a thief of the business server’s credential', () => {
  it('has no claimable balance forgotten by a payment with the same sequence number', async () => {
    const database = new pg.Client({ connectionString: signer.databaseUrl })
    await database.connect()
    await database.query(
      `insert into payments (anchor_id, source, sequence, claimable)
       select $1, 'other', number, true from generate_series(1, 1999) as number`,
      [mumbai.id],
    )
    await database.end()
    const claimants = [new Claimant(wallet)]
    const balance = (sequence: string) =>
      transactionOf([Operation.createClaimableBalance({ asset: assetOf(mumbai), amount: '1', claimants })], {
        sequence,
      })
    await askPayment(balance('1'))
    await askPayment(pay('1', { sequence: '1' }))
    await expect(askPayment(balance('2'))).rejects.toMatchObject(ERROR.limited)
  })

  it('takes at most what the limit of an hour leaves, in one payment or in many at once', async () => {
    await expect(askPayment(pay('1000.0000001'))).rejects.toMatchObject({
      ...ERROR.limited,
      problem: { code: 'signing-limit-reached', detail: expect.stringContaining('The limit is 1000') },
    })
    const tries = Array.from({ length: 30 }, (_, index) =>
      askPayment(pay('100', { sequence: `${index + 1}` })),
    )
    const signed = (await Promise.allSettled(tries)).filter(({ status }) => status === 'fulfilled')
    expect(signed).toHaveLength(10)
    const { lastHour, stopped } = await seen(mumbai)
    expect(lastHour).toBe('1000')
    expect(stopped).toMatchObject([{ server: 'business', reason: 'per-hour', count: 21 }])
  })

  it('gains nothing by asking again: the same payment counts once, and so do two of which one can apply', async () => {
    const first = await askPayment(pay('900', { maxTime: soon() }))
    expect(first).toHaveLength(64)
    await askPayment(pay('900'))
    await askPayment(pay('100'))
    expect(await seen(mumbai)).toMatchObject({ lastHour: '900' })
    await expect(askPayment(pay('1001'))).rejects.toMatchObject(ERROR.limited)
    await expect(askPayment(pay('101', { sequence: '2' }))).rejects.toMatchObject(ERROR.limited)
  })

  it('cannot exceed the limit of a payment, nor pay an account that is not on the operator’s list', async () => {
    const other = Keypair.random().publicKey()
    await setLimits({ perHour: '1000', perPayment: '50', xlmPerHour: '5', destinations: [wallet] })
    await expect(askPayment(pay('50.1'))).rejects.toMatchObject(ERROR.limited)
    await expect(askPayment(pay('5', {}, other))).rejects.toMatchObject(ERROR.refused)
    const balance = Operation.createClaimableBalance({
      asset: assetOf(mumbai),
      amount: '5',
      claimants: [new Claimant(other)],
    })
    await expect(askPayment(transactionOf([balance]))).rejects.toMatchObject(ERROR.refused)
    await askPayment(pay('50'))
    expect((await seen(mumbai)).stopped.map(({ reason, count }) => [reason, count])).toEqual([
      ['destination', 2],
      ['per-payment', 1],
    ])
  })

  it('signs no payment at all with limits of 0, not even one that it signed before, until they are raised', async () => {
    const limits = { perHour: '1000', perPayment: null, xlmPerHour: '5', destinations: null }
    await askPayment(pay('1'))
    await setLimits({ ...limits, perHour: '0', xlmPerHour: '0' })
    for (const sequence of ['1', '2'])
      await expect(askPayment(pay('1', { sequence }))).rejects.toMatchObject(ERROR.limited)
    const xlm = Operation.payment({ asset: Asset.native(), amount: '1', destination: wallet })
    await expect(askPayment(transactionOf([xlm], { sequence: '3' }))).rejects.toMatchObject(ERROR.limited)
    await setLimits(limits)
    await askPayment(pay('1', { sequence: '2' }))
    for (const wrong of [{ perHour: '-1' }, { xlmPerHour: '-1' }, { perPayment: '0' }])
      await expect(setLimits({ ...limits, ...wrong })).rejects.toMatchObject({ status: 400 })
  })

  it('takes no more XLM than may be returned in an hour, and none as a claimable balance', async () => {
    const xlm = (amount: string, sequence: string) =>
      transactionOf([Operation.payment({ asset: Asset.native(), amount, destination: wallet })], { sequence })
    await askPayment(xlm('60', '1'))
    await askPayment(pay('1000', { sequence: '2' }))
    await expect(askPayment(xlm('40.1', '3'))).rejects.toMatchObject(ERROR.limited)
    const claimants = [new Claimant(wallet)]
    const balance = Operation.createClaimableBalance({ asset: Asset.native(), amount: '1', claimants })
    await expect(askPayment(transactionOf([balance], { sequence: '4' }))).rejects.toMatchObject(ERROR.refused)
    const reasons = (await seen(mumbai)).stopped.map(({ reason }) => reason)
    expect(reasons.toSorted()).toEqual(['wrong-asset', 'xlm-per-hour'])
  })

  const destination = wallet
  it.each<[string, () => Transaction]>([
    [
      'set options',
      () => transactionOf([Operation.setOptions({ signer: { ed25519PublicKey: wallet, weight: 255 } })]),
    ],
    ['merge the account', () => transactionOf([Operation.accountMerge({ destination })])],
    [
      'pay another asset',
      () => transactionOf([Operation.payment({ asset: assetOf(mumbai, 'PUNE'), amount: '1', destination })]),
    ],
    [
      'pay another anchor’s asset',
      () => transactionOf([Operation.payment({ asset: assetOf(delhi), amount: '1', destination })]),
    ],
    [
      'pay by a path',
      () =>
        transactionOf([
          Operation.pathPaymentStrictSend({
            sendAsset: assetOf(mumbai),
            sendAmount: '1',
            destination,
            destAsset: Asset.native(),
            destMin: '1',
            path: [],
          }),
        ]),
    ],
    [
      'offer the asset',
      () =>
        transactionOf([
          Operation.manageSellOffer({
            selling: assetOf(mumbai),
            buying: Asset.native(),
            amount: '1',
            price: '0.0000001',
          }),
        ]),
    ],
    [
      'pay and merge',
      () =>
        transactionOf([
          Operation.payment({ asset: assetOf(mumbai), amount: '1', destination }),
          Operation.accountMerge({ destination }),
        ]),
    ],
    [
      'pay out of the issuer',
      () =>
        transactionOf([
          Operation.payment({
            source: mumbai.accounts.issuer,
            asset: assetOf(mumbai),
            amount: '1',
            destination,
          }),
        ]),
    ],
    ['sign a transaction of the issuer', () => pay('1', { source: mumbai.accounts.issuer })],
    ['sign a transaction of the signing account', () => pay('1', { source: mumbai.accounts.signing })],
    ['sign a transaction of another anchor', () => pay('1', { source: delhi.accounts.distribution })],
    ['burn XLM in fees', () => pay('1', { fee: '1000001' })],
    ['keep a payment for later', () => pay('1', { maxTime: soon() + 3_600 })],
    ['keep a payment forever', () => pay('1', { maxTime: 0 })],
    [
      'promise the asset to two',
      () =>
        transactionOf([
          Operation.createClaimableBalance({
            asset: assetOf(mumbai),
            amount: '1',
            claimants: [new Claimant(wallet), new Claimant(Keypair.random().publicKey())],
          }),
        ]),
    ],
    [
      'promise the asset for later',
      () =>
        transactionOf([
          Operation.createClaimableBalance({
            asset: assetOf(mumbai),
            amount: '1',
            claimants: [
              new Claimant(wallet, Claimant.predicateNot(Claimant.predicateBeforeRelativeTime('9'))),
            ],
          }),
        ]),
    ],
    ['sign nothing at all', () => transactionOf([])],
  ])('cannot %s', async (_, build) => {
    await expect(askPayment(build())).rejects.toMatchObject(ERROR.refused)
    const { lastHour, stopped } = await seen(mumbai)
    expect(lastHour).toBe('0')
    expect(stopped).toMatchObject([{ server: 'business', count: 1 }])
  })

  it('cannot have a transaction of another network signed for this one', async () => {
    const signature = await askPayment(
      pay('1', { passphrase: 'Public Global Stellar Network ; September 2015' }),
    )
    const meant = pay('1', { passphrase: 'Public Global Stellar Network ; September 2015' }).hash()
    expect(verifierFromAddress(mumbai.accounts.distribution).verify(meant, signature)).toBe(false)
  })

  it('has statements of its own reserves signed with the signing key, and nothing else', async () => {
    const { accounts, credentials } = mumbai
    const statement = reservesOf(mumbai)
    const ask = (message: string, by = credentials.business) =>
      createServerSigner(signer.url, by).reserves(message)
    const message = JSON.stringify(statement)
    const signature = await ask(message)
    expect(Keypair.fromPublicKey(accounts.signing).verifyMessage(message, signature)).toBe(true)
    const others = [
      { ...statement, at: new Date(Date.now() - 600_000).toISOString() },
      { ...statement, distributionAccount: delhi.accounts.distribution },
      { ...statement, networkPassphrase: 'Public Global Stellar Network ; September 2015' },
      { ...statement, type: 'another' },
      'mumbai.example wants you to sign in',
    ]
    for (const other of others) await expect(ask(JSON.stringify(other))).rejects.toMatchObject(ERROR.refused)
    await expect(ask('not JSON')).rejects.toMatchObject(ERROR.refused)
    await expect(ask(message, credentials.sep)).rejects.toMatchObject(ERROR.refused)
  })

  it('cannot use the signing key, which belongs to the SEP server alone', async () => {
    const { business } = mumbai.credentials
    const body = { transaction: challengeOf(mumbai).toXdr() }
    await expect(signer.as(business).call(signChallenge, { body })).rejects.toMatchObject(ERROR.refused)
    const callback = { time: Math.floor(Date.now() / 1_000), host: 'wallet.example', body: '{}' }
    await expect(signer.as(business).call(signCallback, { body: callback })).rejects.toMatchObject(
      ERROR.refused,
    )
    expect((await seen(mumbai)).stopped).toMatchObject([{ reason: 'wrong-server', count: 2 }])
    const text = await (await fetch(`${signer.url}/metrics`)).text()
    expect(metricIn(text, 'windlass_signing_requests_total')).toMatchObject({
      'server="business",outcome="wrong-server"': 2,
    })
  })

  it('cannot act as the control plane, nor without a credential, nor after the anchor was suspended', async () => {
    const thief = signer.as(mumbai.credentials.business)
    const params = { anchorId: mumbai.id }
    await expect(thief.call(getSigning, { params })).rejects.toMatchObject({ status: 401 })
    const limits = { perHour: '1000000', perPayment: null, xlmPerHour: '1', destinations: null }
    await expect(thief.call(putSigningLimits, { params, body: limits })).rejects.toMatchObject({
      status: 401,
    })
    await expect(askPayment(pay('1'), 'x'.repeat(64))).rejects.toMatchObject({ status: 401 })
    await signer.control.call(endSigning, { params })
    await expect(askPayment(pay('1'))).rejects.toMatchObject({ status: 401 })
  })

  it('finds no error of ours with garbage', async () => {
    for (const transaction of ['AAAA', '%', 'AAAAAgAAAA'.repeat(40), pay('1').toXdr().slice(0, -8)]) {
      const asked = signer.as(mumbai.credentials.business).call(signPayment, { body: { transaction } })
      await expect(asked).rejects.toMatchObject(ERROR.refused)
    }
  })
})

const challengeOf = (
  anchor: AnchorAtSigner,
  over: { homeDomain?: string; server?: string } = {},
  now = new Date(),
) => {
  const homeDomain = over.homeDomain ?? `${anchor.id}.anchors.test`
  const server = over.server ?? anchor.accounts.signing
  const terms = {
    server,
    networkPassphrase: PASSPHRASE,
    homeDomain,
    webAuthDomain: `${anchor.id}.anchors.test`,
  }
  return prepareChallenge(server, terms, { account: wallet }, now)
}

const contractTerms = ({ id, accounts }: AnchorAtSigner) => ({
  server: accounts.signing,
  networkPassphrase: PASSPHRASE,
  homeDomain: `${id}.anchors.test`,
  webAuthDomain: `${id}.anchors.test`,
  contract: StrKey.encodeContract(Buffer.alloc(32, 7)),
})
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** What the SEP server has signed of a challenge, or what a thief of its credential would like instead. */
function preimageFor(
  terms: ReturnType<typeof contractTerms>,
  called = 'web_auth_verify',
  twice = false,
  now = new Date(),
) {
  const account = StrKey.encodeContract(Buffer.alloc(32, 9))
  const [, entry] = buildContractChallenge(terms, { account }, now)
  const invocation = entry?.rootInvocation
  if (invocation?.function.type !== 'sorobanAuthorizedFunctionTypeContractFn') throw new Error('no call')
  const { contractAddress, args } = invocation.function.contractFn
  const changed = new xdr.SorobanAuthorizationEntry({
    credentials: entry?.credentials ?? xdr.SorobanCredentials.sorobanCredentialsSourceAccount(),
    rootInvocation: new xdr.SorobanAuthorizedInvocation({
      function: xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(
        new xdr.InvokeContractArgs({ contractAddress, functionName: called, args }),
      ),
      subInvocations: twice ? [invocation] : [],
    }),
  })
  return preimageOf(changed, 1_000, terms.networkPassphrase)
}

describe('the SEP server', () => {
  it('has its challenges and callbacks signed with the signing key', async () => {
    const own = createServerSigner(signer.url, mumbai.credentials.sep)
    const challenge = challengeOf(mumbai)
    const { verify } = verifierFromAddress(mumbai.accounts.signing)
    expect(verify(challenge.hash(), await own.challenge(challenge.toXdr()))).toBe(true)
    const time = Math.floor(Date.now() / 1_000)
    const signature = await own.callback({ time, host: 'wallet.example:8443', body: '{"transaction":{}}' })
    expect(verify(Buffer.from(`${time}.wallet.example:8443.{"transaction":{}}`), signature)).toBe(true)
  })

  it('has its entry of a login by contract signed, and no other authorization', async () => {
    const own = createServerSigner(signer.url, mumbai.credentials.sep)
    const terms = contractTerms(mumbai)
    const preimage = preimageFor(terms)
    const { verify } = verifierFromAddress(mumbai.accounts.signing)
    expect(verify(hash(preimage), await own.contractChallenge(base64(preimage)))).toBe(true)
    const wrong = [
      preimageFor({ ...terms, homeDomain: 'evil.example' }),
      preimageFor({ ...terms, networkPassphrase: 'Another Network' }),
      preimageFor(contractTerms(delhi)),
      preimageFor(terms, 'transfer'),
      preimageFor(terms, 'web_auth_verify', true),
      preimageFor(terms, 'web_auth_verify', false, new Date(Date.now() + 604_800_000)),
      Uint8Array.of(1, 2, 3),
    ]
    for (const each of wrong)
      await expect(own.contractChallenge(base64(each))).rejects.toMatchObject(ERROR.refused)
    const business = createServerSigner(signer.url, mumbai.credentials.business)
    await expect(business.contractChallenge(base64(preimage))).rejects.toThrow()
  })

  it.each<[string, () => Transaction]>([
    ['a payment', () => pay('1')],
    ['a payment of the signing account', () => pay('1', { source: mumbai.accounts.signing })],
    [
      'set options of the signing account',
      () => transactionOf([Operation.setOptions({ masterWeight: 0 })], { source: mumbai.accounts.signing }),
    ],
    ['a login at another anchor', () => challengeOf(mumbai, { homeDomain: `${delhi.id}.anchors.test` })],
    ['a challenge in another anchor’s name', () => challengeOf(delhi)],
    ['a challenge of next week', () => challengeOf(mumbai, {}, new Date(Date.now() + 604_800_000))],
    [
      'a data entry that the ledger would apply',
      () =>
        transactionOf(
          [Operation.manageData({ name: `${mumbai.id}.anchors.test auth`, value: 'x', source: wallet })],
          { source: mumbai.accounts.signing },
        ),
    ],
  ])('does not have %s signed', async (_, build) => {
    const body = { transaction: build().toXdr() }
    const thief = signer.as(mumbai.credentials.sep)
    await expect(thief.call(signChallenge, { body })).rejects.toMatchObject(ERROR.refused)
    await expect(thief.call(signPayment, { body })).rejects.toMatchObject(ERROR.refused)
    expect((await seen(mumbai)).stopped.reduce((sum, { count }) => sum + count, 0)).toBe(2)
    expect((await seen(delhi)).stopped).toEqual([])
  })
})

describe('the control plane', () => {
  const asset = () => assetOf(mumbai)
  const issue = (more: xdr.Operation[] = [], amount = '10000') => {
    const { issuer, distribution } = mumbai.accounts
    const operations = [
      Operation.changeTrust({ asset: asset(), source: distribution }),
      Operation.payment({ asset: asset(), amount, destination: distribution }),
      Operation.manageData({ name: 'config.memo_required', value: '1', source: distribution }),
      Operation.setOptions({ homeDomain: `${mumbai.id}.anchors.test`, source: issuer }),
      ...more,
    ]
    return transactionOf(operations, { source: issuer })
  }

  it('has the issue of the asset signed by both accounts', async () => {
    const transaction = issue()
    for (const account of [mumbai.accounts.issuer, mumbai.accounts.distribution]) {
      await addSignature(transaction, issueSigner(signer.control, mumbai.id, account))
    }
    expect(transaction.signatures).toHaveLength(2)
  })

  it.each<[string, () => Transaction]>([
    ['more than was planned', () => issue([], '10000.0000001')],
    [
      'twice in one transaction',
      () =>
        issue([
          Operation.payment({ asset: asset(), amount: '1', destination: mumbai.accounts.distribution }),
        ]),
    ],
    [
      'to someone else',
      () => issue([Operation.payment({ asset: asset(), amount: '1', destination: wallet })]),
    ],
    [
      'with another signer of the issuer',
      () => issue([Operation.setOptions({ masterWeight: 0, homeDomain: `${mumbai.id}.anchors.test` })]),
    ],
    ['and merges the issuer', () => issue([Operation.accountMerge({ destination: wallet })])],
  ])('does not issue %s', async (_, build) => {
    const body = { account: mumbai.accounts.issuer, transaction: build().toXdr() }
    const asked = signer.control.call(signIssue, { params: { anchorId: mumbai.id }, body })
    await expect(asked).rejects.toMatchObject(ERROR.refused)
  })
})

describe('an anchor of an asset that exists', () => {
  const issuer = generateKey()
  let anchor: AnchorAtSigner
  beforeEach(async () => {
    anchor = await signer.addAnchor(`existing${number++}`, { issuer: issuer.publicKey })
  })
  const homeDomain = () => `${anchor.id}.anchors.test`
  const opening = (more: xdr.Operation[] = [], source = anchor.accounts.distribution) =>
    transactionOf(
      [
        Operation.changeTrust({ asset: assetOf(anchor), source: anchor.accounts.distribution }),
        Operation.manageData({ name: 'config.memo_required', value: '1' }),
        Operation.setOptions({ homeDomain: homeDomain() }),
        ...more,
      ],
      { source },
      anchor,
    )
  const ask = (account: string, transaction: Transaction) =>
    signer.control.call(signIssue, {
      params: { anchorId: anchor.id },
      body: { account, transaction: transaction.toXdr() },
    })

  it('has its trustline and its payments signed, and no key of the issuer', async () => {
    expect(anchor.accounts.issuer).toBe(issuer.publicKey)
    const database = new pg.Client(signer.databaseUrl)
    await database.connect()
    const { rows } = await database.query('select role from keys where anchor_id = $1 order by role', [
      anchor.id,
    ])
    await database.end()
    expect(rows).toEqual([{ role: 'distribution' }, { role: 'signing' }])
    await ask(anchor.accounts.distribution, opening())
    const asset = assetOf(anchor)
    const payment = transactionOf(
      [Operation.payment({ asset, amount: '5', destination: wallet })],
      {},
      anchor,
    )
    await signer.as(anchor.credentials.business).call(signPayment, { body: { transaction: payment.toXdr() } })
  })

  it.each<[string, () => Transaction]>([
    [
      'a payment',
      () => opening([Operation.payment({ asset: assetOf(anchor), amount: '1', destination: wallet })]),
    ],
    [
      'a trustline for a look-alike',
      () => opening([Operation.changeTrust({ asset: new Asset('MUMBAI', mumbai.accounts.issuer) })]),
    ],
    ['a transaction of the issuer', () => opening([], issuer.publicKey)],
    [
      'options of the issuer',
      () => opening([Operation.setOptions({ homeDomain: homeDomain(), source: issuer.publicKey })]),
    ],
  ])('has %s refused', async (_, build) => {
    await expect(ask(anchor.accounts.distribution, build())).rejects.toMatchObject(ERROR.refused)
    await expect(ask(issuer.publicKey, build())).rejects.toMatchObject(ERROR.refused)
  })

  it('has statements of its reserves signed, of this asset alone', async () => {
    const { reserves } = createServerSigner(signer.url, anchor.credentials.business)
    await reserves(JSON.stringify(reservesOf(anchor)))
    const asset = { code: 'MUMBAI', issuer: mumbai.accounts.issuer }
    await expect(reserves(JSON.stringify({ ...reservesOf(anchor), asset }))).rejects.toMatchObject(
      ERROR.refused,
    )
  })

  it('has payments of a look-alike refused', async () => {
    const asset = new Asset('MUMBAI', mumbai.accounts.issuer)
    const payment = transactionOf(
      [Operation.payment({ asset, amount: '5', destination: wallet })],
      {},
      anchor,
    )
    const asked = signer.as(anchor.credentials.business)
    await expect(asked.call(signPayment, { body: { transaction: payment.toXdr() } })).rejects.toMatchObject(
      ERROR.refused,
    )
  })
})

describe('an anchor of several assets', () => {
  const [issuer, other] = [generateKey().publicKey, generateKey().publicKey]
  const eurc = new Asset('EURC', issuer)
  const contract = eurc.contractId(PASSPHRASE)
  let anchor: AnchorAtSigner
  beforeEach(async () => {
    anchor = await signer.addAnchor(`several${number++}`, { furtherAssets: [{ code: 'EURC', issuer }] })
  })
  const ask = (operation: xdr.Operation, sequence = '1') =>
    askPayment(transactionOf([operation], { sequence }, anchor), anchor.credentials.business)
  const payOf = (asset: Asset, amount: string) => Operation.payment({ asset, amount, destination: wallet })
  const own = () => assetOf(anchor)

  it('has payments of each signed, each within a limit of its own', async () => {
    await ask(payOf(own(), '1000'), '1')
    await ask(payOf(eurc, '150'), '2')
    await expect(ask(payOf(eurc, '50.1'), '3')).rejects.toMatchObject({
      ...ERROR.limited,
      problem: {
        detail: expect.stringContaining('This payment of 50.1 EURC would bring the last hour to 200.1'),
      },
    })
    await ask(payOf(eurc, '50'), '3')
    await expect(ask(payOf(own(), '0.1'), '4')).rejects.toMatchObject(ERROR.limited)
    expect(await seen(anchor)).toMatchObject({
      lastHour: '1000',
      limits: { perHour: '1000', further: [{ asset: `EURC:${issuer}`, perHour: '200' }] },
      further: [{ asset: `EURC:${issuer}`, lastHour: '200' }],
    })
  })

  it('counts the largest of each asset among payments of which one can apply', async () => {
    await ask(payOf(eurc, '150'))
    await ask(payOf(own(), '900'))
    await ask(payOf(eurc, '100'))
    await expect(ask(payOf(eurc, '51'), '2')).rejects.toMatchObject(ERROR.limited)
    await expect(ask(payOf(own(), '101'), '2')).rejects.toMatchObject(ERROR.limited)
    await ask(payOf(eurc, '50'), '2')
  })

  it('has a limit set for one of them, which stays where later limits do not name it', async () => {
    const limits = { perHour: '1000', perPayment: null, xlmPerHour: '5', destinations: null }
    const limit = (asset: string) => [{ asset, perHour: '10' }]
    const put = (body: SigningLimits) =>
      signer.control.call(putSigningLimits, { params: { anchorId: anchor.id }, body })
    await put({ ...limits, further: limit(`EURC:${issuer}`) })
    expect((await put(limits)).limits.further).toEqual(limit(`EURC:${issuer}`))
    await expect(put({ ...limits, further: limit(`EURC:${other}`) })).rejects.toMatchObject({ status: 400 })
    await expect(ask(payOf(eurc, '10.1'))).rejects.toMatchObject(ERROR.limited)
    await ask(payOf(own(), '1000'))
    const to = StrKey.encodeContract(Buffer.alloc(32, 7))
    const call = { contract, from: anchor.accounts.distribution, to, amount: 100_000_000n }
    await ask(transferOperation(call), '2')
    await expect(ask(transferOperation(call), '3')).rejects.toMatchObject(ERROR.limited)
  })

  it.each([
    ['another issuer', new Asset('EURC', other)],
    ['another code of the same issuer', new Asset('EURX', issuer)],
    ['the code of the first asset by the issuer of a further one', new Asset('MUMBAI', issuer)],
  ])('has payments of a look-alike refused: %s', async (_, asset) => {
    await expect(ask(payOf(asset, '1'))).rejects.toMatchObject(ERROR.refused)
  })

  it('has a trustline for each signed with the issue, and none for another asset', async () => {
    const { accounts } = anchor
    const source = accounts.distribution
    const issuing = (asset: Asset) =>
      transactionOf(
        [
          Operation.changeTrust({ asset: own(), source }),
          Operation.payment({ asset: own(), amount: '10000', destination: source }),
          Operation.changeTrust({ asset, source }),
        ],
        { source: accounts.issuer },
        anchor,
      )
    const transaction = issuing(eurc)
    await addSignature(transaction, issueSigner(signer.control, anchor.id, accounts.issuer))
    await addSignature(transaction, issueSigner(signer.control, anchor.id, source))
    expect(transaction.signatures).toHaveLength(2)
    await expect(
      addSignature(issuing(new Asset('EURC', other)), issueSigner(signer.control, anchor.id, source)),
    ).rejects.toMatchObject(ERROR.refused)
  })
})

describe('local keys', () => {
  it('are those of an earlier version where they are handed over, and stay the same through a restart', async () => {
    const seeds = [generateKey(), generateKey(), generateKey()]
    const [issuer, distribution, signing] = seeds.map(({ secret }) => secret)
    const pune = await signer.addAnchor('pune', {
      seeds: { issuer: issuer!, distribution: distribution!, signing: signing! },
    })
    expect(Object.values(pune.accounts)).toEqual(seeds.map(({ publicKey }) => publicKey))
    const newer = `v2:${Buffer.alloc(32, 9).toString('base64')}`
    await signer.restart({ SIGNER_KEY: `${newer},${signer.settings.SIGNER_KEY}` })
    await signer.restart({ SIGNER_KEY: newer })
    expect((await signer.addAnchor('pune')).accounts).toEqual(pune.accounts)
    const challenge = challengeOf(pune)
    const again = await signer.addAnchor('pune')
    const signature = await createServerSigner(signer.url, again.credentials.sep).challenge(challenge.toXdr())
    expect(signature).toEqual(await seedSigner(signing!).sign(challenge))
    signer.settings.SIGNER_KEY = newer
  })

  it('lie in no column of the database in plain text', async () => {
    const client = new pg.Client({ connectionString: signer.databaseUrl })
    await client.connect()
    const { rows } = await client.query('select * from keys')
    const anchors = await client.query('select * from anchors')
    await client.end()
    expect(rows.length).toBeGreaterThan(5)
    expect(JSON.stringify(rows)).not.toMatch(/S[A-Z2-7]{55}/)
    const text = JSON.stringify(anchors.rows)
    expect(text).not.toContain(mumbai.credentials.sep)
    expect(text).not.toContain(mumbai.credentials.business)
  })
})
