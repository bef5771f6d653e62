import type { Safeguarding } from '@windlass/contracts/anchor/reserves.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { changedSinceClose } from '../../money/journal/closes.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'
import { evaluateConditions } from '../notifications/conditions.ts'
import { payQueued } from '../../payments/pay.ts'
import { reconcile } from '../reconciliation/reconcile.ts'

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
  anchor.deps.config.anchor.plan.asset.anchoredTo = 'USD'
  const columns = {
    ...{ delimiter: ',', skipLines: 0, encoding: 'utf-8', decimal: '.', date: 'Date' },
    ...{ dateFormat: 'year-month-day', amount: 'Amount', text: ['Text'], bankReference: 'Ref' },
  }
  expect((await anchor.send('PUT', '/rails/ACH/csv-columns', columns)).statusCode).toBe(200)
})
afterAll(() => anchor.close())

interface Booked {
  amount: string
  text: string
  direction?: 'in' | 'out'
  /** Where the bank marks it as a return. */
  returnReason?: string
}
let balance = 0n
let read = 0

/** A statement of a day of the account in euros, which follows from the one before; as MT940 on every second day. */
async function euros(day: string, bookings: readonly Booked[], counts = true): Promise<void> {
  const opening = balance
  for (const { amount, direction } of bookings)
    balance += direction === 'out' ? -parseAmount(amount) : parseAmount(amount)
  read += 1
  if (!counts) return
  const money = (value: bigint) => Number(formatAmount(value as ReturnType<typeof parseAmount>))
  const named = bookings.map((each, index) => ({ ...each, day, bankReference: `${day}/${index}` }))
  const xml = camt053(named, { opening: money(opening), closing: money(balance), closingDay: day })
  const compact = day.slice(2).replaceAll('-', '')
  const comma = (value: number | string) => Number(value).toFixed(2).replace('.', ',')
  const lines = named.flatMap(({ amount, direction, text, bankReference, returnReason }) => [
    `:61:${compact}${compact.slice(2)}${direction === 'out' ? 'D' : 'C'}${comma(amount)}NTRFNONREF//${bankReference}`,
    `:86:${returnReason ? '159?00RETURN?20' : ''}${text}`,
  ])
  const head = [':20:STARTUMS', ':25:37040044/0532013000', `:28C:${read}/1`]
  const [first, last] = [
    `:60F:C${compact}EUR${comma(money(opening))}`,
    `:62F:C${compact}EUR${comma(money(balance))}`,
  ]
  const mt940 = [...head, first, ...lines, last, '-', ''].join('\r\n')
  const answer = await anchor.read('SEPA', `${day}`, read % 2 === 0 ? mt940 : xml)
  expect([day, answer.statusCode]).toEqual([day, 201])
}

/** Decides about the lines that wait, by their texts. */
async function decide(accounts: Readonly<Record<string, string>>): Promise<void> {
  const waiting = (await anchor.get('/statement-lines?status=review')).json<{ id: string; text: string }[]>()
  for (const { id, text } of waiting) {
    const account = Object.entries(accounts).find(([begin]) => text.startsWith(begin))?.[1]
    if (!account) continue
    const decision = { decision: 'ignore', as: 'own', account, reason: text, by: 'operator:one' }
    const answer = await anchor.asOperator('POST', `/statement-lines/${id}/decide`, decision)
    expect([text, answer.statusCode]).toEqual([text, 200])
  }
}
const OWN = {
  Contribution: 'capital',
  Interest: 'interest',
  Fee: 'charges',
  Dividend: 'dividends',
  Transfer: 'own-bank',
}

/** Every account's balance at the end of a day, which come to zero in every unit. */
async function trialBalance(day: string): Promise<Record<string, string>> {
  const rows = (await anchor.get(`/journal/balances?at=${day}`)).json<
    { account: string; unit: string; amount: string }[]
  >()
  for (const [unit, all] of Map.groupBy(rows, row => row.unit))
    expect([day, unit, all.reduce((sum, { amount }) => sum + parseAmount(amount), 0n)]).toEqual([
      day,
      unit,
      0n,
    ])
  return Object.fromEntries(rows.map(({ account, unit, amount }) => [`${account} ${unit}`, amount]))
}
const close = async (day: string, reason?: string) => {
  const body = { kind: 'month', day, by: 'operator:one', ...(reason && { reason }) }
  return anchor.asOperator('POST', '/journal/closes', body)
}
const safeguarding = async (day?: string) =>
  (await anchor.get(`/safeguarding${day ? `?at=${day}` : ''}`)).json<Safeguarding>()
