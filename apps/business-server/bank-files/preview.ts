import {
  MAX_STATEMENT_BYTES,
  type CsvColumns,
  type CsvPreview,
} from '@windlass/contracts/anchor/bank-files.ts'
import { AmountError, amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Deps } from '../deps.ts'
import type { Rail } from '../rails/rail.ts'
import { readCsv } from './csv.ts'
import { proposeColumns } from './propose-columns.ts'
import { chunksOf, partsOf } from './read-statement.ts'
import { StatementError, type StatementLine } from './statement.ts'
import { currentColumns } from './statements.ts'

type Reading = NonNullable<CsvPreview['reading']>
const SHOWN_LINES = 10

/**
 * Reads a CSV statement as an upload would, and records nothing: its first lines and sums, or why it is refused. What its
 * columns seem to be is proposed.
 *
 * @param given by default the columns that were saved; without any, only the proposal is made
 * @throws {Problem} `not-found` for a rail without bank files, `statement-refused` for no file or one that is too long.
 */
export async function previewCsv(
  deps: Deps,
  name: string,
  bytes: Buffer,
  given: CsvColumns | undefined,
): Promise<CsvPreview> {
  const rail = deps.rails.get(name)
  if (!rail?.bankAccount) throw new Problem('not-found', 'There is no rail with bank files of this name.')
  if (bytes.length === 0) throw new Problem('statement-refused', 'The file is empty.')
  if (bytes.length > MAX_STATEMENT_BYTES)
    throw new Problem('statement-refused', `The file has more than ${MAX_STATEMENT_BYTES} bytes.`)
  const columns = given ?? (await currentColumns(deps.database.db, rail.name))
  return {
    proposal: proposeColumns(bytes, rail.currency),
    reading: columns && (await readingOf(rail, columns, bytes)),
  }
}

async function readingOf(rail: Rail, columns: CsvColumns, bytes: Buffer): Promise<Reading> {
  const found = { lines: 0, notBooked: 0, first: [] as Reading['first'] }
  const sums = { in: 0n, out: 0n }
  const form = (refused: string | null): Reading => ({
    ...{ ...found, currency: rail.currency, refused },
    sums: { in: formatAmount(amountOf(sums.in)), out: formatAmount(amountOf(sums.out)) },
  })
  try {
    for await (const part of partsOf(readCsv(chunksOf(bytes), columns, rail.currency), rail)) {
      found.lines += part.lines.length
      found.notBooked += part.notBooked
      for (const { line } of part.lines) {
        sums[line.direction] += parseAmount(line.amount)
        if (found.first.length < SHOWN_LINES) found.first.push(shownLine(line))
      }
    }
    return form(null)
  } catch (error) {
    if (error instanceof StatementError) return form(error.message)
    if (error instanceof AmountError) return form(`An amount or balance of the file ${error.message}.`)
    throw error
  }
}

const shownLine = ({
  bookedOn,
  direction,
  amount,
  text,
  party,
}: StatementLine): Reading['first'][number] => ({
  ...{ bookedOn, direction, text, party: party.name },
  amount: formatAmount(parseAmount(amount)),
})
