import type { CustomerAnswer } from '@windlass/contracts/anchor/anchor-platform.ts'
import type { BlockedMoney, BlockedProperty } from '@windlass/contracts/anchor/blocked-property.ts'
import type { ScreeningHit } from '@windlass/contracts/anchor/compliance.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { changeCustomer, ensureCustomer } from '../people/customers/customers.ts'
import { loadList } from '../people/compliance/lists.ts'
import { BankAnchor, camt053 } from '../testing/bank-anchor.ts'
import { journalSettings, setJournalSettings } from '../money/journal/settings.ts'
import { unXml } from '../testing/sanctions-lists.ts'
import { whetherServed } from '../transfers/countries.ts'
import { releaseScreened } from './hold-payments.ts'
import { payQueued } from './pay.ts'
import { settleOrder } from './settle-order.ts'

let bank: BankAnchor
beforeAll(async () => {
  bank = await BankAnchor.start()
  const bytes = Buffer.from(unXml([{ id: 1, name: 'Qadir Testov' }]))
  const file = { fileName: 'un.xml', bytes, smaller: false, by: 'operator:asha' }
  await loadList(bank.deps, file, releaseScreened)
})
afterAll(() => bank.close())

async function paid(): Promise<string> {
  const { id, reference, money } = await bank.deposit()
  await pay(id, reference, money)
  return id
}
async function pay(id: string, reference: string, money: string, name?: string): Promise<void> {
  const account = 'DE02120300000000202051'
  const line = { amount: money, text: reference, account, bankReference: randomUUID(), ...(name && { name }) }
  await bank.read('SEPA', `${id}-${randomUUID()}.xml`, camt053([line]))
}
const blocked = async () => (await bank.get('/blocked-property')).json<BlockedProperty>()
const decide = async (hit: string, decision: 'clear' | 'confirm', by = 'operator:asha') =>
  bank.asOperator('POST', `/screening-hits/${hit}/decision`, { decision, reason: 'Looked at.', by })
const paymentOf = async (id: string) =>
  (await bank.rows<{ state: string }>('select state from ledger_payments where transfer_id = $1', [id]))[0]
    ?.state

it('a confirmed hit ends service without a reason: money that came and comes is blocked, and free again once it is cleared', async () => {
  const { id: customer } = await ensureCustomer(bank.deps, bank.wallet, null)
  const accepted = { id: customer, status: 'ACCEPTED' } as CustomerAnswer
  const later = await bank.deposit()
  const first = await paid()
  await changeCustomer(bank.deps, customer, { fields: { first_name: 'Qadir', last_name: 'Testov' } })
  await payQueued(bank.deps)
  const [hit] = (await bank.get('/screening-hits?status=waiting')).json<ScreeningHit[]>()
  if (!hit) throw new Error('there is no hit')
  // A hit that waits blocks nothing and tells nothing.
  expect((await blocked()).property).toEqual([])
  expect(await whetherServed(bank.deps, accepted, true)).toEqual(accepted)

  await decide(hit.id, 'confirm')
  await payQueued(bank.deps)
  const rejected = await whetherServed(bank.deps, accepted, true)
  expect(rejected).toEqual({ id: customer, status: 'REJECTED' })
  await expect(bank.deposit()).rejects.toThrow('The anchor does not take this transaction.')
  // What was agreed before is paid now.
  await pay(later.id, later.reference, later.money, 'Qadir Testov')
  await payQueued(bank.deps)
  await payQueued(bank.deps)
  const { holder, property, totals } = await blocked()
  expect(property.map(({ transactionId }) => transactionId).toSorted()).toEqual([first, later.id].toSorted())
  expect(totals).toEqual([{ unit: 'asset', amount: expect.stringMatching(/^[0-9.]+$/) }])
  expect(Number(totals[0]?.amount)).toBe(property.reduce((sum, { amount }) => sum + Number(amount), 0))
  expect(holder.name.length).toBeGreaterThan(0)
  for (const each of property) {
    expect(each).toMatchObject({
      ...{ hitId: hit.id, direction: 'deposit', rail: 'SEPA', wallet: bank.wallet, releasedAt: null },
      match: { name: 'Qadir Testov', source: 'UN', entryName: 'Qadir Testov' },
    })
    expect(each.reportBy > each.blockedAt.slice(0, 10)).toBe(true)
  }
  expect(await paymentOf(first)).toBe('queued')
  const denied = await bank.app.server.app.inject({
    ...{ url: '/api/v1/blocked-property', headers: { authorization: 'Bearer default' } },
  })
  expect(denied.statusCode).toBe(403)

  // The one who confirmed does not clear it.
  expect((await decide(hit.id, 'clear')).statusCode).toBe(409)
  expect((await decide(hit.id, 'clear', 'operator:ben')).statusCode).toBe(200)
  // Who paid has the listed name too.
  for (const { id } of (await bank.get('/screening-hits?status=waiting')).json<ScreeningHit[]>())
    for (const by of ['operator:asha', 'operator:ben']) await decide(id, 'clear', by)
  await payQueued(bank.deps)
  expect([await paymentOf(first), await paymentOf(later.id)]).toEqual(['paid', 'paid'])
  const after = await blocked()
  expect([after.totals, after.property.every(({ releasedAt }) => releasedAt !== null)]).toEqual([[], true])
  expect(await whetherServed(bank.deps, accepted, true)).toEqual(accepted)
})

