import type { Case, CaseFile } from '@windlass/contracts/anchor/cases.ts'
import type { ScreeningHit } from '@windlass/contracts/anchor/compliance.ts'
import { findTexts } from '@windlass/testing/find-texts.ts'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { payQueued } from '../../payments/pay.ts'
import { asPlatform } from '../../testing/as-platform.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'
import { euXml } from '../../testing/sanctions-lists.ts'
import { evaluateConditions } from '../../workspace/notifications/conditions.ts'

const LISTED = 'Qadir Testov'
const IBAN = 'DE02120300000000202051'
const [ASHA, BEN] = ['operator:asha', 'operator:ben']

let bank: BankAnchor
beforeAll(async () => {
  bank = await BankAnchor.start()
  await bank.app.server.app.inject({
    method: 'POST',
    url: `/admin/sanctions-lists?${new URLSearchParams({ fileName: 'list.xml', by: ASHA })}`,
    headers: { ...asPlatform(bank.deps.config.secrets), 'content-type': 'application/octet-stream' },
    payload: euXml([{ id: 1, name: LISTED }]),
  })
})
afterAll(() => bank.close())

async function paidBy(name: string): Promise<string> {
  const { id, reference, money } = await bank.deposit()
  const line = { amount: money, text: reference, name, account: IBAN, bankReference: randomUUID() }
  await bank.read('SEPA', `${id}.xml`, camt053([line]))
  await payQueued(bank.deps)
  return id
}
const listed = async (status = 'open') => (await bank.get(`/cases?status=${status}`)).json<Case[]>()
const caseOf = async (id: string) => {
  const found = (await listed()).find(({ subject }) => subject.id === id)
  if (!found) throw new Error('there is no open case')
  return found
}
const file = async (id: string) => (await bank.get(`/cases/${id}`)).json<CaseFile>()
const decide = (id: string, decision: 'clear' | 'confirm', by = ASHA) =>
  bank.asOperator('POST', `/screening-hits/${id}/decision`, { decision, reason: 'Looked at it.', by })
const post = (path: string, body: object, by = ASHA) =>
  bank.asOperator('POST', `/cases${path}`, { ...body, by })
const plan = (id: string, assignedTo: string | null, dueOn: string) =>
  bank.asOperator('PUT', `/cases/${id}/plan`, { assignedTo, dueOn, by: ASHA })

it('a hit opens a case, which is given to someone, noted in, and ended once its hits are decided', async () => {
  const id = await paidBy(LISTED)
  const opened = await caseOf(id)
  expect(opened).toMatchObject({
    ...{ subject: { kind: 'transaction', id }, status: 'open', outcome: null, assignedTo: null },
    ...{ openedBy: 'screening', hits: 1, isOverdue: false },
  })
  expect((await plan(opened.id, BEN, '2026-02-30')).json()).toMatchObject({ code: 'validation-failed' })
  await plan(opened.id, BEN, '2099-12-24')
  await post(`/${opened.id}/notes`, { text: 'Asked the bank for the passport.' }, BEN)
  expect((await post(`/${opened.id}/close`, { outcome: 'reported', reason: 'STR 7' })).json()).toMatchObject({
    code: 'case-not-decided',
  })
  const [hit] = (await file(opened.id)).hits
  await decide(hit?.id ?? '', 'confirm')
  const closed = (
    await post(`/${opened.id}/close`, { outcome: 'reported', reason: 'STR 7' })
  ).json<CaseFile>()
  expect(closed).toMatchObject({
    case: { status: 'closed', outcome: 'reported', assignedTo: BEN, dueOn: '2099-12-24' },
    hits: [{ status: 'confirmed', match: { name: LISTED } }],
    steps: [
      { kind: 'planned', assignedTo: BEN, dueOn: '2099-12-24', by: ASHA, text: null },
      { kind: 'noted', text: 'Asked the bank for the passport.', by: BEN },
      { kind: 'closed', outcome: 'reported', text: 'STR 7', by: ASHA },
    ],
  })
  for (const answer of [
    await plan(opened.id, ASHA, '2099-12-24'),
    await post(`/${opened.id}/close`, { outcome: 'reported', reason: 'x' }),
  ])
    expect(answer.json()).toMatchObject({ code: 'case-closed' })
  await post(`/${opened.id}/notes`, { text: 'Receipt of the authority.' })
  expect((await file(opened.id)).steps).toHaveLength(4)
  // The money stays where it is.
  await payQueued(bank.deps)
  expect(await bank.rows('select state from ledger_payments where transfer_id = $1', [id])).toEqual([
    { state: 'queued' },
  ])
  expect(await findTexts(bank.deps.config.databaseUrl, ['Asked the bank', 'STR 7'])).toEqual([])
})

it('ends by itself where a cleared hit is all there was', async () => {
  const id = await paidBy('Qadir Middle Testov')
  const { id: caseId } = await caseOf(id)
  const [hit] = (await file(caseId)).hits
  await decide(hit?.id ?? '', 'clear')
  expect(await file(caseId)).toMatchObject({
    case: { status: 'closed', outcome: 'no-suspicion' },
    steps: [{ kind: 'closed', by: ASHA }],
  })
  const other = await paidBy('Qadir Middle Testov')
  const noted = await caseOf(other)
  await post(`/${noted.id}/notes`, { text: 'Something else is odd.' })
  const hits = (await file(noted.id)).hits as ScreeningHit[]
  for (const each of hits) await decide(each.id, 'clear')
  expect((await file(noted.id)).case.status).toBe('open')
})

it('is opened by a person too, once, about what there is', async () => {
  const id = await paidBy('Asha Rao')
  const open = (subject: object) => post('', { subject, reason: 'Pays at night.' })
  const first = (await open({ kind: 'transaction', id })).json<CaseFile>()
  expect(first).toMatchObject({
    case: { openedBy: ASHA, hits: 0 },
    steps: [{ kind: 'opened', text: 'Pays at night.' }],
  })
  const again = (await open({ kind: 'transaction', id })).json<CaseFile>()
  expect(again).toMatchObject({ case: { id: first.case.id }, steps: [{ kind: 'opened' }, { kind: 'noted' }] })
  expect((await open({ kind: 'transaction', id: randomUUID() })).json()).toMatchObject({
    code: 'transaction-not-found',
  })
  expect((await open({ kind: 'customer', id: 'nobody' })).json()).toMatchObject({
    code: 'customer-not-found',
  })
  expect((await bank.get('/cases/nothing')).json()).toMatchObject({ code: 'case-not-found' })
})

it('that is overdue reaches those who decide', async () => {
  const id = await paidBy('Asha Rao')
  const { case: made } = (
    await post('', { subject: { kind: 'transaction', id }, reason: 'Odd.' })
  ).json<CaseFile>()
  const overdue = async () => {
    const { conditions } = await evaluateConditions(bank.deps, { conditions: [], differences: new Map() })
    return conditions.filter(({ subject }) => subject === 'screening-cases')
  }
  expect(await overdue()).toEqual([])
  await plan(made.id, null, '2026-11-01')
  expect((await file(made.id)).case.isOverdue).toBe(true)
  expect(await overdue()).toEqual([
    {
      ...{
        kind: 'compliance-waiting',
        subject: 'screening-cases',
        detail: 'A case of compliance is overdue.',
      },
      spanish: 'Un caso de cumplimiento está vencido.',
    },
  ])
})
