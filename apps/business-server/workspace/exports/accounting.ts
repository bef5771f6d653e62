import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { LEDGER_DECIMALS } from '@windlass/money/number-text.ts'
import { divideHalfUp, powerOfTen } from '@windlass/money/rate.ts'
import type { PeriodEntry } from '../../money/journal/periods.ts'
import { row } from './formats.ts'

/** Accounts of the journal as an accountant has them. */
export type Codes = ReadonlyMap<string, { code: string; taxKey: string | null }>

/** How the journal is written for a program that keeps books in one currency, with two decimals. */
export interface Books {
  codes: Codes
  currency: string
  /** Units that are worth one of the currency: itself, and assets that are anchored to it. */
  units: ReadonlySet<string>
}

/** A debit and a credit of the same amount. */
interface Posting {
  entry: PeriodEntry
  debit: string
  credit: string
  /** In hundredths; positive. */
  cents: bigint
}

const CENT = powerOfTen(LEDGER_DECIMALS - 2)

/**
 * Entries as postings of two accounts each. Lines of an entry are paired unit by unit. Parts of a cent are carried on to
 * the next posting of the same two accounts, so that what a batch comes to is exact to half a cent.
 */
async function* postingsOf(
  entries: AsyncIterable<PeriodEntry>,
  { units }: Pick<Books, 'units'>,
): AsyncGenerator<Posting> {
  const carried = new Map<string, bigint>()
  for await (const entry of entries)
    for (const { debit, credit, amount } of pairsOf(entry, units)) {
      const key = `${debit} ${credit}`
      const exact = amount + (carried.get(key) ?? 0n)
      const cents = divideHalfUp(exact, CENT)
      carried.set(key, exact - cents * CENT)
      if (cents > 0n) yield { entry, debit, credit, cents }
    }
}

function pairsOf({ lines }: PeriodEntry, units: ReadonlySet<string>) {
  const pairs: { debit: string; credit: string; amount: bigint }[] = []
  for (const unit of units) {
    const open = lines
      .filter(line => line.unit === unit)
      .map(({ account, amount }) => ({ account, left: parseAmount(amount) as bigint }))
    const debits = open.filter(({ left }) => left > 0n)
    const credits = open.filter(({ left }) => left < 0n)
    for (const debit of debits)
      for (const credit of credits) {
        const amount = debit.left < -credit.left ? debit.left : -credit.left
        if (amount === 0n) continue
        debit.left -= amount
        credit.left += amount
        pairs.push({ debit: debit.account, credit: credit.account, amount })
      }
  }
  return pairs
}

const decimal = (cents: bigint, point = '.'): string =>
  `${cents / 100n}${point}${(cents % 100n).toString().padStart(2, '0')}`
const codeOf = ({ codes }: Books, account: string): string => codes.get(account)?.code ?? account
const aboutOf = ({ kind, transactionId, bookedOn, countedOn }: PeriodEntry): string =>
  [kind, bookedOn === countedOn ? '' : `booked ${bookedOn}`, transactionId ?? ''].filter(Boolean).join(' ')

/** Who hands a batch to DATEV, and whose it is. */
interface DatevHead {
  /** The consultant's and the client's number at DATEV. */
  consultant: number
  client: number
  from: string
  to: string
  /** Whether the period is closed, so that its bookings are final. */
  isFinal: boolean
  at: Date
}

const DATEV_COLUMNS = [
  ...['Umsatz (ohne Soll/Haben-Kz)', 'Soll/Haben-Kennzeichen', 'WKZ Umsatz', 'Kurs', 'Basis-Umsatz'],
  ...['WKZ Basis-Umsatz', 'Konto', 'Gegenkonto (ohne BU-Schlüssel)', 'BU-Schlüssel', 'Belegdatum'],
  ...['Belegfeld 1', 'Belegfeld 2', 'Skonto', 'Buchungstext'],
]

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
const compact = (day: string): string => day.replaceAll('-', '')