const differences = async () => {
  await reconcile(anchor.deps, 'operator:one')
  const open = await anchor.get('/reconciliation/differences?status=open')
  return open.json<{ kind: string; amount: string; unit: string }[]>()
}

it('a quarter of business is closed month by month, and each planted fault is named with its amount', async () => {
  // July: capital, deposits in euros and dollars, and what a bank charges and pays.
  await euros('2025-07-01', [{ amount: '5000.00', text: 'Contribution of the owner' }])
  const [first, second] = [await anchor.deposit('sepa', '100'), await anchor.deposit('sepa', '50')]
  await euros('2025-07-15', [
    { amount: first.money, text: first.reference },
    { amount: second.money, text: second.reference },
  ])
  await euros('2025-07-31', [
    { amount: '3.10', text: 'Interest' },
    { amount: '7.90', text: 'Fee of the account', direction: 'out' },
  ])
  const csv =
    'Date,Amount,Text,Ref\n2025-07-10,250.00,Contribution in dollars,U1\n2025-07-31,-2.50,Fee of wires,U2\n'
  expect((await anchor.read('ACH', 'july.csv', csv)).statusCode).toBe(201)
  await decide(OWN)
  expect(await trialBalance('2025-07-31')).toMatchObject({
    ...{ 'capital EUR': '-5000', 'interest EUR': '-3.1', 'charges EUR': '7.9' },
    ...{ 'capital USD': '-250', 'charges USD': '2.5', 'rail:ACH USD': '247.5' },
    'rail:SEPA EUR': formatAmount(balance as ReturnType<typeof parseAmount>),
  })
  const july = await close('2025-07-31', 'NEFT is not used yet')
  expect(july.json()).toMatchObject({ from: '2025-07-01', to: '2025-07-31', open: ['statement-not-read'] })
})

it('August has charges within bookings, a stranger’s money, a return, a recall, and dollars in and out', async () => {
  const charges = { tolerance: '0.5', returnsBorneBy: 'anchor' }
  const settings = { timeZone: 'UTC', charges, by: 'operator:one' }
  expect((await anchor.asOperator('PUT', '/journal/settings', settings)).statusCode).toBe(200)
  const less = (money: string, by: number) => (Number(money) - by).toFixed(2)
  const deposit = await anchor.deposit('sepa', '80')
  const dollars = await anchor.deposit('ach', '60')
  await euros('2025-08-01', [
    { amount: less(deposit.money, 0.3), text: deposit.reference },
    { amount: '24.90', text: 'with regards' },
  ])
  await payQueued(anchor.deps)
  expect(await anchor.state(deposit.id)).toBe('completed')
  const cameAt = new Date('2025-08-02T10:00:00Z')
  const payee = { dest: 'NL91ABNA0417164300', dest_name: 'Asha Rao' }
  const payout = await anchor.withdrawal('sepa', payee, undefined, cameAt)
  const american = { dest: '123456789', dest_extra: '021000021', dest_name: 'Asha Rao' }
  const dollarPayout = await anchor.withdrawal('ach', american, undefined, cameAt)
  for (const rail of ['SEPA', 'ACH']) {
    const made = await anchor.asOperator('POST', `/rails/${rail}/payout-files`, { by: 'operator:one' })
    expect((await anchor.approve(made.json().id, 'operator:other')).statusCode).toBe(200)
  }
  await euros('2025-08-02', [{ amount: payout.money, text: payout.code, direction: 'out' }])
  await euros('2025-08-03', [
    { amount: less(payout.money, 0.4), text: `${payout.code} returned`, returnReason: 'AC04' },
    { amount: deposit.money, text: `${deposit.reference} recall`, direction: 'out' },
  ])
  await anchor.read(
    'ACH',
    'august.csv',
    `Date,Amount,Text,Ref\n2025-08-01,${dollars.money},${dollars.reference},U4\n2025-08-04,-${dollarPayout.money},${dollarPayout.code},U5\n`,
  )
  expect(await trialBalance('2025-08-04')).toMatchObject({
    ...{ 'debts EUR': String(Number(deposit.money)), 'charges EUR': '8.6' },
    // The stranger's money. What came back is owed in units again.
    'suspense EUR': '-24.9',
    'rail:ACH USD': String(Number((247.5 + Number(dollars.money) - Number(dollarPayout.money)).toFixed(2))),
    'rail:SEPA EUR': formatAmount(balance as ReturnType<typeof parseAmount>),
  })
  expect(await differences()).toContainEqual(
    expect.objectContaining({ kind: 'deposit-taken-back', amount: String(-Number(deposit.money)) }),
  )
  // The customer pays again what the bank took.
  await euros('2025-08-04', [{ amount: deposit.money, text: deposit.reference }])
  expect(await trialBalance('2025-08-04')).not.toHaveProperty('debts EUR')
})

