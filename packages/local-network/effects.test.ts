import { Keypair, xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  claim,
  claimable,
  clawback,
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

/** The effects of a transaction, `account type` each, with names for the accounts that take part. */
async function effects(names: Record<string, Keypair>, source: Keypair, ...bodies: xdr.OperationBody[]) {
  const hash = await lab.succeed({
    source: source.publicKey(),
    signers: [source],
    operations: bodies.map(body => operation(body)),
  })
  const { records } = await lab.horizon.effects().forTransaction(hash).limit(200).call()
  const nameOf = (id: string) => Object.keys(names).find(name => names[name]?.publicKey() === id) ?? id
  return records.map(record => [nameOf(record.account), record.type, record])
}

const brief = (told: Awaited<ReturnType<typeof effects>>) =>
  told.map(([who, what]) => `${who} ${what}`).sort()

it('tell who gained and who lost', async () => {
  const [from, to] = [await lab.funded(), Keypair.random()]
  const names = { from, to }
  expect(brief(await effects(names, from, createAccount(to, xlm(5))))).toEqual([
    'from account_debited',
    'to account_created',
    'to signer_created',
  ])
  const paid = await effects(names, from, pay(to, native, xlm(2)))
  expect(brief(paid)).toEqual(['from account_debited', 'to account_credited'])
  expect(paid[1]?.[2]).toMatchObject({
    amount: '2.0000000',
    asset_type: 'native',
    type_i: expect.any(Number),
  })
  expect(brief(await effects(names, to, merge(from)))).toEqual([
    'from account_credited',
    'to account_debited',
    'to account_removed',
  ])
})

it('tell of an asset, its lines and its issuer', async () => {
  const { issuer, holder, asset } = await issued(lab, { flags: 2 | 8 })
  const names = { issuer, holder }
  expect(brief(await effects(names, issuer, pay(holder, asset, xlm(1))))).toEqual([
    'holder account_credited',
    'issuer account_debited',
  ])
  expect(brief(await effects(names, issuer, clawback(holder, asset, xlm(1))))).toEqual([
    'holder account_debited',
  ])
  const revoked = await effects(names, issuer, lineFlags(holder, asset, { clear: 1, set: 2 }))
  expect(revoked).toMatchObject([
    [
      'issuer',
      'trustline_flags_updated',
      { authorized_flag: false, authorized_to_maintain_liabilites_flag: true },
    ],
  ])
  expect(brief(await effects(names, holder, trust(asset, xlm(500))))).toEqual(['holder trustline_updated'])
  const other = await lab.funded()
  expect(brief(await effects({ other }, other, trust(asset), trust(asset, 0n)))).toEqual([
    'other trustline_created',
    'other trustline_removed',
  ])
})

it('tell of settings, signers, data and sequences', async () => {
  const [key, second] = [await lab.funded(), Keypair.random()]
  const told = await effects(
    { key },
    key,
    options({
      homeDomain: 'a.b',
      setFlags: 2,
      lowThreshold: 1,
      signer: { key: keySigner(second), weight: 1 },
    }),
    options({ signer: { key: keySigner(second), weight: 2 } }),
    options({ signer: { key: keySigner(second), weight: 0 } }),
    data('a', 'b'),
    data('a', 'c'),
    data('a', null),
    xdr.OperationBody.bumpSequence(new xdr.BumpSequenceOp({ bumpTo: 2n ** 50n })),
  )
  expect(told.map(([, what]) => what)).toEqual([
    'account_home_domain_updated',
    'account_thresholds_updated',
    'account_flags_updated',
    'signer_created',
    'signer_updated',
    'signer_removed',
    'data_created',
    'data_updated',
    'data_removed',
    'sequence_bumped',
  ])
})

it('tell of claimable balances, and page by account in both directions', async () => {
  const [maker, claimant] = [await lab.funded(), await lab.funded()]
  const names = { maker, claimant }
  expect(brief(await effects(names, maker, claimable(native, xlm(3), [[claimant, unconditional]])))).toEqual([
    'claimant claimable_balance_claimant_created',
    'maker account_debited',
    'maker claimable_balance_created',
  ])
  const { records } = await lab.horizon.claimableBalances().claimant(claimant.publicKey()).call()
  expect(brief(await effects(names, claimant, claim(records[0]?.id ?? '')))).toEqual([
    'claimant account_credited',
    'claimant claimable_balance_claimed',
  ])

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
    'account_credited',
    'claimable_balance_claimed',
  ])
  const down = await lab.horizon.effects().forAccount(claimant.publicKey()).order('desc').limit(3).call()
  expect(down.records.map(({ type }) => type)).toEqual(types.toReversed().slice(0, 3))
  expect((await down.next()).records.map(({ type }) => type)).toEqual(types.toReversed().slice(3))
  expect((await lab.get('/effects?cursor=nonsense')).status).toBe(400)
})
