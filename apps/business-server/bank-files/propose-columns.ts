import type { CsvColumns, CsvProposal } from '@windlass/contracts/anchor/bank-files.ts'
import { decimalsOf, readNumber } from '@windlass/money/number-text.ts'
import { parse } from 'csv-parse/sync'
import { directionOf, wordOf } from './csv-amounts.ts'
import { isStateHead, usualState } from './csv-states.ts'
import { clean } from './statement.ts'

/** What is looked at: the first rows of a file show how all of it is written. */
const LOOKED_AT_BYTES = 512 * 1024
const LOOKED_AT_ROWS = 1_000
const MOST_WORDS = 50
const delimiters = [',', ';', '\t', '|'] as const
const signs = ['.', ','] as const

/** Usual names of columns, in capitals and without accents; the first that a file has is proposed. */
const names = {
  date: `BOOKING DATE, BOOKED, POSTED, POSTING DATE, COMPLETED DATE, BUCHUNGSTAG, BUCHUNGSDATUM, BUCHUNG, FECHA OPERACION,
    FECHA CONTABLE, FECHA, DATE COMPTABLE, DATE OPERATION, DATA CONTABILE, DATA, BOEKDATUM, DATUM, TXN DATE, TRAN DATE,
    TRANSACTION DATE, DATE, STARTED DATE, VALUE DATE, VALUTADATUM`,
  amount: `AMOUNT, TRANSACTION AMOUNT, BETRAG, UMSATZ, IMPORTE, MONTO, MONTANT, IMPORTO, VALOR, BEDRAG, KWOTA`,
  amountIn: `CREDIT, CREDIT AMOUNT, DEPOSIT, DEPOSITS, DEPOSIT AMT, MONEY IN, PAID IN, CR, HABEN, HABER, ABONO, ABONOS,
    INGRESOS, ENTRADAS, CREDITO, BIJ, AVERE, ACCREDITI, ENCAISSEMENT`,
  amountOut: `DEBIT, DEBIT AMOUNT, WITHDRAWAL, WITHDRAWALS, WITHDRAWAL AMT, MONEY OUT, PAID OUT, DR, SOLL, DEBE, CARGO,
    CARGOS, GASTOS, SALIDAS, SAIDAS, DEBITO, AF, DARE, ADDEBITI, DECAISSEMENT`,
  text: `DESCRIPTION, TEXT, NARRATION, PARTICULARS, DETAILS, REMARKS, MEMO, REFERENCE, LABEL, VERWENDUNGSZWECK,
    BUCHUNGSTEXT, CONCEPTO, DESCRIPCION, REFERENCIA, OBSERVACIONES, LIBELLE, COMMUNICATION, CAUSALE, DESCRIZIONE,
    OMSCHRIJVING, MEDEDELINGEN, DESCRICAO, HISTORICO, TYTUL`,
  currency: 'CURRENCY, CCY, WAHRUNG, MONEDA, DIVISA, DEVISE, VALUTA, MOEDA, WALUTA',
  balance: `BALANCE, BAL, CLOSING BALANCE, RUNNING BALANCE, SALDO, SALDO NACH BUCHUNG, KONTOSTAND, SOLDE, SALDO CONTABLE`,
} as const
const wordsOf = (name: keyof typeof names) => names[name].split(',').map(word => word.trim())

/** The rows below the head, by column. */
type Table = ReadonlyMap<string, readonly string[]>

/**
 * How a CSV file seems to be written. What it does not show is left out: a person says it, and sees the rows as they will
 * be read before they count.
 */
export function proposeColumns(bytes: Buffer, currency: string): CsvProposal {
  const { text, encoding } = textOf(bytes.subarray(0, LOOKED_AT_BYTES))
  const { delimiter, rows, skipLines } = shapeOf(text, bytes.length > LOOKED_AT_BYTES)
  const [head = [], ...body] = rows
  const heads = head.map(clean)
  const table = new Map(heads.map((name, at) => [name, body.map(row => clean(row[at] ?? ''))] as const))
  const amounts = amountColumnsOf(table, currency)
  const balance = named(table, 'balance', isNumberLike, currency)
  const date = named(table, 'date', isDateLike) ?? heads.find(name => every(table, name, isDateLike))
  const texts = wordsOf('text').flatMap(word => heads.filter(name => wordOf(name) === word))
  const numbers = [...Object.values(amounts), balance].flatMap(name => filled(table, name))
  return {
    heads: heads.filter(name => name !== ''),
    columns: dropUndefined({
      ...{ delimiter, skipLines, encoding, date, balance },
      ...{ decimal: decimalIn(numbers, currency), dateFormat: dateFormatIn(filled(table, date)) },
      ...amounts,
      amountOutSign: signOf(filled(table, amounts.amountOut)),
      direction:
        amounts.amount && heads.find(name => every(table, name, each => directionOf(each) !== undefined)),
      text: texts.length > 0 ? texts.slice(0, 10) : undefined,
      currency: named(table, 'currency', each => /^[A-Za-z]{3}$/.test(each)),
    }),
    states: statesIn(table),
  }
}

function textOf(bytes: Buffer): { text: string; encoding: CsvColumns['encoding'] } {
  try {
    // A character may be cut in two where the look ends.
    return {
      text: new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true }),
      encoding: 'utf-8',
    }
  } catch {
    return { text: new TextDecoder('iso-8859-1').decode(bytes), encoding: 'iso-8859-1' }
  }
}

