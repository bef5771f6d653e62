import { Asset, Claimant, Keypair, Operation, type xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Laboratory, xlm } from './testing/laboratory.ts'
import { Market, sell } from './testing/market.ts'

let lab: Laboratory
let market: Market
beforeAll(async () => {
  lab = await Laboratory.open()
  market = await Market.open(lab)
})
afterAll(() => lab.close())

const begin = (owner: Keypair, source?: Keypair) =>
  Operation.beginSponsoringFutureReserves({
    sponsoredId: owner.publicKey(),
    ...(source && { source: source.publicKey() }),
  })
const end = (owner: Keypair) => Operation.endSponsoringFutureReserves({ source: owner.publicKey() })
const as = (key: Keypair) => ({ source: key.publicKey() })

/** Operations of one account whose reserves another pays. */
const sandwich = (sponsor: Keypair, owner: Keypair, ...operations: xdr.Operation[]) =>
  market.codes(sponsor, [begin(owner), ...operations, end(owner)], [sponsor, owner])

const counts = async (key: Keypair) => {
  const { num_sponsoring, num_sponsored, subentry_count } = await lab.horizon.loadAccount(key.publicKey())
  return [num_sponsoring, num_sponsored, subentry_count]
}

describe('sponsorship', () => {
  it('makes an account that has no lumens', async () => {
    const [sponsor, owner] = [await lab.funded(), Keypair.random()]
    const made = Operation.createAccount({ destination: owner.publicKey(), startingBalance: '0' })
    expect(await sandwich(sponsor, owner, made)).toBe('success')
    expect(await counts(sponsor)).toEqual([2, 0, 0])
    const { body } = await lab.get(`/accounts/${owner.publicKey()}`)
    expect(body).toMatchObject({ num_sponsored: 2, sponsor: sponsor.publicKey() })
    const { body: found } = await lab.get(`/accounts?sponsor=${sponsor.publicKey()}`)
    expect(JSON.stringify(found)).toContain(owner.publicKey())
  })

  it('pays for every kind of entry, and ends with it', async () => {
    const [sponsor, owner] = [await lab.funded(), await lab.holding(xlm(1) + 3_000n)]
    const signer = Keypair.random().publicKey()
    const asset = market.eur
    const code = await sandwich(
      sponsor,
      owner,
      Operation.changeTrust({ asset, ...as(owner) }),
      Operation.manageData({ name: 'a', value: 'b', ...as(owner) }),
      Operation.setOptions({ signer: { ed25519PublicKey: signer, weight: 1 }, ...as(owner) }),
      Operation.manageSellOffer({
        selling: Asset.native(),
        buying: asset,
        amount: '0.0000001',
        price: '1',
        offerId: '0',
        ...as(owner),
      }),
    )
    expect(code).toBe('success')
    expect([await counts(sponsor), await counts(owner)]).toEqual([
      [4, 0, 0],
      [0, 4, 4],
    ])
    const [offer] = await market.offersOf(owner)
    expect(offer?.sponsor).toBe(sponsor.publicKey())
    const { balances, signers } = await lab.horizon.loadAccount(owner.publicKey())
    expect(balances[0]).toMatchObject({ sponsor: sponsor.publicKey() })
    expect(signers.find(({ key }) => key === signer)).toMatchObject({ sponsor: sponsor.publicKey() })
    await market.succeed(
      owner,
      sell(Asset.native(), asset, '0', '1', String(offer?.id)),
      Operation.changeTrust({ asset, limit: '0' }),
      Operation.manageData({ name: 'a', value: null }),
      Operation.setOptions({ signer: { ed25519PublicKey: signer, weight: 0 } }),
    )
    expect([await counts(sponsor), await counts(owner)]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ])
  })

  it('is handed on and ended by the one who pays', async () => {
    const [sponsor, next, owner] = [await lab.funded(), await lab.funded(), await lab.funded()]
    await sandwich(sponsor, owner, Operation.manageData({ name: 'a', value: 'b', ...as(owner) }))
    const revoke = Operation.revokeDataSponsorship({ account: owner.publicKey(), name: 'a', ...as(sponsor) })
    expect(await market.codes(next, [begin(sponsor), revoke, end(sponsor)], [next, sponsor])).toBe('success')
    expect([await counts(sponsor), await counts(next), await counts(owner)]).toEqual([
      [0, 0, 0],
      [1, 0, 0],
      [0, 1, 1],
    ])
    await market.succeed(next, Operation.revokeDataSponsorship({ account: owner.publicKey(), name: 'a' }))
    expect([await counts(next), await counts(owner)]).toEqual([
      [0, 0, 0],
      [0, 0, 1],
    ])
    // Its owner may give it away again.
    const given = Operation.revokeDataSponsorship({ account: owner.publicKey(), name: 'a', ...as(owner) })
    expect(await sandwich(sponsor, owner, given)).toBe('success')
    expect(await counts(sponsor)).toEqual([1, 0, 0])
  })

  it('of a claimable balance moves between accounts and never ends', async () => {
    const [sponsor, next, owner] = [await lab.funded(), await lab.funded(), await lab.funded()]
    const claimants = [new Claimant(next.publicKey())]
    const made = Operation.createClaimableBalance({
      asset: Asset.native(),
      amount: '1',
      claimants,
      ...as(owner),
    })
    await sandwich(sponsor, owner, made)
    const { records } = await lab.horizon.claimableBalances().sponsor(sponsor.publicKey()).call()
    const revoke = Operation.revokeClaimableBalanceSponsorship({
      balanceId: records[0]?.id ?? '',
      ...as(sponsor),
    })
    expect(await market.codes(sponsor, [revoke])).toEqual(['op_only_transferable'])
    expect(await market.codes(next, [begin(sponsor), revoke, end(sponsor)], [next, sponsor])).toBe('success')
    expect([await counts(sponsor), await counts(next)]).toEqual([
      [0, 0, 0],
      [1, 0, 0],
    ])
  })
})

