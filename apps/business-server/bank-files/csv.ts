import type { CsvColumns } from '@windlass/contracts/anchor/bank-files.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import { CsvError, parse } from 'csv-parse'
import { balanceIn, createAmounts, type Cell } from './csv-amounts.ts'
import { dateOf, hasNoDay } from './csv-dates.ts'
import { createStates } from './csv-states.ts'
import { readText } from './file-content.ts'
import { clean, StatementError, type Chunks, type StatementItem, type StatementLine } from './statement.ts'

const MAX_ROW = 20_000

/**
 * Reads a bank's CSV by the columns that were saved for it, as a stream. Every booking has as many cells as the head; behind
 * the last one may stand rows without a day, such as sums.
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
    relax_column_count: true,
    relax_quotes: true,
  })
  const feeding = feed(parser, readText(chunks, columns.encoding))
  let head: Map<string, number> | null = null
  let stateOf: ReturnType<typeof createStates> | null = null
  let number = columns.skipLines
  let account: string | null = null
  let [width, hasBooking] = [0, false]
  const footers: StatementItem[] = []
  const balances = createBalances(columns, currency)
  const amounts = createAmounts(columns, currency)
  try {
    for await (const row of parser as AsyncIterable<string[]>) {
      number += 1
      const where = `Row ${number}`
      if (!head || !stateOf) {
        head = headOf(row, columns)
        width = row.length
        stateOf = createStates(columns, [...head.keys()])
        continue
      }
      const cell: Cell = name => (name === undefined ? '' : clean(row[head?.get(name) ?? -1] ?? ''))
      if (row.every(each => each.trim() === '')) continue
      if (hasNoDay(cell(columns.date))) {
        // Without money it is a heading, wherever it stands; with money, a sum behind the bookings.
        const isMoney = [columns.amount, columns.amountIn, columns.amountOut].some(each => cell(each) !== '')
        if (isMoney) footers.push({ kind: 'footer', text: `${where}: ${clean(row.join(' ')).slice(0, 100)}` })
        continue
      }
      if (footers.length > 0) throw new StatementError(`${where} follows rows that have no date.`)
      requireWidth(row, width, where)
      hasBooking = true
      const state = stateOf(cell, where)
      if (state !== 'booked') {
        yield { kind: 'no-money', state }
        continue
      }
      const owner = columns.account === undefined ? null : cell(columns.account)
      if (owner !== null && owner !== account) {
        account = owner
        balances.forget()
        yield { kind: 'account', account: owner, currency: null }
      }
      const line = lineOf(cell, columns, currency, amounts(cell, where), where)
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
  if (!hasBooking && footers.length > 0)
    throw new StatementError(`No row of the file has a date in the column “${columns.date}”.`)
  yield* footers
}

/** Rows may end with more delimiters than the head, but with no more cells, nor less. */
function requireWidth(row: readonly string[], width: number, where: string): void {
  if (row.length >= width && row.slice(width).every(each => each.trim() === '')) return
  throw new StatementError(
    `The file is not complete CSV: ${where} has ${row.length} cells, and the head has ${width}.`,
  )
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
    columns.state?.column,
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
  cell: Cell,
  columns: CsvColumns,
  currency: string,
  amount: Pick<StatementLine, 'direction' | 'amount'>,
  where: string,
): StatementLine {
  const bankReference = cell(columns.bankReference) || null
  const text = clean([...columns.text.map(cell), bankReference ?? ''].join(' '))
  return {
    bookedOn: dateOf(cell(columns.date), columns.dateFormat, where),
    ...amount,
    currency: columns.currency === undefined ? currency : cell(columns.currency).toUpperCase(),
    bankReference,
    text,
    party: {
      name: cell(columns.partyName) || null,
      account: cell(columns.partyAccount) || null,
      bank: cell(columns.partyBank) || null,
    },
    returnReason: null,
    booking: null,
  }
}

/**
 * Refuses rows that do not lead from one balance to the next: of half a file, of one in which a row is missing, or whose
 * last amount is cut off. Banks begin with the oldest row or with the newest one; a row may have no balance.
 */
function createBalances(columns: CsvColumns, currency: string) {
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
        const balance = balanceIn(text, columns, currency, where)
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
