import { afterAll, beforeAll, expect, it } from 'vitest'
import { evaluateConditions } from '../workspace/notifications/conditions.ts'
import { BankAnchor, camt053 } from '../testing/bank-anchor.ts'
import { decideFileRejection } from './rejected-files.ts'

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
})
afterAll(() => anchor.close())

const ASHA = { dest: 'DE02120300000000202051', dest_name: 'Asha Rao' }
const [one, other] = ['operator:one', 'operator:other']
/** Before and after every approval here. */
const [BEFORE, AFTER] = ['2020-01-02', '2099-01-02']

const create = () => anchor.asOperator('POST', '/rails/SEPA/payout-files', { by: one })
const act = (id: string, name: 'approve' | 'cancel' | 'download') =>
  name === 'approve' ? anchor.approve(id, other) : anchor.asOperator('POST', `/payout-files/${id}/${name}`)
const reject = (id: string, by = one) =>
  anchor.asOperator('POST', `/payout-files/${id}/rejection`, { reason: 'Invalid scheme', by })
const decide = (id: string, approve: boolean, by: string) =>
  anchor.asOperator('POST', `/payout-files/${id}/rejection/decision`, { approve, by })
const refund = (id: string) =>
  anchor.asOperator('POST', `/transactions/${id}/actions`, { kind: 'refund', reason: 'rejected', by: one })
const possible = async (id: string) => (await anchor.get(`/transactions/${id}`)).json().possibleActions
const codeOf = (answer: { statusCode: number; json(): { code: string } }) => [
  answer.statusCode,
  answer.json().code,
]
const DECIDED = [409, 'payout-file-decided']
const NOTHING = [409, 'no-payouts-waiting']

interface PayoutFile {
  id: string
  code: string
  total: string
}

/** With all payouts that wait. */
async function approvedFile(): Promise<PayoutFile> {
  const file = (await create()).json<PayoutFile>()
  expect((await act(file.id, 'approve')).statusCode).toBe(200)
  return file
}

async function rejectedFile(): Promise<PayoutFile> {
  const file = await approvedFile()
  await reject(file.id)
  expect((await decide(file.id, true, other)).json()).toMatchObject({ status: 'rejected' })
  return file
}

let bookings = 0
type Booking = Parameters<typeof camt053>[0][number]

/** Reads a statement with this booking; the line, as it is then. */
async function book(booking: Booking): Promise<{ id: string; state: string; why: string }> {
  const bankReference = `B${(bookings += 1)}`
  await anchor.read('SEPA', 'x.xml', camt053([{ day: AFTER, bankReference, ...booking }]))
  const [line] = await anchor.rows<{ id: string; state: string; why: string }>(
    'select id, state, why from bank_lines where bank_reference = $1',
    [bankReference],
  )
  if (!line) throw new Error('the line is missing')
  return line
}

const debit = (amount: string, code: string, over: Partial<Booking> = {}) =>
  book({ amount, direction: 'out', text: code, ...over })
const match = (lineId: string, transactionId?: string) =>
  anchor.asOperator('POST', `/statement-lines/${lineId}/decide`, {
    ...{ decision: 'match', reason: 'the bank called', by: one },
    ...(transactionId ? { transactionId } : {}),
  })

async function expectBalanced(): Promise<void> {
  expect(await anchor.rows('select unit from journal_lines group by unit having sum(amount) <> 0')).toEqual(
    [],
  )
}

