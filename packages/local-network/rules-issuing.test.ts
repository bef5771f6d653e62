import { Keypair, xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  claim,
  claimable,
  clawback,
  clawbackBalance,
  codesOf,
  credit,
  data,
  Laboratory,
  lineFlags,
  native,
  operation,
  options,
  publicKey,
  unconditional,
  xlm,
} from './testing/laboratory.ts'
import { issued } from './testing/scenes.ts'

let lab: Laboratory
beforeAll(async () => {
  lab = await Laboratory.open()
})
afterAll(() => lab.close())

const allow = (trustor: Keypair, authorize: number) =>
  xdr.OperationBody.allowTrust(
    new xdr.AllowTrustOp({
      trustor: publicKey(trustor),
      asset: xdr.AssetCode.assetTypeCreditAlphanum4('USD'),
      authorize,
    }),
  )
const required = 1
const revocable = 2
const clawbackFlag = 8

/** Applies bodies of one source in a transaction of their own. */
const done = (key: Keypair, ...bodies: xdr.OperationBody[]) =>
  lab.succeed({ source: key.publicKey(), signers: [key], operations: bodies.map(body => operation(body)) })

async function balanceMadeBy(maker: Keypair, body: xdr.OperationBody): Promise<string> {
  await done(maker, body)
  const { records } = await lab.horizon.claimableBalances().sponsor(maker.publicKey()).order('desc').call()
  return records[0]?.id ?? ''
}

type Row = readonly [
  rule: string,
  code: string,
  arrange: () => Promise<readonly [source: Keypair, body: xdr.OperationBody]>,
]

