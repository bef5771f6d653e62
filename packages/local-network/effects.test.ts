import { Keypair, xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  claim,
  claimable,
  clawback,
  clawbackBalance,
  createAccount,
  data,
  keySigner,
  Laboratory,
  lineFlags,
  merge,
  native,
  operation,
  options,
  pay,
  publicKey,
  trust,
  unconditional,
  xlm,
} from './testing/laboratory.ts'
import { issued } from './testing/scenes.ts'

let lab: Laboratory
beforeAll(async () => {
  lab = await Laboratory.open()
})
afterAll(() => lab.close())

/** The effects of a transaction in their order, with names for accounts and without what every effect has. */
async function effects(names: Record<string, Keypair>, source: Keypair, ...bodies: xdr.OperationBody[]) {
  const hash = await lab.succeed({
    source: source.publicKey(),
    signers: [source],
    operations: bodies.map(body => operation(body)),
  })
  const { body } = await lab.get(`/transactions/${hash}/effects?limit=200`)
  let answer = JSON.stringify(body['_embedded'])
  for (const [name, key] of Object.entries(names)) answer = answer.replaceAll(key.publicKey(), name)
  const { records }: { records: Record<string, unknown>[] } = JSON.parse(answer)
  return records.map(record =>
    Object.fromEntries(Object.entries(record).filter(([field]) => !common.includes(field))),
  )
}

const allow = (trustor: Keypair, authorize: number) =>
  xdr.OperationBody.allowTrust(
    new xdr.AllowTrustOp({
      trustor: publicKey(trustor),
      asset: xdr.AssetCode.assetTypeCreditAlphanum4('USD'),
      authorize,
    }),
  )

const common = ['_links', 'id', 'paging_token', 'type_i', 'created_at']
const lumens = (amount: string) => ({ asset_type: 'native', amount })

