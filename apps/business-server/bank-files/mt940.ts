import { readText, type Encoding } from './file-content.ts'
import { detailsOf } from './mt940-details.ts'
import {
  amountOf,
  bookedAmount,
  clean,
  dayOf,
  StatementError,
  valueDayOf,
  type Chunks,
  type StatementItem,
  type StatementLine,
} from './statement.ts'

const MAX_LINE = 2_000
const MAX_FIELD_LINES = 60

interface Field {
  tag: string
  lines: string[]
  /** The line in the file, from 1. */
  number: number
}

/**
 * Reads SWIFT's MT940 as a stream, with or without its envelope.
 *
 * @throws {StatementError} also for a statement without a closing balance: half a file.
 */
export async function* readMt940(chunks: Chunks, encoding: Encoding): AsyncGenerator<StatementItem> {
  let booking: { line: StatementLine; details: string[] } | null = null
  let [currency, isOpen, hasStatement] = ['', false, false]
  const flush = function* (): Generator<StatementItem> {
    if (booking) yield { kind: 'line', line: describe(booking) }
    booking = null
  }
  for await (const field of fieldsOf(chunks, encoding)) {
    const [first = ''] = field.lines
    const where = `Line ${field.number}`
    switch (field.tag) {
      case '25':
      case '25P':
        if (isOpen) throw new StatementError(`${where} begins an account before the closing balance (:62F:).`)
        yield { kind: 'account', account: first.trim().slice(0, 60), currency: null }
        break
      case '28':
      case '28C': {
        const [number = '', page = ''] = first.trim().split('/')
        yield { kind: 'name', number: number.slice(0, 40), page: page.slice(0, 40) || null }
        break
      }
      case '60F':
      case '60M': {
        const opening = balance(first, where)
        if (isOpen)
          throw new StatementError(`${where} begins a statement before the closing balance (:62F:).`)
        ;[currency, isOpen, hasStatement] = [opening.currency, true, true]
        yield { kind: 'account', account: null, currency }
        const { amount, day } = opening
        yield { kind: 'balance', at: 'opening', amount, ...(day && { day }), isBetween: field.tag === '60M' }
        break
      }
      case '61': {
        yield* flush()
        if (!isOpen) throw new StatementError(`${where} has a booking before the opening balance (:60F:).`)
        const read = bookingOf(field, currency, where)
        if (read instanceof StatementError) yield { kind: 'unread', error: read }
        // A notice of the bank moves nothing.
        else if (read.amount !== '0') booking = { line: read, details: [] }
        break
      }
      case '86':
        booking?.details.push(...field.lines)
        break
      case '62F':
      case '62M': {
        yield* flush()
        if (!isOpen) throw new StatementError(`${where} has a closing balance without an opening one.`)
        isOpen = false
        const { amount, day } = balance(first, where)
        yield { kind: 'balance', at: 'closing', amount, ...(day && { day }), isBetween: field.tag === '62M' }
        break
      }
      default:
    }
  }
  if (isOpen) throw new StatementError('The file ends before the closing balance (:62F:). It may be cut off.')
  if (!hasStatement) throw new StatementError('The file is not an MT940: it has no opening balance (:60F:).')
}

/** Fields between two balances: a line that begins with another number is text, such as a time that was wrapped. */
const inside = /^(61|86|60[FM]|62[FM]|28C|NS)$/

async function* fieldsOf(chunks: Chunks, encoding: Encoding): AsyncGenerator<Field> {
  let field: Field | null = null
  let [number, isOpen] = [0, false]
  for await (const text of linesOf(chunks, encoding)) {
    number += 1
    const [, tag = '', rest = ''] =
      /^(?:\{[^:]*:[^}]*\})*(?:\{4:)?\s*:(\d{2}[A-Z]?|NS):(.*)$/.exec(text) ?? []
    if (tag !== '' && (!isOpen || inside.test(tag))) {
      if (field) yield field
      field = { tag, lines: [rest], number }
      if (tag.startsWith('60')) isOpen = true
      if (tag.startsWith('62')) isOpen = false
    } else if (/^(\{.*|-(\}.*)?)$/.test(text)) {
      if (field) yield field
      field = null
    } else if (field && field.lines.push(text) > MAX_FIELD_LINES)
      throw new StatementError(`Line ${number} continues for too long.`)
    // What stands before a statement is its envelope.
    else if (!field && isOpen && text.trim() !== '')
      throw new StatementError(`Line ${number} belongs to no field. The file may be damaged.`)
  }
  if (field) yield field
}

