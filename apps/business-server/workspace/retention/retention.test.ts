import type { CaseFile } from '@windlass/contracts/anchor/cases.ts'
import type { ScreeningHit } from '@windlass/contracts/anchor/compliance.ts'
import type {
  CustomerCopy,
  ErasureAnswer,
  ErasurePreview,
  Retention,
} from '@windlass/contracts/anchor/retention.ts'
import { findTexts } from '@windlass/testing/find-texts.ts'
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { payQueued } from '../../payments/pay.ts'
import { changeCustomer, ensureCustomer, findCustomerById } from '../../people/customers/customers.ts'
import { giveFile, PNG } from '../../people/customers/testing/give-file.ts'
import { sealedKeptCustomers } from '../../people/customers/kept.ts'
import { compareNames } from '../../people/compliance/compare-names.ts'
import { asPlatform } from '../../testing/as-platform.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'
import { clearHits } from '../../testing/clear-hits.ts'
import { rotate, withNewerKey } from '../../testing/newer-key.ts'
import { euXml } from '../../testing/sanctions-lists.ts'
import { removeDue } from './remove-due.ts'

const IBAN = 'DE02120300000000202051'
const ASHA = 'operator:asha'

let bank: BankAnchor
beforeAll(async () => {
  bank = await BankAnchor.start()
})
afterAll(() => bank.close())

const customer = async (first_name: string): Promise<string> => {
  const { id } = await ensureCustomer(bank.deps, bank.wallet, null)
  await changeCustomer(bank.deps, id, { fields: { first_name, last_name: 'Quintrell' } })
  return id
}
async function pays(name: string): Promise<string> {
  const { id, reference, money } = await bank.deposit()
  const line = { amount: money, text: reference, name, account: IBAN, bankReference: randomUUID() }
  await bank.read('SEPA', `${id}.xml`, camt053([line]))
  await payQueued(bank.deps)
  return id
}
const erase = async (id: string) => {
  const answer = await bank.app.server.app.inject({
    method: 'DELETE',
    url: `/customer/${id}`,
    headers: { 'x-api-key': bank.deps.config.secrets.link },
  })
  expect(answer.statusCode).toBe(200)
  return answer.json<ErasureAnswer>()
}
const copyOf = (id: string) => bank.get(`/customers/${id}/copy`)
const retention = async () => (await bank.get('/retention')).json<Retention>()
const set = (customerYears: number, travelRecordYears: number, version: number) =>
  bank.asOperator('PUT', '/retention', { rules: { customerYears, travelRecordYears }, version, by: ASHA })
/** As if it had been so long ago. */
const age = (years: number) =>
  bank.rows(`update kept_customers set deleted_at = deleted_at - make_interval(years => ${years})`)

it('a customer without money is gone at once', async () => {
  const id = await customer('Perpetua')
  expect(await erase(id)).toEqual({ id, kept: [], until: null })
  expect((await copyOf(id)).json()).toMatchObject({ code: 'customer-not-found' })
  expect((await retention()).kept).toBe(0)
})

it('one whose money moved is set apart, as a whole, until the years are over', async () => {
  const id = await customer('Ximena')
  const passport = Buffer.concat([PNG, Buffer.from('a passport'), randomBytes(400_000)])
  await giveFile(bank.deps, id, 'photo_id_front', passport)
  const transaction = await pays('Ximena Quintrell')
  expect(await bank.state(transaction)).toBe('completed')
  const whole = (await copyOf(id)).json<CustomerCopy>()
  expect(whole).toMatchObject({
    ...{ id, account: bank.wallet, deletedAt: null, keptUntil: null },
    fields: { first_name: 'Ximena', last_name: 'Quintrell' },
    files: [{ name: 'photo_id_front', base64: passport.toString('base64') }],
    transactions: [{ transaction: { id: transaction, kind: 'deposit', status: 'completed' } }],
  })

  const { kept, until, ...rest } = await erase(id)
  expect(rest).toEqual({ id })
  expect(kept).toEqual(['identity', 'transactions', 'payment-records'])
  const year = bank.deps.clock.now().getUTCFullYear() + 5
  expect(until).toMatch(new RegExp(`^${year}-`))
  expect(await findCustomerById(bank.deps, id)).toBeNull()
  expect((await bank.get('/customers')).body).not.toContain(id)
  expect((await copyOf(id)).json()).toEqual({
    ...whole,
    ...{ deletedAt: expect.any(String), keptUntil: until },
  })
  expect(await findTexts(bank.deps.config.databaseUrl, ['Ximena', 'a passport'])).toEqual([])

  await age(4)
  await removeDue(bank.deps)
  expect((await retention()).kept).toBe(1)
  await age(2)
  await removeDue(bank.deps)
  expect((await copyOf(id)).json()).toMatchObject({ code: 'customer-not-found' })
  expect(await bank.rows('select 1 from customer_file_pieces')).toEqual([])
  expect(await retention()).toMatchObject({ kept: 0, removals: [{ kind: 'customer', count: 1 }] })
  expect(await bank.state(transaction)).toBe('completed')
  await removeDue(bank.deps)
  expect((await retention()).removals).toHaveLength(1)
})

