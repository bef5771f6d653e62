import type { CsvColumns } from '@windlass/contracts/anchor/bank-files.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import { decimalsOf, readNumber, type DecimalSign } from '@windlass/money/number-text.ts'
import { clean, positiveAmount, StatementError, type StatementLine } from './statement.ts'

export type Cell = (name: string | undefined) => string

/** Words of a bank for money that came and money that went, as they are compared: in capitals, without accents. */
const words = {
  in: 'C CR CRED CREDIT CREDITO CRDT H HABEN HABER ABONO BIJ AV AVERE ENTRADA EINGANG INGRESO IN',
  out: 'D DR DB DEB DEBIT DEBITO DBIT S SOLL DEBE CARGO AF DARE SAIDA AUSGANG GASTO OUT',
}
const directions = new Map(
  (['in', 'out'] as const).flatMap(way => words[way].split(' ').map(word => [word, way] as const)),
)

/** What `CR`, `Soll` or `Cargo` says; undefined: no known word. */
export const directionOf = (text: string): 'in' | 'out' | undefined => directions.get(wordOf(text))

/** A word as it is compared. */
export const wordOf = (text: string): string =>
  clean(text).normalize('NFKD').replaceAll(/\p{M}/gu, '').toUpperCase().replace(/\.$/, '')

/**
 * A signed number as a decimal string. Only what can be read in one way is: see {@link readNumber}. Its sign stands before
 * or behind it, or is brackets or a word (`5,00 Dr`); with it may stand the currency.
 *
 * @throws {StatementError} naming the row.
 */
export function numberIn(text: string, decimal: DecimalSign, currency: string, where: string): string {
  const named = `${where}: “${text.slice(0, 40)}”`
  const { signs, bare } = withoutSigns(text, currency)
  const read = readNumber(bare, decimal, decimalsOf(currency))
  if ('number' in read && new Set(signs).size <= 1) return `${signs[0] ?? ''}${read.number}`
  if ('number' in read) throw new StatementError(`${named} has signs or words that disagree.`)
  const configured = `The columns of this CSV say that the decimal sign is “${decimal}”`
  if (read.fault === 'too-many-decimals')
    throw new StatementError(
      `${named} must have at most ${decimalsOf(currency)} decimals, as ${currency} has. ${configured}.`,
    )
  if (read.fault === 'two-ways')
    throw new StatementError(
      `${named} may be thousands or decimals. ${configured}, and ${currency} has no three.`,
    )
  throw new StatementError(`${named} is no number. ${configured}; digits before it are in groups of three.`)
}

/** The number alone, and the signs around it. What is known of neither stays with the number. */
function withoutSigns(text: string, currency: string): { signs: string[]; bare: string } {
  const [, before = '', number = '', after = ''] =
    /^(\D*?)([.,]?\d(?:.*\d)?[.,]?)(\D*)$/s.exec(text.trim()) ?? []
  const hasBrackets = before.includes('(') && after.includes(')')
  const around = `${before.replace('(', ' ')} ${after.replace(')', ' ')}`
  const marks = around.split(/([+\-−])|\s+/).filter(mark => mark !== undefined && mark !== '')
  const signs = marks.map(mark => signOf(mark, currency))
  if (hasBrackets) signs.push('-')
  const isKnown = number !== '' && before.includes('(') === after.includes(')') && !signs.includes(undefined)
  if (!isKnown) return { signs: [], bare: text }
  return { signs: signs.filter(sign => sign === '+' || sign === '-'), bare: number.replace(/^(?=[.,])/, '0') }
}

/** `''`: the currency, which says nothing of the sign. Undefined: it is not known. */
function signOf(mark: string, currency: string): '+' | '-' | '' | undefined {
  if (mark === '-' || mark === '−') return '-'
  if (mark === '+') return '+'
  if (mark.toUpperCase() === currency || mark === symbolOf(currency)) return ''
  const way = directionOf(mark)
  return way && (way === 'in' ? '+' : '-')
}

const symbolOf = (currency: string): string | undefined =>
  new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })
    .formatToParts(0)
    .find(({ type }) => type === 'currency')?.value

/** What a row says of its amount. Signs, columns and words must agree: a row in which they do not is refused. */
export function createAmounts(columns: CsvColumns, currency: string) {
  const number = (text: string, where: string) => numberIn(text, columns.decimal, currency, where)
  const readColumns = createColumnsReader(columns, number)
  return (cell: Cell, where: string): Pick<StatementLine, 'direction' | 'amount'> => {
    if (columns.amount === undefined) return readColumns(cell, where)
    const signed = number(cell(columns.amount), where)
    const amount = positiveAmount(bare(signed), where)
    if (columns.direction === undefined) return { direction: signed.startsWith('-') ? 'out' : 'in', amount }
    const mark = cell(columns.direction)
    const direction = directionOf(mark)
    if (!direction)
      throw new StatementError(`${where} is neither a credit nor a debit: “${mark.slice(0, 20)}”.`)
    if (/^[+-]/.test(signed) && signed.startsWith('-') !== (direction === 'out'))
      throw new StatementError(
        `${where} has the amount ${signed} and the word “${mark.slice(0, 20)}”, which disagree.`,
      )
    return { direction, amount }
  }
}

/** Money in and money out in a column each. Some banks write debits with a minus, and then all of them. */
function createColumnsReader(columns: CsvColumns, number: (text: string, where: string) => string) {
  let minus = columns.amountOutSign === undefined ? null : columns.amountOutSign === '-'
  return (cell: Cell, where: string): Pick<StatementLine, 'direction' | 'amount'> => {
    const [credit, debit] = [columns.amountIn, columns.amountOut].map(name => {
      const text = cell(name)
      return text === '' ? '0' : number(text, where)
    }) as [string, string]
    const [hasCredit, hasDebit] = [/[1-9]/.test(credit), /[1-9]/.test(debit)]
    if (hasCredit === hasDebit) throw new StatementError(`${where} needs either money in or money out.`)
    if (hasCredit) {
      if (credit.startsWith('-'))
        throw new StatementError(`${where} has ${credit} as money in: it may be money out, or a correction.`)
      return { direction: 'in', amount: positiveAmount(bare(credit), where) }
    }
    const isMinus = debit.startsWith('-')
    minus ??= isMinus
    if (isMinus !== minus)
      throw new StatementError(
        `${where} has ${debit} as money out, and ${columns.amountOutSign === undefined ? 'rows before it' : 'the columns of this CSV'} have ${minus ? 'a minus' : 'no minus'} there: it may be a correction.`,
      )
    return { direction: 'out', amount: positiveAmount(bare(debit), where) }
  }
}

const bare = (signed: string): string => signed.replace(/^[+-]/, '')

/** @throws {StatementError} where there is no balance that can be read. */
export function balanceIn(text: string, columns: CsvColumns, currency: string, where: string): bigint {
  if (!/\d/.test(text)) throw new StatementError(`${where} has no balance: “${text.slice(0, 40)}”.`)
  const number = numberIn(text, columns.decimal, currency, where)
  const size = parseAmount(bare(number))
  return number.startsWith('-') ? -size : size
}
