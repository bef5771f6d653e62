import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BankAnchor, camt053 } from '../testing/bank-anchor.ts'
import { detailsOf } from './mt940-details.ts'

const ASHA = { dest: 'DE02120300000000202051', dest_name: 'Asha Rao' }
const [one, other] = ['operator:one', 'operator:other']

describe('a credit with the code of a payout that the bank does not call a return', () => {
  let anchor: BankAnchor
  beforeAll(async () => {
    anchor = await BankAnchor.start()
    anchor.deps.config.anchor.plan.asset.anchoredTo = 'EUR'
  })
  afterAll(() => anchor.close())

  it.each(['before', 'after'])('waits for a person %s the debit in the same statement', async place => {
    const { id, code, money } = await anchor.withdrawal('sepa', ASHA)
    await anchor.sendOrders()
    const made = (await anchor.asOperator('POST', '/rails/SEPA/payout-files', { by: one })).json()
    await anchor.approve(made.id, other)
    const debit = { bankReference: `${place}D`, amount: money, direction: 'out', text: code } as const
    const credit = { bankReference: `${place}C`, amount: money, text: `mine ${code}`, name: 'Adam Smith' }
    const both = place === 'before' ? [credit, debit] : [debit, credit]
    await anchor.read('SEPA', `${place}.xml`, camt053(both))
    const lines = await anchor.rows(
      'select direction, state from bank_lines where $1 = any(codes) order by direction',
      [code],
    )
    expect(lines).toEqual([
      { direction: 'in', state: 'review' },
      { direction: 'out', state: 'matched' },
    ])
    expect(await anchor.state(id)).toBe('completed')
    const refunds = 'select from ledger_payments where transfer_id = $1'
    expect(await anchor.rows(refunds, [id])).toEqual([])
  })
})

describe('the mark of a return in MT940', () => {
  const markOf = (text: string) => detailsOf([text], 'in').returnReason
  const party = '?30COBADEFF?31DE02120300000000202051?32Asha Rao'

  it.each([
    '/TRTP/SEPA OVERBOEKING/IBAN/NL44RABO0123456789/BIC/RABONL2U/NAME/A Rao/REMI/P1 /RTRN/AC04/',
    '/TRTP/SEPA OVERBOEKING/NAME/A/RTRN/AC04/REMI/P1',
    '/EREF/P1/RTRN/AC04/REMI/hello',
    `166?20P1?00RETURN${party}`,
    `166?10931?20P1?00RETURN${party}`,
  ])('is not what the payer wrote: %s', text => {
    expect(markOf(text)).toBeNull()
  })

  it.each([
    ['/TRTP/SEPA OVERBOEKING/RTRN/AC04/IBAN/NL44RABO0123456789/NAME/A Rao/REMI/P1', 'AC04'],
    [`159?00RETURN?10931?20P1${party}`, 'RETURN'],
  ])('is what the bank wrote before: %s', (text, mark) => {
    expect(markOf(text)).toBe(mark)
  })
})
