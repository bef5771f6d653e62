import {
  Account,
  Asset,
  Keypair,
  MuxedAccount,
  nativeToScVal,
  Operation,
  rpc,
  StrKey,
  TransactionBuilder,
  xdr,
  type Transaction,
} from '@stellar/stellar-sdk'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Laboratory } from './testing/laboratory.ts'

let lab: Laboratory
let server: rpc.Server
let issuer: Keypair
let holder: Keypair
let asset: Asset
beforeAll(async () => {
  lab = await Laboratory.open({ protocol: 23 })
  server = new rpc.Server(`${lab.network.url}/rpc`, { allowHttp: true })
  ;[issuer, holder] = [await lab.funded(), await lab.funded()]
  asset = new Asset('USD', issuer.publicKey())
  await send(await build(holder, Operation.changeTrust({ asset })), holder)
  const destination = holder.publicKey()
  await send(await build(issuer, Operation.payment({ asset, amount: '100', destination })), issuer)
})
afterAll(() => lab.close())

const newContract = () => StrKey.encodeContract(randomBytes(32))

async function build(from: Keypair, operation: xdr.Operation): Promise<Transaction> {
  const { sequence } = await lab.horizon.loadAccount(from.publicKey())
  return new TransactionBuilder(new Account(from.publicKey(), sequence), {
    fee: '100',
    networkPassphrase: lab.network.passphrase,
  })
    .addOperation(operation)
    .setTimeout(30)
    .build()
}

async function send(transaction: Transaction, by: Keypair) {
  transaction.sign(by)
  const sent = await server.sendTransaction(transaction)
  return sent.status === 'PENDING' ? server.pollTransaction(sent.hash) : sent
}

interface Call {
  of?: Asset
  named?: string
  amount?: bigint
  contract?: string
}

function call(
  from: string,
  to: string,
  { of = asset, named = 'transfer', amount = 50_000_000n, contract }: Call = {},
) {
  return Operation.invokeContractFunction({
    contract: contract ?? of.contractId(lab.network.passphrase),
    function: named,
    args: [
      nativeToScVal(from, { type: 'address' }),
      nativeToScVal(to, { type: 'address' }),
      nativeToScVal(amount, { type: 'i128' }),
    ],
  })
}

const heldBy = async (contract: string, of = asset) => {
  const { balanceEntry } = await server.getAssetBalance(contract, of, lab.network.passphrase)
  return balanceEntry?.amount
}

it('the SDK transfers an asset to a contract account by simulation, and Horizon shows what moved', async () => {
  const to = newContract()
  const prepared = await server.prepareTransaction(await build(holder, call(holder.publicKey(), to)))
  const found = await send(prepared, holder)
  expect(found).toMatchObject({ status: 'SUCCESS' })
  expect(await heldBy(to)).toBe('50000000')
  const hash = Buffer.from(prepared.hash()).toString('hex')
  const { body } = await lab.get(`/accounts/${holder.publicKey()}/payments?order=desc&limit=1`)
  expect(body['_embedded']).toMatchObject({
    records: [
      {
        transaction_hash: hash,
        type: 'invoke_host_function',
        type_i: 24,
        function: 'HostFunctionTypeHostFunctionTypeInvokeContract',
        parameters: ['Address', 'Sym', 'Address', 'Address', 'I128'].map(type => ({ type })),
        asset_balance_changes: [
          {
            asset_type: 'credit_alphanum4',
            asset_code: 'USD',
            asset_issuer: issuer.publicKey(),
            type: 'transfer',
            from: holder.publicKey(),
            to,
            amount: '5.0000000',
          },
        ],
      },
    ],
  })
  const effects = await lab.get(`/transactions/${hash}/effects`)
  expect(effects.body['_embedded']).toMatchObject({
    records: [
      { type: 'account_debited', account: holder.publicKey(), amount: '5.0000000' },
      { type: 'contract_credited', account: holder.publicKey(), contract: to, amount: '5.0000000' },
    ],
  })
  const { body: assets } = await lab.get(`/assets?asset_issuer=${issuer.publicKey()}`)
  expect(assets['_embedded']).toMatchObject({
    records: [{ num_contracts: 1, contracts_amount: '5.0000000' }],
  })
  // What a call costs beside its place in the ledger is no bid for that place.
  expect((await lab.get('/fee_stats')).body).toMatchObject({ fee_charged: { max: '100' } })
})

