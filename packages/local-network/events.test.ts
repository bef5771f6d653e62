import {
  Account,
  Asset,
  Claimant,
  Keypair,
  Memo,
  MuxedAccount,
  Operation,
  rpc,
  scValToNative,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Laboratory } from './testing/laboratory.ts'

let lab: Laboratory
let server: rpc.Server
let issuer: Keypair
let holder: Keypair
let usd: Asset
beforeAll(async () => {
  lab = await Laboratory.open()
  server = new rpc.Server(`${lab.network.url}/rpc`, { allowHttp: true })
  ;[issuer, holder] = [await lab.funded(), await lab.funded()]
  usd = new Asset('USD', issuer.publicKey())
  await apply(holder, [Operation.changeTrust({ asset: usd })])
})
afterAll(() => lab.close())

/** @returns the events that its operations have, in short, and the whole answer */
async function apply(by: Keypair, operations: xdr.Operation[], memo: Memo = Memo.none()) {
  const { sequence } = await lab.horizon.loadAccount(by.publicKey())
  const builder = new TransactionBuilder(new Account(by.publicKey(), sequence), {
    ...{ fee: '100', networkPassphrase: lab.network.passphrase, memo },
  }).setTimeout(30)
  for (const operation of operations) builder.addOperation(operation)
  const transaction = builder.build()
  transaction.sign(by)
  const { hash } = await server.sendTransaction(transaction)
  const { ledger } = await server.pollTransaction(hash).then(found => found as { ledger: number })
  const { events } = await server.getEvents({ startLedger: ledger, filters: [] })
  return events
    .filter(each => each.txHash === hash)
    .map(({ topic, value, ...rest }) => ({
      ...rest,
      said: [...topic.map(each => scValToNative(each) as unknown), scValToNative(value) as unknown],
    }))
}
const said = (events: Awaited<ReturnType<typeof apply>>) => events.map(each => each.said)

const named = () => `USD:${issuer.publicKey()}`

it('a payment is a transfer beside its fee, by the contract that the asset has or would have', async () => {
  const to = lab.network.root.publicKey()
  const payment = Operation.payment({ asset: Asset.native(), amount: '5', destination: to })
  const events = await apply(holder, [payment])
  expect(said(events)).toEqual([
    ['fee', holder.publicKey(), 100n],
    ['transfer', holder.publicKey(), to, 'native', 50_000_000n],
  ])
  expect(events[1]).toMatchObject({
    ...{ type: 'contract', operationIndex: 0, transactionIndex: 1, inSuccessfulContractCall: true },
    id: expect.stringMatching(/^\d{19}-0000000000$/),
  })
  expect(events[1]?.contractId?.contractId()).toBe(Asset.native().contractId(lab.network.passphrase))
})

it('what the issuer pays is minted and what it gets is burned, with the memo or the number of a muxed account', async () => {
  const destination = holder.publicKey()
  const minted = await apply(
    issuer,
    [Operation.payment({ asset: usd, amount: '10', destination })],
    Memo.text('for you'),
  )
  expect(said(minted).at(-1)).toEqual([
    ...['mint', destination, named()],
    { amount: 100_000_000n, to_muxed_id: 'for you' },
  ])
  const muxed = new MuxedAccount(new Account(destination, '0'), '7').accountId()
  const toMuxed = await apply(issuer, [Operation.payment({ asset: usd, amount: '1', destination: muxed })])
  expect(said(toMuxed).at(-1)).toEqual([
    ...['mint', destination, named()],
    { amount: 10_000_000n, to_muxed_id: 7n },
  ])
  const back = { asset: usd, amount: '2', destination: issuer.publicKey() }
  expect(said(await apply(holder, [Operation.payment(back)])).at(-1)).toEqual([
    ...['burn', destination, named(), 20_000_000n],
  ])
})

it('accounts, claimable balances and trades have theirs too', async () => {
  const created = Keypair.random()
  const [, opened] = said(
    await apply(holder, [
      Operation.createAccount({ destination: created.publicKey(), startingBalance: '3' }),
    ]),
  )
  expect(opened).toEqual(['transfer', holder.publicKey(), created.publicKey(), 'native', 30_000_000n])
  const claimants = [new Claimant(holder.publicKey())]
  const [, made] = said(
    await apply(issuer, [Operation.createClaimableBalance({ asset: usd, amount: '4', claimants })]),
  )
  expect(made).toEqual(['mint', expect.stringMatching(/^B/), named(), 40_000_000n])
  await apply(holder, [
    Operation.manageSellOffer({ selling: usd, buying: Asset.native(), amount: '1', price: '2' }),
  ])
  const bought = Operation.manageBuyOffer({
    selling: Asset.native(),
    buying: usd,
    buyAmount: '1',
    price: '2',
  })
  expect(said(await apply(issuer, [bought])).slice(1)).toEqual([
    ['transfer', issuer.publicKey(), holder.publicKey(), 'native', 20_000_000n],
    ['burn', holder.publicKey(), named(), 10_000_000n],
  ])
  const [, merged] = said(await apply(created, [Operation.accountMerge({ destination: holder.publicKey() })]))
  expect(merged?.slice(0, 4)).toEqual(['transfer', created.publicKey(), holder.publicKey(), 'native'])
})

it('they are found by contract and topics, in pages, and a failed transaction has its fee alone', async () => {
  const contractIds = [usd.contractId(lab.network.passphrase)]
  const burn = xdr.ScVal.scvSymbol('burn').toXdr('base64')
  const only = { type: 'contract', contractIds, topics: [[burn, '**']] } as const
  const found = await server.getEvents({ startLedger: 2, filters: [{ ...only, topics: [[burn, '**']] }] })
  expect(found.events.map(({ topic }) => scValToNative(topic[0] as xdr.ScVal))).toEqual(['burn', 'burn'])
  const all = await server.getEvents({ startLedger: 2, filters: [{ contractIds }] })
  const first = await server.getEvents({ startLedger: 2, filters: [{ contractIds }], limit: 2 })
  const rest = await server.getEvents({ cursor: first.cursor, filters: [{ contractIds }] })
  expect([...first.events, ...rest.events].map(({ id }) => id)).toEqual(all.events.map(({ id }) => id))
  const nobody = Keypair.random().publicKey()
  const failed = [Operation.payment({ asset: usd, amount: '1', destination: nobody })]
  expect(said(await apply(holder, failed))).toEqual([['fee', holder.publicKey(), 100n]])
})
