import type { ManualEntry } from '@windlass/contracts/anchor/manual-entries.ts'
import { findTexts } from '@windlass/testing/find-texts.ts'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { BankAnchor } from '../../testing/bank-anchor.ts'
import { evaluateConditions } from '../../workspace/notifications/conditions.ts'

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
})
afterAll(() => anchor.close())

const [one, other] = ['operator:one', 'operator:other']
const INVOICE = Buffer.from('%PDF-1.7 an invoice of Asha Rao')
const LINES = [
  { account: 'other-costs', unit: 'EUR', amount: '12.50' },
  { account: 'capital', unit: 'EUR', amount: '-12.50' },
]
const write = (over: object = {}) =>
  anchor.asOperator('POST', '/journal/manual-entries', {
    ...{ text: 'Paid by the owner', bookedOn: '2026-01-31', lines: LINES, by: one },
    document: { fileName: 'invoice 7.pdf', data: INVOICE.toString('base64') },
    ...over,
  })
const decide = (id: string, by: string, approve = true) =>
  anchor.asOperator('POST', `/journal/manual-entries/${id}/decision`, { approve, by })
const reverse = (id: string) =>
  anchor.asOperator('POST', `/journal/manual-entries/${id}/reversal`, { reason: 'booked twice', by: one })
const listed = async () => (await anchor.get('/journal/manual-entries')).json<ManualEntry[]>()
const codeOf = (answer: { statusCode: number; json(): { code?: string } }) => [
  answer.statusCode,
  answer.json().code,
]

it('what no rule covers is an entry by two people with a text and a document, and is taken back by two', async () => {
  const { id } = (await write()).json<ManualEntry>()
  expect(await anchor.balances()).toEqual({})
  const { conditions } = await evaluateConditions(anchor.deps, { conditions: [], differences: new Map() })
  expect(conditions).toContainEqual(expect.objectContaining({ subject: 'manual-entries' }))
  expect(codeOf(await decide(id, one))).toEqual([409, 'second-person-needed'])
  expect((await decide(id, other)).json()).toMatchObject({ status: 'done', decidedBy: other })
  expect(codeOf(await decide(id, other))).toEqual([404, 'action-not-found'])
  expect(await anchor.balances()).toEqual({ 'other-costs EUR': '12.5', 'capital EUR': '-12.5' })
  const [entry] = (await anchor.get('/journal')).json<{ kind: string; bookedOn: string }[]>()
  expect(entry).toMatchObject({ kind: 'manual', bookedOn: '2026-01-31' })

  expect((await reverse(id)).json()).toMatchObject({ status: 'reversing' })
  expect(codeOf(await reverse(id))).toEqual([409, 'action-not-possible'])
  expect(codeOf(await decide(id, one))).toEqual([409, 'second-person-needed'])
  expect((await decide(id, one, false)).json()).toMatchObject({ status: 'done' })
  await reverse(id)
  expect((await decide(id, other)).json()).toMatchObject({
    ...{ status: 'reversed' },
    reversal: { reason: 'booked twice', requestedBy: one, decidedBy: other },
  })
  expect([await anchor.balances(), codeOf(await reverse(id))]).toEqual([{}, [409, 'action-not-possible']])
})

it('its document is kept sealed, and is the same bytes', async () => {
  const { id, document } = (await write()).json<ManualEntry>()
  expect(document).toEqual({
    fileName: 'invoice 7.pdf',
    sha256: createHash('sha256').update(INVOICE).digest('hex'),
  })
  const file = await anchor.asOperator('POST', `/journal/manual-entries/${id}/document`)
  expect(file.rawPayload).toEqual(INVOICE)
  expect(file.headers['content-disposition']).toBe('attachment; filename="invoice_7.pdf"')
  const texts = ['invoice of Asha', INVOICE.toString('base64')]
  expect(await findTexts(anchor.deps.config.databaseUrl, texts)).toEqual([])
})

it('one that is rejected counts nothing', async () => {
  const before = await anchor.balances()
  const { id } = (await write()).json<ManualEntry>()
  expect((await decide(id, one, false)).json()).toMatchObject({ status: 'rejected' })
  expect([await anchor.balances(), codeOf(await reverse(id))]).toEqual([before, [409, 'action-not-possible']])
})

it('lines that cannot be are refused with their place, and nothing is written', async () => {
  const count = (await listed()).length
  const line = (over: object) => ({ lines: [{ ...LINES[0], ...over }, LINES[1]] })
  const refused: [object, string][] = [
    [line({ amount: '12.51' }), 'lines'],
    [line({ amount: '12.505' }), 'lines.0.amount'],
    [line({ amount: '0' }), 'lines.0.amount'],
    [line({ account: 'pocket' }), 'lines.0.account'],
    [line({ account: 'toString' }), 'lines.0.account'],
    // Its statements say what is booked on it.
    [line({ account: 'rail:SEPA' }), 'lines.0.account'],
    ...['treasury', 'cold', 'issued', 'customers', 'debts'].map((account): [object, string] => [
      line({ account }),
      'lines.0.account',
    ]),
    [line({ unit: 'JPY' }), 'lines.0.unit'],
    [{ bookedOn: '2999-01-01' }, 'bookedOn'],
    [{ bookedOn: '2026-02-30' }, 'bookedOn'],
  ]
  for (const [over, path] of refused) {
    const answer = await write(over)
    expect([over, answer.statusCode, answer.json().errors?.[0]?.path]).toEqual([over, 400, path])
  }
  expect(await listed()).toHaveLength(count)
})

it('an entry of a closed month counts after it, with its day', async () => {
  const closing = { kind: 'month', day: '2026-03-31', reason: 'statements are missing', by: one }
  const close = await anchor.asOperator('POST', '/journal/closes', closing)
  expect(close.statusCode).toBe(201)
  const { id } = (await write({ bookedOn: '2026-03-10' })).json<ManualEntry>()
  await decide(id, other)
  const [entry] = (await anchor.get('/journal')).json()
  expect(entry).toMatchObject({ bookedOn: '2026-03-10', countedOn: '2026-04-01' })
})