it('once a second person approves that the bank rejected a file, what it did not pay goes into the next one', async () => {
  const unpaid = await anchor.withdrawal('sepa', ASHA)
  const paid = await anchor.withdrawal('sepa', ASHA)
  const file = await approvedFile()
  expect((await debit(paid.money, paid.code)).state).toBe('matched')
  expect(codeOf(await decide(file.id, true, other))).toEqual(DECIDED)
  expect((await reject(file.id)).json()).toMatchObject({
    status: 'approved',
    rejection: { status: 'waiting', reason: 'Invalid scheme', requestedBy: one, decidedBy: null },
  })
  const earlier = { conditions: [], differences: new Map() }
  expect((await evaluateConditions(anchor.deps, earlier)).conditions).toContainEqual(
    expect.objectContaining({ kind: 'review-waiting', subject: 'payout-file-rejections' }),
  )
  expect(codeOf(await reject(file.id, other))).toEqual(DECIDED)
  expect(codeOf(await act(file.id, 'download'))).toEqual(DECIDED)
  expect(codeOf(await decide(file.id, true, one))).toEqual([409, 'second-person-needed'])
  expect((await decide(file.id, true, other)).json()).toMatchObject({
    ...{ status: 'rejected', ended: 1 },
    rejection: { status: 'done', requestedBy: one, decidedBy: other },
  })
  for (const name of ['approve', 'cancel', 'download'] as const)
    expect(codeOf(await act(file.id, name))).toEqual(DECIDED)
  expect(codeOf(await reject(file.id))).toEqual(DECIDED)
  expect((await anchor.get('/payouts')).json()).toMatchObject([{ code: unpaid.code }])

  const next = await approvedFile()
  expect(next.code).not.toBe(file.code)
  expect((await debit(unpaid.money, unpaid.code)).state).toBe('matched')
  expect(await anchor.state(unpaid.id)).toBe('completed')
  await expectBalanced()
})

it('a rejection that is dismissed leaves the file as it is', async () => {
  const { money, code } = await anchor.withdrawal('sepa', ASHA)
  const created = (await create()).json<PayoutFile>()
  expect(codeOf(await reject(created.id))).toEqual(DECIDED)
  await act(created.id, 'approve')
  await reject(created.id)
  expect((await decide(created.id, false, one)).json()).toMatchObject({
    ...{ status: 'approved' },
    rejection: { status: 'dismissed' },
  })
  expect((await act(created.id, 'download')).statusCode).toBe(200)
  await reject(created.id)
  expect((await debit(money, code)).state).toBe('matched')
  expect(codeOf(await decide(created.id, true, other))).toEqual(DECIDED)
  expect((await decide(created.id, false, other)).json().rejection.status).toBe('dismissed')
  expect(codeOf(await reject(created.id))).toEqual(DECIDED)
  expect(codeOf(await reject('none'))).toEqual([404, 'payout-file-not-found'])
})

it('a server that dies in between leaves a file rejected whole or not at all', async () => {
  await anchor.withdrawal('sepa', ASHA)
  await anchor.withdrawal('sepa', ASHA)
  const file = await approvedFile()
  await reject(file.id)
  const states = []
  for (const point of ['rejection:locked', 'rejection:written', 'rejection:committed']) {
    const at = (name: string) => {
      if (name === point) throw new Error('the process died')
    }
    const decision = { approve: true, by: other }
    await expect(decideFileRejection({ ...anchor.deps, faults: { at } }, file.id, decision)).rejects.toThrow(
      'died',
    )
    const [state] = await anchor.rows(
      `select f.state, r.state as rejection, (select count(*)::int from bank_payouts where file_id = f.id) as inside
        from payout_files f join payout_file_rejections r on r.file_id = f.id where f.id = $1`,
      [file.id],
    )
    states.push(state)
  }
  const before = { state: 'approved', rejection: 'waiting', inside: 2 }
  expect(states).toEqual([before, before, { state: 'rejected', rejection: 'done', inside: 0 }])
  expect(codeOf(await decide(file.id, true, other))).toEqual(DECIDED)
  const next = await approvedFile()
  expect(next).toMatchObject({ payouts: 2 })
  await expect(
    anchor.rows("update payout_files set state = 'rejected' where state = 'approved'"),
  ).rejects.toThrow('an approved file stays approved')
  await expect(anchor.rows('delete from rejected_payouts')).rejects.toThrow('cannot be changed or deleted')
  expect((await debit(Number(next.total).toFixed(2), next.code)).state).toBe('matched')
  await expectBalanced()
})

it('a payout that the bank makes after it rejected its file waits for a person and is in no other file', async () => {
  const { id, code, money } = await anchor.withdrawal('sepa', ASHA)
  const file = await rejectedFile()
  const line = await debit(money, code)
  expect(line).toMatchObject({ state: 'review', why: expect.stringContaining('rejected a file') })
  expect(codeOf(await create())).toEqual(NOTHING)
  expect(codeOf(await refund(id))).toEqual([409, 'action-not-possible'])
  expect(await anchor.state(id)).toBe('paying_out')
  expect((await match(line.id)).json()).toMatchObject({ status: 'matched' })
  expect(await anchor.state(id)).toBe('completed')
  expect((await debit(money, code, { text: `${code} ${file.code}` })).state).toBe('review')
  await expectBalanced()
})

