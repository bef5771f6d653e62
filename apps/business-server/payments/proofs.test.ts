import { Memo } from '@stellar/stellar-sdk/base'
import { parseAmount } from '@windlass/money/amount.ts'
import { proveTransaction, type Proof } from '@windlass/stellar/archive/prove.ts'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import type { AccountKey } from '@windlass/stellar/keys.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Deps } from '../deps.ts'
import { appended, inventPayment, startWithdrawal } from '../testing/invented-payment.ts'
import { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { startLiar } from '../testing/liar.ts'
import { observePayments } from './observe.ts'
import { proofOf, proveWithdrawals } from './proofs.ts'
import { sendOrders } from './rail-orders.ts'
import { resolveByOperator } from './unproven.ts'

let anchor: LedgerAnchor
let customer: AccountKey
let deps: Deps
let archive: string
beforeEach(async () => {
  anchor = await LedgerAnchor.start()
  anchor.deps.customerRegistry.byWallet = async () => ({
    customerId: 'cus_1',
    status: 'ACCEPTED',
    walletVerified: true,
  })
  await anchor.issue()
  customer = await anchor.customerWithAsset()
  archive = anchor.network.archiveUrl
  deps = {
    ...anchor.deps,
    config: { ...anchor.deps.config, proofLimit: parseAmount('19.9999999') },
    prove: sought => {
      const validators = [anchor.network.validator.publicKey()]
      const organizations = [{ domain: 'localhost', validators }]
      return proveTransaction(
        { passphrase: anchor.network.passphrase, organizations, archives: [archive] },
        sought,
      )
    },
  }
  await observePayments(deps)
})
afterEach(() => anchor.stop())

/** A withdrawal of 20 whose payment was read, and whose order was looked at. */
async function paidWithdrawal(given = deps): Promise<string> {
  const { id, memo } = await startWithdrawal(anchor, customer)
  await anchor.sendBack(customer, '20', Memo.id(memo))
  await observePayments(given)
  await sendOrders(given)
  return id
}
const closeCheckpoint = (): void => {
  do anchor.network.close()
  while ((anchor.network.latestLedger + 1) % 64 !== 0)
}
/** The next look at the archive, and at the orders. */
async function lookAgain(given = deps): Promise<void> {
  await anchor.deps.database.pool.query('update ledger_proofs set next_try_at = now()')
  await proveWithdrawals(given)
  await sendOrders(given)
}
const orders = () =>
  anchor.rows("select state, wait_code from rail_orders where kind = 'payout' order by created_at")
const open = async () => (await anchor.incidents()).filter(({ resolved_at }) => resolved_at === null)
const later = (): Deps => ({ ...deps, clock: { now: () => new Date(Date.now() + 6 * 60_000 + 1_000) } })

describe('a large withdrawal', () => {
  it('is paid out once validators’ signatures prove its payment, and keeps the proof', async () => {
    const id = await paidWithdrawal()
    expect(await orders()).toEqual([{ state: 'queued', wait_code: 'proof' }])
    await lookAgain()
    expect([await orders(), await open()]).toEqual([[{ state: 'queued', wait_code: 'proof' }], []])
    closeCheckpoint()
    await lookAgain()
    expect(await orders()).toEqual([{ state: 'sent', wait_code: null }])
    const proof = (await proofOf(anchor.deps.database.db, id)) as Proof
    const [receipt] = await anchor.rows<{ hash: string }>(
      `select hash from ledger_receipts where transfer_id = '${id}'`,
    )
    expect(proof).toMatchObject({ hash: receipt?.hash, successful: true, signedBy: ['localhost'] })
    expect(proof.files.length).toBeGreaterThan(0)
  })

  it('waits for nothing up to the limit, or where no archive is known', async () => {
    await paidWithdrawal({ ...deps, config: { ...deps.config, proofLimit: parseAmount('20') } })
    await paidWithdrawal({ ...deps, prove: null })
    const sent = { state: 'sent', wait_code: null }
    expect(await orders()).toEqual([sent, sent])
  })

  it('stays here where validators signed its ledger without it: a person decides', async () => {
    const { memo } = await startWithdrawal(anchor, customer)
    const record = await inventPayment(anchor, customer, memo)
    const url = await startLiar(anchor.network.url, appended(record))
    const horizon = createHorizon({ ...anchor.network, url })
    const lying = { ...deps, horizon, routineHorizon: horizon }
    await observePayments(lying)
    await sendOrders(lying)
    closeCheckpoint()
    await lookAgain(lying)
    const [told] = await open()
    expect(told).toMatchObject({
      kind: 'unproven-payment',
      details: { reason: 'withdrawal', why: 'absent', transaction: record.transaction_hash },
    })
    expect(told?.message).toContain('Nothing leaves the bank')
    const say = (outcome: 'applied' | 'not-applied') =>
      resolveByOperator(lying, told?.id ?? '', 'operator:asha', { outcome, resolution: 'Looked it up.' })
    await say('not-applied')
    await lookAgain(lying)
    expect(await orders()).toEqual([{ state: 'queued', wait_code: 'proof' }])
  })

  it('reaches a person after six minutes without an archive; who finds the payment lets it leave', async () => {
    archive = 'http://127.0.0.1:9'
    await paidWithdrawal()
    await lookAgain()
    expect(await open()).toEqual([])
    await lookAgain(later())
    const [told] = await open()
    expect(told).toMatchObject({ details: { reason: 'withdrawal', why: 'unavailable' } })
    expect(await orders()).toEqual([{ state: 'queued', wait_code: 'proof' }])
    const given = { outcome: 'applied', resolution: 'It is in two explorers.' } as const
    await resolveByOperator(deps, told?.id ?? '', 'operator:asha', given)
    await sendOrders(deps)
    expect(await orders()).toEqual([{ state: 'sent', wait_code: null }])
  })

  it('is paid out when the archive is back, and the incident ends by itself', async () => {
    archive = 'http://127.0.0.1:9'
    await paidWithdrawal()
    await lookAgain(later())
    expect(await open()).toHaveLength(1)
    archive = anchor.network.archiveUrl
    closeCheckpoint()
    await lookAgain()
    expect([await orders(), await open()]).toEqual([[{ state: 'sent', wait_code: null }], []])
  })

  it('is not paid out by the proof of another amount than the one that was recorded', async () => {
    await paidWithdrawal()
    await anchor.deps.database.pool.query(
      "update ledger_receipts set amount = 400 where outcome = 'accepted'",
    )
    closeCheckpoint()
    await lookAgain()
    expect(await orders()).toEqual([{ state: 'queued', wait_code: 'proof' }])
    expect(await open()).toMatchObject([{ details: { why: 'contradicted' } }])
  })
})
