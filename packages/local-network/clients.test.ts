import * as wallet from '@stellar/typescript-wallet-sdk'
import { Asset, Horizon, Keypair, Memo, Operation, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import * as old from 'stellar-sdk-13'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startLocalNetwork, type LocalNetwork } from './local-network.ts'

let network: LocalNetwork
beforeAll(async () => {
  network = await startLocalNetwork({ closeEvery: 'at-once' })
})
afterAll(() => network.stop())

async function fund(address: string): Promise<void> {
  const { status } = await fetch(`${network.friendbotUrl}?addr=${address}`)
  if (status !== 200) throw new Error(`friendbot answered ${status}`)
}

describe('@stellar/stellar-sdk 17.2', () => {
  it('issues an asset, pays with it, and reads everything back', async () => {
    const horizon = new Horizon.Server(network.url, { allowHttp: true })
    const [issuer, distribution] = [Keypair.random(), Keypair.random()]
    await fund(issuer.publicKey())
    await horizon.friendbot(distribution.publicKey()).call()
    const asset = new Asset('ANCHOR', issuer.publicKey())
    const submit = async (key: Keypair, ...operations: xdr.Operation[]) => {
      const builder = new TransactionBuilder(await horizon.loadAccount(key.publicKey()), {
        fee: String(await horizon.fetchBaseFee()),
        networkPassphrase: network.passphrase,
      })
      for (const each of operations) builder.addOperation(each)
      const transaction = builder.addMemo(Memo.text('ünïcode')).setTimeout(30).build()
      transaction.sign(key)
      return await horizon.submitTransaction(transaction)
    }
    await submit(distribution, Operation.changeTrust({ asset }))
    const { hash } = await submit(
      issuer,
      Operation.payment({ destination: distribution.publicKey(), asset, amount: '1000000' }),
      Operation.setOptions({ homeDomain: 'anchor.localhost' }),
    )
    const stored = await horizon.transactions().transaction(hash).call()
    expect(stored.memo).toBe('ünïcode')
    expect(xdr.TransactionResult.fromXdr(stored.result_xdr, 'base64').result.type).toBe('txSuccess')
    expect(xdr.TransactionMeta.fromXdr(stored.result_meta_xdr, 'base64').type).toBe('v4')
    const parsed = TransactionBuilder.fromXDR(stored.envelope_xdr, network.passphrase)
    expect(Buffer.from(parsed.hash()).toString('hex')).toBe(hash)
    expect((await (await stored.account()).payments()).records.map(({ type }) => type)).toEqual([
      'create_account',
      'payment',
    ])
    expect((await stored.ledger()).sequence).toBe(stored.ledger_attr)
    const account = await horizon.loadAccount(distribution.publicKey())
    expect(account.balances[0]).toMatchObject({ asset_code: 'ANCHOR', balance: '1000000.0000000' })
    const assets = await horizon.assets().forCode('ANCHOR').forIssuer(issuer.publicKey()).call()
    expect(assets.records[0]).toMatchObject({
      balances: { authorized: '1000000.0000000' },
      _links: { toml: { href: 'https://anchor.localhost/.well-known/stellar.toml' } },
    })
    expect((await horizon.feeStats()).last_ledger_base_fee).toBe('100')
    const holders = await horizon.accounts().forAsset(asset).call()
    expect(holders.records.map(({ id }) => id)).toEqual([distribution.publicKey()])
  })

  it('gets result codes it understands', async () => {
    const horizon = new Horizon.Server(network.url, { allowHttp: true })
    const key = Keypair.random()
    await fund(key.publicKey())
    const transaction = new TransactionBuilder(await horizon.loadAccount(key.publicKey()), {
      fee: '100',
      networkPassphrase: network.passphrase,
    })
      .addOperation(
        Operation.payment({
          destination: Keypair.random().publicKey(),
          asset: Asset.native(),
          amount: '1',
        }),
      )
      .setTimeout(30)
      .build()
    transaction.sign(key)
    await expect(horizon.submitTransaction(transaction)).rejects.toMatchObject({
      response: { data: { extras: { result_codes: { operations: ['op_no_destination'] } } } },
    })
  })
})

