import { Keypair, Operation, type Transaction } from '@stellar/stellar-sdk/base'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import {
  askPayment,
  assetOf,
  ERROR,
  mumbai,
  pay,
  seen,
  setLimits,
  signer,
  startTwoAnchors,
  transactionOf,
  wallet,
} from '../testing/two-anchors.ts'

startTwoAnchors()

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
    sponsor?: string
    masterWeight?: number
    weight?: number
    highThreshold?: number
  }
  const opening = (
    account: string,
    {
      balance = '0',
      signer,
      creator,
      sponsor,
      masterWeight = 0,
      weight = 1,
      highThreshold = 1,
    }: Opening = {},
  ) => [
    Operation.beginSponsoringFutureReserves({
      sponsoredId: account,
      ...(sponsor ? { source: sponsor } : {}),
    }),
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

  it('are opened by the sequence number of one that is open, for the distribution account alone', async () => {
    const { distribution } = mumbai.accounts
    const [source, by] = [channel(), { creator: distribution, sponsor: distribution }]
    await askPayment(transactionOf(opening(channel(), by), { source }))
    for (const lacks of [{ creator: distribution }, { sponsor: distribution }, {}])
      await expect(
        askPayment(transactionOf(opening(channel(), lacks), { source: channel() })),
      ).rejects.toMatchObject(ERROR.refused)
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