it('August names a missing statement and what came late', async () => {
  await euros('2025-08-05', [{ amount: '249.50', text: 'Contribution in August' }], false)
  await euros('2025-08-20', [{ amount: '4.00', text: 'Interest' }])
  await decide(OWN)
  expect(await differences()).toContainEqual(
    expect.objectContaining({ kind: 'statement-missing', amount: '249.5', unit: 'EUR' }),
  )
  // A charge of July that the bank's second file has.
  const late = 'Date,Amount,Text,Ref\n2025-07-30,-1.25,Fee of July,U3\n'
  await anchor.read('ACH', 'july-again.csv', late)
  await decide(OWN)
  expect((await trialBalance('2025-07-31'))['charges USD']).toBe('2.5')
  const refused = await close('2025-08-31')
  expect([refused.statusCode, refused.json().errors?.[0]?.path]).toEqual([400, 'reason'])
  const august = await close('2025-08-31', 'the bank sends the statement of the fifth by letter')
  const { period } = (await anchor.get(`/journal/closes/${august.json().id}`)).json()
  expect(period.lateSums).toEqual([
    { account: 'charges', unit: 'USD', amount: '1.25' },
    { account: 'rail:ACH', unit: 'USD', amount: '-1.25' },
  ])
  expect(period.open.map(({ kind }: { kind: string }) => kind)).toContain('statement-missing')
})

/** Someone calls interest what a customer paid without a reference, which is named, reversed and matched by two people. */
async function wrongDecision(): Promise<void> {
  const waits = await anchor.deposit('sepa', '33')
  await euros('2025-09-11', [{ amount: waits.money, text: 'Interest of September' }])
  await decide(OWN)
  const doubtful = { kind: 'decision-doubtful', amount: String(Number(waits.money)), unit: 'EUR' }
  expect(await differences()).toContainEqual(expect.objectContaining(doubtful))
  const [{ id } = { id: '' }] = await anchor.rows<{ id: string }>(
    "select id from bank_lines where booked_on = '2025-09-11'",
  )
  const reversal = { reason: 'a customer paid it', by: 'operator:one' }
  await anchor.asOperator('POST', `/statement-lines/${id}/reversal`, reversal)
  const match = { decision: 'match', transactionId: waits.id, reason: 'they said so', by: 'operator:one' }
  await anchor.asOperator('POST', `/statement-lines/${id}/decide`, match)
  const approval = { approve: true, by: 'operator:other' }
  const answer = await anchor.asOperator('POST', `/statement-lines/${id}/approval`, approval)
  expect([answer.statusCode, answer.json().status]).toEqual([200, 'matched'])
  expect(await differences()).not.toContainEqual(expect.objectContaining({ kind: 'decision-doubtful' }))
}

