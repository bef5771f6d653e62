import { ibanOf, inGroups } from '@windlass/contracts/platform/account-numbers.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { ExpectedPayment, Instruction, PaymentCode } from './rail.ts'
import type { RailSettings } from './settings.ts'

/** The anchor's account at the far end of a rail: where customers pay to. */
interface Payee {
  name: string
  account: { label: string; value: string }
  /** Which bank: BIC, IFSC or routing number; none for UPI. */
  bank: { label: string; value: string } | null
}

/**
 * The account that the credentials name (`vpa`; `iban`, `bic`; `accountNumber` with `ifsc` or `routingNumber`;
 * `accountHolder`). Only a simulated rail without one gets an account that does not exist at any bank.
 *
 * @returns null: the account cannot be true, or there is none; nothing takes its place
 */
export function payeeOf(
  { name: rail, provider, credentials, accountFault }: RailSettings,
  anchor: { id: string; name: string },
): Payee | null {
  if (accountFault !== null) return null
  const name = (credentials.accountHolder ?? anchor.name).replaceAll(/\s+/g, ' ').slice(0, 70)
  const given = (key: string, nobodys: string) =>
    credentials[key]?.replaceAll(/\s/g, '') ?? (provider === 'simulated' ? nobodys : null)
  const payee = (account: [string, string | null], bank: [string, string | null] | null): Payee | null => {
    const [label, value] = account
    if (value === null || bank?.[1] === null) return null
    return { name, account: { label, value }, bank: bank && { label: bank[0], value: bank[1] } }
  }
  switch (rail.toUpperCase()) {
    case 'UPI':
      return payee(['UPI ID', given('vpa', `${anchor.id.slice(0, 20)}@simulated`)], null)
    case 'SEPA':
      return payee(['IBAN', given('iban', nobodysIban(anchor.id))], ['BIC', given('bic', 'TESTDEFF')])
    case 'ACH':
      return payee(
        ['Account number', given('accountNumber', '000000000')],
        ['Routing number', given('routingNumber', '000000000')],
      )
    default:
      return payee(
        ['Account number', given('accountNumber', '000000000')],
        ['IFSC', given('ifsc', 'TEST0000000')],
      )
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

/** What the customer sees, line by line, under SEP-9's names; nothing without an account to pay to. */
export function instructionsFor(
  rail: string,
  payee: Payee | null,
  currency: string,
  payment: ExpectedPayment,
): Instruction[] {
  if (payee === null) return []
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
export function paymentCodeFor(
  rail: string,
  payee: Payee | null,
  payment: ExpectedPayment,
): PaymentCode | null {
  if (payee === null) return null
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
