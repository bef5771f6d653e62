import { Asset, Claimant, Keypair, Operation, type xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { codesOf, Laboratory } from './testing/laboratory.ts'

let lab: Laboratory
let issuer: Keypair
let holder: Keypair
let other: Keypair
let usd: Asset
beforeAll(async () => {
  lab = await Laboratory.open()
  ;[issuer, holder, other] = [await lab.funded(), await lab.funded(), await lab.funded()]
  usd = new Asset('USD', issuer.publicKey())
  for (const each of [holder, other]) await succeed(each, Operation.changeTrust({ asset: usd }))
  for (const each of [holder, other]) await succeed(issuer, pay(each, '10', usd))
})
afterAll(() => lab.close())

const pay = (to: Keypair, amount: string, asset = Asset.native()): xdr.Operation =>
  Operation.payment({ asset, amount, destination: to.publicKey() })
const freeze = (...frozen: string[]) => lab.network.setFaults({ frozen })
const draft = (by: Keypair, operation: xdr.Operation) => ({
  ...{ source: by.publicKey(), operations: [operation], signers: [by] },
})
const succeed = (by: Keypair, operation: xdr.Operation) => lab.succeed(draft(by, operation))
const codes = async (by: Keypair, operation: xdr.Operation) => codesOf(await lab.submit(draft(by, operation)))
const FROZEN = { transaction: 'tx_frozen_key_accessed' }

it('a frozen account neither pays nor is paid, and pays no fee', async () => {
  await freeze(holder.publicKey())
  const before = await lab.nativeBalance(holder.publicKey())
  expect(await codes(holder, pay(other, '1'))).toEqual(FROZEN)
  expect(await codes(other, pay(holder, '1'))).toEqual(FROZEN)
  expect(await codes(other, Operation.accountMerge({ destination: holder.publicKey() }))).toEqual(FROZEN)
  expect(await lab.nativeBalance(holder.publicKey())).toBe(before)
  // Its line is another entry.
  await succeed(other, pay(holder, '1', usd))
  await freeze()
  await succeed(other, pay(holder, '1'))
})

it('a frozen line holds what it holds, and no balance is claimed into it', async () => {
  const claimants = [new Claimant(holder.publicKey())]
  await succeed(issuer, Operation.createClaimableBalance({ asset: usd, amount: '1', claimants }))
  const { records } = await lab.horizon.claimableBalances().claimant(holder.publicKey()).call()
  await freeze(`${holder.publicKey()} USD:${issuer.publicKey()}`)
  expect(await codes(holder, pay(other, '1', usd))).toEqual(FROZEN)
  expect(await codes(other, pay(holder, '1', usd))).toEqual(FROZEN)
  const from = { asset: usd, amount: '1', from: holder.publicKey() }
  expect(await codes(issuer, Operation.clawback(from))).toEqual(FROZEN)
  const claim = Operation.claimClaimableBalance({ balanceId: records[0]?.id ?? '' })
  expect(await codes(holder, claim)).toEqual({
    ...{ transaction: 'tx_failed', operations: ['op_trustline_frozen'] },
  })
  await succeed(holder, pay(other, '1'))
  await freeze()
})

it('what is frozen is named in its form', () => {
  expect(() => freeze('everybody')).toThrow('faults.frozen')
})