it('September names a dividend of customers’ money, an invented payment and a wrong decision', async () => {
  const before = await safeguarding()
  expect(before.isShort).toBe(false)
  await euros('2025-09-10', [{ amount: '5300.00', text: 'Dividend', direction: 'out' }])
  await decide(OWN)
  const short = await safeguarding()
  const euroThere = ({ currencies }: Safeguarding) =>
    parseAmount(currencies.find(({ currency }) => currency === 'EUR')?.there ?? '0')
  expect(euroThere(before) - euroThere(short)).toBe(parseAmount('5300'))
  expect(short.isShort).toBe(true)
  const { conditions } = await evaluateConditions(anchor.deps, { conditions: [], differences: new Map() })
  expect(conditions).toContainEqual(
    expect.objectContaining({
      kind: 'safeguarding-shortfall',
      detail: expect.stringContaining(`${short.total.difference} USD`),
    }),
  )
  await anchor.rows(
    `insert into rail_receipts (rail, payment_id, reference, amount, currency, outcome, why, source, seen_at)
     values ('NEFT', 'INVENTED', 'R', 5000, 'INR', 'accepted', 'as agreed', 'operator', now())`,
  )
  expect(await differences()).toContainEqual(
    expect.objectContaining({ kind: 'payment-unconfirmed', amount: '-5000', unit: 'INR' }),
  )
  expect((await safeguarding()).parts).toContainEqual({
    ...{ currency: 'INR', side: 'there', account: 'unproven', unit: 'INR', amount: '-5000' },
  })
  await wrongDecision()
  // It was no interest: the decision is reversed, and both are in the open month.
  await euros('2025-09-20', [{ amount: '5200.00', text: 'Interest' }])
  await decide(OWN)
  const [wrong] = await anchor.rows<{ id: string }>(
    "select id from bank_lines where amount = 5200 and state = 'ignored'",
  )
  const reversal = { reason: 'the owner paid the dividend back', by: 'operator:one' }
  expect(
    (await anchor.asOperator('POST', `/statement-lines/${wrong?.id}/reversal`, reversal)).statusCode,
  ).toBe(200)
  await decide({ Interest: 'capital' })
  expect((await safeguarding()).isShort).toBe(false)
  expect(await trialBalance('2025-09-30')).toMatchObject({ 'dividends EUR': '5300', 'interest EUR': '-7.1' })
  await anchor.rows("update rail_receipts set seen_at = '2025-09-12T10:00:00Z' where payment_id = 'INVENTED'")
  const { open } = (await anchor.get('/journal/period?kind=month&day=2025-09-30')).json()
  expect(open).toContainEqual({
    ...{ kind: 'payments-unconfirmed', count: 1, amounts: [{ unit: 'INR', amount: '5000' }] },
    about: ['NEFT INVENTED'],
    rows: [{ about: 'NEFT INVENTED', day: '2025-09-12', unit: 'INR', amount: '5000' }],
  })
  // What is an item of its own counts once.
  const [missing] = open.filter(({ kind }: { kind: string }) => kind === 'statement-missing')
  const others = open.filter(({ kind }: { kind: string }) => kind === 'differences')
  expect(missing.amounts).toEqual([{ unit: 'EUR', amount: '249.5' }])
  expect(JSON.stringify(others)).not.toMatch(/INVENTED|A statement of/)
  const closed = await close('2025-09-30', 'the missing statement and the payment are being looked into')
  expect(closed.statusCode).toBe(201)
  expect(await changedSinceClose(anchor.deps.database.db)).toEqual([])
  expect((await anchor.get('/journal/closes')).json()).toHaveLength(3)
})

it('a file that dropped a line is refused with the amount that its balances lack', async () => {
  const money = (value: bigint) => Number(formatAmount(value as ReturnType<typeof parseAmount>))
  const kept = [{ amount: '10.00', text: 'Interest', day: '2025-09-25', bankReference: 'kept' }]
  const dropped = parseAmount('88.80')
  const [opening, closing] = [money(balance), money(balance + parseAmount('10') + dropped)]
  const file = camt053(kept, { opening, closing, closingDay: '2025-09-25' })
  const before = await trialBalance('2025-09-30')
  const answer = await anchor.read('SEPA', 'dropped.xml', file)
  expect([answer.statusCode, answer.json().detail]).toEqual([
    422,
    expect.stringContaining('88.8 EUR is missing'),
  ])
  expect(await trialBalance('2025-09-30')).toEqual(before)
})

const lineOf = async (where: string): Promise<string> =>
  (await anchor.rows<{ id: string }>(`select id from bank_lines where ${where} limit 1`))[0]?.id ?? ''
