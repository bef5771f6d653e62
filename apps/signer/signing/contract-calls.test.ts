import {
  Address,
  Asset,
  Keypair,
  nativeToScVal,
  Operation,
  TransactionBuilder,
  SorobanDataBuilder,
  StrKey,
  xdr,
  type Transaction,
} from '@stellar/stellar-sdk/base'
import {
  deployOperation as deploy,
  MAX_RESOURCE_FEE,
  transferOperation,
} from '@windlass/stellar/asset-contract.ts'
import { describe, expect, it } from 'vitest'
import { PASSPHRASE } from '../testing/running-signer.ts'
import {
  askPayment,
  assetOf,
  delhi,
  ERROR,
  mumbai,
  pay,
  seen,
  setLimits,
  startTwoAnchors,
  transactionOf,
  wallet,
  type Form,
} from '../testing/two-anchors.ts'

startTwoAnchors()

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

  it('that deploy the contract of an asset of the anchor are signed, and count as no amount', async () => {
    await askPayment(calling([deploy(assetOf(mumbai))]))
    expect(await seen(mumbai)).toMatchObject({ lastHour: '0', stopped: [] })
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
    ['the contract of another anchor’s asset, to deploy', () => calling([deploy(assetOf(delhi))])],
    ['the contract of XLM, to deploy', () => calling([deploy(Asset.native())])],
    ['a deployment by another account', () => calling([deploy(assetOf(mumbai), wallet)])],
    ['two deployments', () => calling([deploy(assetOf(mumbai)), deploy(assetOf(mumbai))])],
    [
      'a deployment that costs too much',
      () => calling([deploy(assetOf(mumbai))], { resourceFee: MAX_RESOURCE_FEE + 1n }),
    ],
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