it('one about whom a case is open stays until it is closed, and the answer does not tell', async () => {
  await bank.app.server.app.inject({
    method: 'POST',
    url: `/admin/sanctions-lists?${new URLSearchParams({ fileName: 'list.xml', by: ASHA })}`,
    headers: { ...asPlatform(bank.deps.config.secrets), 'content-type': 'application/octet-stream' },
    payload: euXml([{ id: 1, name: 'Qadir Testov' }]),
  })
  const { id } = await ensureCustomer(bank.deps, bank.wallet, null)
  await changeCustomer(bank.deps, id, { fields: { first_name: 'Qadir', last_name: 'Testov' } })
  await compareNames(bank.deps)
  const [hit] = (await bank.get('/screening-hits?status=waiting')).json<ScreeningHit[]>()
  expect(hit?.subject).toEqual({ kind: 'customer', id })
  // As of anyone whose money did not move: who asks does not learn that someone looks.
  expect(await erase(id)).toEqual({ id, kept: [], until: null })
  expect((await retention()).kept).toBe(1)
  await age(6)
  await removeDue(bank.deps)
  expect((await copyOf(id)).json<CustomerCopy>().fields.first_name).toBe('Qadir')

  await bank.asOperator('POST', `/screening-hits/${hit?.id}/decision`, {
    ...{ decision: 'confirm', reason: 'It is them.', by: ASHA },
  })
  const [found] = (await bank.get('/cases?status=open')).json<{ id: string }[]>()
  const closed = await bank.asOperator('POST', `/cases/${found?.id}/close`, {
    ...{ outcome: 'reported', reason: 'STR 1', by: ASHA },
  })
  expect(closed.json<CaseFile>().case.status).toBe('closed')
  await removeDue(bank.deps)
  expect((await copyOf(id)).statusCode).toBe(404)
  // Who comes back with the same wallet under another name is still known.
  await customer('Brand')
  await expect(pays('Brand Quintrell')).rejects.toThrow('does not take this transaction')
})

it('who sent and who received goes when its years are over', async () => {
  const id = await pays('Someone Else').catch(() => randomUUID())
  const [travel] = [randomUUID()]
  await bank.rows(
    "insert into travel_rule_records (transfer_id, sealed, at) select id, '\\x00', now() - interval '3 years' from transfers limit 1",
  )
  expect(id).not.toBe(travel)
  await removeDue(bank.deps)
  expect(await bank.rows('select from travel_rule_records')).toHaveLength(1)
  expect((await set(5, 2, 0)).json<Retention>().history[0]).toMatchObject({
    ...{ version: 1, by: ASHA, rules: { customerYears: 5, travelRecordYears: 2 } },
  })
  expect((await set(5, 3, 0)).json()).toMatchObject({ code: 'settings-changed' })
  expect((await set(11, 3, 1)).json()).toMatchObject({ code: 'validation-failed' })
  await removeDue(bank.deps)
  expect(await bank.rows('select from travel_rule_records')).toHaveLength(0)
  expect((await retention()).removals[0]).toMatchObject({ kind: 'travel-record', count: 1 })
})

it('everything that was removed is listed by pages, newest first', async () => {
  const { removals } = await retention()
  const found: unknown[] = []
  let path: string | undefined = '/removals?limit=1'
  while (path !== undefined) {
    const page: Awaited<ReturnType<typeof bank.get>> = await bank.get(path)
    found.push(...page.json<unknown[]>())
    path = /<\/api\/v1([^>]*)>/.exec(String(page.headers.link ?? ''))?.[1]
  }
  expect(found).toEqual(removals)
  expect(found.length).toBeGreaterThan(1)
  expect((await bank.get('/removals?cursor=x')).statusCode).toBe(400)
})

