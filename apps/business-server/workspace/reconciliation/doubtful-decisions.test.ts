import { afterAll, beforeAll, expect, it } from 'vitest'
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