/** A booking batch of DATEV (EXTF 700, Buchungsstapel 13). DATEV reads Windows-1252, which {@link windows1252} writes. */
export async function* datev(
  entries: AsyncIterable<PeriodEntry>,
  books: Books,
  { consultant, client, from, to, isFinal, at }: DatevHead,
): AsyncGenerator<string> {
  const made = at.toISOString().replaceAll(/\D/g, '').slice(0, 17)
  const length = Math.max(4, ...[...books.codes.values()].map(({ code }) => code.length))
  const head = [
    ...['"EXTF"', '700', '21', '"Buchungsstapel"', '13', made, '', '"WL"', '""', '""'],
    ...[consultant, client, `${from.slice(0, 4)}0101`, length, compact(from), compact(to)],
    ...['"Windlass"', '""', '1', '0', isFinal ? '1' : '0', quoted(books.currency)],
    ...['', '""', '', '', '""', '', '', '""', '""'],
  ]
  yield `${head.join(';')}\r\n${DATEV_COLUMNS.map(quoted).join(';')}\r\n`
  for await (const { entry, debit, credit, cents } of postingsOf(entries, books)) {
    const day = `${entry.countedOn.slice(8, 10)}${entry.countedOn.slice(5, 7)}`
    const taxKey = books.codes.get(debit)?.taxKey ?? books.codes.get(credit)?.taxKey ?? ''
    const cells = [
      ...[decimal(cents, ','), '"S"', quoted(books.currency), '', '', '""'],
      ...[codeOf(books, debit), codeOf(books, credit), quoted(taxKey), day],
      ...[quoted(entry.id), '""', '', quoted(aboutOf(entry).slice(0, 60))],
    ]
    yield `${cells.join(';')}\r\n`
  }
}

/** What the encoding lacks is a question mark. */
export async function* windows1252(parts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const part of parts) yield Buffer.from(part.replaceAll(/[^\x00-\xff]/g, '?'), 'latin1')
}

const slashed = (day: string, order: 'day-first' | 'month-first'): string => {
  const [year, month, date] = day.split('-')
  return order === 'day-first' ? `${date}/${month}/${year}` : `${month}/${date}/${year}`
}

/** Manual journals as Xero imports them: an amount is a debit, or negative a credit. */
export async function* xeroJournal(
  entries: AsyncIterable<PeriodEntry>,
  books: Books,
): AsyncGenerator<string> {
  yield row('*Narration', '*Date', 'Description', '*AccountCode', '*TaxRate', '*Amount')
  for await (const { entry, debit, credit, cents } of postingsOf(entries, books)) {
    const date = slashed(entry.countedOn, 'day-first')
    const line = (account: string, amount: string) =>
      row(
        `${entry.kind} ${entry.id}`,
        date,
        aboutOf(entry),
        codeOf(books, account),
        books.codes.get(account)?.taxKey ?? 'Tax Exempt',
        amount,
      )
    yield line(debit, decimal(cents)) + line(credit, `-${decimal(cents)}`)
  }
}

/** Journal entries as QuickBooks Online imports them. */
export async function* quickBooksJournal(
  entries: AsyncIterable<PeriodEntry>,
  books: Books,
): AsyncGenerator<string> {
  yield row('*JournalNo', '*JournalDate', '*AccountName', '*Debits', '*Credits', 'Description', 'Currency')
  for await (const { entry, debit, credit, cents } of postingsOf(entries, books)) {
    // A journal number has at most 21 characters.
    const number = entry.id.replaceAll('-', '').slice(0, 21)
    const date = slashed(entry.countedOn, 'month-first')
    const line = (account: string, debits: string, credits: string) =>
      row(number, date, codeOf(books, account), debits, credits, aboutOf(entry), books.currency)
    yield line(debit, decimal(cents), '') + line(credit, '', decimal(cents))
  }
}

/** A booking at a bank. */
interface BankBooking {
  /** `YYYY-MM-DD`, or a moment that begins with it. */
  on: string
  /** Negative: it left. */
  amount: bigint
  kind: string
  bank: { reference: string | null; text: string; party: { name: string | null } } | null
}

/** A bank statement as Xero imports it. */
export async function* xeroBank(bookings: AsyncIterable<BankBooking>): AsyncGenerator<string> {
  yield row('*Date', '*Amount', 'Payee', 'Description', 'Reference')
  for await (const { on, amount, kind, bank } of bookings)
    yield row(
      slashed(on.slice(0, 10), 'day-first'),
      formatAmount(amountOf(amount)),
      bank?.party.name ?? '',
      bank?.text ?? kind,
      bank?.reference ?? '',
    )
}

/** A bank statement of three columns, as QuickBooks Online imports it. */
export async function* quickBooksBank(bookings: AsyncIterable<BankBooking>): AsyncGenerator<string> {
  yield row('Date', 'Description', 'Amount')
  for await (const { on, amount, kind, bank } of bookings)
    yield row(
      slashed(on.slice(0, 10), 'month-first'),
      [bank?.party.name, bank?.text ?? kind, bank?.reference].filter(Boolean).join(' '),
      formatAmount(amountOf(amount)),
    )
}
