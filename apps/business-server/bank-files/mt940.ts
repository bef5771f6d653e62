import { clean, dayOf, positiveAmount, readText, StatementError, type Chunks } from './statement.ts'
import type { StatementItem, StatementLine } from './statement.ts'

const MAX_LINE = 2_000
const MAX_FIELD_LINES = 60

interface Field {
  tag: string
  lines: string[]
  /** Of the file, from 1. */
  number: number
}

/**
 * Reads SWIFT's MT940 as a stream, with or without its envelope.
 *
 * @throws {StatementError} also for a statement without a closing balance: half a file.
 */
export async function* readMt940(
  chunks: Chunks,
  encoding: 'utf-8' | 'latin1',
): AsyncGenerator<StatementItem> {
  let line: StatementLine | null = null
  let [currency, isOpen, hasStatement] = ['', false, false]
  const flush = function* (): Generator<StatementItem> {
    if (line) yield { kind: 'line', line }
    line = null
  }
  for await (const field of fieldsOf(chunks, encoding)) {
    const [first = ''] = field.lines
    const where = `Line ${field.number}`
    switch (field.tag) {
      case '25':
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
        yield { kind: 'balance', at: 'opening', amount, day, isBetween: field.tag === '60M' }
        break
      }
      case '61':
        yield* flush()
        if (!isOpen) throw new StatementError(`${where} has a booking before the opening balance (:60F:).`)
        line = bookingOf(field, currency, where)
        break
      case '86':
        if (line) describe(line, field.lines)
        break
      case '62F':
      case '62M': {
        yield* flush()
        if (!isOpen) throw new StatementError(`${where} has a closing balance without an opening one.`)
        isOpen = false
        const { amount, day } = balance(first, where)
        yield { kind: 'balance', at: 'closing', amount, day, isBetween: field.tag === '62M' }
        break
      }
      default:
    }
  }
  if (isOpen) throw new StatementError('The file ends before the closing balance (:62F:). It may be cut off.')
  if (!hasStatement) throw new StatementError('The file is not an MT940: it has no opening balance (:60F:).')
}

async function* fieldsOf(chunks: Chunks, encoding: 'utf-8' | 'latin1'): AsyncGenerator<Field> {
  let field: Field | null = null
  let number = 0
  for await (const text of linesOf(chunks, encoding)) {
    number += 1
    const begin = /^(?:\{[^:]*:[^}]*\})*(?:\{4:)?\s*:(\d{2}[A-Z]?):(.*)$/.exec(text)
    const isEnvelope = /^(\{.*|-\}?.*)$/.test(text)
    if (begin) {
      if (field) yield field
      field = { tag: begin[1] ?? '', lines: [begin[2] ?? ''], number }
    } else if (isEnvelope && (text.startsWith('{') || /^-(\}.*)?$/.test(text))) {
      if (field) yield field
      field = null
    } else if (field) {
      if (field.lines.push(text) > MAX_FIELD_LINES)
        throw new StatementError(`Line ${number} continues for too long.`)
    } else if (text.trim() !== '') {
      throw new StatementError(`Line ${number} belongs to no field. The file is not an MT940.`)
    }
  }
  if (field) yield field
}

async function* linesOf(chunks: Chunks, encoding: 'utf-8' | 'latin1'): AsyncGenerator<string> {
  let rest = ''
  for await (const text of readText(chunks, encoding)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE) throw new StatementError('The file has a line that is too long.')
    for (const line of lines) yield line.replace(/\r$/, '').replace(/^\uFEFF/, '')
  }
  if (rest) yield rest
}

function balance(text: string, where: string): { amount: string; currency: string; day: string } {
  const found = /^([CD])(\d\d)(\d\d)(\d\d)([A-Z]{3})(\d{1,12},\d{0,5})\s*$/.exec(text)
  if (!found) throw new StatementError(`${where} has no balance: “${text.slice(0, 40)}”.`)
  const [, sign, year = '', month = '', date = '', currency = '', amount = ''] = found
  const day = dayOf(`20${year}`, month, date, where)
  return { amount: `${sign === 'D' ? '-' : ''}${decimal(amount)}`, currency, day }
}

/** `12,` and `12,50` as `12` and `12.50`. */
const decimal = (amount: string): string => amount.replace(',', '.').replace(/\.$/, '')

/** `:61:` date, booking day, mark, amount, type, customer's and bank's reference; further details below it. */
const BOOKING =
  /^(\d\d)(\d\d)(\d\d)(?:(\d\d)(\d\d))?(R?[CD])[A-Z]?(\d{1,12},\d{0,5})[NFS][A-Z0-9]{3}(.*?)(?:\/\/(.*))?$/

function bookingOf({ lines }: Field, currency: string, where: string): StatementLine {
  const [first = '', ...more] = lines
  const found = BOOKING.exec(first.trimEnd())
  if (!found) throw new StatementError(`${where} has no booking: “${first.slice(0, 60)}”.`)
  const [, year = '', month = '', day = '', bookMonth, bookDay, mark, amount = '', own = '', bank] = found
  const reference = clean(bank ?? '')
  return {
    bookedOn: bookingDay(`20${year}`, month, day, bookMonth, bookDay, where),
    direction: mark === 'C' || mark === 'RD' ? 'in' : 'out',
    amount: positiveAmount(decimal(amount), where),
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
  const value = dayOf(year, month, day, where)
  if (!bookMonth || !bookDay) return value
  const shift = Number(bookMonth) - Number(month)
  const turn = shift > 6 ? -1 : shift < -6 ? 1 : 0
  return dayOf(String(Number(year) + turn), bookMonth, bookDay, where)
}

/** Fills in what `:86:` says: German subfields (`?20` …), SWIFT's slashed words (`/NAME/`), or plain text. */
function describe(line: StatementLine, lines: readonly string[]): void {
  const joined = lines.join('')
  const subfields = new Map(
    [...joined.matchAll(/\?(\d\d)([^?]*)/g)].map(([, code = '', text = '']) => [code, text]),
  )
  if (/^\d{3}\?/.test(joined) && subfields.size > 0) {
    const part = (...codes: string[]) => codes.map(code => subfields.get(code) ?? '').join('')
    const remittance = part(
      '20',
      '21',
      '22',
      '23',
      '24',
      '25',
      '26',
      '27',
      '28',
      '29',
      '60',
      '61',
      '62',
      '63',
    )
    line.text = clean(`${line.text} ${remittance}`)
    line.party = {
      name: clean(part('32', '33')) || null,
      account: clean(part('31')) || null,
      bank: clean(part('30')) || null,
    }
    if (/RETURN|RETOURE|RUECK|RÜCK/i.test(part('00'))) line.returnReason = clean(part('00'))
    return
  }
  const word = (name: string) => clean(new RegExp(`/${name}/([^/]*)`).exec(joined)?.[1] ?? '') || null
  line.text = clean(`${line.text} ${lines.join(' ')}`)
  line.party = { name: word('NAME'), account: word('IBAN'), bank: word('BIC') }
  line.returnReason = word('RTRN')
}