/** The separator by which most rows have equally many cells, and these rows. The first of them is the head. */
function shapeOf(text: string, isCut: boolean) {
  const tried = delimiters.map(delimiter => {
    const records = recordsOf(text, delimiter).slice(0, isCut ? -1 : undefined)
    const widths = records.map(({ record }) => record.length)
    const width = mostFrequent(widths.filter(each => each > 1))
    const fitting = records.filter(({ record }) => record.length === width)
    return { delimiter, fitting, cells: fitting.length * (width - 1) }
  })
  const best = tried.reduce((one, other) => (other.cells > one.cells ? other : one))
  return {
    delimiter: best.cells === 0 ? undefined : best.delimiter,
    rows: best.fitting.map(({ record }) => record),
    skipLines: best.cells === 0 ? undefined : Math.min(50, (best.fitting[0]?.info.lines ?? 1) - 1),
  }
}

interface Parsed {
  record: string[]
  info: { lines: number }
}

const recordsOf = (text: string, delimiter: string): Parsed[] =>
  parse(text, {
    ...{ delimiter, bom: true, info: true, to: LOOKED_AT_ROWS },
    ...{
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      skip_records_with_error: true,
    },
  }) as unknown as Parsed[]

function mostFrequent(values: readonly number[]): number {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].reduce((one, other) => (other[1] > one[1] ? other : one), [1, 0])[0]
}

const filled = (table: Table, name: string | undefined): readonly string[] =>
  (name === undefined ? undefined : table.get(name))?.filter(each => each !== '') ?? []

const every = (table: Table, name: string, is: (text: string) => boolean): boolean => {
  const cells = filled(table, name)
  return cells.length > 0 && cells.every(is)
}

/**
 * The column with a usual name, whose cells are as they should be.
 *
 * @param currency that may stand behind the name: `Withdrawals (SGD)`
 */
function named(
  table: Table,
  kind: keyof typeof names,
  is: (text: string) => boolean,
  currency = '',
): string | undefined {
  const written = (word: string) => [word, `${word} ${currency}`, `${word} (${currency})`]
  return wordsOf(kind)
    .flatMap(word => [...table.keys()].filter(name => written(word).includes(wordOf(name))))
    .find(name => every(table, name, is))
}

function amountColumnsOf(
  table: Table,
  currency: string,
): Pick<CsvColumns, 'amount' | 'amountIn' | 'amountOut'> {
  const isOwn = (text: string) => text === '' || isNumberLike(text)
  const [amountIn, amountOut] = (['amountIn', 'amountOut'] as const).map(kind =>
    named(table, kind, isOwn, currency),
  )
  if (amountIn !== undefined && amountOut !== undefined) return { amountIn, amountOut }
  const amount = named(table, 'amount', isNumberLike, currency)
  return amount === undefined ? {} : { amount }
}

const isNumberLike = (text: string): boolean => /^[+\-−]?\s?\d[\d.,\s'’]*( ?[CD]R?\.?)?$/i.test(text)
const isDateLike = (text: string): boolean =>
  /^\d{1,4}[-/.](\d{1,2}|[A-Za-z]{3,9})[-/.]\d{2,4}(\D.*)?$/.test(text)

/** The one sign by which all numbers can be read. */
function decimalIn(numbers: readonly string[], currency: string): CsvColumns['decimal'] | undefined {
  const readings = signs.map(sign =>
    numbers.map(text => {
      const bare = text.replace(/^[+\-−]\s*/, '').replace(/ ?[CD]R?\.?$/i, '')
      const read = readNumber(bare, sign, decimalsOf(currency))
      return 'number' in read ? read.number : null
    }),
  )
  const whole = signs.filter((_, at) => readings[at]?.every(each => each !== null))
  return whole.length === 1 ? whole[0] : undefined
}

function dateFormatIn(dates: readonly string[]): CsvColumns['dateFormat'] | undefined {
  const parts = dates.map(text => text.split(/[\sT]/)[0]?.split(/[-/.]/) ?? [])
  if (parts.length === 0) return undefined
  if (parts.every(([first = '']) => first.length === 4)) return 'year-month-day'
  if (parts.some(([first, second = '']) => Number(first) > 12 || /[A-Za-z]/.test(second)))
    return 'day-month-year'
  return parts.some(([, second]) => Number(second) > 12) ? 'month-day-year' : undefined
}

function signOf(cells: readonly string[]): '+' | '-' | undefined {
  const isMinus = cells.filter(text => /[1-9]/.test(text)).map(text => /^[-−]/.test(text))
  if (isMinus.length === 0 || new Set(isMinus).size > 1) return undefined
  return isMinus[0] ? '-' : '+'
}

/** The column that seems to say whether a booking counts, with what its words usually mean. */
function statesIn(table: Table): CsvProposal['states'] {
  const heads = [...table.keys()]
  const isUsual = (text: string) => usualState(text) !== undefined
  const column = heads.find(isStateHead) ?? heads.find(name => every(table, name, isUsual))
  if (column === undefined) return null
  const words = [...new Set(table.get(column)?.slice())]
  if (words.length > MOST_WORDS) return null
  return { column, words: words.map(word => ({ word, usual: usualState(word) ?? null })) }
}

const dropUndefined = (columns: { [name in keyof CsvColumns]?: CsvColumns[name] | undefined }) =>
  Object.fromEntries(
    Object.entries(columns).filter(([, value]) => value !== undefined),
  ) as Partial<CsvColumns>
