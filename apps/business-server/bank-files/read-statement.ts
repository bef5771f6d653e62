import { MAX_STATEMENT_BYTES, type StatementFormat } from '@windlass/contracts/bank-files.ts'
import { AmountError, amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/database.ts'
import { Problem } from '@windlass/service/problem.ts'
import { createHash } from 'node:crypto'
import type { Deps } from '../deps.ts'
import type { Rail } from '../rails/rail.ts'
import type { BankStatementRow, Tables } from '../tables.ts'
import { accountsOf, isOwnAccount } from './accounts.ts'
import { readCamt } from './camt.ts'
import { readCsv } from './csv.ts'
import { codesIn, createIdentities } from './identity.ts'
import { readMt940 } from './mt940.ts'
import { StatementError, type Chunks, type StatementItem, type StatementLine } from './statement.ts'
import {
  addLines,
  addStatement,
  closeStatement,
  currentColumns,
  lockAccount,
  type NewLine,
  sealLine,
} from './store.ts'

interface StatementFile {
  rail: string
  fileName: string
  /** By default found from the content. */
  format?: StatementFormat | undefined
  /** `operator:<id>`, `key:<id>` or `folder` */
  by: string
  bytes: Buffer
}

const CHUNK = 64 * 1024
const ROWS = 500
/** More lines than a bank writes in a year. */
const MAX_LINES = 200_000

/**
 * Reads a statement and records the lines that no earlier file had, in one transaction. What they are for is found
 * afterwards (`match.ts`).
 *
 * @throws {Problem} `not-found` for a rail without bank files, `statement-refused`, `statement-already-read`.
 */
export async function readStatement(deps: Deps, file: StatementFile): Promise<BankStatementRow> {
  const rail = deps.rails.get(file.rail)
  if (!rail?.bankAccount) throw new Problem('not-found', 'There is no rail with bank files of this name.')
  if (file.bytes.length === 0) throw new Problem('statement-refused', 'The file is empty.')
  if (file.bytes.length > MAX_STATEMENT_BYTES)
    throw new Problem(
      'statement-refused',
      `The file has more than ${MAX_STATEMENT_BYTES} bytes. Upload it in parts.`,
    )
  try {
    const named = await ofNamedAccount(rail, file)
    const statement = await deps.database.db.transaction().execute(tx => store(deps, tx, named, file))
    deps.wake.emit('bankLines')
    return statement
  } catch (error) {
    if (error instanceof StatementError) throw new Problem('statement-refused', error.message)
    if (error instanceof AmountError)
      throw new Problem('statement-refused', `An amount or balance of the file ${error.message}.`)
    throw error
  }
}

/** The rail with the account that the file names, where it had that one before: deposits agreed then are still paid to it. */
async function ofNamedAccount(rail: Rail, { format, bytes }: StatementFile): Promise<Rail> {
  const { bankAccount } = rail
  const given = format ?? formatOf(bytes)
  // A CSV names no account.
  if (!bankAccount || given === 'csv' || accountsOf(rail).length === 1) return rail
  for await (const item of readNamed(given, bytes)) {
    if (item.kind !== 'account' || item.account === null) continue
    const { account: name } = item
    const account = accountsOf(rail).find(each => isOwnAccount(name, each))
    return account === undefined ? rail : { ...rail, bankAccount: { ...bankAccount, account } }
  }
  return rail
}

const readNamed = (format: Exclude<StatementFormat, 'csv'>, bytes: Buffer): AsyncIterable<StatementItem> =>
  format === 'mt940'
    ? readMt940(chunksOf(bytes), isText(bytes) ? 'utf-8' : 'latin1')
    : readCamt(chunksOf(bytes), format)

async function store(deps: Deps, tx: Db<Tables>, rail: Rail, file: StatementFile): Promise<BankStatementRow> {
  const account = rail.bankAccount?.account ?? ''
  await lockAccount(tx, account)
  const format = file.format ?? formatOf(file.bytes)
  const statement = await addStatement(tx, {
    ...{ account, rail: rail.name, currency: rail.currency, format, by: file.by },
    file_name: file.fileName,
    digest: createHash('sha256').update(file.bytes).digest(),
  })
  const items = await itemsOf(tx, rail, format, file.bytes)
  const check = createCheck(rail)
  const idOf = createIdentities(account)
  let rows: NewLine[] = []
  const count = { lines: 0, added: 0, notBooked: 0, from: null as string | null, to: null as string | null }
  const flush = async () => {
    count.added += await addLines(tx, rows)
    rows = []
  }
  for await (const item of items) {
    if (item.kind === 'no-money') {
      count.notBooked += 1
      continue
    }
    check.item(item, count.lines + 1)
    // Days without a booking are in the statement too.
    if (item.kind === 'balance' && item.day && item.day > (count.to ?? '')) count.to = item.day
    if (item.kind !== 'line') continue
    const { line } = item
    count.lines += 1
    if (count.lines > MAX_LINES) throw new StatementError(`The file has more than ${MAX_LINES} lines.`)
    if (!count.from || line.bookedOn < count.from) count.from = line.bookedOn
    if (!count.to || line.bookedOn > count.to) count.to = line.bookedOn
    rows.push(
      rowOf(deps, line, {
        id: idOf(line),
        statement_id: statement.id,
        position: count.lines,
        account,
        rail: rail.name,
      }),
    )
    if (rows.length === ROWS) await flush()
  }
  await flush()
  check.end()
  return closeStatement(tx, statement.id, count)
}

const rowOf = (
  { sealer }: Pick<Deps, 'sealer'>,
  line: StatementLine,
  place: Pick<NewLine, 'id' | 'statement_id' | 'position' | 'account' | 'rail'>,
): NewLine => ({
  ...place,
  booked_on: line.bookedOn,
  direction: line.direction,
  amount: formatAmount(parseAmount(line.amount)),
  currency: line.currency,
  bank_reference: line.bankReference,
  codes: codesIn(line),
  sealed: sealLine(sealer, place.id, { text: line.text, ...line.party, returnReason: line.returnReason }),
})

async function itemsOf(
  db: Db<Tables>,
  rail: Rail,
  format: StatementFormat,
  bytes: Buffer,
): Promise<AsyncIterable<StatementItem>> {
  const chunks = chunksOf(bytes)
  if (format === 'camt.053' || format === 'camt.054') return readCamt(chunks, format)
  if (format === 'mt940') return readMt940(chunks, isText(bytes) ? 'utf-8' : 'latin1')
  const columns = await currentColumns(db, rail.name)
  if (!columns) throw new StatementError('Save the columns of your CSV statements first.')
  return readCsv(chunks, columns, rail.currency)
}

function* chunksOf(bytes: Buffer): Generator<Uint8Array> & Chunks {
  for (let start = 0; start < bytes.length; start += CHUNK) yield bytes.subarray(start, start + CHUNK)
}

function isText(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

function formatOf(bytes: Buffer): StatementFormat {
  const head = bytes.subarray(0, 4_096).toString('latin1')
  if (/^(\xEF\xBB\xBF)?\s*</.test(head))
    return /BkToCstmrDbtCdtNtfctn|camt\.054/.test(head) ? 'camt.054' : 'camt.053'
  return /^(\s*\{1:|\s*:20:)|\n:(20|60[FM]):/.test(head) ? 'mt940' : 'csv'
}

/** Refuses another account, another currency, and lines that do not lead from one balance to the next. */
function createCheck(rail: Rail) {
  const own = rail.bankAccount?.account ?? ''
  let [opening, closing, sum] = [null as bigint | null, null as bigint | null, 0n]
  const end = () => {
    if (opening !== null && closing !== null && opening + sum !== closing) {
      const missing = formatAmount(amountOf(closing - opening - sum))
      throw new StatementError(
        `The lines do not lead from the opening to the closing balance: ${missing} ${rail.currency} is missing. Part of the file may be lost.`,
      )
    }
    ;[opening, closing, sum] = [null, null, 0n]
  }
  return {
    end,
    item: (item: Exclude<StatementItem, { kind: 'no-money' }>, number: number) => {
      if (item.kind === 'account') {
        if (item.account !== null) {
          end()
          if (!isOwnAccount(item.account, own))
            throw new StatementError(
              `The statement is of the account ${item.account.slice(0, 40)}, and the rail ${rail.name} has the account ${own}.`,
            )
        }
        if (item.currency !== null && item.currency !== rail.currency)
          throw new StatementError(
            `The account is in ${item.currency}, and the rail ${rail.name} moves ${rail.currency}.`,
          )
        return
      }
      if (item.kind === 'balance') {
        if (item.at === 'opening') opening ??= parseAmount(item.amount)
        else closing = parseAmount(item.amount)
        return
      }
      const { currency, amount, direction } = item.line
      if (currency !== rail.currency)
        throw new StatementError(
          `Line ${number} is in ${currency.slice(0, 3) || 'no currency'}, and the rail ${rail.name} moves ${rail.currency}.`,
        )
      sum += direction === 'in' ? parseAmount(amount) : -parseAmount(amount)
    },
  }
}
