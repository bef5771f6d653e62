import { metricIn } from '@windlass/testing/metrics.ts'
import {
  Asset,
  Claimant,
  Keypair,
  Operation,
  TransactionBuilder,
  type Transaction,
} from '@stellar/stellar-sdk/base'
import { createServerSigner } from '@windlass/client/signer.ts'
import {
  endSigning,
  getSigning,
  putSigningLimits,
  signCallback,
  signChallenge,
  signPayment,
} from '@windlass/contracts/internal/signer.ts'
import { verifierFromAddress } from '@windlass/stellar/ed25519.ts'
import { addSignature } from '@windlass/stellar/keys.ts'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { PASSPHRASE } from '../testing/running-signer.ts'
import {
  askPayment,
  assetOf,
  challengeOf,
  delhi,
  ERROR,
  mumbai,
  pay,
  reservesOf,
  seen,
  setLimits,
  signer,
  soon,
  startTwoAnchors,
  transactionOf,
  wallet,
} from '../testing/two-anchors.ts'

startTwoAnchors()

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
    const tries = Array.from({ length: 20 }, (_, index) =>
      askPayment(pay('100', { sequence: `${index + 1}` })),
    )
    const signed = (await Promise.allSettled(tries)).filter(({ status }) => status === 'fulfilled')
    expect(signed).toHaveLength(10)
    const { lastHour, stopped } = await seen(mumbai)
    expect(lastHour).toBe('1000')
    expect(stopped).toMatchObject([{ server: 'business', reason: 'per-hour', count: 11 }])
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
      createServerSigner(signer.url, by).statement(message)
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

  it('has closed periods of its own journal signed, and no other anchor’s', async () => {
    const { accounts, credentials } = mumbai
    const { statement: ask } = createServerSigner(signer.url, credentials.business)
    const { networkPassphrase, homeDomain, distributionAccount, at } = reservesOf(mumbai)
    const close = {
      ...{
        type: 'windlass-close-1',
        homeDomain,
        networkPassphrase,
        distributionAccount,
        at,
        by: 'operator:one',
      },
      ...{ kind: 'month', from: '2025-10-01', to: '2025-10-31', content: 'ab'.repeat(32), previous: null },
    }
    const message = JSON.stringify(close)
    expect(Keypair.fromPublicKey(accounts.signing).verifyMessage(message, await ask(message))).toBe(true)
    const others = [
      { ...close, at: new Date(Date.now() - 600_000).toISOString() },
      { ...close, distributionAccount: delhi.accounts.distribution },
      { ...close, networkPassphrase: 'Public Global Stellar Network ; September 2015' },
      { ...close, kind: 'year' },
    ]
    for (const other of others) await expect(ask(JSON.stringify(other))).rejects.toMatchObject(ERROR.refused)
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
