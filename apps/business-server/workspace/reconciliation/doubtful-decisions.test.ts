import { afterAll, beforeAll, expect, it } from 'vitest'
import { changeCustomer, ensureCustomer } from '../../people/customers/customers.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'
import { reconcile } from './reconcile.ts'

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
})
afterAll(() => anchor.close())

const doubtful = async () => {
  await reconcile(anchor.deps, 'schedule')
  const open = (await anchor.get('/reconciliation/differences?status=open')).json<Record<string, string>[]>()
  return open.filter(({ kind }) => kind === 'decision-doubtful')
}
const lineOf = async (reference: string): Promise<string> => {
  const sql = 'select id from bank_lines where bank_reference = $1'
  return (await anchor.rows<{ id: string }>(sql, [reference]))[0]?.id ?? ''
}
async function call(reference: string, account: string): Promise<string> {
  const id = await lineOf(reference)
  const decision = { decision: 'ignore', as: 'own', account, reason: 'mine', by: 'operator:one' }
  const answer = await anchor.asOperator('POST', `/statement-lines/${id}/decide`, decision)
  expect([reference, answer.statusCode]).toEqual([reference, 200])
  return id
}

it('a customer’s money that someone calls interest is named with its amount at once, until it is reversed', async () => {
  const { reference, money } = await anchor.deposit('sepa', '100')
  const paid = (Number(money) + 30).toFixed(2)
  await anchor.read(
    'SEPA',
    'a.xml',
    camt053([
      { amount: paid, text: reference, bankReference: 'named' },
      { amount: money, text: 'no reference', bankReference: 'as large' },
      { amount: '3.10', text: 'Interest', bankReference: 'interest' },
    ]),
  )
  const named = await call('named', 'interest')
  const asLarge = await call('as large', 'other-income')
  await call('interest', 'interest')
  const found = await doubtful()
  expect(found.map(({ subject, amount, unit }) => ({ subject, amount, unit }))).toEqual(
    expect.arrayContaining([
      { subject: named, amount: String(Number(paid)), unit: 'EUR' },
      { subject: asLarge, amount: String(Number(money)), unit: 'EUR' },
    ]),
  )
  expect(found).toHaveLength(2)
  expect(found.find(({ subject }) => subject === named)?.detail).toMatch(
    /own \(interest\)\. The line names a/,
  )

  const reversal = { reason: 'it is a customer’s', by: 'operator:one' }
  await anchor.asOperator('POST', `/statement-lines/${named}/reversal`, reversal)
  expect((await doubtful()).map(({ subject }) => subject)).toEqual([asLarge])
  const [{ id } = { id: '' }] = await doubtful()
  const resolution = { reason: 'the owner paid it', resolution: 'other', by: 'operator:one' }
  await anchor.asOperator('POST', `/reconciliation/differences/${id}/resolve`, resolution)
  expect(await doubtful()).toEqual([])
})

it('a payout that someone calls a charge is named too', async () => {
  const { code, money } = await anchor.withdrawal('sepa', {
    dest: 'NL91ABNA0417164300',
    dest_name: 'Asha Rao',
  })
  const out = { direction: 'out' as const, amount: (Number(money) + 9).toFixed(2) }
  await anchor.read('SEPA', 'b.xml', camt053([{ ...out, text: code, bankReference: 'payout' }]))
  const line = await call('payout', 'charges')
  expect(await doubtful()).toMatchObject([{ subject: line, amount: `-${Number(out.amount)}`, unit: 'EUR' }])
})

/** Two people say that a line is the payment of a deposit. */
async function match(reference: string, transactionId: string): Promise<string> {
  const id = await lineOf(reference)
  const decision = { decision: 'match', transactionId, reason: 'they said so', by: 'operator:one' }
  await anchor.asOperator('POST', `/statement-lines/${id}/decide`, decision)
  const answer = await anchor.asOperator('POST', `/statement-lines/${id}/approval`, {
    approve: true,
    by: 'operator:other',
  })
  expect([reference, answer.statusCode, answer.json().status]).toEqual([reference, 200, 'matched'])
  return id
}

