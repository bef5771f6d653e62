import type { RateRequest } from '@windlass/contracts/anchor/anchor-platform.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { UnreliableNetwork } from '@windlass/stellar/testing/unreliable-network.ts'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { answerRate } from '../transfers/quotes/answer-rate.ts'
import { addSettings, currentSettings } from '../money/settings/settings.ts'
import { agreedSo } from '../testing/agreed-so.ts'
import { type BusinessApp, startBusinessApp } from '../testing/business-app.ts'
import type { Transfer } from '../tables.ts'
import { acceptTransaction } from '../transfers/accept.ts'
import { confirm, PRICED_AT_ARRIVAL } from '../transfers/confirm.ts'
import { findTransfer } from '../transfers/find.ts'
import { receiveRailPayment } from './receive-rail-payment.ts'
import { receiveUnits } from '../testing/receive-units.ts'
import { reportedBy } from '../testing/reported-by.ts'

let app: BusinessApp
beforeAll(async () => {
  const ledger: UnreliableNetwork = new UnreliableNetwork({ asset: () => ours() })
  app = await startBusinessApp({ horizon: ledger })
  app.deps.customerRegistry.byWallet = async () => ({
    customerId: 'cus_1',
    status: 'ACCEPTED',
    walletVerified: true,
  })
})
afterAll(() => app.close())

const ours = () => `MUMBAI:${app.deps.config.anchor.accounts.issuer}`
const wallet = generateKey().publicKey
const later = (transfer: Transfer) => ({
  ...app.deps,
  config: { ...app.deps.config, fx: { INR: '100' } },
  clock: { ...app.deps.clock, now: () => new Date((transfer.expires_at?.getTime() ?? 0) + 1) },
})

async function agreed(kind: 'deposit' | 'withdrawal', firm: boolean): Promise<Transfer> {
  const assets = ['iso4217:INR', `stellar:${ours()}`] as const
  const [sell_asset, buy_asset] = kind === 'deposit' ? assets : assets.toReversed()
  const amount = kind === 'deposit' ? { buy_amount: '20' } : { sell_amount: '20' }
  const request = { type: 'firm', sell_asset, buy_asset, ...amount } as RateRequest
  const quote = firm ? await answerRate(app.deps, request) : null
  const reported = reportedBy(wallet, { kind, ...(quote?.rate.id ? { quote_id: quote.rate.id } : {}) })
  const { id } = await acceptTransaction(app.deps, reported)
  const transfer = await confirm(app.deps, id)
  if (quote) expect(transfer.expires_at?.toISOString()).toBe(quote.rate.expires_at)
  return transfer
}

const state = async ({ id }: Transfer) =>
  (await findTransfer(app.deps.database.db, id)) ?? { state: 'gone', amount: '' }

const payRail = (deps: typeof app.deps, { reference, fiat_amount, rail, currency }: Transfer) =>
  receiveRailPayment(deps, rail, {
    kind: 'received',
    paymentId: randomUUID(),
    reference: reference ?? '',
    amount: fiat_amount ?? '',
    currency,
  })
const payLedger = (deps: typeof app.deps, { ledger_memo }: Transfer, closedAt: Date, amount = '20') =>
  receiveUnits(deps, { ledger_memo, amount }, { sender: wallet, closedAt })

describe('money that comes after the time to pay', () => {
  it('is returned where a firm quote was agreed', async () => {
    const deposit = await agreed('deposit', true)
    await payRail(later(deposit), deposit)
    expect((await state(deposit)).state).toBe('returning')
    const withdrawal = await agreed('withdrawal', true)
    await payLedger(app.deps, withdrawal, new Date((withdrawal.expires_at?.getTime() ?? 0) + 1))
    expect((await state(withdrawal)).state).toBe('returning')
  })

  it('is priced at the rate of the day where none was', async () => {
    const deposit = await agreed('deposit', false)
    await payRail(later(deposit), deposit)
    const after = await state(deposit)
    expect(after.state).toBe('funded')
    expect(Number(after.amount)).toBeLessThan(Number(deposit.amount))
    const same = await agreed('deposit', false)
    await payRail({ ...later(same), config: app.deps.config }, same)
    expect(await state(same)).toMatchObject({ state: 'funded', amount: same.amount })
    const withdrawal = await agreed('withdrawal', false)
    const deps = later(withdrawal)
    await payLedger(deps, withdrawal, deps.clock.now())
    expect(await state(withdrawal)).toMatchObject({ state: 'funded', fiat_amount: '1940.0000000' })
  })

  it('is returned where it buys more at that rate than the customer may have', async () => {
    const { settings, version } = await currentSettings(app.deps, app.deps.database.db)
    const none = { transaction: null, day: null, month: null }
    const tiers = { standard: { ...none, transaction: '21' }, enhanced: none }
    const limited = { ...settings, limits: { ...settings.limits, tiers } }
    await addSettings(app.deps, { settings: limited, version, by: 'test' })
    onTestFinished(() => addSettings(app.deps, { settings, version: version + 1, by: 'test' }))
    const deposit = await agreed('deposit', false)
    const deps = later(deposit)
    // It is later, and nothing has marked it as expired yet.
    expect((await state(deposit)).state).toBe('awaiting_funds')
    await payRail({ ...deps, config: { ...deps.config, fx: { INR: '80' } } }, deposit)
    expect(await state(deposit)).toMatchObject({ state: 'returning', amount: deposit.amount })
    const { rows } = await app.deps.database.pool.query(
      'select 1 from ledger_payments where transfer_id = $1',
      [deposit.id],
    )
    expect(rows).toEqual([])
  })

  it('is returned where the customer may send less by then', async () => {
    const withdrawal = await agreed('withdrawal', false)
    const { settings, version } = await currentSettings(app.deps, app.deps.database.db)
    const none = { transaction: null, day: null, month: null }
    const tiers = { standard: { ...none, transaction: '15' }, enhanced: none }
    const limited = { ...settings, limits: { ...settings.limits, tiers } }
    await addSettings(app.deps, { settings: limited, version, by: 'test' })
    onTestFinished(() => addSettings(app.deps, { settings, version: version + 1, by: 'test' }))
    const deps = later(withdrawal)
    expect((await state(withdrawal)).state).toBe('awaiting_funds')
    await payLedger(deps, withdrawal, deps.clock.now())
    expect((await state(withdrawal)).state).toBe('returning')
  })

  it('is taken as agreed when it was in time, though it is read later', async () => {
    const withdrawal = await agreed('withdrawal', true)
    await payLedger(later(withdrawal), withdrawal, withdrawal.expires_at ?? new Date())
    expect((await state(withdrawal)).state).toBe('funded')
  })
})

