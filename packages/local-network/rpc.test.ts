import { Asset, BASE_FEE, Keypair, Operation, rpc, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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

describe('getLedgers, as stellar-rpc 28 answers it', () => {
  const ask = async (params: object) => {
    const answer = await fetch(`${lab.network.url}/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getLedgers', params }),
    })
    return (await answer.json()) as {
      result: { ledgers: Record<string, unknown>[]; cursor: string } & Record<string, unknown>
      error: { code: number; message: string }
    }
  }

  it('has each ledger by hash, header and what was applied in it, in pages that a cursor continues', async () => {
    const key = await lab.funded()
    const sent = await server.sendTransaction(await payment(key, '5'))
    await server.pollTransaction(sent.hash)
    const found = await server.getTransaction(sent.hash)
    if (found.status !== rpc.Api.GetTransactionStatus.SUCCESS) throw new Error(found.status)
    const { result } = await ask({ startLedger: found.ledger, pagination: { limit: 1 } })
    const [ledger] = result.ledgers
    expect(Object.keys(result).toSorted()).toEqual([
      ...['cursor', 'latestLedger', 'latestLedgerCloseTime', 'ledgers'],
      ...['oldestLedger', 'oldestLedgerCloseTime'],
    ])
    // Times of a list are numbers, those of a ledger are text.
    expect(result).toMatchObject({
      oldestLedger: 1,
      latestLedgerCloseTime: expect.any(Number),
      oldestLedgerCloseTime: expect.any(Number),
      cursor: String(found.ledger),
    })
    expect(Object.keys(ledger ?? {}).toSorted()).toEqual([
      ...['hash', 'headerXdr', 'ledgerCloseTime', 'metadataXdr', 'sequence'],
    ])
    expect(ledger).toMatchObject({ sequence: found.ledger, ledgerCloseTime: String(found.createdAt) })
    const header = xdr.LedgerHeaderHistoryEntry.fromXdr(String(ledger?.['headerXdr']), 'base64')
    expect(Buffer.from(header.hash.value).toString('hex')).toBe(ledger?.['hash'])
    const meta = xdr.LedgerCloseMeta.fromXdr(String(ledger?.['metadataXdr']), 'base64')
    expect(meta.toXdr('hex')).toContain(sent.hash)
    const before = await ask({ startLedger: 1, pagination: { limit: 2 } })
    expect(before.result.cursor).toBe('2')
    const after = await ask({ pagination: { cursor: '2', limit: 1 } })
    expect(after.result.ledgers).toMatchObject([{ sequence: 3 }])
    const whole = await ask({ startLedger: 1, pagination: { limit: 0 } })
    expect(whole.result.ledgers).toHaveLength(Math.min(50, Number(whole.result['latestLedger'])))
  })

  it.each([
    [{ startLedger: 0 }, -32600, /^start ledger \(0\) must be between the oldest ledger: 1 and the latest/],
    [{ startLedger: 99_999 }, -32600, /^start ledger \(99999\) must be between/],
    [
      { startLedger: 1, pagination: { cursor: '1' } },
      -32600,
      'startLedger (1) and cursor (1) cannot both be set',
    ],
    [{ startLedger: 1, pagination: { limit: 201 } }, -32600, 'limit must not exceed 200'],
    [{ pagination: { cursor: '99999' } }, -32602, /^cursor \('99999'\) must be between the oldest ledger: 1/],
  ])('refuses %j with %i', async (params, code, message) => {
    const { error } = await ask(params)
    expect(error).toMatchObject({
      code,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    })
  })
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
