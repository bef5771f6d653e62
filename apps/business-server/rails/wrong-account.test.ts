import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { evaluateConditions } from '../workspace/notifications/conditions.ts'
import { BankAnchor } from '../testing/bank-anchor.ts'

describe('an anchor whose IBAN has a mistyped digit', () => {
  let anchor: BankAnchor
  beforeAll(async () => {
    const SEPA = { provider: 'bank-file', iban: 'DE89370400440532013001', bic: 'COBADEFFXXX' }
    anchor = await BankAnchor.start(undefined, { SEPA: { ...SEPA, accountHolder: 'Mumbai Pay GmbH' } })
  })
  afterAll(() => anchor.close())

  it('takes no deposit over that rail and tells nobody an account', async () => {
    await expect(anchor.deposit('sepa')).rejects.toThrow('SEPA is not available for deposits at the moment')
    const deposits = await anchor.rows<{ state: string; reference: string | null }>(
      'select state, reference from transfers',
    )
    expect(deposits).toEqual([{ state: 'new', reference: null }])
    const rail = anchor.deps.rails.get('SEPA')
    const payment = { reference: 'W0123456789ABCDEF', amount: '20' }
    expect(rail?.instructions(payment)).toEqual([])
    expect(rail?.paymentCode(payment)).toBeNull()
  })

  it('serves its other rails', async () => {
    expect(await anchor.deposit('ach')).toMatchObject({ reference: expect.stringMatching(/^W[0-9A-F]{16}$/) })
  })

  it('makes no payout file in which the bank would read a wrong account', async () => {
    const made = await anchor.asOperator('POST', '/rails/SEPA/payout-files', { by: 'operator:one' })
    expect([made.statusCode, made.json().code]).toEqual([409, 'rail-account-wrong'])
  })

  it('notifies its operators', async () => {
    const { conditions } = await evaluateConditions(anchor.deps, { conditions: [], differences: new Map() })
    expect(conditions).toContainEqual({
      kind: 'review-waiting',
      subject: 'rail-account-SEPA',
      detail: 'The account of SEPA is wrong: iban. Deposits over SEPA are closed.',
      spanish: expect.any(String),
    })
  })
})