const failures: Row[] = [
  [
    'set_trust_line_flags without a line',
    'op_no_trust',
    async () => {
      const issuer = await lab.funded()
      return [issuer, lineFlags(await lab.funded(), credit('USD', issuer), { set: 1 })]
    },
  ],
  [
    'set_trust_line_flags revoking what is not revocable',
    'op_cant_revoke',
    async () => {
      const { issuer, holder, asset } = await issued(lab)
      return [issuer, lineFlags(holder, asset, { clear: 1 })]
    },
  ],
  [
    'set_trust_line_flags lowering what is not revocable',
    'op_cant_revoke',
    async () => {
      const { issuer, holder, asset } = await issued(lab)
      return [issuer, lineFlags(holder, asset, { clear: 1, set: 2 })]
    },
  ],
  [
    'set_trust_line_flags leading to both authorisations',
    'op_invalid_state',
    async () => {
      const { issuer, holder, asset } = await issued(lab, { flags: revocable })
      return [issuer, lineFlags(holder, asset, { set: 2 })]
    },
  ],
  [
    'allow_trust without a line',
    'op_no_trust',
    async () => [await lab.funded(), allow(await lab.funded(), 1)],
  ],
  [
    'allow_trust revoking what is not revocable',
    'op_cant_revoke',
    async () => {
      const { issuer, holder } = await issued(lab)
      return [issuer, allow(holder, 0)]
    },
  ],
  [
    'allow_trust lowering what is not revocable',
    'op_cant_revoke',
    async () => {
      const { issuer, holder } = await issued(lab)
      return [issuer, allow(holder, 2)]
    },
  ],
  [
    'clawback without a line',
    'op_no_trust',
    async () => {
      const issuer = await lab.funded()
      return [issuer, clawback(await lab.funded(), credit('USD', issuer), 1n)]
    },
  ],
  [
    'clawback of more than there is',
    'op_underfunded',
    async () => {
      const { issuer, holder, asset } = await issued(lab, { flags: clawbackFlag | revocable, amount: 5n })
      return [issuer, clawback(holder, asset, 6n)]
    },
  ],
  [
    'clawback from a line older than the flag',
    'op_not_clawback_enabled',
    async () => {
      const { issuer, holder, asset } = await issued(lab)
      await done(issuer, options({ setFlags: clawbackFlag | revocable }))
      return [issuer, clawback(holder, asset, 1n)]
    },
  ],
  [
    'create_claimable_balance without a line',
    'op_no_trust',
    async () => {
      const other = await lab.funded()
      return [await lab.funded(), claimable(credit('USD', other), 1n, [[other, unconditional]])]
    },
  ],
  [
    'create_claimable_balance of an account not authorised',
    'op_not_authorized',
    async () => {
      const { issuer, holder, asset } = await issued(lab, { flags: revocable })
      await done(issuer, lineFlags(holder, asset, { clear: 1 }))
      return [holder, claimable(asset, 1n, [[issuer, unconditional]])]
    },
  ],
  [
    'create_claimable_balance of more than there is',
    'op_underfunded',
    async () => {
      const { holder, asset } = await issued(lab, { amount: 5n })
      return [holder, claimable(asset, 6n, [[holder, unconditional]])]
    },
  ],
  [
    'create_claimable_balance without the reserve for its claimants',
    'op_low_reserve',
    async () => {
      const key = await lab.holding(xlm(1.6))
      const claimants = [Keypair.random(), Keypair.random()].map(each => [each, unconditional] as const)
      return [key, claimable(native, 1n, claimants)]
    },
  ],
  [
    'claim_claimable_balance that is not there',
    'op_does_not_exist',
    async () => [await lab.funded(), claim(`00000000${'ab'.repeat(32)}`)],
  ],
  [
    'claim_claimable_balance of someone else',
    'op_cannot_claim',
    async () => {
      const maker = await lab.funded()
      const id = await balanceMadeBy(maker, claimable(native, 1n, [[await lab.funded(), unconditional]]))
      return [maker, claim(id)]
    },
  ],
  [
    'claim_claimable_balance after its time',
    'op_cannot_claim',
    async () => {
      const maker = await lab.funded()
      const over = xdr.ClaimPredicate.claimPredicateBeforeAbsoluteTime(1n)
      return [maker, claim(await balanceMadeBy(maker, claimable(native, 1n, [[maker, over]])))]
    },
  ],
  [
    'claim_claimable_balance without a line',
    'op_no_trust',
    async () => {
      const { holder, asset } = await issued(lab)
      const claimant = await lab.funded()
      return [claimant, claim(await balanceMadeBy(holder, claimable(asset, 1n, [[claimant, unconditional]])))]
    },
  ],
  [
    'claim_claimable_balance of an account not authorised',
    'op_not_authorized',
    async () => {
      const { issuer, holder, asset } = await issued(lab, { flags: required, amount: 0n })
      return [holder, claim(await balanceMadeBy(issuer, claimable(asset, 1n, [[holder, unconditional]])))]
    },
  ],
  [
    'claim_claimable_balance above the limit',
    'op_line_full',
    async () => {
      const { issuer, holder, asset } = await issued(lab, { amount: 5n, limit: 5n })
      return [holder, claim(await balanceMadeBy(issuer, claimable(asset, 1n, [[holder, unconditional]])))]
    },
  ],
  [
    'clawback_claimable_balance that is not there',
    'op_does_not_exist',
    async () => [await lab.funded(), clawbackBalance(`00000000${'cd'.repeat(32)}`)],
  ],
  [
    'clawback_claimable_balance by another than the issuer',
    'op_no_issuer',
    async () => {
      const { holder, asset } = await issued(lab)
      return [
        holder,
        clawbackBalance(await balanceMadeBy(holder, claimable(asset, 1n, [[holder, unconditional]]))),
      ]
    },
  ],
  [
    'clawback_claimable_balance of an asset without clawback',
    'op_not_clawback_enabled',
    async () => {
      const { issuer, holder, asset } = await issued(lab)
      return [
        issuer,
        clawbackBalance(await balanceMadeBy(holder, claimable(asset, 1n, [[holder, unconditional]]))),
      ]
    },
  ],
]

describe('a transaction that fails pays its fee, uses its sequence and changes nothing else, for', () => {
  it.each(failures)('%s: %s', async (_rule, code, arrange) => {
    const [source, body] = await arrange()
    const payer = await lab.funded()
    const before = await lab.horizon.loadAccount(source.publicKey())
    const sequence = await lab.sequence(payer.publicKey())

    const answer = await lab.submit({
      source: payer.publicKey(),
      signers: [payer, source],
      operations: [operation(data('first', 'undone')), operation(body, source)],
    })

    expect(answer.status).toBe(400)
    expect(codesOf(answer)).toEqual({ transaction: 'tx_failed', operations: ['op_success', code] })
    const stored = await lab.horizon.transactions().transaction(answer.hash).call()
    expect(stored).toMatchObject({ successful: false, fee_charged: '200', operation_count: 2 })
    const after = await lab.horizon.loadAccount(payer.publicKey())
    expect(BigInt(after.sequence)).toBe(sequence + 1n)
    expect(after.balances).toMatchObject([{ balance: '9999.9999800' }])
    expect(after.data_attr).toEqual({})
    const { last_modified_ledger: _, ...untouched } = await lab.horizon.loadAccount(source.publicKey())
    expect(JSON.parse(JSON.stringify(before))).toMatchObject(JSON.parse(JSON.stringify(untouched)))
  })
})
