import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sepAmounts } from '../../transfers/amounts.ts'
import { type BusinessApp, startBusinessApp } from '../../testing/business-app.ts'
import { roundingOf } from './entries.ts'
import { balanceOf, listBalances, listEntries, recordEntry, type Line } from './journal.ts'

const [USDC, EURC] = ['USDC', 'EURC'].map(code => `${code}:G${'A'.repeat(55)}`) as [string, string]

let app: BusinessApp
beforeAll(async () => {
  app = await startBusinessApp()
})
afterAll(() => app.close())

const record = (lines: Line[], cause: string = randomUUID()) =>
  app.deps.database.db.transaction().execute(tx => recordEntry(tx, { cause, kind: 'test', lines }))
const sql = (text: string, ...values: unknown[]) => app.deps.database.pool.query(text, values)

it('an entry that does not balance is refused, also by the database, and a cause is recorded once', async () => {
  await expect(record([['treasury', 'asset', 5n]])).rejects.toThrow('does not balance')
  const mixed: Line[] = [
    ['treasury', 'asset', 5n],
    ['customers', 'INR', -5n],
  ]
  await expect(record(mixed)).rejects.toThrow('does not balance')
  const id = randomUUID()
  await expect(
    sql(
      `with entry as (insert into journal_entries (id, cause, kind) values ('${id}', 'direct', 'test'))
       insert into journal_lines values ('${id}', 'treasury', 'asset', 5)`,
    ),
  ).rejects.toThrow('does not balance')
  const balanced: Line[] = [
    ['treasury', 'asset', 5n],
    ['customers', 'asset', -5n],
  ]
  await record(balanced, 'once')
  await expect(record(balanced, 'once')).rejects.toThrow('unique')
  expect(await listBalances(app.deps.database.db)).toEqual([
    { account: 'customers', unit: 'asset', amount: '-0.0000005' },
    { account: 'treasury', unit: 'asset', amount: '0.0000005' },
  ])
})

it('what is recorded never changes', async () => {
  for (const change of [
    'update journal_lines set amount = amount * 2',
    'delete from journal_lines',
    "update journal_entries set kind = 'other'",
    'delete from journal_entries',
  ])
    await expect(sql(change)).rejects.toThrow('only added to')
})

it('all accounts come to zero in every unit, whatever is recorded', async () => {
  const amounts = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(amounts, fc.constantFrom('asset', USDC, EURC, 'INR')), { maxLength: 4 }),
      async moves => {
        const names = ['customers', 'suspense', 'fees', 'kept'] as const
        const lines = moves.flatMap(([amount, unit], index): Line[] => [
          [names[index] ?? 'lost', unit, amount],
        ])
        const rest = ['asset', USDC, EURC, 'INR'].map((unit): Line => [
          'treasury',
          unit,
          -lines.reduce((sum, line) => (line[1] === unit ? sum + line[2] : sum), 0n),
        ])
        await record([...lines, ...rest])
      },
    ),
    { numRuns: 30 },
  )
  const { rows } = await sql('select unit from journal_lines group by unit having sum(amount) <> 0')
  expect(rows).toEqual([])
  const total = (await listBalances(app.deps.database.db)).filter(({ account }) => account === 'fees')
  for (const { unit, amount } of total)
    expect(formatAmount(await balanceOf(app.deps.database.db, 'fees', unit))).toBe(amount)
})

it('entries are read newest first, page by page, each with its lines', async () => {
  const { db } = app.deps.database
  const all = await listEntries(db, { limit: 100 })
  const [first] = await listEntries(db, { limit: 1 })
  expect(first).toEqual(all[0])
  for (const { lines } of all) expect(lines.length).toBeGreaterThan(1)
})

it('what is given less the fee is what is got: rounding to hundredths is part of the fee', () => {
  const row = {
    currency: 'EUR',
    asset: null,
    rail: 'SEPA',
    terms: null,
    amount: '10',
    fee: '0.601',
    rate: '1',
  }
  const deposit = { ...row, direction: 'deposit' as const, fiat_amount: '10.61' }
  expect(formatAmount(roundingOf(deposit))).toBe('0.009')
  expect(sepAmounts(app.deps.config.anchor, deposit)).toMatchObject({
    amount_in: { amount: '10.61' },
    amount_out: { amount: '10' },
    fee_details: { total: '0.61' },
  })
  const withdrawal = { ...row, direction: 'withdrawal' as const, fiat_amount: '9.39' }
  expect(sepAmounts(app.deps.config.anchor, withdrawal).fee_details?.total).toBe('0.61')
  expect(parseAmount('9.39') + roundingOf(withdrawal) + parseAmount('0.601')).toBe(amountOf(10n ** 8n))
})

it('an anchor that is older than its journal begins with what its records come to', async () => {
  const { pool } = app.deps.database
  const [own, issuer] = ['GOWN', 'GISSUER']
  await pool.query("insert into observed (account, cursor) values ($1, '0')", [own])
  const receipt = `insert into ledger_receipts (id, hash, sender, amount, outcome, why) values ($1, $1, $2, $3, $4, '')`
  await pool.query(receipt, ['1', issuer, '1000', 'ignored'])
  await pool.query(receipt, ['2', 'GCUSTOMER', '30', 'accepted'])
  await pool.query(receipt, ['3', own, '7', 'ignored'])
  const payment = `insert into ledger_payments (cause, purpose, destination, amount, state, paid_at)
                   values ($1, $2, 'GCUSTOMER', $3, $4, now())`
  await pool.query(payment, ['a', 'deposit', '100', 'paid'])
  await pool.query(payment, ['b', 'refund', '5', 'queued'])
  const migration = await readFile(new URL('../../migrations/0023-journal.sql', import.meta.url), 'utf8')
  await pool.query(/^do \$\$.*?^end \$\$;/ms.exec(migration)?.[0] ?? '')
  const { rows } = await pool.query(
    `select account, amount::float from journal_lines
     where entry_id = (select id from journal_entries where cause = 'opening') order by account`,
  )
  expect(rows).toEqual([
    { account: 'opening', amount: -925 },
    { account: 'suspense', amount: -5 },
    { account: 'treasury', amount: 930 },
  ])
})
