import type { CsvColumns } from '@windlass/contracts/bank-files.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import { CsvError, parse } from 'csv-parse'
import { clean, dayOf, positiveAmount, readText, StatementError, type Chunks } from './statement.ts'
import type { StatementItem, StatementLine } from './statement.ts'

const MAX_ROW = 20_000
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/**
 * Reads a bank's CSV by the columns that were saved for it, as a stream. Every row has as many cells as the head.
 *
 * @throws {StatementError}
 */
export async function* readCsv(
  chunks: Chunks,
  columns: CsvColumns,
  currency: string,
): AsyncGenerator<StatementItem> {
  const parser = parse({
    delimiter: columns.delimiter,
    bom: true,
    from_line: columns.skipLines + 1,
    max_record_size: MAX_ROW,
    skip_empty_lines: true,
  })
  const encoding = columns.encoding === 'iso-8859-1' ? 'latin1' : 'utf-8'
  const feeding = feed(parser, readText(chunks, encoding))
  let head: Map<string, number> | null = null
  let number = columns.skipLines
  let account: string | null = null
  const balances = createBalances(columns)
  try {
    for await (const row of parser as AsyncIterable<string[]>) {
      number += 1
      const where = `Row ${number}`
      if (!head) {
        head = headOf(row, columns)
        continue
      }
      const cell = (name: string | undefined) =>
        name === undefined ? '' : clean(row[head?.get(name) ?? -1] ?? '')
      if (row.every(each => each.trim() === '')) continue
      const owner = columns.account === undefined ? null : cell(columns.account)
      if (owner !== null && owner !== account) {
        account = owner
        balances.forget()
        yield { kind: 'account', account: owner, currency: null }
      }
      const line = lineOf(cell, columns, currency, where)
      balances.check(line, cell(columns.balance), where)
      yield { kind: 'line', line }
    }
  } catch (error) {
    if (error instanceof StatementError) throw error
    if (error instanceof CsvError)
      throw new StatementError(`The file is not complete CSV: ${error.message.slice(0, 200)}`)
    throw error
  } finally {
    parser.destroy()
    await feeding
  }
  if (!head) throw new StatementError('The file has no rows.')
}

/** Writes the text, with as much in memory as the parser wants; what goes wrong ends the parser. */
async function feed(parser: ReturnType<typeof parse>, texts: AsyncIterable<string>): Promise<void> {
  try {
    for await (const text of texts) {
      if (parser.destroyed) return
      if (!parser.write(text))
        await new Promise<void>(resolve => void parser.once('drain', resolve).once('close', resolve))
    }
    parser.end()
  } catch (error) {
    parser.destroy(error as Error)
  }
}

function headOf(row: readonly string[], columns: CsvColumns): Map<string, number> {
  const head = new Map(row.map((name, index) => [clean(name), index]))
  const named = [columns.date, columns.amount, columns.amountIn, columns.amountOut, columns.direction]
  const more = [columns.bankReference, columns.partyName, columns.partyAccount, columns.partyBank]
  for (const name of [
    ...named,
    ...more,
    columns.currency,
    columns.account,
    columns.balance,
    ...columns.text,
  ]) {
    if (name !== undefined && !head.has(name))
      throw new StatementError(
        `The file has no column “${name}”. It has: ${[...head.keys()].join(', ').slice(0, 300)}.`,
      )
  }
  return head
}

function lineOf(
  cell: (name: string | undefined) => string,
  columns: CsvColumns,
  currency: string,
  where: string,
): StatementLine {
  const bankReference = cell(columns.bankReference) || null
  const text = clean([...columns.text.map(cell), bankReference ?? ''].join(' '))
  return {
    bookedOn: dateOf(cell(columns.date), columns.dateFormat, where),
    ...amountOf(cell, columns, where),
    currency: columns.currency === undefined ? currency : cell(columns.currency).toUpperCase(),
    bankReference,
    text,
    party: {
      name: cell(columns.partyName) || null,
      account: cell(columns.partyAccount) || null,
      bank: cell(columns.partyBank) || null,
    },
    returnReason: null,
  }
}