/** As anyone who owns the database may do: its rules keep records of bank files from being changed. */
const drop = (...statements: string[]) =>
  anchor.rows(['begin; set local session_replication_role = replica', ...statements, 'commit'].join(';'))

const planted: Record<string, { plant: () => Promise<unknown>; named: string[] }> = {
  'a dividend that no line of the bank shows': {
    plant: () =>
      anchor.rows(`with entry as (insert into journal_entries (cause, kind, booked_on)
          values ('planted', 'own-money', '2025-09-29') returning id)
        insert into journal_lines (entry_id, account, unit, amount)
        select id, account, 'EUR', amount from entry, (values ('rail:SEPA', -700), ('dividends', 700)) as line (account, amount)`),
    named: ['bank-account 700 EUR', 'bank-balance 949.5 EUR'],
  },
  'a payment that nobody entered': {
    plant: () =>
      anchor.rows(
        `insert into rail_receipts (rail, payment_id, reference, amount, currency, outcome, why, source)
         values ('NEFT', 'PLANTED', 'R', 1234.5, 'INR', 'accepted', 'as agreed', 'operator')`,
      ),
    named: ['payment-unconfirmed -1234.5 INR'],
  },
  'a line that is said to be another deposit’s': {
    plant: async () => {
      const { id } = await anchor.deposit('sepa', '41')
      const line = await lineOf("booked_on = '2025-08-04' and state = 'matched' and currency = 'EUR'")
      await anchor.rows('update bank_lines set transfer_id = $1 where id = $2', [id, line])
    },
    named: ['decision-doubtful 74.43 EUR'],
  },
  'interest that became a charge': {
    plant: () =>
      anchor.rows("update bank_lines set own_account = 'charges' where amount = 3.1 and direction = 'in'"),
    named: ['decision-doubtful 3.1 EUR'],
  },
  'a line that is dropped': {
    plant: async () => {
      const line = await lineOf("amount = 2.5 and currency = 'USD'")
      await drop(
        `delete from bank_line_places where line_id = '${line}'`,
        `delete from bank_lines where id = '${line}'`,
      )
    },
    named: ['bank-account 2.5 USD'],
  },
  'a statement that is gone': {
    plant: () => {
      const parts = `select p.id from bank_statement_parts p join bank_lines l on l.statement_id = p.statement_id
        where l.booked_on = '2025-09-10'`
      return drop(
        `delete from bank_line_places where part_id in (${parts})`,
        `delete from bank_statement_days where part_id in (${parts})`,
        `delete from bank_statement_parts where id in (${parts})`,
        "delete from bank_lines where booked_on = '2025-09-10'",
      )
    },
    named: ['bank-account 6000 EUR', 'statement-missing -5300 EUR'],
  },
}

it.each(Object.entries(planted))('%s in the database is named with its amount at once', async (_, fault) => {
  const keys = async () => (await differences()).map(({ kind, amount, unit }) => `${kind} ${amount} ${unit}`)
  const before = await keys()
  await fault.plant()
  const news = (await keys()).filter(each => !before.includes(each))
  expect(news.toSorted()).toEqual(fault.named)
})

const OWN_MONEY = [
  ...['capital', 'interest', 'charges', 'dividends', 'fees', 'rounding', 'fx-income', 'debts'],
  // What is changed between euros and dollars: a position, not income.
  'exchange',
]

it('on each of its days, what is there less what customers are owed is what the business earned and was given', async () => {
  for (let at = Date.UTC(2025, 6, 1); at < Date.UTC(2025, 9, 1); at += 86_400_000) {
    const day = new Date(at).toISOString().slice(0, 10)
    const balances = Object.entries(await trialBalance(day))
    const { currencies } = await safeguarding(day)
    expect(currencies.length).toBeGreaterThan(0)
    for (const { currency, there, owed } of currencies) {
      // A unit of the asset is a dollar.
      const units = currency === 'USD' ? ['USD', 'asset'] : [currency]
      const names = OWN_MONEY.flatMap(account => units.map(unit => `${account} ${unit}`))
      const own = balances.filter(([name]) => names.includes(name))
      const sum = own.reduce((total, [, amount]) => total - parseAmount(amount), 0n)
      expect([day, currency, parseAmount(there) - parseAmount(owed)]).toEqual([day, currency, sum])
    }
  }
})
