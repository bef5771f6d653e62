import type { BankAccount } from '@windlass/contracts/anchor/bank-accounts.ts'
import { findTexts } from '@windlass/testing/find-texts.ts'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { BankAnchor, camt053, IBAN } from '../../testing/bank-anchor.ts'
import { evaluateConditions } from '../notifications/conditions.ts'
import { reconcile } from './reconcile.ts'

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
})
afterAll(() => anchor.close())

const account = async () =>
  (await anchor.get('/bank-accounts')).json<BankAccount[]>().find(each => each.account === IBAN)
const open = async () => {
  await reconcile(anchor.deps, 'schedule')
  const rows = (await anchor.get('/reconciliation/differences?status=open')).json<
    { kind: string; amount: string }[]
  >()
  return rows.filter(({ kind }) => kind.startsWith('bank-')).map(({ kind, amount }) => `${kind} ${amount}`)
}
const say = (amount: string, by: string) =>
  anchor.asOperator('POST', '/rails/SEPA/opening-balance', {
    amount,
    day: '2026-11-19',
    reason: 'Letter',
    by,
  })
const decide = (id: string | undefined, by: string, approve = true) =>
  anchor.asOperator('POST', `/opening-balances/${id}/decision`, { approve, by })

it('a bank’s file is kept as it came, encrypted, and each download is in the audit log', async () => {
  const file = camt053([{ amount: '20', text: 'Secret words', name: 'Asha Rao', bankReference: 'R1' }], {
    ...{ opening: 1000, closing: 1020, closingDay: '2026-11-20' },
  })
  const uploaded = (await anchor.read('SEPA', 'monday.xml', file)).json()
  const sha256 = createHash('sha256').update(file).digest('hex')
  expect(uploaded).toMatchObject({ sha256, hasFile: true })
  expect((await anchor.get('/statements')).json()).toMatchObject([{ id: uploaded.id, sha256, hasFile: true }])
  const answer = await anchor.get(`/statements/${uploaded.id}/file`)
  expect([answer.statusCode, answer.body]).toEqual([200, file])
  expect(answer.headers['content-disposition']).toBe('attachment; filename="monday.xml"')
  const relayed = await anchor.asOperator('POST', `/statements/${uploaded.id}/file`)
  expect([relayed.statusCode, relayed.body]).toEqual([200, file])
  expect((await anchor.get('/statements/none/file')).statusCode).toBe(404)
  expect(await findTexts(anchor.deps.config.databaseUrl, ['Secret words', 'Asha Rao'])).toEqual([])
  expect(
    await anchor.rows("select details from key_acts where action = 'bank-statement.downloaded'"),
  ).toEqual([{ details: { id: uploaded.id } }])
})

it('the bank’s balance stands beside the journal’s, and a gap is a difference with an age', async () => {
  expect(await account()).toMatchObject({
    ...{ rails: ['SEPA'], currency: 'EUR', journal: '20', gap: '1000', opening: null, pending: null },
    bank: { balance: '1020', day: '2026-11-20' },
    ...{ lastStatement: { fileName: 'monday.xml' }, first: { balance: '1000', day: '2026-11-19' } },
  })
  expect(await open()).toEqual(['bank-balance 1000'])
  expect((await account())?.gapSince).toMatch(/^20/)
})

it('what is booked after the bank’s balance is no gap', async () => {
  const later = camt053([{ amount: '5', bankReference: 'R2', day: '2026-11-21' }])
  await anchor.read('SEPA', 'tuesday.xml', later)
  expect(await account()).toMatchObject({ journal: '20', gap: '1000' })
})

it('an opening balance counts once a second person approves it, and the gap is gone', async () => {
  const pending = (await say('1000', 'operator:a')).json<BankAccount>().pending
  expect(await account()).toMatchObject({ gap: '1000', pending: { amount: '1000', status: 'waiting' } })
  const told = async () =>
    (await evaluateConditions(anchor.deps, { conditions: [], differences: new Map() })).conditions.filter(
      ({ subject }) => subject === 'opening-balances',
    )
  expect(await told()).toHaveLength(1)
  expect((await say('7', 'operator:b')).json()).toMatchObject({ code: 'action-not-possible' })
  expect((await decide(pending?.id, 'operator:a')).json()).toMatchObject({ code: 'second-person-needed' })
  expect((await decide(pending?.id, 'operator:b')).json()).toMatchObject({
    gap: '0',
    opening: { amount: '1000' },
  })
  expect(await told()).toEqual([])
  expect((await decide(pending?.id, 'operator:b')).json()).toMatchObject({ code: 'action-not-found' })
  expect(await open()).toEqual([])
  expect(await anchor.balances()).toMatchObject({ 'rail:SEPA EUR': '1025', 'opening EUR': '-1000' })
})

it('a wrong one is replaced by another, and a rejected one changes nothing', async () => {
  const rejected = (await say('3', 'operator:a')).json<BankAccount>().pending
  await decide(rejected?.id, 'operator:a', false)
  expect(await account()).toMatchObject({ gap: '0', pending: null })
  const other = (await say('999.5', 'operator:a')).json<BankAccount>().pending
  await decide(other?.id, 'operator:b')
  expect(await anchor.balances()).toMatchObject({ 'rail:SEPA EUR': '1024.5', 'opening EUR': '-999.5' })
  expect(await open()).toEqual(['bank-balance 0.5'])
})

it('money that nobody’s statement has is a gap', async () => {
  const back = (await say('1000', 'operator:a')).json<BankAccount>().pending
  await decide(back?.id, 'operator:b')
  await anchor.rows(
    `with e as (insert into journal_entries (cause, kind) values ('marked', 'deposit') returning id)
     insert into journal_lines (entry_id, account, unit, amount)
       select id, account, 'EUR', amount from e, (values ('rail:SEPA', 249.5), ('exchange', -249.5)) l (account, amount)`,
  )
  expect(await account()).toMatchObject({ gap: '-249.5' })
  expect(await open()).toContain('bank-balance -249.5')
})
