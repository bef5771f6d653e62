import { Asset, BASE_FEE, Keypair, Operation, rpc, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Laboratory } from './testing/laboratory.ts'

let lab: Laboratory
let server: rpc.Server
beforeAll(async () => {
  lab = await Laboratory.open({ protocol: 23 })
  server = new rpc.Server(`${lab.network.url}/rpc`, { allowHttp: true })
})
afterAll(() => lab.close())

async function payment(from: Keypair, amount: string) {
  const transaction = new TransactionBuilder(await server.getAccount(from.publicKey()), {
    fee: BASE_FEE,
    networkPassphrase: lab.network.passphrase,
  })
    .addOperation(
      Operation.payment({ destination: lab.network.root.publicKey(), asset: Asset.native(), amount }),
    )
    .setTimeout(30)
    .build()
  transaction.sign(from)
  return transaction
}

it('the SDK pays over RPC and reads what became of it', async () => {
  const key = await lab.funded()
  const sent = await server.sendTransaction(await payment(key, '5'))
  expect(sent).toMatchObject({ status: 'PENDING', hash: expect.stringMatching(/^[0-9a-f]{64}$/) })
  const found = await server.pollTransaction(sent.hash)
  expect(found).toMatchObject({ status: 'SUCCESS', txHash: sent.hash, feeBump: false })
  if (found.status !== rpc.Api.GetTransactionStatus.SUCCESS) throw new Error(found.status)
  expect(found.resultMetaXdr.type).toBe('v4')
  const { transactions } = await server.getTransactions({
    startLedger: found.ledger,
    pagination: { limit: 10 },
  })
  expect(transactions.map(({ txHash }) => txHash)).toContain(sent.hash)
})

it('a transaction that breaks a rule is refused with its result, and an unknown one is not found', async () => {
  const key = await lab.funded()
  const refused = await server.sendTransaction(await payment(key, '0.0000001'))
  expect(refused.status).toBe('PENDING')
  const stale = await payment(await lab.funded(), '1')
  expect((await server.sendTransaction(stale)).status).toBe('PENDING')
  await server.pollTransaction(Buffer.from(stale.hash()).toString('hex'))
  expect((await server.sendTransaction(stale)).status).toBe('TRY_AGAIN_LATER')
  const poor = await lab.holding(10_000_000n)
  const error = await server.sendTransaction(await payment(poor, '1'))
  expect(error.status).toBe('ERROR')
  expect(error.errorResult?.result.type).toBe('txInsufficientBalance')
  expect((await server.getTransaction('0'.repeat(64))).status).toBe('NOT_FOUND')
})

it('says what network it is', async () => {
  expect(await server.getHealth()).toMatchObject({ status: 'healthy', oldestLedger: 1 })
  expect(await server.getNetwork()).toMatchObject({
    passphrase: lab.network.passphrase,
    protocolVersion: 23,
    friendbotUrl: lab.network.friendbotUrl,
  })
  expect(await server.getLatestLedger()).toMatchObject({ sequence: lab.network.latestLedger })
  expect((await server.getFeeStats()).inclusionFee).toMatchObject({ min: '100' })
  expect((await server.getVersionInfo()).protocolVersion).toBe(23)
})

it('gives entries by key, and leaves out those that are not there', async () => {
  const [key, stranger] = [await lab.funded(), Keypair.random()]
  const keyOf = (each: Keypair) =>
    xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId: each.xdrPublicKey() }))
  const { entries } = await server.getLedgerEntries(keyOf(key), keyOf(stranger))
  expect(entries).toHaveLength(1)
  expect(entries[0]?.val.type === 'account' && entries[0].val.account.balance).toBe(100_000_000_000n)
})

it.each([
  ['{', -32600],
  [{ jsonrpc: '2.0', id: 1, method: 'simulateTransaction' }, -32602],
  [{ jsonrpc: '2.0', id: 1, method: 'getTransaction', params: { hash: 'zz' } }, -32602],
  [{ jsonrpc: '2.0', id: 1, method: 'getLedgerEntries', params: { keys: ['zz'] } }, -32602],
  [{ jsonrpc: '2.0', id: 1, method: 'sendTransaction', params: { transaction: 'zz' } }, -32602],
  [{ jsonrpc: '2.0', id: 1, method: 'getTransactions', params: { startLedger: 99_999 } }, -32602],
])('%j is answered with %i', async (call, code) => {
  const answer = await fetch(`${lab.network.url}/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof call === 'string' ? call : JSON.stringify(call),
  })
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  expect(await answer.json()).toMatchObject({ jsonrpc: '2.0', error: { code } })
})

it.each([
  [19, 'v2'],
  [20, 'v3'],
  [28, 'v4'],
])('protocol %i has meta %s, from which effects are read all the same', async (protocol, type) => {
  const other = await Laboratory.open({ protocol })
  const key = await other.funded()
  const { records } = await other.horizon.transactions().forAccount(key.publicKey()).call()
  expect(xdr.TransactionMeta.fromXdr(records[0]?.result_meta_xdr ?? '', 'base64').type).toBe(type)
  expect((await other.horizon.effects().forAccount(key.publicKey()).call()).records).toHaveLength(2)
  expect((await other.get('/')).body).toMatchObject({ current_protocol_version: protocol })
  expect((await other.get('/ledgers/2')).body).toMatchObject({ protocol_version: protocol })
  await other.close()
})

it.each([18, 29, 20.5])('protocol %d is refused', async protocol => {
  await expect(Laboratory.open({ protocol })).rejects.toThrow(RangeError)
})
