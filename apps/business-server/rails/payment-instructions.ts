import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import {
  bicFault,
  ibanFault,
  ibanOf,
  ifscFault,
  inGroups,
  routingNumberFault,
  upiFault,
} from './account-numbers.ts'
import type { ExpectedPayment, Instruction, PaymentCode } from './rail.ts'
import type { RailSettings } from './settings.ts'

/** The anchor's account at the far end of a rail: where customers pay to. */
export interface Payee {
  name: string
  account: { label: string; value: string }
  /** Which bank: BIC, IFSC or routing number; none for UPI. */
  bank: { label: string; value: string } | null
}

/**
 * The account that the credentials name (`vpa`; `iban`, `bic`; `accountNumber` with `ifsc` or `routingNumber`;
 * `accountHolder`) if it is well formed; else one that does not exist at any bank.
 */
export function payeeOf(
  { name: rail, credentials }: RailSettings,
  anchor: { id: string; name: string },
): Payee {
  const name = (credentials.accountHolder ?? anchor.name).replaceAll(/\s+/g, ' ').slice(0, 70)
  const good = (key: string, fault: (value: string) => string | null) => {
    const value = credentials[key]?.replaceAll(/\s/g, '')
    return value && fault(value) === null ? value : null
  }
  const account = good('accountNumber', value => (/^\d{4,18}$/.test(value) ? null : 'digits'))
  switch (rail.toUpperCase()) {
    case 'UPI':
      return {
        name,
        account: { label: 'UPI ID', value: good('vpa', upiFault) ?? `${anchor.id.slice(0, 20)}@simulated` },
        bank: null,
      }
    case 'SEPA':
      return {
        name,
        account: { label: 'IBAN', value: good('iban', ibanFault) ?? nobodysIban(anchor.id) },
        bank: { label: 'BIC', value: good('bic', bicFault) ?? 'TESTDEFF' },
      }
    case 'ACH':
      return {
        name,
        account: { label: 'Account number', value: account ?? '000000000' },
        bank: { label: 'Routing number', value: good('routingNumber', routingNumberFault) ?? '000000000' },
      }
    default:
      return {
        name,
        account: { label: 'Account number', value: account ?? '000000000' },
        bank: { label: 'IFSC', value: good('ifsc', ifscFault) ?? 'TEST0000000' },
      }
  }
}

/** At the bank code 00000000, which no bank has; its check digits are right, so that apps read it. */
function nobodysIban(anchorId: string): string {
  const account = [...anchorId].reduce(
    (sum, letter) => (sum * 31n + BigInt(letter.charCodeAt(0))) % 10n ** 10n,
    7n,
  )
  return ibanOf('DE', `00000000${String(account).padStart(10, '0')}`)
}

/** What the customer sees, line by line, under SEP-9's names. */
export function instructionsFor(
  rail: string,
  payee: Payee,
  currency: string,
  payment: ExpectedPayment,
): Instruction[] {
  const { account, bank } = payee
  const upi = rail.toUpperCase() === 'UPI'
  const shown = account.label === 'IBAN' ? inGroups(account.value) : account.value
  return [
    { field: 'bank_account_number', label: account.label, value: shown },
    ...(bank ? [{ field: 'bank_number', label: bank.label, value: bank.value }] : []),
    { field: 'organization.name', label: 'Payee', value: payee.name },
    ...(payment.amount === null
      ? []
      : [{ field: 'amount', label: 'Amount', value: `${cents(payment.amount)} ${currency}` }]),
    { field: 'reference', label: upi ? 'Note' : 'Reference', value: payment.reference },
  ]
}

/** UPI's deep link, SEPA's EPC code; other rails have none. */
export function paymentCodeFor(rail: string, payee: Payee, payment: ExpectedPayment): PaymentCode | null {
  switch (rail.toUpperCase()) {
    case 'UPI': {
      const link = upiLink(payee, payment)
      return { text: link, link }
    }
    case 'SEPA':
      return { text: epcCode(payee, payment) }
    default:
      return null
  }
}

function upiLink({ account, name }: Payee, { reference, amount }: ExpectedPayment): string {
  const query = new URLSearchParams({ pa: account.value, pn: name, cu: 'INR', tr: reference, tn: reference })
  if (amount !== null) query.set('am', cents(amount))
  return `upi://pay?${query}`
}

/** EPC069-12, version 2: what banks' apps read from a QR code for a SEPA credit transfer. */
function epcCode({ account, bank, name }: Payee, { reference, amount }: ExpectedPayment): string {
  const money = amount === null ? '' : `EUR${cents(amount)}`
  return ['BCD', '002', '1', 'SCT', bank?.value ?? '', name, account.value, money, '', '', reference].join(
    '\n',
  )
}

/** An amount of a currency with two decimals: `8938.5` as `8938.50`. */
export function cents(amount: string): string {
  const [whole = '0', fraction = ''] = formatAmount(parseAmount(amount)).split('.')
  return `${whole}.${fraction.padEnd(2, '0')}`
}
