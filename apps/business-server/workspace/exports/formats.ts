import type { EarnedRow, PeriodEntry } from '../../money/journal/periods.ts'

/** A cell that no spreadsheet computes: text that begins like a formula gets an apostrophe; numbers stay numbers. */
function cell(value: string): string {
  const isNumber = /^-?\d+(\.\d+)?$/.test(value)
  const safe = !isNumber && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
export const row = (...cells: readonly string[]): string => `${cells.map(cell).join(',')}\r\n`

const DAYS = ['booked_on', 'valued_on', 'counted_on']

export async function* journalCsv(entries: AsyncIterable<PeriodEntry>): AsyncGenerator<string> {
  yield row('at', 'entry', 'kind', 'transaction', 'account', 'unit', 'amount', ...DAYS)
  for await (const { at, id, kind, transactionId, lines, bookedOn, valuedOn, countedOn } of entries)
    for (const { account, unit, amount } of lines)
      yield row(at, id, kind, transactionId ?? '', account, unit, amount, bookedOn, valuedOn, countedOn)
}

export async function* journalJson(entries: AsyncIterable<PeriodEntry>): AsyncGenerator<string> {
  let before = '['
  for await (const entry of entries) {
    yield `${before}\n${JSON.stringify(entry)}`
    before = ','
  }
  yield before === '[' ? '[]\n' : '\n]\n'
}

export async function* feesCsv(
  rows: readonly EarnedRow[],
  codeOf: (unit: string) => string,
): AsyncGenerator<string> {
  yield row('day', 'rail', 'direction', 'transactions', 'fees', 'rounding', 'unit')
  for (const { day, rail, direction, transactions, unit, fees, rounding } of rows)
    yield row(day, rail, direction, String(transactions), fees, rounding, codeOf(unit))
}
