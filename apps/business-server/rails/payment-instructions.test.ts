import { describe, expect, it } from 'vitest'
import { ibanFault } from '@windlass/contracts/platform/account-numbers.ts'
import { destinationFieldsOf, readDestination, describeFaults } from './destination-fields.ts'
import { instructionsFor, payeeOf, paymentCodeFor } from './payment-instructions.ts'

const anchor = { id: 'mumbai00000000000000', name: 'Mumbai Pay\n& Sons' }
const settings = (name: string, credentials: Record<string, string> = {}) => ({
  name,
  credentials,
  provider: 'simulated' as const,
  webhookSecrets: ['s'],
  accountFault: null,
  earlierAccounts: [],
})
const payment = { reference: 'W0123456789ABCDEF', amount: '8938.5' }
const reported = (rail: string, currency: string, credentials = {}) => {
  const payee = payeeOf(settings(rail, credentials), anchor)
  const lines = instructionsFor(rail, payee, currency, payment)
  return {
    lines: Object.fromEntries(lines.map(({ field, label, value }) => [field, `${label}: ${value}`])),
    code: paymentCodeFor(rail, payee, payment),
  }
}

describe('how to pay', () => {
  it('over UPI is a link that carries payee, amount and reference, also as a QR code', () => {
    const { lines, code } = reported('UPI', 'INR', { vpa: 'mumbai@okbank' })
    expect(lines).toEqual({
      bank_account_number: 'UPI ID: mumbai@okbank',
      'organization.name': 'Payee: Mumbai Pay & Sons',
      amount: 'Amount: 8938.50 INR',
      reference: 'Note: W0123456789ABCDEF',
    })
    expect(code?.link).toBe(code?.text)
    const link = new URL(code?.link ?? '')
    expect(link.protocol).toBe('upi:')
    expect(Object.fromEntries(link.searchParams)).toEqual({
      pa: 'mumbai@okbank',
      pn: 'Mumbai Pay & Sons',
      cu: 'INR',
      tr: payment.reference,
      tn: payment.reference,
      am: '8938.50',
    })
  })

  it('over SEPA is an account that apps can read and nobody has, with an EPC code', () => {
    const { lines, code } = reported('SEPA', 'EUR')
    const iban = lines.bank_account_number?.replace('IBAN: ', '').replaceAll(' ', '') ?? ''
    expect(ibanFault(iban)).toBeNull()
    expect(iban.slice(4, 12)).toBe('00000000')
    // EPC069-12: service tag, version, character set, identification, BIC, name, IBAN, amount, purpose, reference, text
    expect(code).toEqual({
      text: `BCD\n002\n1\nSCT\nTESTDEFF\nMumbai Pay & Sons\n${iban}\nEUR8938.50\n\n\n${payment.reference}`,
    })
  })

  it('names the account of the credentials where it is well formed, and no broken one', () => {
    const iban = 'DE89370400440532013000'
    expect(
      reported('SEPA', 'EUR', { iban, bic: 'COBADEFF', accountHolder: 'Mumbai GmbH' }).lines,
    ).toMatchObject({
      bank_account_number: 'IBAN: DE89 3704 0044 0532 0130 00',
      bank_number: 'BIC: COBADEFF',
      'organization.name': 'Payee: Mumbai GmbH',
    })
    expect(reported('ACH', 'USD', { accountNumber: '12345678', routingNumber: '021000021' })).toMatchObject({
      lines: { bank_account_number: 'Account number: 12345678', bank_number: 'Routing number: 021000021' },
      code: null,
    })
  })
})

it('a wrong account, or none where money is real, is never replaced by another', () => {
  const wrong = { ...settings('SEPA'), accountFault: 'iban' }
  const none = { ...settings('SEPA'), provider: 'bank-file' as const }
  for (const each of [wrong, none]) {
    const payee = payeeOf(each, anchor)
    expect(payee).toBeNull()
    expect(instructionsFor('SEPA', payee, 'EUR', payment)).toEqual([])
    expect(paymentCodeFor('SEPA', payee, payment)).toBeNull()
  }
})

describe('where money is paid to', () => {
  const read = (rail: string, given: Record<string, string>) =>
    readDestination(destinationFieldsOf(rail), given)

  it('is cleaned of what people put between digits', () => {
    expect(
      read('SEPA', { dest: 'de89 3704 0044 0532 0130 00', dest_name: ' Asha Rao ', dest_extra: '' }),
    ).toEqual({
      destination: { dest: 'DE89370400440532013000', dest_name: 'Asha Rao' },
      wrong: [],
    })
  })

  it.each([
    ['SEPA', { dest: 'DE88370400440532013000', dest_name: 'Asha Rao' }, 'IBAN: its check digits'],
    ['SEPA', { dest: 'DE89370400440532013000', dest_name: 'Asha', dest_extra: 'X' }, 'BIC: a BIC has'],
    [
      'ACH',
      { dest: '12345', dest_extra: '021000022', dest_name: 'Asha Rao' },
      'Routing number: its check digit',
    ],
    [
      'ACH',
      { dest: '123', dest_extra: '021000021', dest_name: 'Asha Rao' },
      'Account number: it has 4 to 17',
    ],
    ['IMPS', { dest: '123456789', dest_extra: 'SBIN1001234', dest_name: 'Asha Rao' }, 'IFSC: an IFSC is'],
    ['UPI', { dest: 'asha' }, 'UPI ID: a UPI ID looks like'],
    ['UPI', {}, 'UPI ID: it is needed'],
    ['MPESA', { dest: 'x', dest_name: 'Asha Rao' }, 'Account: it has 2 to 200'],
  ])('over %s is refused with the reason: %j', (rail, given, why) => {
    expect(describeFaults(read(rail, given).wrong)).toContain(why)
  })
})
