import { plannedSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { Difference } from '@windlass/contracts/anchor/reconciliation.ts'
import type { Safeguarding } from '@windlass/contracts/anchor/reserves.ts'
import { readScalar } from '@windlass/service/postgres/scalars.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { UnreliableNetwork } from '@windlass/stellar/testing/unreliable-network.ts'
import { afterAll, expect, it } from 'vitest'
import { receiveRailPayment } from '../../payments/receive-rail-payment.ts'
import { asPlatform } from '../../testing/as-platform.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'
import { startBusinessApp } from '../../testing/business-app.ts'
import { acceptTransaction } from '../../transfers/accept.ts'
import { confirm } from '../../transfers/confirm.ts'
import { reconcile } from './reconcile.ts'
import { countPressing } from './store.ts'
import { reportedBy } from '../../testing/reported-by.ts'

const close: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const each of close) await each()
})

it('money by a person’s word covers no customer until the rail, or people who looked there, confirm it', async () => {
  const ledger: UnreliableNetwork = new UnreliableNetwork({
    asset: () => `MUMBAI:${app.deps.config.anchor.accounts.issuer}`,
  })
  const app = await startBusinessApp({ horizon: ledger })
  close.push(() => app.close())
  const known = { customerId: 'cus_1', status: 'ACCEPTED' as const, walletVerified: true }
  app.deps.customerRegistry.byWallet = async () => known
  const headers = asPlatform(app.deps.config.secrets)
  const post = (url: string, payload: object) =>
    app.server.app.inject({ method: 'POST', url, headers, payload })
  const read = async () =>
    (await app.server.app.inject({ url: '/api/v1/safeguarding', headers })).json<Safeguarding>()
  const marked = async (paymentId: string) => {
    const { id } = await acceptTransaction(app.deps, reportedBy(generateKey().publicKey))
    const agreed = await confirm(app.deps, id)
    const action = { kind: 'mark-paid', paymentId, reason: 'they say so', by: 'operator:one' }
    expect((await post(`/admin/transactions/${id}/actions`, action)).statusCode).toBe(201)
    return agreed
  }
  const { rail, currency, fiat_amount: money, reference } = await marked('INVENTED')
  const part = { currency, side: 'there', account: 'unproven', unit: currency }
  const short = await read()
  expect(short.parts).toContainEqual({ ...part, amount: `-${Number(money)}` })
  expect(short.currencies).toContainEqual({ currency, owed: '0', there: '0' })
  expect(short.isShort).toBe(true)

  const report = { kind: 'received' as const, paymentId: 'INVENTED', amount: money ?? '', currency }
  await receiveRailPayment(app.deps, rail, { ...report, reference: reference ?? '' })
  expect((await read()).parts).not.toContainEqual(expect.objectContaining({ account: 'unproven' }))

  const seen = await marked('SEEN')
  expect((await read()).isShort).toBe(true)
  // Named on the day, with who said it, and no alarm before the rail's time is over.
  await reconcile(app.deps, 'operator:one')
  const open = await app.server.app.inject({ url: '/api/v1/reconciliation/differences?status=open', headers })
  const said = open.json<Difference[]>().find(({ kind }) => kind === 'payment-unconfirmed')
  expect(said).toMatchObject({
    ...{ kind: 'payment-unconfirmed', amount: `-${Number(seen.fiat_amount)}`, unit: currency },
    ...{ saidBy: 'operator:one', detail: expect.stringContaining(`Transaction ${seen.id}.`) },
  })
  expect(Date.parse(said?.dueAt ?? '')).toBeGreaterThan(Date.now() + 20 * 3_600_000)
  const { db } = app.deps.database
  expect(await readScalar(db, countPressing)).toBe(0)
  await app.deps.database.pool.query("update rail_receipts set seen_at = now() - interval '4 days'")
  await reconcile(app.deps, 'operator:one')
  expect(await readScalar(db, countPressing)).toBe(1)

  const resolution = { reason: 'the rail lists it', resolution: 'provider-error', by: 'operator:one' }
  const resolve = (by: string) =>
    post(`/admin/reconciliation/differences/${said?.id}/resolve`, { ...resolution, by })
  const settings = { ...plannedSettings(app.deps.config.anchor.plan), approvals: { above: '100000' } }
  const saved = await app.server.app.inject({
    ...{ method: 'PUT', url: '/admin/settings', headers },
    payload: { settings, version: 0, by: 'operator:a' },
  })
  expect(saved.statusCode).toBe(200)
  const own = await resolve('operator:one')
  expect(own.json()).toMatchObject({ status: 'open', pending: { by: 'operator:one' } })
  expect((await read()).isShort).toBe(true)
  await post(`/admin/reconciliation/differences/${said?.id}/approval`, { approve: true, by: 'operator:two' })
  expect((await read()).isShort).toBe(false)
})

it('a bank that states less than the journal has is believed, from the statement on', async () => {
  const anchor = await BankAnchor.start()
  close.push(() => anchor.close())
  const read = async () => (await anchor.get('/safeguarding')).json<Safeguarding>()
  const { reference, money } = await anchor.deposit('sepa', '100')
  const paid = { amount: money, text: reference, day: '2026-11-20', bankReference: 'a' }
  await anchor.read(
    'SEPA',
    'a.xml',
    camt053([paid], { opening: 0, closing: Number(money), closingDay: '2026-11-20' }),
  )
  expect((await read()).currencies).toContainEqual({ currency: 'EUR', owed: '0', there: `${Number(money)}` })
  // A statement of the 21st is missing, with which 60 euros left.
  const later = { amount: '1.00', text: 'Interest', day: '2026-11-22', bankReference: 'b' }
  const [opening, closing] = [Number(money) - 60, Number(money) - 59]
  await anchor.read('SEPA', 'b.xml', camt053([later], { opening, closing, closingDay: '2026-11-22' }))
  const found = await read()
  expect(found.parts).toContainEqual({
    ...{ currency: 'EUR', side: 'there', account: 'unproven', unit: 'EUR', amount: '-60' },
  })
  expect(found.currencies).toContainEqual({ currency: 'EUR', owed: '1', there: `${closing}` })
})
