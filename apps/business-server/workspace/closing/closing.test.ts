import { Keypair } from '@stellar/stellar-sdk/base'
import { parseAmount } from '@windlass/money/amount.ts'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { recordEntry } from '../../money/journal/journal.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'
import { changedSinceClose } from '../../money/journal/closes.ts'

let anchor: BankAnchor
const signing = Keypair.random()
beforeAll(async () => {
  anchor = await BankAnchor.start()
  anchor.deps.signStatement = async message => Buffer.from(signing.signMessage(message))
})
afterAll(() => anchor.close())

type Money = { account: string; unit: string; amount: string }
interface Document {
  id: string
  content: string
  message: string
  signature: string
  sha256: string
  open: string[]
}
const close = (given: object) =>
  anchor.asOperator('POST', '/journal/closes', { kind: 'month', by: 'operator:one', ...given })
const period = async (day: string, kind = 'month') =>
  (await anchor.get(`/journal/period?kind=${kind}&day=${day}`)).json()
const line = async (bankReference: string, amount: string, day: string) => {
  const booking = { amount, day, bankReference, text: bankReference }
  const answer = await anchor.read('SEPA', `${bankReference}.xml`, camt053([booking]))
  expect(answer.statusCode).toBe(201)
  const [row] = await anchor.rows<{ id: string }>('select id from bank_lines where bank_reference = $1', [
    bankReference,
  ])
  return row?.id ?? ''
}
const decide = (id: string, account: string) =>
  anchor.asOperator('POST', `/statement-lines/${id}/decide`, {
    ...{ decision: 'ignore', as: 'own', account, reason: account, by: 'operator:one' },
  })
const balanceAt = async (at: string, account: string) =>
  (await anchor.get(`/journal/balances?at=${at}`))
    .json<Money[]>()
    .find(each => each.account === account && each.unit === 'EUR')?.amount ?? '0'

it('a month is closed with what is open named, and what is booked late counts in the next one with its true date', async () => {
  await decide(await line('C1', '100.00', '2025-10-05'), 'capital')
  const undecided = await line('C2', '9.00', '2025-10-31')
  const before = await period('2025-10-15')
  expect(before).toMatchObject({
    ...{ from: '2025-10-01', to: '2025-10-31', isOver: true, closedBy: null, entries: { count: 3 } },
    open: expect.arrayContaining([
      {
        ...{ kind: 'lines-undecided', count: 1, amounts: [{ unit: 'EUR', amount: '9' }], about: [undecided] },
        rows: [{ about: undecided, day: '2025-10-31', unit: 'EUR', amount: '9' }],
      },
      { kind: 'suspense', count: 1, amounts: [{ unit: 'EUR', amount: '-9' }], about: ['EUR'] },
    ]),
    late: [],
  })
  const refused = await close({ day: '2025-10-31' })
  expect([refused.statusCode, refused.json().errors[0].path]).toEqual([400, 'reason'])
  const closed = await close({ day: '2025-10-31', reason: 'the bank explains C2 next week' })
  expect(closed.json()).toMatchObject({
    ...{ from: '2025-10-01', to: '2025-10-31', signed: true, by: 'operator:one' },
    ...{ open: expect.arrayContaining(['lines-undecided', 'suspense']) },
    reason: 'the bank explains C2 next week',
  })
  const at31 = (await anchor.get('/journal/balances?at=2025-10-31')).json()
  await decide(undecided, 'interest')
  await line('C3', '4.00', '2025-10-30')
  expect((await anchor.get('/journal/balances?at=2025-10-31')).json()).toEqual(at31)
  expect([await balanceAt('2025-10-31', 'interest'), await balanceAt('2025-11-01', 'interest')]).toEqual([
    '0',
    '-9',
  ])
  const next = await period('2025-11-01')
  expect(next).toMatchObject({
    late: [
      { kind: 'own-money', bookedOn: '2025-10-31' },
      { kind: 'statement-line', bookedOn: '2025-10-30' },
    ],
    lateSums: expect.arrayContaining([
      { account: 'interest', unit: 'EUR', amount: '-9' },
      { account: 'rail:SEPA', unit: 'EUR', amount: '4' },
      { account: 'suspense', unit: 'EUR', amount: '5' },
    ]),
  })
  const sums = Map.groupBy(next.balances as { unit: string; closing: string }[], ({ unit }) => unit)
  for (const [unit, rows] of sums)
    expect([unit, rows.reduce((sum, { closing }) => sum + parseAmount(closing), 0n)]).toEqual([unit, 0n])
  expect(await changedSinceClose(anchor.deps.database.db)).toEqual([])
})