it('a line that people matched to another deposit than its reference, payer or account says is named', async () => {
  const customer = await ensureCustomer(anchor.deps, anchor.wallet, null)
  const fields = { first_name: 'Asha', last_name: 'Rao' }
  await changeCustomer(anchor.deps, customer.id, { centralId: 'cus_1', fields })
  const named = await anchor.deposit('sepa', '61')
  const [other, byPayer, byAmount] = [
    await anchor.deposit('sepa', '61'),
    await anchor.deposit('sepa', '62'),
    await anchor.deposit('sepa', '63'),
  ]
  const another = await anchor.deposit('sepa', '63')
  const clear = await anchor.deposit('sepa', '64')
  const bookings = [
    { amount: named.money, text: `${named.reference} ${other.reference}`, bankReference: 'two references' },
    { amount: byAmount.money, text: 'no reference', bankReference: 'two wait' },
    { amount: clear.money, text: 'no reference either', bankReference: 'nothing against it' },
    { amount: byPayer.money, text: 'rent', name: 'Berta Klein', bankReference: 'other payer' },
  ]
  await anchor.read('SEPA', 'c.xml', camt053(bookings))
  await anchor.rows("update bank_lines set codes = array[$1] where bank_reference = 'two references'", [
    named.reference,
  ])
  const wrong = await match('two references', other.id)
  const twoWait = await match('two wait', byAmount.id)
  const someoneElse = await match('other payer', byPayer.id)
  await match('nothing against it', clear.id)
  const found = (await doubtful()).filter(({ detail }) => detail?.includes('the line of'))
  expect(found.map(({ subject, amount }) => [subject, amount]).toSorted()).toEqual(
    [
      [wrong, String(Number(named.money))],
      [twoWait, String(Number(byAmount.money))],
      [someoneElse, String(Number(byPayer.money))],
    ].toSorted(),
  )
  const details = Object.fromEntries(found.map(({ subject, detail }) => [subject, detail]))
  expect(details[wrong]).toContain(`is of transaction ${other.id}. The line names a transaction.`)
  expect(details[wrong]).toContain(`Transaction ${named.id}.`)
  expect(details[someoneElse]).toContain('the payer has another name than the customer')
  expect(details[twoWait]).toContain(`waits for exactly this amount. Transaction ${another.id}.`)
})

it('a match or an account that someone changes in the database is named by the record of its money', async () => {
  const [paid, victim] = [await anchor.deposit('sepa', '71'), await anchor.deposit('sepa', '72')]
  await anchor.read(
    'SEPA',
    'd.xml',
    camt053([
      { amount: paid.money, text: paid.reference, name: 'Asha Rao', bankReference: 'moved' },
      { amount: '12.00', text: 'Dividend', direction: 'out', bankReference: 'renamed' },
    ]),
  )
  await call('renamed', 'dividends')
  const [moved, renamed] = [await lineOf('moved'), await lineOf('renamed')]
  const before = (await doubtful()).map(({ subject }) => subject)
  expect(before).not.toContain(moved)
  expect(before).not.toContain(renamed)
  await anchor.rows('update bank_lines set transfer_id = $1 where id = $2', [victim.id, moved])
  await anchor.rows("update bank_lines set own_account = 'charges' where id = $1", [renamed])
  const found = (await doubtful()).filter(({ subject }) => subject === moved || subject === renamed)
  expect(found.map(({ subject, amount, unit }) => ({ subject, amount, unit }))).toEqual(
    expect.arrayContaining([
      { subject: moved, amount: String(Number(paid.money)), unit: 'EUR' },
      { subject: renamed, amount: '-12', unit: 'EUR' },
    ]),
  )
  expect(found.map(({ detail }) => detail).join()).toContain(
    `The money is recorded otherwise. Transaction ${paid.id}.`,
  )
})