describe('sponsorship is refused', () => {
  it.each([
    [
      'for oneself',
      ['op_malformed'],
      async () => {
        const key = await lab.funded()
        return market.codes(key, [begin(key)])
      },
    ],
    [
      'that was not begun',
      ['op_not_sponsored'],
      async () => {
        const key = await lab.funded()
        return market.codes(key, [end(key)])
      },
    ],
    [
      'that does not end in its transaction',
      'tx_bad_sponsorship',
      async () => market.codes(await lab.funded(), [begin(await lab.funded())]),
    ],
    [
      'of an account that has a sponsor',
      ['op_success', 'op_already_sponsored'],
      async () => {
        const owner = await lab.funded()
        return market.codes(await lab.funded(), [begin(owner), begin(owner)])
      },
    ],
    [
      'by an account that has a sponsor',
      ['op_success', 'op_recursive', 'op_success'],
      async () => {
        const [sponsor, owner, third] = [await lab.funded(), await lab.funded(), await lab.funded()]
        return market.codes(sponsor, [begin(owner), begin(third, owner), end(owner)], [sponsor, owner])
      },
    ],
    [
      'by an account that cannot cover it',
      ['op_success', 'op_low_reserve', 'op_success'],
      async () => {
        const [sponsor, owner] = [await lab.holding(xlm(1) + 10_000n), await lab.funded()]
        return sandwich(sponsor, owner, Operation.manageData({ name: 'a', value: 'b', ...as(owner) }))
      },
    ],
    [
      'to a stranger who would revoke it',
      ['op_not_sponsor'],
      async () => {
        const [sponsor, owner] = [await lab.funded(), await lab.funded()]
        await sandwich(sponsor, owner, Operation.manageData({ name: 'a', value: 'b', ...as(owner) }))
        const revoke = Operation.revokeDataSponsorship({ account: owner.publicKey(), name: 'a' })
        return market.codes(await lab.funded(), [revoke])
      },
    ],
    [
      'to its owner, who may not end what another pays',
      ['op_not_sponsor'],
      async () => {
        const [sponsor, owner] = [await lab.funded(), await lab.funded()]
        await sandwich(sponsor, owner, Operation.manageData({ name: 'a', value: 'b', ...as(owner) }))
        return market.codes(owner, [
          Operation.revokeDataSponsorship({ account: owner.publicKey(), name: 'a' }),
        ])
      },
    ],
    [
      'of what does not exist',
      ['op_does_not_exist'],
      async () => {
        const key = await lab.funded()
        return market.codes(key, [
          Operation.revokeDataSponsorship({ account: key.publicKey(), name: 'none' }),
        ])
      },
    ],
    [
      'to an owner who cannot take the reserve over',
      ['op_low_reserve'],
      async () => {
        const [sponsor, owner] = [await lab.funded(), Keypair.random()]
        const made = Operation.createAccount({ destination: owner.publicKey(), startingBalance: '0' })
        await sandwich(sponsor, owner, made)
        return market.codes(sponsor, [Operation.revokeAccountSponsorship({ account: owner.publicKey() })])
      },
    ],
    [
      'to an account that would be merged while it pays for others',
      ['op_is_sponsor'],
      async () => {
        const [sponsor, owner] = [await lab.funded(), await lab.funded()]
        await sandwich(sponsor, owner, Operation.manageData({ name: 'a', value: 'b', ...as(owner) }))
        return market.codes(sponsor, [Operation.accountMerge({ destination: owner.publicKey() })])
      },
    ],
  ] as const)('%s: %s', async (_rule, expected, arrange) => {
    expect(await arrange()).toEqual(expected)
  })

  it('and a transaction that begins one and does not end it pays its fee and changes nothing', async () => {
    const [sponsor, owner] = [await lab.funded(), await lab.funded()]
    const answer = await lab.submit({
      source: sponsor.publicKey(),
      signers: [sponsor, owner],
      operations: [begin(owner), Operation.manageData({ name: 'a', value: 'b', ...as(owner) })],
    })
    expect(answer.status).toBe(400)
    expect(await lab.nativeBalance(sponsor.publicKey())).toBe('9999.9999800')
    expect((await lab.horizon.loadAccount(owner.publicKey())).data_attr).toEqual({})
    const stored = await lab.horizon.transactions().transaction(answer.hash).call()
    expect(stored).toMatchObject({ successful: false, fee_charged: '200' })
  })
})

it('merging an account gives back what others paid for it', async () => {
  const [sponsor, owner] = [await lab.funded(), Keypair.random()]
  const made = Operation.createAccount({ destination: owner.publicKey(), startingBalance: '2' })
  const signer = { ed25519PublicKey: Keypair.random().publicKey(), weight: 1 }
  expect(await sandwich(sponsor, owner, made, Operation.setOptions({ signer, ...as(owner) }))).toBe('success')
  expect(await counts(sponsor)).toEqual([3, 0, 0])
  await market.succeed(owner, Operation.accountMerge({ destination: sponsor.publicKey() }))
  expect(await counts(sponsor)).toEqual([0, 0, 0])
})