async function* linesOf(chunks: Chunks, encoding: Encoding): AsyncGenerator<string> {
  let rest = ''
  for await (const text of readText(chunks, encoding)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE) throw new StatementError('The file has a line that is too long.')
    for (const line of lines) yield line.replace(/\r$/, '').replace(/^\uFEFF/, '')
  }
  if (rest) yield rest
}

/** With a comma, perhaps without decimals; a point is read only before two. */
const AMOUNT = String.raw`(\d{1,18}(?:,\d{0,5}|\.\d\d)?)(?![\d.,])`
const BALANCE = new RegExp(String.raw`^([CD])(\d\d)(\d\d)(\d\d)([A-Z]{3})\s*${AMOUNT}\s*$`)

function balance(text: string, where: string): { amount: string; currency: string; day: string | null } {
  const found = BALANCE.exec(text)
  if (!found) throw new StatementError(`${where} has no balance: “${text.slice(0, 40)}”.`)
  const [, sign, year = '', month = '', date = '', currency = '', amount = ''] = found
  // A new account has no day of its opening balance.
  const day = `${year}${month}${date}` === '000000' ? null : valueDayOf(`20${year}`, month, date, where)
  return { amount: `${sign === 'D' ? '-' : ''}${decimal(amount, where)}`, currency, day }
}

const decimal = (amount: string, where: string): string => amountOf(amount.replace(',', '.'), where)

/** `:61:` date, booking day, mark, amount, type, customer's and bank's reference; further details below it. */
const BOOKING = new RegExp(
  String.raw`^(\d\d)(\d\d)(\d\d)(?:(\d\d)(\d\d))?\s*(R?[CD])\s*[A-Z]?\s*${AMOUNT}(?:(?!NONREF)[NFS][A-Z0-9 ]{3})?(.*?)(?:\/\/(.*))?$`,
)

function bookingOf({ lines }: Field, currency: string, where: string): StatementLine | StatementError {
  const [first = '', ...more] = lines
  const found = BOOKING.exec(first.trimEnd())
  if (!found) return new StatementError(`${where} has no booking: “${first.slice(0, 60)}”.`)
  const [, year = '', month = '', day = '', bookMonth, bookDay, mark, amount = '', own = '', bank] = found
  const reference = clean(bank ?? '')
  return {
    bookedOn: bookingDay(`20${year}`, month, day, bookMonth, bookDay, where),
    valuedOn: valueDayOf(`20${year}`, month, day, where),
    direction: mark === 'C' || mark === 'RD' ? 'in' : 'out',
    amount: bookedAmount(amount.replace(',', '.'), currency, where),
    currency,
    bankReference: reference === '' || reference === 'NONREF' ? null : reference,
    text: clean([own === 'NONREF' ? '' : own, ...more].join(' ')),
    party: { name: null, account: null, bank: null },
    returnReason: null,
    booking: null,
  }
}

/** The booking day's year is the value date's, or the one beside it at the turn of a year. */
function bookingDay(
  year: string,
  month: string,
  day: string,
  bookMonth: string | undefined,
  bookDay: string | undefined,
  where: string,
): string {
  const value = valueDayOf(year, month, day, where)
  if (!bookMonth || !bookDay || `${bookMonth}${bookDay}` === '0000') return value
  const shift = Number(bookMonth) - Number(month)
  const turn = shift > 6 ? -1 : shift < -6 ? 1 : 0
  return dayOf(String(Number(year) + turn), bookMonth, bookDay, where)
}

function describe({ line, details }: { line: StatementLine; details: readonly string[] }): StatementLine {
  const { text, ...more } = detailsOf(details, line.direction)
  return { ...line, ...more, text: clean(`${line.text} ${text}`) }
}
