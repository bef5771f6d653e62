import type { BankStatement, StatementLine } from '@windlass/contracts/anchor/bank-files.ts'
import type { CaseFile } from '@windlass/contracts/anchor/cases.ts'
import type { EvidenceFile } from '@windlass/contracts/anchor/evidence.ts'
import type { PayoutFile } from '@windlass/contracts/anchor/payout-files.ts'
import type { Retention } from '@windlass/contracts/anchor/retention.ts'
import { Keypair } from '@stellar/stellar-sdk/base'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { payQueued } from '../../payments/pay.ts'
import { sealedColumns } from '../../sealed-columns.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'
import { removeDue } from './remove-due.ts'

const PAYER = { name: 'Ximena Quintrell', account: 'DE02120300000000202051' }
const PAYEE = { dest: 'DE75512108001245126199', dest_name: 'Leocadia Berghain' }
const WRITTEN = [PAYER.name, PAYER.account, PAYEE.dest, PAYEE.dest_name, 'rent of Perpetua']
const [one, other] = ['operator:one', 'operator:other']

let bank: BankAnchor
beforeAll(async () => {
  bank = await BankAnchor.start()
  const signing = Keypair.random()
  bank.deps.signStatement = async message => Buffer.from(signing.signMessage(message))
})
afterAll(() => bank.close())

/** The job, so many years from now. */
const removeIn = (years: number) => {
  const then = new Date()
  then.setUTCFullYear(then.getUTCFullYear() + years)
  return removeDue({ ...bank.deps, clock: { ...bank.deps.clock, now: () => then } })
}
const rules = (paymentRecordYears: number, version: number, caseRecordYears = 5) =>
  bank.asOperator('PUT', '/retention', {
    ...{ version, by: one },
    rules: { customerYears: 5, travelRecordYears: 5, paymentRecordYears, caseRecordYears },
  })

/** Which of these texts any encrypted column still has, as `table.column`. */
async function stillWritten(texts: readonly string[]): Promise<string[]> {
  const found = new Set<string>()
  for (const { table, column, key, contextOf, base64Where } of sealedColumns) {
    if (base64Where) continue
    const rows = await bank.rows<Record<string, string> & { value: Buffer }>(
      `select ${key.map(name => `${name}::text as ${name}`).join(', ')}, ${column} as value from ${table} where ${column} is not null`,
    )
    for (const row of rows) {
      const opened = bank.deps.sealer.open(row.value, contextOf(row))
      const isPacked = table === 'bank_statement_files'
      const text = isPacked ? gunzipSync(Buffer.from(opened, 'base64')).toString() : opened
      if (texts.some(each => text.includes(each))) found.add(`${table}.${column}`)
    }
  }
  return [...found].toSorted()
}

interface Moved {
  deposit: string
  withdrawal: string
  line: string
  statement: string
  file: string
  statementText: string
}

/** A deposit that someone paid, and a withdrawal that a file paid to someone. */
async function moveMoney(): Promise<Moved> {
  const { id: deposit, reference, money } = await bank.deposit()
  const booking = { amount: money, text: `${reference} rent of Perpetua`, bankReference: deposit, ...PAYER }
  const statementText = camt053([booking])
  const statement = (await bank.read('SEPA', 'in.xml', statementText)).json<BankStatement>().id
  await payQueued(bank.deps)
  expect(await bank.state(deposit)).toBe('completed')
  const { id: withdrawal, code, money: paid } = await bank.withdrawal('sepa', PAYEE)
  const file = (await bank.asOperator('POST', '/rails/SEPA/payout-files', { by: one })).json<PayoutFile>()
  expect((await bank.approve(file.id, other)).statusCode).toBe(200)
  await bank.read(
    'SEPA',
    'out.xml',
    camt053([
      {
        ...{ amount: paid, direction: 'out', endToEndId: code, bankReference: withdrawal },
        ...{ name: PAYEE.dest_name, account: PAYEE.dest },
      },
    ]),
  )
  expect(await bank.state(withdrawal)).toBe('completed')
  const [line] = await bank.rows<{ id: string }>('select id from bank_lines where transfer_id = $1', [
    deposit,
  ])
  return { deposit, withdrawal, line: line?.id ?? '', statement, file: file.id, statementText }
}