it('what names the rejected file, or was booked before the next one, does not confirm the next one', async () => {
  const { id, code, money } = await anchor.withdrawal('sepa', ASHA)
  const file = await rejectedFile()
  await approvedFile()
  const early = await debit(money, code, { day: BEFORE })
  const named = await debit(money, code, { text: `${file.code} ${code}` })
  const back = await book({ amount: money, text: code })
  expect([early.state, named.state, back.state]).toEqual(['review', 'review', 'review'])
  expect((await match(back.id, id)).statusCode).toBe(400)
  expect(await anchor.state(id)).toBe('paying_out')
  expect((await debit(money, code)).state).toBe('matched')
  expect(await anchor.state(id)).toBe('completed')
  expect((await match(early.id)).statusCode).toBe(400)
  await expectBalanced()
})

it('one that is approved only after a debit of the rejected file cannot be approved', async () => {
  const { code, money } = await anchor.withdrawal('sepa', ASHA)
  await rejectedFile()
  const next = (await create()).json<PayoutFile>()
  expect((await debit(money, code, { day: BEFORE })).state).toBe('review')
  expect(codeOf(await act(next.id, 'approve'))).toEqual(DECIDED)
  await act(next.id, 'cancel')
  expect(codeOf(await create())).toEqual(NOTHING)
  // The bank takes it back: nothing is paid.
  expect((await book({ amount: money, text: code, day: BEFORE })).state).toBe('review')
  const last = await approvedFile()
  expect((await debit(Number(last.total).toFixed(2), last.code)).state).toBe('matched')
  await expectBalanced()
})

it('a rejected file that the bank books as one amount holds its payouts until it is booked back or decided', async () => {
  const { id } = await anchor.withdrawal('sepa', ASHA)
  const first = await rejectedFile()
  const total = Number(first.total).toFixed(2)
  expect(await debit(total, first.code)).toMatchObject({
    ...{ state: 'review', why: 'It names a payout file that the bank rejected.' },
  })
  expect(codeOf(await create())).toEqual(NOTHING)
  expect((await book({ amount: total, text: first.code })).state).toBe('review')
  const second = await rejectedFile()
  const line = await debit(total, second.code)
  expect(codeOf(await create())).toEqual(NOTHING)
  expect((await match(line.id)).statusCode).toBe(200)
  expect(await anchor.state(id)).toBe('completed')
  await expectBalanced()
})

it('the customer of a rejected payout is refunded once, and a later debit waits for a person', async () => {
  const { id, code, money } = await anchor.withdrawal('sepa', ASHA)
  const file = await approvedFile()
  expect([await possible(id), codeOf(await refund(id))]).toEqual([[], [409, 'action-not-possible']])
  await reject(file.id)
  await decide(file.id, true, other)
  expect(await possible(id)).toEqual(['refund'])
  expect((await refund(id)).json()).toMatchObject({ kind: 'refund', status: 'done' })
  expect(await anchor.state(id)).toBe('returning')
  expect(codeOf(await refund(id))).toEqual([409, 'action-not-possible'])
  expect(await anchor.rows('select purpose from ledger_payments where transfer_id = $1', [id])).toEqual([
    { purpose: 'refund' },
  ])
  expect(codeOf(await create())).toEqual(NOTHING)
  expect((await debit(money, code)).state).toBe('review')
  expect((await book({ amount: money, text: code })).state).toBe('review')
  await expectBalanced()
})

it('a payout that is refunded and put into a file at once is one of the two', async () => {
  const { id } = await anchor.withdrawal('sepa', ASHA)
  const answers = await Promise.all([refund(id), create()])
  const statuses = answers.map(({ statusCode }) => statusCode)
  expect(statuses.toSorted()).toEqual([201, 409])
  const [payout] = await anchor.rows<{ filed: boolean; ended: boolean }>(
    'select file_id is not null as filed, ended_at is not null as ended from bank_payouts where transfer_id = $1',
    [id],
  )
  expect(payout?.filed).toBe(!payout?.ended)
})
