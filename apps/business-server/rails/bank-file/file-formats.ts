import { parseAmount } from '@windlass/money/amount.ts'
import anyAscii from 'any-ascii'
import { addBusinessDays } from '../../business-days.ts'
import { escapeXml } from '../../xml.ts'
import type { BankAccount } from '../rail.ts'

/** A payment in a file. */
export interface FilePayment {
  /** What the bank shows with it: 15 characters. */
  code: string
  /** With two fraction digits. */
  amount: string
  /** `dest`, `dest_extra`, `dest_name`, as the rail asks for them. */
  destination: Readonly<Record<string, string>>
}

interface FileContent {
  /** The file's own: 15 characters. */
  code: string
  currency: string
  from: BankAccount
  at: Date
  payments: readonly FilePayment[]
}

/** What SEPA's banks accept in a text (EPC217-08), at most `length` characters; other scripts in Latin letters. */
const latin = (text: string, length: number): string =>
  anyAscii(
    text
      .replaceAll('&', '+')
      .replaceAll(/\p{Extended_Pictographic}/gu, ' ')
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, ''),
  )
    .replaceAll(/[^A-Za-z0-9/\-?:().,'+ ]/g, ' ')
    .replaceAll(/ +/g, ' ')
    .trim()
    .slice(0, length)
    .trim()

/** Whether a file can name someone: banks take Latin letters only. */
export const hasLatinForm = (name: string): boolean => /[A-Za-z].*[A-Za-z]/.test(latin(name, 22))

const centsOf = (amount: string): bigint => parseAmount(amount) / 100_000n
const total = (payments: readonly FilePayment[]): bigint =>
  payments.reduce((sum, { amount }) => sum + centsOf(amount), 0n)
const decimal = (cents: bigint): string => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`

const element = (name: string, ...content: string[]): string => `<${name}>${content.join('')}</${name}>`
const text = (name: string, value: string): string => element(name, escapeXml(value))

/** A SEPA credit transfer as ISO 20022 pain.001.001.09 (EPC132-08), each payment booked by itself. */
export function asPain001({ code, currency, from, at, payments }: FileContent): string {
  const sums = [text('NbOfTxs', String(payments.length)), text('CtrlSum', decimal(total(payments)))]
  const holder = text('Nm', latin(from.holder, 70))
  const bank = (bic: string | undefined) =>
    element('FinInstnId', bic ? text('BICFI', bic) : element('Othr', text('Id', 'NOTPROVIDED')))
  const account = (iban: string) => element('Id', text('IBAN', iban.replaceAll(' ', '')))
  const transfers = payments.map(({ code, amount, destination }) =>
    element(
      'CdtTrfTxInf',
      element('PmtId', text('EndToEndId', code)),
      element('Amt', `<InstdAmt Ccy="${escapeXml(currency)}">${amount}</InstdAmt>`),
      ...(destination.dest_extra ? [element('CdtrAgt', bank(destination.dest_extra))] : []),
      element('Cdtr', text('Nm', latin(destination.dest_name ?? '', 70))),
      element('CdtrAcct', account(destination.dest ?? '')),
      element('RmtInf', text('Ustrd', code)),
    ),
  )
  const payment = element(
    'PmtInf',
    ...[text('PmtInfId', code), text('PmtMtd', 'TRF'), text('BtchBookg', 'false'), ...sums],
    element('PmtTpInf', element('SvcLvl', text('Cd', 'SEPA'))),
    element('ReqdExctnDt', text('Dt', addBusinessDays(at, 1))),
    ...[
      element('Dbtr', holder),
      element('DbtrAcct', account(from.account)),
      element('DbtrAgt', bank(from.bank)),
    ],
    ...[text('ChrgBr', 'SLEV'), ...transfers],
  )
  const time = `${at.toISOString().slice(0, 19)}Z`
  const header = element(
    'GrpHdr',
    text('MsgId', code),
    text('CreDtTm', time),
    ...sums,
    element('InitgPty', holder),
  )
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">' +
    `${element('CstmrCdtTrfInitn', header, payment)}</Document>\n`
  )
}

const left = (value: string, length: number): string => value.slice(0, length).padEnd(length, ' ')
const right = (value: string | bigint | number, length: number): string => {
  const digits = String(value)
  if (digits.length > length) throw new Error(`${digits} has more than ${length} digits`)
  return digits.padStart(length, '0')
}
const capitals = (value: string, length: number): string => left(latin(value, 200).toUpperCase(), length)

/** Credits to checking accounts as a NACHA file: one batch of the class PPD, records of 94 characters. */
export function asNacha({ code, from, at, payments }: FileContent): string {
  const origin = left(from.companyId ?? '', 10)
  const odfi = from.bank.slice(0, 8)
  const [day, time] = [
    at.toISOString().slice(2, 10).replaceAll('-', ''),
    at.toISOString().slice(11, 16).replace(':', ''),
  ]
  const effective = addBusinessDays(at, 1).slice(2).replaceAll('-', '')
  const entries = payments.map(
    ({ code, amount, destination: { dest = '', dest_extra = '', dest_name = '' } }, index) =>
      `622${dest_extra.slice(0, 8)}${dest_extra.slice(8, 9)}${left(dest, 17)}${right(centsOf(amount), 10)}` +
      `${left(code, 15)}${capitals(dest_name, 22)}  0${odfi}${right(index + 1, 7)}`,
  )
  const hash = payments.reduce(
    (sum, { destination }) => sum + BigInt(destination.dest_extra?.slice(0, 8) ?? '0'),
    0n,
  )
  const sums = `${right(hash % 10n ** 10n, 10)}${right(0, 12)}${right(total(payments), 12)}`
  const records = [
    `101 ${from.bank}${origin}${day}${time}A094101${capitals('', 23)}${capitals(from.holder, 23)}${left('', 8)}`,
    `5220${capitals(from.holder, 16)}${left(code, 20)}${origin}PPD${left('PAYOUT', 10)}${day}${effective}   1${odfi}${right(1, 7)}`,
    ...entries,
    `8220${right(entries.length, 6)}${sums}${origin}${left('', 25)}${odfi}${right(1, 7)}`,
  ]
  const blocks = Math.ceil((records.length + 1) / 10)
  records.push(`9${right(1, 6)}${right(blocks, 6)}${right(entries.length, 8)}${sums}${left('', 39)}`)
  while (records.length < blocks * 10) records.push('9'.repeat(94))
  return `${records.join('\r\n')}\r\n`
}

const head = [
  'Transaction Type',
  'Beneficiary Name',
  'Beneficiary Account Number',
  'IFSC',
  'Amount',
  'Debit Account Number',
  'Reference',
]

/** A bulk transfer as Indian banks import it. No cell begins with a character that spreadsheets compute. */
export function asIndianCsv(rail: string, { from, payments }: FileContent): string {
  const cell = (value: string) => `"${value.replaceAll('"', '').replace(/^[=+\-@\s]+/, '')}"`
  const rows = payments.map(({ code, amount, destination: { dest = '', dest_extra = '', dest_name = '' } }) =>
    [rail.toUpperCase(), latin(dest_name, 70), dest, dest_extra, amount, from.account, code]
      .map(cell)
      .join(','),
  )
  return `${[head.map(cell).join(','), ...rows].join('\r\n')}\r\n`
}