/** A return of a deposit that a file paid to an account which people named. */
const goesBack = (deposit: string) =>
  bank.rows(
    `with ordered as (
       insert into rail_orders (cause, transfer_id, kind, rail, amount, currency, destination, state)
       values ('return:SEPA:x', $1, 'return', 'SEPA', 1, 'EUR', '{}', 'paid') returning id)
     insert into bank_payouts (id, code, kind, rail, amount, currency, sealed_destination, ended_at)
     select id, 'PX', 'return', 'SEPA', 1, 'EUR', 'x', now() from ordered`,
    [deposit],
  )
const returnAccounts = () =>
  bank.rows("select sealed_destination is not null as kept from bank_payouts where code = 'PX'")

const lineOf = async (id: string) =>
  (await bank.get('/statement-lines')).json<StatementLine[]>().find(line => line.id === id)
const evidenceOf = async (id: string) =>
  JSON.parse((await bank.get(`/transactions/${id}/evidence`)).json<EvidenceFile>().content) as {
    agreed: { destinationRemovedAt: string | null; destination: object }
    bank: { text: string; party: string | null; removedAt: string | null; amount: string }[]
    journal: object[]
  }

describe('what statements, payout files and transactions say of people', () => {
  let moved: Moved

  it('stays for the years that the law of the anchor’s countries asks for', async () => {
    moved = await moveMoney()
    // India asks for five against money laundering, eight for books.
    expect((await bank.get('/retention')).json<Retention>().history[0]?.rules).toEqual({
      ...{ customerYears: 5, travelRecordYears: 5, paymentRecordYears: 8, caseRecordYears: 5 },
    })
    await removeIn(7)
    const where = await stillWritten(WRITTEN)
    expect(where).toEqual(
      expect.arrayContaining([
        ...['bank_lines.sealed', 'bank_statement_files.sealed', 'payout_files.sealed'],
        ...['payout_files.sealed_sheet', 'transfers.sealed_destination'],
      ]),
    )
    expect((await lineOf(moved.line))?.party.name).toBe(PAYER.name)
    await expect(bank.rows('update bank_lines set facts = null')).rejects.toThrow()
  })

  it('stays while a case, a dispute or a complaint about it is open', async () => {
    const { deposit, withdrawal } = moved
    const about = (id: string) => ({ kind: 'transaction', id })
    const opened = await bank.asOperator('POST', '/cases', {
      ...{ subject: about(deposit), reason: 'A legal hold.', by: one },
    })
    const entered = await bank.asOperator('POST', '/registers/complaints', {
      ...{ category: 'fee', title: 'rent of Perpetua', text: 'rent of Perpetua', by: one, cause: null },
      ...{ happenedAt: new Date().toISOString(), subject: about(withdrawal) },
      ...{ customers: null, amount: null, currency: null },
    })
    expect([opened.statusCode, entered.statusCode]).toEqual([200, 201])
    await bank.rows(
      `insert into rail_disputes (rail, dispute_id, payment_id, transfer_id, currency, amount, state, round, deducted, reason)
       values ('SEPA', 'd1', 'p1', $1, 'EUR', 1, 'open', 1, 0, 'x')`,
      [deposit],
    )
    await goesBack(deposit)
    await removeIn(9)
    expect((await lineOf(moved.line))?.removedAt).toBeNull()
    expect(await returnAccounts()).toEqual([{ kept: true }])
    const closed = await bank.asOperator('POST', `/cases/${opened.json<CaseFile>().case.id}/close`, {
      ...{ outcome: 'no-suspicion', reason: 'rent of Perpetua', by: one },
    })
    expect(closed.statusCode).toBe(200)
    await removeIn(9)
    // The dispute is still open.
    expect((await lineOf(moved.line))?.removedAt).toBeNull()
    expect((await evidenceOf(withdrawal)).agreed.destination).toMatchObject(PAYEE)
    await bank.rows("update rail_disputes set state = 'won'")
    // What has not ended is still read by people.
    await bank.rows("update transfers set state = 'paying_out' where id = $1", [deposit])
    await removeIn(9)
    expect((await lineOf(moved.line))?.removedAt).toBeNull()
    expect(await returnAccounts()).toEqual([{ kept: false }])
    await bank.rows("update transfers set state = 'completed' where id = $1", [deposit])
    await bank.asOperator('POST', `/registers/complaints/${entered.json<{ id: string }>().id}/steps`, {
      ...{ text: 'rent of Perpetua', closes: true, by: one, cause: null },
      ...{ customers: null, amount: null, currency: null },
    })
  })

  it('is removed then, everywhere, while amounts, the journal and what was matched stay as they are', async () => {
    const { deposit, withdrawal, line, statement, file, statementText } = moved
    const [books, before] = [await bank.balances(), await evidenceOf(deposit)]
    await removeIn(9)
    expect(await stillWritten(WRITTEN)).toEqual([])
    expect(await bank.balances()).toEqual(books)
    expect(
      await bank.rows('select entry_id from journal_lines group by entry_id, unit having sum(amount) <> 0'),
    ).toEqual([])

    // Who guesses what a digest is of, finds it.
    const kept =
      'select from bank_lines where removed_at is not null and coalesce(facts, payer_digest) is not null'
    expect(await bank.rows(kept)).toEqual([])
    const gone = await lineOf(line)
    expect(gone).toMatchObject({
      ...{
        status: 'matched',
        transactionId: deposit,
        text: '',
        removedAt: expect.stringMatching(/^2\d{3}-/),
      },
      party: { name: null, account: null, bank: null },
    })
    const after = await evidenceOf(deposit)
    expect(after.bank).toMatchObject([
      { party: null, amount: before.bank[0]?.amount, removedAt: gone?.removedAt },
    ])
    expect(after.journal).toEqual(before.journal)
    expect((await evidenceOf(withdrawal)).agreed).toMatchObject({
      ...{ destination: {}, destinationRemovedAt: expect.any(String) },
    })

    const statements = (await bank.get('/statements')).json<BankStatement[]>()
    expect(statements.find(each => each.id === statement)).toMatchObject({
      ...{
        hasFile: false,
        fileRemovedAt: expect.any(String),
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    })
    const asked = await bank.asOperator('POST', `/statements/${statement}/file`)
    expect([asked.statusCode, asked.json<{ detail: string }>().detail]).toEqual([
      404,
      expect.stringMatching(/^Removed on 2\d{3}-\d\d-\d\d by retention\.$/),
    ])
    const files = (await bank.get('/payout-files')).json<PayoutFile[]>()
    expect(files.find(each => each.id === file)).toMatchObject({
      ...{ status: 'approved', approvedBy: other, removedAt: expect.any(String) },
    })
    for (const act of ['sheet', 'download']) {
      const answer = await bank.asOperator('POST', `/payout-files/${file}/${act}`)
      expect(answer.json<{ detail: string }>().detail).toMatch(/^Removed on .* by retention\.$/)
    }
    // A booking whose details are gone is not recognized: it would count again.
    const again = statementText.replace('rent of Perpetua', 'rent of  Perpetua')
    const answer = await bank.upload('SEPA', 'again.xml', again.replace(/<MsgId>[^<]*/, '<MsgId>other'))
    expect([answer.statusCode, answer.json<{ detail: string }>().detail]).toEqual([
      422,
      'The bookings of 2026-11-20 were removed by retention, and are not read again.',
    ])
    expect(await bank.balances()).toEqual(books)
  })

  it('is written down with how much of what was removed, and is removed once', async () => {
    const { removals } = (await bank.get('/retention')).json<Retention>()
    const counts = Object.fromEntries(removals.map(({ kind, count }) => [kind, count]))
    expect(counts).toMatchObject({
      ...{ 'bank-line': 2, 'bank-file': 2, 'payout-file': 1, account: 1, case: 2, 'register-entry': 1 },
      'screened-name': expect.any(Number),
    })
    await removeIn(9)
    expect((await bank.get('/retention')).json<Retention>().removals).toEqual(removals)
  })
})

it('exports of a bank’s account say in the place of a text that it was removed', async () => {
  const answer = await bank.get('/exports/rail.camt.053.xml?rail=SEPA&from=2026-11-20&to=2026-11-20')
  expect(answer.statusCode).toBe(200)
  expect(answer.body).toMatch(/Removed on 2\d{3}-\d\d-\d\d by retention/)
})

it('each kind goes by its own years, which who does not know them does not change', async () => {
  expect((await rules(9, 0, 4)).json<Retention>().history[0]?.rules).toMatchObject({
    ...{ paymentRecordYears: 9, caseRecordYears: 4 },
  })
  const older = { rules: { customerYears: 6, travelRecordYears: 5 }, version: 1, by: one }
  expect((await bank.asOperator('PUT', '/retention', older)).json<Retention>().history[0]?.rules).toEqual({
    ...{ customerYears: 6, travelRecordYears: 5, paymentRecordYears: 9, caseRecordYears: 4 },
  })
  expect((await rules(11, 2)).json()).toMatchObject({ code: 'validation-failed' })
})