describe('effects follow Horizon, in order and field by field:', () => {
  it('creating, paying (oneself too) and merging accounts', async () => {
    const [from, to] = [await lab.funded(), Keypair.random()]
    const names = { from, to }
    expect(await effects(names, from, createAccount(to, xlm(5)))).toEqual([
      { account: 'to', type: 'account_created', starting_balance: '5.0000000' },
      { account: 'from', type: 'account_debited', ...lumens('5.0000000') },
      { account: 'to', type: 'signer_created', weight: 1, public_key: 'to', key: '' },
    ])
    expect(await effects(names, from, pay(to, native, xlm(2)), pay(from, native, xlm(1)))).toEqual([
      { account: 'to', type: 'account_credited', ...lumens('2.0000000') },
      { account: 'from', type: 'account_debited', ...lumens('2.0000000') },
      { account: 'from', type: 'account_credited', ...lumens('1.0000000') },
      { account: 'from', type: 'account_debited', ...lumens('1.0000000') },
    ])
    expect(await effects(names, to, merge(from))).toEqual([
      { account: 'to', type: 'account_debited', ...lumens('6.9999900') },
      { account: 'from', type: 'account_credited', ...lumens('6.9999900') },
      { account: 'to', type: 'account_removed' },
    ])
  })

  it('a muxed destination is named beside its account', async () => {
    const [from, to] = [await lab.funded(), await lab.funded()]
    const destination = xdr.MuxedAccount.keyTypeMuxedEd25519(
      new xdr.MuxedAccountMed25519({ id: 77n, ed25519: to.rawPublicKey() }),
    )
    const body = xdr.OperationBody.payment(new xdr.PaymentOp({ destination, asset: native, amount: 1n }))
    const [credited, debited] = await effects({ from, to }, from, body)
    expect(credited).toMatchObject({
      account: 'to',
      account_muxed: expect.stringMatching(/^M/),
      account_muxed_id: '77',
    })
    expect(debited).not.toHaveProperty('account_muxed')
  })

  it('issuing, clawing back, trustlines and their flags', async () => {
    const { issuer, holder, asset } = await issued(lab, { flags: 2 | 8 })
    const names = { issuer, holder }
    const [first] = await effects(names, issuer, pay(holder, asset, xlm(1)))
    const { asset_type, asset_code } = first ?? {}
    const line = { asset_type, asset_code, asset_issuer: 'issuer' }
    const money = { ...line, amount: '1.0000000' }
    expect(await effects(names, issuer, pay(holder, asset, xlm(1)))).toEqual([
      { account: 'holder', type: 'account_credited', ...money },
      { account: 'issuer', type: 'account_debited', ...money },
    ])
    expect(await effects(names, issuer, clawback(holder, asset, xlm(1)))).toEqual([
      { account: 'issuer', type: 'account_credited', ...money },
      { account: 'holder', type: 'account_debited', ...money },
    ])
    // Horizon does not show the flag that lets an account maintain liabilities.
    const flags = { account: 'issuer', type: 'trustline_flags_updated', trustor: 'holder', ...line }
    expect(await effects(names, issuer, lineFlags(holder, asset, { clear: 1, set: 2 }))).toEqual([
      { ...flags, authorized_flag: false },
    ])
    const allowed = { account: 'issuer', trustor: 'holder', asset_type, asset_code }
    expect(await effects(names, issuer, allow(holder, 0))).toEqual([
      { type: 'trustline_deauthorized', ...allowed },
      { ...flags, authorized_flag: false },
    ])
    expect(await effects(names, issuer, allow(holder, 2))).toEqual([
      { type: 'trustline_authorized_to_maintain_liabilities', ...allowed },
      flags,
    ])
    expect(await effects(names, issuer, allow(holder, 1))).toEqual([
      { type: 'trustline_authorized', ...allowed },
      { ...flags, authorized_flag: true },
    ])
    expect(await effects(names, holder, trust(asset, xlm(500)))).toEqual([
      { account: 'holder', type: 'trustline_updated', ...line, limit: '500.0000000' },
    ])
    const other = await lab.funded()
    expect(await effects({ other, issuer }, other, trust(asset, 7n), trust(asset, 0n))).toEqual([
      { account: 'other', type: 'trustline_created', ...line, limit: '0.0000007' },
      { account: 'other', type: 'trustline_removed', ...line, limit: '0.0000000' },
    ])
  })

  it('settings, signers, data and sequences', async () => {
    const [key, second] = [await lab.funded(), Keypair.random()]
    const account = 'key'
    const signer = { account, public_key: 'second', key: '' }
    expect(
      await effects(
        { key, second },
        key,
        options({
          homeDomain: 'a.b',
          setFlags: 3,
          lowThreshold: 1,
          inflationDest: publicKey(key),
          signer: { key: keySigner(second), weight: 1 },
        }),
        options({ signer: { key: keySigner(second), weight: 2 } }),
        options({ signer: { key: keySigner(second), weight: 0 }, homeDomain: '' }),
        data('a', 'b'),
        data('a', 'c'),
        data('a', null),
        xdr.OperationBody.bumpSequence(new xdr.BumpSequenceOp({ bumpTo: 2n ** 50n })),
        xdr.OperationBody.bumpSequence(new xdr.BumpSequenceOp({ bumpTo: 1n })),
      ),
    ).toEqual([
      { account, type: 'account_home_domain_updated', home_domain: 'a.b' },
      {
        account,
        type: 'account_thresholds_updated',
        low_threshold: 1,
        med_threshold: 0,
        high_threshold: 0,
      },
      { account, type: 'account_flags_updated', auth_required_flag: true },
      { account, type: 'account_inflation_destination_updated' },
      { ...signer, type: 'signer_created', weight: 1 },
      { ...signer, type: 'signer_updated', weight: 2 },
      { account, type: 'account_home_domain_updated', home_domain: '' },
      { ...signer, type: 'signer_removed', weight: 0 },
      { account, type: 'data_created', name: 'a', value: 'Yg==' },
      { account, type: 'data_updated', name: 'a', value: 'Yw==' },
      { account, type: 'data_removed', name: 'a' },
      { account, type: 'sequence_bumped', new_seq: String(2n ** 50n) },
    ])
  })

  it('claimable balances made, claimed and clawed back', async () => {
    const { issuer, holder, asset } = await issued(lab, { flags: 2 | 8 })
    const names = { issuer, holder }
    await effects(names, issuer, pay(holder, asset, xlm(5)))
    const make = claimable(asset, xlm(3), [[holder, unconditional]])
    const [created, ...rest] = await effects(names, holder, make)
    const { asset: name, balance_id, amount } = created ?? {}
    const { asset_type, asset_code } = rest[1] ?? {}
    const money = { asset_type, asset_code, asset_issuer: 'issuer', amount }
    expect([created, ...rest]).toEqual([
      { account: 'holder', type: 'claimable_balance_created', asset: name, balance_id, amount: '3.0000000' },
      {
        account: 'holder',
        type: 'claimable_balance_claimant_created',
        asset: name,
        balance_id,
        amount,
        predicate: { unconditional: true },
      },
      { account: 'holder', type: 'account_debited', ...money },
      { account: 'holder', type: 'claimable_balance_sponsorship_created', balance_id, sponsor: 'holder' },
    ])
    expect(await effects(names, holder, claim(String(balance_id)))).toEqual([
      { account: 'holder', type: 'claimable_balance_claimed', asset: name, balance_id, amount },
      { account: 'holder', type: 'account_credited', ...money },
      {
        account: 'holder',
        type: 'claimable_balance_sponsorship_removed',
        balance_id,
        former_sponsor: 'holder',
      },
    ])
    const [again] = await effects(names, holder, make)
    const id = again?.['balance_id']
    expect(await effects(names, issuer, clawbackBalance(String(id)))).toEqual([
      { account: 'issuer', type: 'claimable_balance_clawed_back', balance_id: id },
      { account: 'issuer', type: 'account_credited', ...money },
      {
        account: 'issuer',
        type: 'claimable_balance_sponsorship_removed',
        balance_id: id,
        former_sponsor: 'holder',
      },
    ])
  })
})

it('effects page by account in both directions', async () => {
  const [maker, claimant] = [await lab.funded(), await lab.funded()]
  const [created] = await effects({}, maker, claimable(native, xlm(3), [[claimant, unconditional]]))
  await effects({}, claimant, claim(String(created?.['balance_id'])))
  const types: string[] = []
  let page = await lab.horizon.effects().forAccount(claimant.publicKey()).limit(2).call()
  while (page.records.length > 0) {
    types.push(...page.records.map(({ type }) => type))
    page = await page.next()
  }
  expect(types).toEqual([
    'account_created',
    'signer_created',
    'claimable_balance_claimant_created',
    'claimable_balance_claimed',
    'account_credited',
    'claimable_balance_sponsorship_removed',
  ])
  const down = await lab.horizon.effects().forAccount(claimant.publicKey()).order('desc').limit(3).call()
  expect(down.records.map(({ type }) => type)).toEqual(types.toReversed().slice(0, 3))
  expect((await down.next()).records.map(({ type }) => type)).toEqual(types.toReversed().slice(3))
  expect((await lab.get('/effects?cursor=nonsense')).status).toBe(400)
})