const dearer = () => ({ ...app.deps, config: { ...app.deps.config, fx: { INR: '100' } } })

describe('a withdrawal that is paid in time', () => {
  it('has the rate of its payment’s arrival without a firm quote, and says so to wallets', async () => {
    const withdrawal = await agreed('withdrawal', false)
    const { rows } = await app.deps.database.pool.query(
      "select params ->> 'message' as message from platform_calls where transfer_id = $1 and method = 'request_onchain_funds'",
      [withdrawal.id],
    )
    expect(rows).toEqual([{ message: PRICED_AT_ARRIVAL }])
    expect(withdrawal.fiat_amount).toBe('1716.9000000')
    await payLedger(dearer(), withdrawal, new Date())
    expect(await state(withdrawal)).toMatchObject({ state: 'funded', fiat_amount: '1940.0000000' })
  })

  it('keeps the amounts that an earlier release called fixed', async () => {
    const withdrawal = await agreed('withdrawal', false)
    const { pool } = app.deps.database
    await pool.query('update transfers set priced_at_arrival = false where id = $1', [withdrawal.id])
    await agreedSo(app.deps, withdrawal.id)
    await payLedger(dearer(), withdrawal, new Date())
    const { fiat_amount } = withdrawal
    expect(await state(withdrawal)).toMatchObject({ state: 'funded', fiat_amount })
  })

  it('keeps the rate of its firm quote, which is for its own amount alone', async () => {
    const withdrawal = await agreed('withdrawal', true)
    await payLedger(dearer(), withdrawal, new Date())
    const { fiat_amount } = withdrawal
    expect(await state(withdrawal)).toMatchObject({ state: 'funded', fiat_amount })
    const other = await agreed('withdrawal', true)
    await payLedger(app.deps, other, new Date(), '19.9')
    expect((await state(other)).state).toBe('returning')
  })

  it('is worth what came within a tenth, and refunded beyond', async () => {
    for (const [amount, expected] of [
      ['18', { state: 'funded', amount: '18.0000000', fiat_amount: '1540.7800000' }],
      ['22', { state: 'funded', amount: '22.0000000', fiat_amount: '1893.0100000' }],
      ['17.9999999', { state: 'returning', amount: '20.0000000' }],
      ['22.0000001', { state: 'returning', amount: '20.0000000' }],
    ] as const) {
      const withdrawal = await agreed('withdrawal', false)
      await payLedger(app.deps, withdrawal, new Date(), amount)
      expect(await state(withdrawal), amount).toMatchObject(expected)
    }
  })

  it('is refunded where near amounts are not taken, or the customer may not send so much', async () => {
    const { settings, version } = await currentSettings(app.deps, app.deps.database.db)
    const none = { transaction: null, day: null, month: null }
    const tiers = { standard: { ...none, transaction: '20' }, enhanced: none }
    const withdrawals = [await agreed('withdrawal', false), await agreed('withdrawal', false)] as const
    const limited = { ...settings, limits: { ...settings.limits, tiers } }
    await addSettings(app.deps, { settings: limited, version, by: 'test' })
    await payLedger(app.deps, withdrawals[0], new Date(), '21')
    const strict = { ...settings, limits: { ...settings.limits, nearAmounts: false } }
    await addSettings(app.deps, { settings: strict, version: version + 1, by: 'test' })
    await payLedger(app.deps, withdrawals[1], new Date(), '21')
    await addSettings(app.deps, { settings, version: version + 2, by: 'test' })
    for (const each of withdrawals) expect((await state(each)).state).toBe('returning')
  })
})