it('an issuer’s transfer mints, one to the issuer burns, and XLM has a contract too', async () => {
  const to = newContract()
  for (const [from, payee, of] of [
    [issuer, to, asset],
    [holder, issuer.publicKey(), asset],
    [holder, to, Asset.native()],
  ] as const) {
    const prepared = await server.prepareTransaction(await build(from, call(from.publicKey(), payee, { of })))
    expect(await send(prepared, from)).toMatchObject({ status: 'SUCCESS' })
  }
  expect([await heldBy(to), await heldBy(to, Asset.native())]).toEqual(['50000000', '50000000'])
  const { records } = await lab.horizon.operations().order('desc').limit(3).call()
  expect(records.map(each => (each as { asset_balance_changes?: object[] }).asset_balance_changes)).toEqual([
    [{ asset_type: 'native', type: 'transfer', from: holder.publicKey(), to, amount: '5.0000000' }],
    [expect.objectContaining({ type: 'burn', from: holder.publicKey() })],
    [expect.objectContaining({ type: 'mint', to })],
  ])
})

it.each<[string, () => xdr.Operation, string]>([
  [
    'more than the account holds',
    () => call(holder.publicKey(), newContract(), { amount: 10n ** 12n }),
    '#10',
  ],
  ['a negative amount', () => call(holder.publicKey(), newContract(), { amount: -1n }), '#8'],
  ['an account without a trustline', () => call(holder.publicKey(), lab.network.root.publicKey()), '#13'],
  ['what another account holds', () => call(issuer.publicKey(), newContract()), 'Auth'],
  [
    'an unknown contract',
    () => call(holder.publicKey(), newContract(), { contract: newContract() }),
    'Storage',
  ],
  ['another function', () => call(holder.publicKey(), newContract(), { named: 'burn' }), 'MissingValue'],
])('a transfer of %s is not simulated', async (_what, operation, error) => {
  const simulated = await server.simulateTransaction(await build(holder, operation()))
  expect(rpc.Api.isSimulationError(simulated) && simulated.error).toContain(error)
})

/** What becomes of a prepared call with other parts. */
async function applied(
  change: (data: xdr.SorobanTransactionData) => {
    auth?: xdr.SorobanAuthorizationEntry[]
    data?: xdr.SorobanTransactionData
  },
) {
  const to = newContract()
  const prepared = await server.prepareTransaction(await build(holder, call(holder.publicKey(), to)))
  const [operation] = prepared.operations
  const envelope = prepared.toEnvelope()
  const ext = envelope.type === 'envelopeTypeTx' ? envelope.v1.tx.ext : undefined
  if (operation?.type !== 'invokeHostFunction' || ext?.type !== 'sorobanData') throw new Error('not prepared')
  const { data = ext.sorobanData, auth = operation.auth ?? [] } = change(ext.sorobanData)
  const other = TransactionBuilder.cloneFrom(prepared, { fee: '100', sorobanData: data })
    .clearOperations()
    .addOperation(Operation.invokeHostFunction({ func: operation.func, auth }))
    .build()
  const answer = await send(other, holder)
  return { answer, held: await heldBy(to) }
}

it('a call without authorization, or of entries that it does not declare, fails with its fee', async () => {
  const unauthorized = await applied(() => ({ auth: [] }))
  const undeclared = await applied(() => ({
    data: new xdr.SorobanTransactionData({
      ext: xdr.SorobanTransactionDataExt.v0(),
      resources: new xdr.SorobanResources({
        footprint: new xdr.LedgerFootprint({ readOnly: [], readWrite: [] }),
        instructions: 1,
        diskReadBytes: 1,
        writeBytes: 1,
      }),
      resourceFee: 100_000n,
    }),
  }))
  for (const { answer, held } of [unauthorized, undeclared]) {
    expect(answer).toMatchObject({ status: 'FAILED' })
    expect(held).toBeUndefined()
  }
  const { records } = await lab.horizon
    .transactions()
    .forAccount(holder.publicKey())
    .includeFailed(true)
    .order('desc')
    .limit(1)
    .call()
  expect(Number(records[0]?.fee_charged)).toBeGreaterThan(100)
})

it('a call without resources, or with too small a fee for them, never reaches the ledger', async () => {
  const bare = await build(holder, call(holder.publicKey(), newContract()))
  const malformed = await send(bare, holder)
  expect('errorResult' in malformed && malformed.errorResult?.result.type).toBe('txMalformed')
  const cheap = await applied(({ ext, resources }) => ({
    data: new xdr.SorobanTransactionData({ ext, resources, resourceFee: 1n }),
  }))
  expect('errorResult' in cheap.answer && cheap.answer.errorResult?.result.type).toBe('txSorobanInvalid')
})

it('a branch of the network has the balances of contract accounts', async () => {
  const to = newContract()
  const prepared = await server.prepareTransaction(await build(holder, call(holder.publicKey(), to)))
  await send(prepared, holder)
  const branch = await lab.network.branch()
  try {
    const other = new rpc.Server(`${branch.url}/rpc`, { allowHttp: true })
    const { balanceEntry } = await other.getAssetBalance(to, asset, branch.passphrase)
    expect(balanceEntry).toMatchObject({ amount: '50000000', authorized: true, clawback: false })
  } finally {
    await branch.stop()
  }
})