function amountOf(
  cell: (name: string | undefined) => string,
  columns: CsvColumns,
  where: string,
): Pick<StatementLine, 'direction' | 'amount'> {
  const number = (text: string) => plainNumber(text, columns.decimal)
  if (columns.amount === undefined) {
    const [credit, debit] = [
      number(cell(columns.amountIn)),
      number(cell(columns.amountOut)).replace(/^-/, ''),
    ]
    const [hasCredit, hasDebit] = [/[1-9]/.test(credit), /[1-9]/.test(debit)]
    if (hasCredit === hasDebit) throw new StatementError(`${where} needs either money in or money out.`)
    const direction = hasCredit ? 'in' : 'out'
    return { direction, amount: positiveAmount(hasCredit ? credit : debit, where) }
  }
  const signed = number(cell(columns.amount))
  const amount = positiveAmount(signed.replace(/^[+-]/, ''), where)
  if (columns.direction === undefined) return { direction: signed.startsWith('-') ? 'out' : 'in', amount }
  const mark = cell(columns.direction).toUpperCase()
  if (!/^[CD]/.test(mark))
    throw new StatementError(`${where} is neither a credit nor a debit: “${mark.slice(0, 20)}”.`)
  return { direction: mark.startsWith('C') ? 'in' : 'out', amount }
}

/**
 * Refuses rows that do not lead from one balance to the next: of half a file, of one in which a row is missing, or whose
 * last amount is cut off. Banks begin with the oldest row or with the newest one; a row may have no balance.
 */
function createBalances(columns: CsvColumns) {
  let last: bigint | null = null
  // What was booked since that row, without it and with it.
  let [after, withIt] = [0n, 0n]
  let [isOldestFirst, isNewestFirst] = [true, true]
  return {
    forget: () => {
      last = null
      ;[isOldestFirst, isNewestFirst] = [true, true]
    },
    check: ({ direction, amount }: StatementLine, text: string, where: string) => {
      if (columns.balance === undefined) return
      const booked = direction === 'in' ? parseAmount(amount) : -parseAmount(amount)
      after += booked
      if (text !== '') {
        const balance = balanceOf(text, columns, where)
        if (last !== null) {
          isOldestFirst &&= last + after === balance
          isNewestFirst &&= last - withIt === balance
          if (!isOldestFirst && !isNewestFirst)
            throw new StatementError(
              `${where} has the balance ${text.slice(0, 40)}, which does not follow from the rows before it. Part of the file may be lost.`,
            )
        }
        ;[last, after, withIt] = [balance, 0n, 0n]
      }
      withIt += booked
    },
  }
}

/** Signed, or with `Cr` or `Dr` behind it. */
function balanceOf(text: string, columns: CsvColumns, where: string): bigint {
  const [, number = '', mark = ''] = /^(.*?)\s*([CD]R?\.?)?$/i.exec(text) ?? []
  const plain = plainNumber(number, columns.decimal)
  if (!/^[+-]?\d{1,12}(\.\d{1,7})?$/.test(plain))
    throw new StatementError(`${where} has no balance: “${text.slice(0, 40)}”.`)
  const size = parseAmount(plain.replace(/^[+-]/, ''))
  return plain.startsWith('-') || /^D/i.test(mark) ? -size : size
}

/** `1.234,56` or `1,234.56` as `1234.56`. */
function plainNumber(text: string, decimal: '.' | ','): string {
  const bare = text.replaceAll(/[\s'’]/g, '').replaceAll(decimal === ',' ? '.' : ',', '')
  return decimal === ',' ? bare.replace(',', '.') : bare
}

function dateOf(text: string, format: CsvColumns['dateFormat'], where: string): string {
  const [first = '', second = '', third = ''] = text.split(/[\s T]/)[0]?.split(/[-/.]/) ?? []
  if (format === 'year-month-day') return dayOf(first, two(second), two(third), where)
  const year = third.length === 2 ? `20${third}` : third
  if (format === 'month-day-year') return dayOf(year, two(first), two(second), where)
  const named = months.indexOf(second.slice(0, 3).toLowerCase())
  return dayOf(year, named < 0 ? two(second) : two(String(named + 1)), two(first), where)
}

const two = (text: string): string => text.padStart(2, '0')
