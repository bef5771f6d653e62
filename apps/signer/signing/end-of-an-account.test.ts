import { Account, Asset, Operation, TransactionBuilder, type Transaction } from '@stellar/stellar-sdk/base'
import { createServerSigner } from '@windlass/client/signer.ts'
import { getSigning, putSigningLimits } from '@windlass/contracts/internal/signer.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import { availableBalance } from '@windlass/stellar/horizon-account.ts'
import { seedSigner } from '@windlass/stellar/keys.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { rescue } from '../rescue/rescue.ts'
import { startOnLedger, type AnchorOnLedger } from '../testing/anchor-on-ledger.ts'

let on: AnchorOnLedger
beforeAll(async () => {
  on = await startOnLedger()
})
afterAll(() => on.stop())

const LARGEST = 2n ** 63n - 1n
const REFUSED = { status: 403, problem: { code: 'signature-refused' } }
const distribution = () => on.anchor.accounts.distribution
const seen = () => on.signer.control.call(getSigning, { params: { anchorId: on.anchor.id } })
const payment = (amount = '1') =>
  Operation.payment({ asset: on.asset, amount, destination: on.stranger.publicKey() })

/** A payment of the least amount to itself that leaves the account with the largest sequence number but one. */
const lastTransaction = (minSequence: string | null = '1'): Transaction => {
  const builder = new TransactionBuilder(new Account(distribution(), String(LARGEST - 2n)), {
    fee: '100',
    networkPassphrase: on.network.passphrase,
    timebounds: { minTime: 0, maxTime: Math.floor(Date.now() / 1_000) + 120 },
  })
  const destination = distribution()
  builder.addOperation(Operation.payment({ asset: Asset.native(), amount: '0.0000001', destination }))
  if (minSequence !== null) builder.setMinAccountSequence(minSequence)
  return builder.build()
}
const outcomeOfPayment = async () => {
  const transaction = await on.build(distribution(), [payment()])
  await on.sign(transaction)
  return on.submit(transaction)
}

it('is not signed for the business server, and the account pays on', async () => {
  await expect(on.sign(lastTransaction())).rejects.toMatchObject(REFUSED)
  await expect(on.sign(lastTransaction(null))).rejects.toMatchObject(REFUSED)
  expect(await outcomeOfPayment()).toEqual({ outcome: 'applied' })
  const { stopped } = await seen()
  expect(stopped.map(({ reason }) => reason).toSorted()).toEqual(['preconditions', 'sequence'])
})

it('is not signed as the claim of a balance that nobody has, with the limits at 0 either', async () => {
  const params = { anchorId: on.anchor.id }
  const { limits } = await seen()
  await on.signer.control.call(putSigningLimits, {
    params,
    body: { ...limits, perHour: '0', xlmPerHour: '0' },
  })
  const claim = Operation.claimClaimableBalance({ balanceId: '0'.repeat(72) })
  const last = await on.build(distribution(), [claim], builder => builder.setMinAccountSequence('1'))
  const next = await on.build(distribution(), [claim])
  for (const each of [last, next]) await expect(on.sign(each)).rejects.toMatchObject({ status: 429 })
  await on.signer.control.call(putSigningLimits, { params, body: limits })
  await expect(on.sign(last)).rejects.toMatchObject(REFUSED)
  await on.sign(next)
  expect(await outcomeOfPayment()).toEqual({ outcome: 'applied' })
})

it('is what such a signature would be, and then another account’s transaction still moves the money', async () => {
  const last = lastTransaction()
  last.sign(on.keys.distribution)
  expect(await on.submit(last)).toEqual({ outcome: 'applied' })
  const account = await on.horizon.account(distribution())
  expect(BigInt(account?.sequence ?? 0)).toBeGreaterThanOrEqual(LARGEST - 1n)
  const wanted = {
    ...{ horizon: on.horizon, networkPassphrase: on.network.passphrase },
    owner: createServerSigner(on.signer.url, on.anchor.credentials.business).payments(distribution()),
    helper: seedSigner(on.stranger.secret()),
    ...{ destination: on.stranger.publicKey(), amount: '900', memo: 'top-up' },
  }
  const asset = `${on.asset.getCode()}:${on.asset.getIssuer()}`
  const before = availableBalance(account, asset)
  expect(await rescue({ ...wanted, asset })).toMatchObject({ outcome: 'applied' })
  expect(await rescue({ ...wanted, asset: 'XLM', amount: '90' })).toMatchObject({ outcome: 'applied' })
  const after = await on.horizon.account(distribution())
  expect(before - availableBalance(after, asset)).toBe(parseAmount('900'))
})