it('where contracts are deployed, an asset has one only then, and once', async () => {
  const bare = await Laboratory.open({ deploysContracts: true })
  const rpcOfBare = new rpc.Server(`${bare.network.url}/rpc`, { allowHttp: true })
  const [own, to] = [await bare.funded(), newContract()]
  const native = Asset.native()
  const make = async (operation: xdr.Operation) => {
    const { sequence } = await bare.horizon.loadAccount(own.publicKey())
    const account = new Account(own.publicKey(), sequence)
    const options = { fee: '100', networkPassphrase: bare.network.passphrase }
    return new TransactionBuilder(account, options).addOperation(operation).setTimeout(30).build()
  }
  const apply = async (operation: xdr.Operation) => {
    const prepared = await rpcOfBare.prepareTransaction(await make(operation))
    prepared.sign(own)
    const { hash } = await rpcOfBare.sendTransaction(prepared)
    return (await rpcOfBare.pollTransaction(hash)).status
  }
  const pay = call(own.publicKey(), to, { of: native })
  const deploy = Operation.createStellarAssetContract({ asset: native })
  await expect(apply(pay)).rejects.toThrow('MissingValue')
  expect(await apply(deploy)).toBe('SUCCESS')
  expect(await apply(pay)).toBe('SUCCESS')
  await expect(apply(deploy)).rejects.toThrow('ExistingValue')
  await bare.close()
})

it('from protocol 26 on XLM opens an account, and trust opens a line without a limit', async () => {
  const today = await Laboratory.open()
  const rpcOfToday = new rpc.Server(`${today.network.url}/rpc`, { allowHttp: true })
  const [own, other, usdIssuer] = [await today.funded(), await today.funded(), await today.funded()]
  const usd = new Asset('USD', usdIssuer.publicKey())
  // This network knows the contracts of assets that someone holds.
  const line = { source: other.publicKey(), signers: [other] }
  await today.succeed({ ...line, operations: [Operation.changeTrust({ asset: usd })] })
  const apply = async (operation: xdr.Operation) => {
    const { sequence } = await today.horizon.loadAccount(own.publicKey())
    const options = { fee: '100', networkPassphrase: today.network.passphrase }
    const made = new TransactionBuilder(new Account(own.publicKey(), sequence), options)
    const prepared = await rpcOfToday.prepareTransaction(made.addOperation(operation).setTimeout(30).build())
    prepared.sign(own)
    const { hash } = await rpcOfToday.sendTransaction(prepared)
    expect((await rpcOfToday.pollTransaction(hash)).status).toBe('SUCCESS')
    const { records } = await today.horizon.effects().forTransaction(hash).call()
    return records.map(({ type, account }) => [type, account])
  }
  const [from, to] = [own.publicKey(), Keypair.random().publicKey()]
  const passphrase = today.network.passphrase
  const pay = (asset: Asset, payee: string, amount: bigint) =>
    Operation.invokeContractFunction({
      ...{ contract: asset.contractId(passphrase), function: 'transfer' },
      args: [
        nativeToScVal(from, { type: 'address' }),
        nativeToScVal(payee, { type: 'address' }),
        nativeToScVal(amount, { type: 'i128' }),
      ],
    })
  await expect(apply(pay(Asset.native(), to, 9_999_999n))).rejects.toThrow('HostError')
  expect(await apply(pay(Asset.native(), to, 20_000_000n))).toEqual([
    ['account_debited', from],
    ['account_credited', to],
    ['account_created', to],
    ['signer_created', to],
  ])
  expect(await today.nativeBalance(to)).toBe('2.0000000')
  const trust = Operation.invokeContractFunction({
    ...{ contract: usd.contractId(passphrase), function: 'trust' },
    args: [nativeToScVal(from, { type: 'address' })],
  })
  expect(await apply(trust)).toEqual([['trustline_created', from]])
  expect(await apply(trust)).toEqual([])
  const { balances } = await today.horizon.loadAccount(from)
  expect(balances).toContainEqual(
    expect.objectContaining({ asset_code: 'USD', limit: '922337203685.4775807' }),
  )
  const muxed = new MuxedAccount(new Account(to, '0'), '7').accountId()
  await apply(pay(Asset.native(), muxed, 10_000_000n))
  const { records } = await today.horizon.effects().forAccount(to).order('desc').limit(1).call()
  expect(records[0]).toMatchObject({ account_muxed: muxed, account_muxed_id: '7' })
  const paid = await today.horizon.payments().forAccount(to).order('desc').limit(1).call()
  expect(paid.records[0]).toMatchObject({ asset_balance_changes: [{ to, destination_muxed_id: '7' }] })
  await today.close()
})
