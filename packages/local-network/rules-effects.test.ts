import { getClaimableBalanceIdFromResult, Keypair, xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  claim,
  claimable,
  clawback,
  clawbackBalance,
  codesOf,
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
let ahead = 0
beforeAll(async () => {
  lab = await Laboratory.open({ clock: () => Date.now() + ahead * 1000 })
})
afterAll(() => lab.close())

const done = (key: Keypair, ...bodies: xdr.OperationBody[]) =>
  lab.succeed({ source: key.publicKey(), signers: [key], operations: bodies.map(body => operation(body)) })
const account = (key: Keypair) => lab.horizon.loadAccount(key.publicKey())

async function credited(key: Keypair): Promise<string | undefined> {
  return (await account(key)).balances.find(balance => 'asset_code' in balance)?.balance
}

describe('create_account', () => {
  it('starts the sequence at the ledger it is made in', async () => {
    const child = await lab.holding(xlm(1))
    const { records } = await lab.horizon.operations().forAccount(child.publicKey()).call()
    const ledger = (await records[0]?.transaction())?.ledger_attr ?? 0
    expect(await lab.sequence(child.publicKey())).toBe(BigInt(ledger) << 32n)
    expect(await lab.nativeBalance(child.publicKey())).toBe('1.0000000')
  })
})

describe('payment', () => {
  it('mints when the issuer pays and burns when it is paid', async () => {
    const { issuer, holder, asset } = await issued(lab, { amount: xlm(100) })
    const supply = async () =>
      (await lab.horizon.assets().forIssuer(issuer.publicKey()).call()).records[0]?.balances.authorized
    expect(await supply()).toBe('100.0000000')
    await done(holder, pay(issuer, asset, xlm(40)))
    expect(await supply()).toBe('60.0000000')
    expect(await credited(holder)).toBe('60.0000000')
  })

  it('to oneself changes only the fee', async () => {
    const key = await lab.funded()
    await done(key, pay(key, native, xlm(1_000_000)))
    expect(await lab.nativeBalance(key.publicKey())).toBe('9999.9999900')
  })

  it('burns an asset whose issuer is gone', async () => {
    const { issuer, holder, asset } = await issued(lab)
    await done(issuer, merge(await lab.funded()))
    await done(holder, pay(issuer, asset, xlm(1)))
    expect(await credited(holder)).toBe('99.0000000')
  })

  it('goes to and from muxed accounts, which Horizon names', async () => {
    const [from, to] = [await lab.funded(), await lab.funded()]
    const muxed = (key: Keypair, id: bigint) =>
      xdr.MuxedAccount.keyTypeMuxedEd25519(new xdr.MuxedAccountMed25519({ id, ed25519: key.rawPublicKey() }))
    const hash = await lab.succeed({
      source: from.publicKey(),
      sourceId: 7n,
      signers: [from],
      operations: [
        operation(
          xdr.OperationBody.payment(
            new xdr.PaymentOp({ destination: muxed(to, 18446744073709551615n), asset: native, amount: 5n }),
          ),
        ),
      ],
    })
    expect(await lab.nativeBalance(to.publicKey())).toBe('10000.0000005')
    expect((await lab.get(`/transactions/${hash}`)).body).toMatchObject({
      source_account: from.publicKey(),
      account_muxed: expect.stringMatching(/^M/),
      account_muxed_id: '7',
      fee_account_muxed_id: '7',
    })
    const { records } = await lab.horizon.payments().forTransaction(hash).call()
    expect(records[0]).toMatchObject({
      from: from.publicKey(),
      from_muxed_id: '7',
      to: to.publicKey(),
      to_muxed: expect.stringMatching(/^M/),
      to_muxed_id: '18446744073709551615',
    })
  })
})

describe('change_trust', () => {
  it("takes over the issuer's flags, raises a limit and is removed when empty", async () => {
    const { holder, issuer, asset } = await issued(lab, { flags: 1 | 2 | 8, amount: 0n })
    expect((await account(holder)).balances[0]).toMatchObject({
      is_authorized: false,
      is_authorized_to_maintain_liabilities: false,
      is_clawback_enabled: true,
    })
    expect((await account(holder)).subentry_count).toBe(1)
    await done(holder, trust(asset, 12n))
    expect((await account(holder)).balances[0]).toMatchObject({ limit: '0.0000012' })
    await done(holder, trust(asset, 0n))
    expect((await account(holder)).subentry_count).toBe(0)
    expect((await account(holder)).balances).toHaveLength(1)
    expect((await lab.horizon.assets().forIssuer(issuer.publicKey()).call()).records).toEqual([])
  })
})

describe('set_options', () => {
  it('sets everything there is to set', async () => {
    const [key, second] = [await lab.funded(), Keypair.random()]
    await done(
      key,
      options({
        homeDomain: 'anchor.example',
        setFlags: 3,
        lowThreshold: 1,
        medThreshold: 2,
        highThreshold: 3,
        masterWeight: 4,
        signer: { key: keySigner(second), weight: 5 },
        inflationDest: publicKey(key),
      }),
    )
    expect(await account(key)).toMatchObject({
      home_domain: 'anchor.example',
      inflation_destination: key.publicKey(),
      flags: {
        auth_required: true,
        auth_revocable: true,
        auth_immutable: false,
        auth_clawback_enabled: false,
      },
      thresholds: { low_threshold: 1, med_threshold: 2, high_threshold: 3 },
      subentry_count: 1,
    })
    const { signers } = await account(key)
    expect(signers.map(({ key: address, weight }) => [address, weight]).sort()).toEqual(
      [
        [second.publicKey(), 5],
        [key.publicKey(), 4],
      ].sort(),
    )
    const { records } = await lab.horizon.accounts().forSigner(second.publicKey()).call()
    expect(records.map(({ id }) => id)).toEqual([key.publicKey()])
    await done(key, options({ signer: { key: keySigner(second), weight: 0 }, clearFlags: 1, homeDomain: '' }))
    const after = await account(key)
    expect(after).toMatchObject({ subentry_count: 0, flags: { auth_required: false } })
    expect(after.home_domain).toBeUndefined()
    expect((await lab.horizon.accounts().forSigner(second.publicKey()).call()).records).toEqual([])
  })
})

describe('the issuer of a revocable asset', () => {
  it('authorises, lowers and revokes a line', async () => {
    const { issuer, holder, asset } = await issued(lab, { flags: 3, amount: 0n })
    const level = async () => {
      const line = (await account(holder)).balances[0]
      return line && 'is_authorized' in line
        ? [line.is_authorized, line.is_authorized_to_maintain_liabilities]
        : []
    }
    await done(issuer, lineFlags(holder, asset, { set: 1 }))
    expect(await level()).toEqual([true, true])
    await done(issuer, lineFlags(holder, asset, { clear: 1, set: 2 }))
    expect(await level()).toEqual([false, true])
    await done(issuer, lineFlags(holder, asset, { clear: 2 }))
    expect(await level()).toEqual([false, false])
    await done(
      issuer,
      xdr.OperationBody.allowTrust(
        new xdr.AllowTrustOp({
          trustor: publicKey(holder),
          asset: xdr.AssetCode.assetTypeCreditAlphanum4('USD'),
          authorize: 1,
        }),
      ),
    )
    expect(await level()).toEqual([true, true])
  })

  it('claws back from a line that came with the flag', async () => {
    const { issuer, holder, asset } = await issued(lab, { flags: 2 | 8, amount: xlm(10) })
    await done(issuer, clawback(holder, asset, xlm(4)))
    expect(await credited(holder)).toBe('6.0000000')
  })
})

describe('manage_data', () => {
  it('sets, changes and deletes', async () => {
    const key = await lab.funded()
    await done(key, data('with space', 'one'), data('with space', 'two'))
    expect((await account(key)).data_attr).toEqual({ 'with space': Buffer.from('two').toString('base64') })
    expect((await lab.get(`/accounts/${key.publicKey()}/data/with%20space`)).body).toEqual({ value: 'dHdv' })
    await done(key, data('with space', null))
    expect((await account(key)).data_attr).toEqual({})
    expect((await account(key)).subentry_count).toBe(0)
  })
})

describe('account_merge', () => {
  it('moves all lumens and removes the account, whose history stays', async () => {
    const [key, into] = [await lab.funded(), await lab.funded()]
    const hash = await done(key, merge(into))
    expect(await lab.nativeBalance(into.publicKey())).toBe('19999.9999900')
    expect((await lab.get(`/accounts/${key.publicKey()}`)).status).toBe(404)
    const { records } = await lab.horizon.payments().forAccount(key.publicKey()).order('desc').call()
    expect(records[0]).toMatchObject({ type: 'account_merge', into: into.publicKey() })
    const stored = await lab.horizon.transactions().transaction(hash).call()
    const result = xdr.TransactionResult.fromXdr(stored.result_xdr, 'base64').result
    if (result.type !== 'txSuccess') throw new TypeError()
    expect(result.results[0]?.toJson()).toEqual({
      op_inner: { account_merge: { success: '99999999900' } },
    })
  })
})

describe('bump_sequence', () => {
  it('raises a sequence and never lowers it', async () => {
    const key = await lab.funded()
    const to = (await lab.sequence(key.publicKey())) + 100n
    const bump = (bumpTo: bigint) => xdr.OperationBody.bumpSequence(new xdr.BumpSequenceOp({ bumpTo }))
    await done(key, bump(to))
    expect(await lab.sequence(key.publicKey())).toBe(to)
    await done(key, bump(0n))
    expect(await lab.sequence(key.publicKey())).toBe(to + 1n)
  })
})

describe('claimable balances', () => {
  it("are found by claimant, claimed with lumens or an asset, and free their maker's reserve", async () => {
    const { issuer, holder, asset } = await issued(lab, { amount: xlm(10) })
    const hash = await done(
      holder,
      claimable(asset, xlm(3), [
        [holder, unconditional],
        [issuer, unconditional],
      ]),
    )
    const { result_xdr } = await lab.horizon.transactions().transaction(hash).call()
    expect((await account(holder)).num_sponsoring).toBe(2)

    const { records } = await lab.horizon.claimableBalances().claimant(holder.publicKey()).call()
    expect(records).toHaveLength(1)
    const id = records[0]?.id ?? ''
    expect(getClaimableBalanceIdFromResult(xdr.TransactionResult.fromXdr(result_xdr, 'base64'), 0)).toBe(id)
    expect(await lab.horizon.claimableBalances().claimableBalance(id).call()).toMatchObject({
      asset: `USD:${issuer.publicKey()}`,
      amount: '3.0000000',
      sponsor: holder.publicKey(),
      claimants: [
        { destination: holder.publicKey(), predicate: { unconditional: true } },
        { destination: issuer.publicKey(), predicate: { unconditional: true } },
      ],
      flags: { clawback_enabled: false },
    })
    await done(holder, claim(id))
    expect(await credited(holder)).toBe('10.0000000')
    expect((await account(holder)).num_sponsoring).toBe(0)
    expect((await lab.get(`/claimable_balances/${id}`)).status).toBe(404)
    const operations = await lab.horizon.operations().forClaimableBalance(id).call()
    expect(operations.records.map(({ type }) => type)).toEqual([
      'create_claimable_balance',
      'claim_claimable_balance',
    ])
  })

  it('open and close with their predicates as time goes by', async () => {
    const [maker, claimant] = [await lab.funded(), await lab.funded()]
    const within = xdr.ClaimPredicate.claimPredicateBeforeRelativeTime(100n)
    await done(
      maker,
      claimable(native, xlm(1), [
        [claimant, within],
        [maker, xdr.ClaimPredicate.claimPredicateNot(within)],
      ]),
    )
    const { records } = await lab.horizon.claimableBalances().sponsor(maker.publicKey()).call()
    const id = records[0]?.id ?? ''
    expect(records[0]?.claimants[0]?.predicate).toHaveProperty('abs_before')
    const attempt = async (key: Keypair) =>
      codesOf(
        await lab.submit({ source: key.publicKey(), signers: [key], operations: [operation(claim(id))] }),
      )
    expect(await attempt(maker)).toMatchObject({ operations: ['op_cannot_claim'] })
    ahead += 200
    expect(await attempt(claimant)).toMatchObject({ operations: ['op_cannot_claim'] })
    expect(await attempt(maker)).toBeUndefined()
  })

  it('are clawed back by the issuer where the asset allows it', async () => {
    const { issuer, holder, asset } = await issued(lab, { flags: 2 | 8, amount: xlm(10) })
    await done(holder, claimable(asset, xlm(4), [[issuer, unconditional]]))
    const { records } = await lab.horizon.claimableBalances().sponsor(holder.publicKey()).call()
    expect(records[0]).toMatchObject({ flags: { clawback_enabled: true } })
    await done(issuer, clawbackBalance(records[0]?.id ?? ''))
    expect(await credited(holder)).toBe('6.0000000')
    expect((await lab.horizon.claimableBalances().sponsor(holder.publicKey()).call()).records).toEqual([])
  })
})

describe('preconditions that hold', () => {
  it('let a transaction skip sequences, wait for age and ledgers, and ask for an extra signer', async () => {
    const [key, extra] = [await lab.funded(), Keypair.random()]
    await done(key, data('a', 'b'))
    ahead += 60
    const sequence = (await lab.sequence(key.publicKey())) + 10n
    const hash = await lab.succeed({
      source: key.publicKey(),
      signers: [key, extra],
      sequence,
      operations: [operation(data('c', 'd'))],
      conditions: xdr.Preconditions.precondV2(
        new xdr.PreconditionsV2({
          timeBounds: new xdr.TimeBounds({ minTime: 1n, maxTime: 4102444800n }),
          ledgerBounds: new xdr.LedgerBounds({ minLedger: 1, maxLedger: 1_000_000 }),
          minSeqNum: sequence - 10n,
          minSeqAge: 59n,
          minSeqLedgerGap: 1,
          extraSigners: [keySigner(extra)],
        }),
      ),
    })
    expect((await lab.get(`/transactions/${hash}`)).body).toMatchObject({
      preconditions: {
        timebounds: { min_time: '1', max_time: '4102444800' },
        ledgerbounds: { min_ledger: 1, max_ledger: 1_000_000 },
        min_account_sequence: (sequence - 10n).toString(),
        min_account_sequence_age: '59',
        min_account_sequence_ledger_gap: 1,
        extra_signers: [extra.publicKey()],
      },
    })
    expect(await lab.sequence(key.publicKey())).toBe(sequence)
  })
})

describe('meta of a transaction', () => {
  it.each([
    [19, 'v2'],
    [28, 'v4'],
  ] as const)(
    'of protocol %i contains what every operation changed, and what the fee did',
    async (protocol, version) => {
      const older = await Laboratory.open({ protocol })
      const [key, child] = [await older.funded(), Keypair.random()]
      const hash = await older.succeed({
        source: key.publicKey(),
        signers: [key],
        operations: [operation(createAccount(child, xlm(5))), operation(data('a', 'b'))],
      })
      const stored = await older.horizon.transactions().transaction(hash).call()
      await older.close()
      const meta = xdr.TransactionMeta.fromXdr(stored.result_meta_xdr, 'base64')
      expect(meta.type).toBe(version)
      if (meta.type !== 'v2' && meta.type !== 'v4') throw new TypeError(meta.type)
      const { txChangesBefore, operations } = meta.value
      const kinds = (changes: readonly xdr.LedgerEntryChange[]) =>
        changes.map(change => {
          const entry = change.value
          return `${change.type} ${entry instanceof xdr.LedgerEntry ? entry.data.type : ''}`
        })
      expect(kinds(txChangesBefore)).toEqual(['ledgerEntryState account', 'ledgerEntryUpdated account'])
      expect(operations.map(({ changes }) => kinds(changes))).toEqual([
        ['ledgerEntryCreated account', 'ledgerEntryState account', 'ledgerEntryUpdated account'],
        ['ledgerEntryState account', 'ledgerEntryUpdated account', 'ledgerEntryCreated data'],
      ])
      const fee = xdr.decodeArray(xdr.LedgerEntryChange, stored.fee_meta_xdr, 'base64')
      expect(kinds(fee)).toEqual(['ledgerEntryState account', 'ledgerEntryUpdated account'])
    },
  )
})