it('what was known of a transaction goes with its years, except while someone looks into its customer', async () => {
  const snapshots = async () => (await bank.rows('select from transfer_snapshots')).length
  await clearHits(bank.deps)
  const { id } = await ensureCustomer(bank.deps, bank.wallet, null)
  await changeCustomer(bank.deps, id, { fields: { first_name: 'Leocadia', last_name: 'Quintrell' } })
  await pays('Leocadia Quintrell')
  await removeDue(bank.deps)
  await bank.rows(
    "update transfer_snapshots set at = at - interval '20 years' where transfer_id in (select id from transfers where account = $1)",
    [bank.wallet],
  )
  const opened = await bank.asOperator('POST', '/cases', {
    ...{ subject: { kind: 'customer', id }, reason: 'Looked at.', by: ASHA },
  })
  expect(opened.statusCode).toBe(200)
  const before = await snapshots()
  expect(before).toBeGreaterThan(1)
  await removeDue(bank.deps)
  expect(await snapshots()).toBe(before)
  // Who deletes their data meanwhile is still looked into.
  await erase(id)
  await removeDue(bank.deps)
  expect(await snapshots()).toBe(before)

  // However many are older than what is due.
  const [{ due } = { due: '' }] = await bank.rows<{ due: string }>(
    `insert into transfers select (jsonb_populate_record(null::transfers, to_jsonb(one) || jsonb_build_object(
      'id', gen_random_uuid(), 'account', 'someone else', 'reference', null, 'ledger_memo', null))).* from (select * from transfers limit 1) one returning id as due`,
  )
  await bank.rows(
    "insert into transfer_snapshots (transfer_id, moment, at, sealed) values ($1, 'agreed', now() - interval '15 years', '\\x00')",
    [due],
  )
  await bank.rows(
    `with many as (insert into transfers select (jsonb_populate_record(null::transfers, to_jsonb(one) ||
      jsonb_build_object('id', gen_random_uuid(), 'reference', null, 'ledger_memo', null))).* from (select * from transfers where account = $1 limit 1) one,
      generate_series(1, 1000) returning id)
      insert into transfer_snapshots (transfer_id, moment, at, sealed)
      select id, 'agreed', now() - interval '25 years', '\\x00' from many`,
    [bank.wallet],
  )
  await removeDue(bank.deps)
  expect(await bank.rows('select from transfer_snapshots where transfer_id = $1', [due])).toEqual([])
  expect(await snapshots()).toBe(before + 1_000)
  const [found] = (await bank.get('/cases?status=open')).json<{ id: string }[]>()
  const end = { outcome: 'no-suspicion', reason: 'Nothing.', by: ASHA }
  expect((await bank.asOperator('POST', `/cases/${found?.id}/close`, end)).statusCode).toBe(200)
  await age(6)
  await removeDue(bank.deps)
  expect(await snapshots()).toBeLessThan(before + 1_000)
  expect((await retention()).kept).toBe(0)
})

it('what is removed is written down with it, wherever the process is killed', async () => {
  const id = await customer('Zenobia')
  await clearHits(bank.deps)
  await bank.rows("update ledger_payments set next_try_at = now() where state = 'queued'")
  await pays('Zenobia Quintrell')
  await erase(id)
  await age(6)
  const { faults } = bank.deps
  const before = (await retention()).removals.length
  bank.deps.faults = {
    at: point => {
      if (point === 'retention:removed') throw new Error('killed')
    },
  }
  await removeDue(bank.deps).catch(() => undefined)
  bank.deps.faults = faults
  expect(await retention()).toMatchObject({ kept: 1 })
  expect((await retention()).removals).toHaveLength(before)
  await rotate(withNewerKey(bank.deps).rotating, sealedKeptCustomers)
  await removeDue(bank.deps)
  expect(await retention()).toMatchObject({ kept: 0 })
})

it('who asks by letter is deleted as who asks with their wallet, with the same answer', async () => {
  const preview = async (id: string) => (await bank.get(`/customers/${id}/erasure`)).json<ErasurePreview>()
  const letter = (id: string, over: object = {}) =>
    bank.asOperator('POST', `/customers/${id}/erase`, {
      ...{ receivedOn: '2026-11-20', identity: 'document', note: 'Letter 7, in the safe.', by: ASHA },
      ...over,
    })
  const id = await customer('Theodora')
  await bank.rows("update ledger_payments set next_try_at = now() where state = 'queued'")
  await pays('Theodora Quintrell')
  const would = await preview(id)
  expect(would).toMatchObject({ id, kept: ['identity', 'transactions', 'payment-records'], alone: true })
  // Looking changes nothing.
  expect(await findCustomerById(bank.deps, id)).not.toBeNull()
  expect((await letter(id, { identity: 'he said so' })).json()).toMatchObject({ code: 'validation-failed' })
  const opened = await bank.asOperator('POST', '/cases', {
    ...{ subject: { kind: 'customer', id }, reason: 'Looked at.', by: ASHA },
  })
  expect(opened.statusCode).toBe(200)
  expect(await preview(id)).toEqual({ ...would, alone: false })

  const { alone: _, ...answer } = would
  const erased = await letter(id)
  expect([erased.statusCode, erased.json()]).toEqual([200, answer])
  expect(await findCustomerById(bank.deps, id)).toBeNull()
  expect((await copyOf(id)).json<CustomerCopy>().keptUntil).toBe(answer.until)
  // The SEP server learns of it, since it did not ask.
  expect(
    await bank.rows("select params from platform_calls where method = 'notify_customer_erased'"),
  ).toEqual([{ params: { customer_id: id, account: bank.wallet, memo: null } }])
  expect((await letter(id)).json()).toMatchObject({ code: 'customer-not-found' })
})
