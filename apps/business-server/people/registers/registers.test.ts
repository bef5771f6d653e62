import type { RegisterEntry } from '@windlass/contracts/anchor/registers.ts'
import { findTexts } from '@windlass/testing/find-texts.ts'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { BankAnchor } from '../../testing/bank-anchor.ts'

const OPERATOR = 'operator:asha'
let bank: BankAnchor
beforeAll(async () => {
  bank = await BankAnchor.start()
})
afterAll(() => bank.close())

const unknown = { customers: null, amount: null, currency: null, cause: null }
const outage = {
  ...{
    category: 'outage',
    title: 'No payouts',
    text: 'The bank’s server did not answer Zoltanskoviczynski.',
  },
  ...{ happenedAt: '2026-11-01T08:00:00.000Z', by: OPERATOR, ...unknown },
}
const add = (register: string, over: object = {}) =>
  bank.asOperator('POST', `/registers/${register}`, { ...outage, ...over })
const step = (register: string, id: string, over: object = {}) =>
  bank.asOperator('POST', `/registers/${register}/${id}/steps`, {
    ...{ text: 'It answers again.', closes: false, by: 'operator:other', ...unknown, ...over },
  })
const list = async (path: string) => (await bank.get(`/registers/${path}`)).json<RegisterEntry[]>()

it('an incident is entered, gets what was found, and ends; nothing of it is changed', async () => {
  const first = (await add('incidents')).json<RegisterEntry>()
  expect(first).toMatchObject({ number: 1, status: 'open', customers: null, steps: [{ by: OPERATOR }] })
  const reach = { customers: 12, amount: '1500.50', currency: 'EUR', cause: 'A certificate ended.' }
  expect((await step('incidents', first.id, reach)).json()).toMatchObject({ customers: 12, amount: '1500.5' })
  expect((await step('incidents', first.id, { closes: true, customers: 13 })).json()).toMatchObject({
    ...{ status: 'closed', customers: 13, amount: '1500.5', cause: 'A certificate ended.' },
  })
  expect((await step('incidents', first.id)).json()).toMatchObject({ code: 'register-entry-closed' })
  const [listed] = await list('incidents?status=closed')
  expect(listed?.steps.map(({ text }) => text)).toEqual([
    outage.text,
    'It answers again.',
    'It answers again.',
  ])
  expect(await list('incidents?status=open')).toEqual([])
})

it('a complaint is of a customer or a transaction, numbered by itself', async () => {
  const subject = { kind: 'customer', id: 'cus_1' }
  expect((await add('complaints', { category: 'fee', subject })).json()).toMatchObject({ number: 1, subject })
  expect((await add('complaints', { category: 'delay' })).json()).toMatchObject({ number: 2, subject: null })
  expect((await list('complaints')).map(({ number }) => number)).toEqual([2, 1])
})

it('refuses what no entry can be, and keeps no plain text', async () => {
  const before = (await list('incidents')).length
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
  for (const over of [
    { category: 'fee' },
    { happenedAt: tomorrow },
    { amount: '5' },
    { currency: 'EUR' },
    { amount: '-5', currency: 'EUR' },
  ])
    expect((await add('incidents', over)).statusCode).toBe(400)
  expect((await step('incidents', randomUUID())).statusCode).toBe(404)
  expect(await list('incidents')).toHaveLength(before)
  const plain = await findTexts(bank.deps.config.databaseUrl, ['Zoltanskoviczynski', 'No payouts'])
  expect(plain.filter(each => each.includes('register_'))).toEqual([])
})