it('money that its bank takes back, or whose payout ends, is blocked no more', async () => {
  Object.assign(bank, { wallet: generateKey().publicKey })
  const { id: customer } = await ensureCustomer(bank.deps, bank.wallet, null)
  const { id, reference, money } = await bank.deposit()
  await pay(id, reference, money)
  const given = { dest: 'DE89370400440532013000', dest_name: 'Asha Rao' }
  const withdrawal = await bank.withdrawal('sepa', given, () =>
    changeCustomer(bank.deps, customer, { fields: { first_name: 'Qadir', last_name: 'Testov' } }),
  )
  await payQueued(bank.deps)
  for (const hit of (await bank.get('/screening-hits?status=waiting')).json<ScreeningHit[]>())
    await decide(hit.id, 'confirm')
  await payQueued(bank.deps)
  await bank.sendOrders()
  const open = async () =>
    (await blocked()).property.filter(each => each.releasedAt === null).map(each => each.transactionId)
  expect((await open()).toSorted()).toEqual([id, withdrawal.id].toSorted())

  const back = { amount: money, text: reference, direction: 'out', returnReason: 'FOCR' } as const
  await bank.read('SEPA', 'back.xml', camt053([{ ...back, bankReference: randomUUID() }]))
  expect(await paymentOf(id)).toBe('canceled')
  expect(await open()).toEqual([withdrawal.id])
  const [order] = await bank.rows<{ id: string }>('select id from rail_orders where transfer_id = $1', [
    withdrawal.id,
  ])
  await settleOrder(bank.deps, { kind: 'failed', orderId: order?.id ?? '', reason: 'The account is closed' })
  expect(await open()).toEqual([])
  expect((await blocked()).totals).toEqual([])
})

it('is to be reported ten business days after the day in the time zone of the journal', async () => {
  const reportBy = async (timeZone: string, blockedAt: string) => {
    await bank.rows('update blocked_money set blocked_at = $1', [blockedAt])
    await setJournalSettings(bank.deps.database.db, { ...standard, timeZone, by: 'operator:asha' })
    return new Set((await blocked()).property.map(each => each.reportBy))
  }
  const standard = await journalSettings(bank.deps.database.db)
  // Thursday in UTC.
  const at = '2026-11-26T02:00:00Z'
  expect(await reportBy('UTC', at)).toEqual(new Set(['2026-12-10']))
  expect(await reportBy('America/New_York', at)).toEqual(new Set(['2026-12-09']))
  expect(await reportBy('Asia/Kolkata', '2026-11-25T23:00:00Z')).toEqual(new Set(['2026-12-10']))
  await setJournalSettings(bank.deps.database.db, { ...standard, by: 'operator:asha' })
})

it('stays in the draft, however much was blocked and released since', async () => {
  await bank.rows(
    `insert into blocked_money (payment_id, transfer_id, hit_id, unit, amount, blocked_at)
      select gen_random_uuid(), transfer_id, hit_id, 'EUR', 7, now() - interval '90 days' from blocked_money limit 1`,
  )
  await bank.rows(
    `insert into blocked_money (payment_id, transfer_id, hit_id, unit, amount, blocked_at, released_at)
      select gen_random_uuid(), transfer_id, hit_id, 'EUR', 1, now(), now()
      from (select * from blocked_money limit 1) one, generate_series(1, 201)`,
  )
  const { property, totals } = await blocked()
  expect(totals).toEqual([{ unit: 'EUR', amount: '7' }])
  expect(property[0]).toMatchObject({ amount: '7', releasedAt: null })
  expect(property.filter(each => each.releasedAt !== null)).toHaveLength(200)
  // The others come by pages.
  const all: BlockedMoney[] = []
  let path: string | undefined = '/blocked-property/released?limit=90'
  while (path !== undefined) {
    const page: Awaited<ReturnType<typeof bank.get>> = await bank.get(path)
    all.push(...page.json<BlockedMoney[]>())
    path = /<\/api\/v1([^>]*)>/.exec(String(page.headers.link ?? ''))?.[1]
  }
  expect(all.filter(({ amount, unit }) => amount === '1' && unit === 'EUR')).toHaveLength(201)
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
  expect(all.every(({ releasedAt, match }) => releasedAt !== null && match !== null)).toBe(true)
  expect((await bank.get('/blocked-property/released?cursor=x')).statusCode).toBe(400)
})