it('periods are closed one after the other, once, and when they are over; a close never changes', async () => {
  const codes = async (given: object) => {
    const answer = await close({ reason: 'nothing is known of it', ...given })
    return [answer.statusCode, answer.json().code]
  }
  const notPossible = [409, 'action-not-possible']
  expect(await codes({ day: '2025-10-01' })).toEqual(notPossible)
  expect(await codes({ day: '2025-12-01' })).toEqual(notPossible)
  expect(await codes({ day: '2099-11-01' })).toEqual(notPossible)
  expect(await codes({ kind: 'day', day: '2025-10-31' })).toEqual(notPossible)
  expect(await codes({ day: '2025-13-01' })).toEqual([400, 'validation-failed'])
  expect(await codes({ kind: 'day', day: '2025-11-03' })).toEqual([201, undefined])
  expect(await codes({ kind: 'day', day: '2025-11-02' })).toEqual(notPossible)
  expect(await codes({ day: '2025-11-30' })).toEqual([201, undefined])
  for (const change of ["update journal_closes set by = 'x'", 'delete from journal_closes'])
    await expect(anchor.rows(change)).rejects.toThrow('only added to')
  expect((await anchor.get('/journal/closes/none')).statusCode).toBe(404)
})

it('a close is signed, has the digest of its content and of the close before it', async () => {
  const listed = (await anchor.get('/journal/closes')).json<Document[]>()
  expect(listed).toHaveLength(3)
  let previous: string | null = null
  for (const { id } of listed.toReversed()) {
    const { content, message, signature, sha256 } = (
      await anchor.get(`/journal/closes/${id}`)
    ).json<Document>()
    const digest = (text: string) => createHash('sha256').update(text).digest('hex')
    expect(signing.verifyMessage(message, Buffer.from(signature, 'base64'))).toBe(true)
    expect(JSON.parse(message)).toMatchObject({
      content: digest(content),
      previous,
      type: 'windlass-close-1',
    })
    expect(sha256).toBe(digest(message))
    previous = sha256
  }
  anchor.deps.signStatement = () => Promise.reject(new Error('away'))
  const refused = await close({ day: '2025-12-31', reason: 'nothing' })
  expect([refused.statusCode, refused.json().code]).toEqual([503, 'dependency-unavailable'])
  expect((await anchor.get('/journal/closes')).json()).toHaveLength(3)
  anchor.deps.signStatement = null
})

it('who closes waits for entries under way, which are in the period then', async () => {
  const { db } = anchor.deps.database
  const { promise, resolve: finish } = Promise.withResolvers<void>()
  const { promise: recorded, resolve: isRecorded } = Promise.withResolvers<void>()
  const entry = db.transaction().execute(async tx => {
    const lines = [['fees', 'EUR', -5n] as const, ['exchange', 'EUR', 5n] as const]
    await recordEntry(tx, { cause: 'under way', kind: 'test', bookedOn: '2025-12-31', lines })
    isRecorded()
    await promise
  })
  await recorded
  let isClosed = false
  const closing = close({ day: '2025-12-31', reason: 'nothing' }).then(answer => {
    isClosed = true
    return answer
  })
  while (
    (await anchor.rows("select 1 from pg_locks where locktype = 'advisory' and not granted")).length === 0
  )
    await new Promise(resolve => setTimeout(resolve, 5))
  expect(isClosed).toBe(false)
  finish()
  await entry
  const { id } = (await closing).json<Document>()
  const document = (await anchor.get(`/journal/closes/${id}`)).json()
  expect(document.period.entries.count).toBe(1)
  expect(document.period.balances).toContainEqual({
    ...{ account: 'fees', unit: 'EUR', opening: '0', closing: '-0.0000005' },
  })
  await anchor.rows('alter table journal_entries disable trigger all')
  await anchor.rows(
    `with e as (insert into journal_entries (cause, kind, booked_on, valued_on, counted_on)
       values ('by hand', 'test', '2025-12-01', '2025-12-01', '2025-12-01') returning id)
     insert into journal_lines select id, account, 'EUR', amount from e,
       (values ('fees', -1), ('exchange', 1)) as line (account, amount)`,
  )
  await anchor.rows('alter table journal_entries enable trigger all')
  expect(await changedSinceClose(db)).toContainEqual({
    ...{ to: '2025-12-31', account: 'fees', unit: 'EUR', amount: '-1' },
  })
})