describe('@stellar/stellar-sdk 13.3, as older wallets have it', () => {
  it('pays, streams and parses what it gets', async () => {
    const horizon = new old.Horizon.Server(network.url, { allowHttp: true })
    const [from, to] = [old.Keypair.random(), old.Keypair.random()]
    await fund(from.publicKey())
    await fund(to.publicKey())
    const streamed = Promise.withResolvers<string>()
    const stop = horizon
      .payments()
      .forAccount(to.publicKey())
      .stream({
        onmessage: message => {
          if (message.type === 'payment') streamed.resolve(message.amount)
        },
      })
    const transaction = new old.TransactionBuilder(await horizon.loadAccount(from.publicKey()), {
      fee: old.BASE_FEE,
      networkPassphrase: network.passphrase,
    })
      .addOperation(
        old.Operation.payment({ destination: to.publicKey(), asset: old.Asset.native(), amount: '12.5' }),
      )
      .addOperation(
        old.Operation.createClaimableBalance({
          asset: old.Asset.native(),
          amount: '1',
          claimants: [new old.Claimant(to.publicKey())],
        }),
      )
      .addMemo(old.Memo.id('42'))
      .setTimeout(30)
      .build()
    transaction.sign(from)
    const answer = await horizon.submitTransaction(transaction)
    expect(answer.successful).toBe(true)
    expect(await streamed.promise).toBe('12.5000000')
    stop()

    const stored = await horizon.transactions().transaction(answer.hash).call()
    expect(stored).toMatchObject({ memo: '42', memo_type: 'id' })
    const result = old.xdr.TransactionResult.fromXDR(stored.result_xdr, 'base64')
    expect(result.result().switch().name).toBe('txSuccess')
    const { records } = await horizon.claimableBalances().claimant(to.publicKey()).call()
    const claiming = new old.TransactionBuilder(await horizon.loadAccount(to.publicKey()), {
      fee: old.BASE_FEE,
      networkPassphrase: network.passphrase,
    })
      .addOperation(old.Operation.claimClaimableBalance({ balanceId: records[0]?.id ?? '' }))
      .setTimeout(30)
      .build()
    claiming.sign(to)
    const bump = old.TransactionBuilder.buildFeeBumpTransaction(from, '500', claiming, network.passphrase)
    bump.sign(from)
    expect((await horizon.submitTransaction(bump)).successful).toBe(true)
    const account = await horizon.loadAccount(to.publicKey())
    expect(account.balances[0]?.balance).toBe('10013.5000000')
  })
})

describe('@stellar/typescript-wallet-sdk 1.10', () => {
  it('makes accounts, trusts, transfers and reads history', async () => {
    // Its own constructor knows no plain http.
    const configuration = new wallet.StellarConfiguration({
      network: old.Networks.TESTNET,
      horizonUrl: 'https://localhost',
    })
    Object.assign(configuration, {
      horizonUrl: network.url,
      server: new old.Horizon.Server(network.url, { allowHttp: true }),
    })
    const stellar = new wallet.Wallet({ stellarConfiguration: configuration }).stellar()
    const accounts = stellar.account()
    const [issuer, holder, child] = [
      accounts.createKeypair(),
      accounts.createKeypair(),
      accounts.createKeypair(),
    ]
    await fund(issuer.publicKey)
    await fund(holder.publicKey)
    const asset = new wallet.IssuedAssetId('WAL', issuer.publicKey)

    const opening = await stellar.transaction({ sourceAddress: holder })
    const opened = opening.createAccount(child, 5).addAssetSupport(asset).build()
    holder.sign(opened)
    expect(await stellar.submitTransaction(opened)).toBe(true)

    const paying = await stellar.transaction({ sourceAddress: issuer })
    const paid = paying.transfer(holder.publicKey, asset, '7').build()
    issuer.sign(paid)
    expect(await stellar.submitTransaction(paid)).toBe(true)

    const info = await accounts.getInfo({ accountAddress: holder.publicKey })
    expect(info.balances[0]).toMatchObject({ asset_code: 'WAL', balance: '7.0000000' })
    const { records } = await accounts.getHistory({ accountAddress: holder.publicKey })
    expect(records.map(({ type }) => type)).toEqual([
      'payment',
      'change_trust',
      'create_account',
      'create_account',
    ])
    expect(await stellar.getRecommendedFee()).toBe('100')
  })
})
