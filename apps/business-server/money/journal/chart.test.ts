import { journalChart, type JournalAccount } from '@windlass/contracts/anchor/journal.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { BankAnchor } from '../../testing/bank-anchor.ts'
import { recordEntry } from './journal.ts'

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
})
afterAll(() => anchor.close())

const accounts = async () => (await anchor.get('/journal/accounts')).json<JournalAccount[]>()
const set = (account: string, given: object) =>
  anchor.asOperator('PUT', `/journal/accounts/${encodeURIComponent(account)}`, given)

it('the chart has every account, and a rail’s money is customers’ until someone says that it is not', async () => {
  const listed = await accounts()
  expect(listed.map(({ account }) => account)).toEqual(
    ['rail:ACH', 'rail:NEFT', 'rail:SEPA'].concat(Object.keys(journalChart)),
  )
  const of = (name: string) => listed.find(({ account }) => account === name)
  expect(of('rail:SEPA')).toMatchObject({ kind: 'asset', heldFor: 'customers', code: null })
  expect([of('charges')?.kind, of('charges')?.heldFor]).toEqual(['expense', null])
  const given = { code: '1200', taxKey: null, heldFor: 'business', by: 'operator:one' }
  expect((await set('rail:SEPA', given)).json()).toMatchObject({ code: '1200', heldFor: 'business' })
  await set('charges', { code: '6855', taxKey: '0', by: 'operator:two' })
  await set('charges', { code: '6856', taxKey: null, by: 'operator:two' })
  const changed = await accounts()
  expect(changed.filter(({ code }) => code !== null)).toMatchObject([
    { account: 'rail:SEPA', code: '1200', changedBy: 'operator:one' },
    { account: 'charges', code: '6856', taxKey: null, changedBy: 'operator:two' },
  ])
  expect((await set('nothing', given)).statusCode).toBe(404)
  expect((await set('charges', given)).statusCode).toBe(400)
  await expect(anchor.rows("update journal_account_settings set code = '1'")).rejects.toThrow('only added to')
})

it('an older journal’s dust is unclaimed money, and its own money stays until people say what it is', async () => {
  const { db, pool } = anchor.deps.database
  await db.transaction().execute(tx =>
    recordEntry(tx, {
      ...{ cause: 'old', kind: 'test' },
      lines: [
        ['kept', 'asset', -parseAmount('0.3')],
        ['treasury', 'asset', parseAmount('0.3')],
        ['kept', 'EUR', -parseAmount('5')],
        ['rail:SEPA', 'EUR', parseAmount('5')],
      ],
    }),
  )
  const file = await readFile(new URL('../../migrations/0133-chart-of-accounts.sql', import.meta.url), 'utf8')
  await pool.query(file.slice(file.indexOf('do $$')))
  expect(await anchor.balances()).toMatchObject({ 'unclaimed asset': '-0.3', 'kept EUR': '-5' })
  expect(await anchor.balances()).not.toHaveProperty('kept asset')
})
