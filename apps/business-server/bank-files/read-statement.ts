import { MAX_STATEMENT_BYTES, type StatementFormat } from '@windlass/contracts/anchor/bank-files.ts'
import { AmountError, amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { createHash } from 'node:crypto'
import type { Deps } from '../deps.ts'
import type { Rail } from '../rails/rail.ts'
import type { BankStatementRow, Tables } from '../tables.ts'
import { accountsOf, isOwnAccount } from './accounts.ts'
import { readCamt } from './camt.ts'
import { readCsv } from './csv.ts'
import { encodingOf, formatOf, unpack } from './file-content.ts'
import { readMt940 } from './mt940.ts'
import { readNacha } from './nacha.ts'
import { withOriginals } from './nacha-originals.ts'
import { readOfx } from './ofx.ts'
import {
  type Chunks,
  type LeftOut,
  moneyOf,
  StatementError,
  type StatementItem,
  type StatementPart,
} from './statement.ts'
import { packed, currentColumns } from './statements.ts'
import { recordStatement } from './record-statement.ts'

interface StatementFile {
  rail: string
  fileName: string
  /** By default found from the content. */
  format?: StatementFormat | undefined
  /** `operator:<id>`, `key:<id>` or `folder` */
  by: string
  bytes: Buffer
  /** A person says that a statement without an account is of the rail's. */
  accountConfirmed?: boolean | undefined
}

/** A file as it is read: its format, and its content or those of the files in an archive. */
interface Content {
  format: StatementFormat
  files: Buffer[]
  original: string
}

const CHUNK = 64 * 1024
/** More lines than a bank writes in a year. */
const MAX_LINES = 200_000

/**
 * Reads a file and records the lines that no earlier one had, in one transaction; those that may be an earlier one, as
 * possible duplicates. What they are for is found afterwards (`match.ts`).
 *
 * @throws {Problem} `not-found` for a rail without bank files, `statement-refused`, `statement-without-account`,
 *   `statement-already-read`.
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
    const content = { ...contentOf(file), original: await packed(file.bytes) }
    const named = await ofNamedAccount(rail, content, file.accountConfirmed)
    const statement = await deps.database.db
      .transaction()
      .execute(async tx =>
        recordStatement(
          deps,
          tx,
          newStatement(file, named, content),
          partsOf(await itemsOf(deps, tx, named, content), named),
        ),
      )
    deps.wake.emit('bankLines')
    return statement
  } catch (error) {
    if (error instanceof StatementError) throw new Problem('statement-refused', error.message)
    if (error instanceof AmountError)
      throw new Problem('statement-refused', `An amount or balance of the file ${error.message}.`)
    throw error
  }
}

const newStatement = (
  { bytes, fileName, by }: StatementFile,
  { name: rail, currency, bankAccount }: Rail,
  { format, original }: Content,
) => ({
  ...{ account: bankAccount?.account ?? '', rail, currency, format, by, original },
  file_name: fileName,
  digest: createHash('sha256').update(bytes).digest(),
})

function contentOf({ bytes, format: given }: StatementFile): Omit<Content, 'original'> {
  const files = unpack(bytes)
  const [format, ...others] = new Set(files.map(each => formatOf(each, given)))
  if (!format || others.length > 0)
    throw new StatementError('The archive has files of several formats. Upload them one by one.')
  if (format === 'csv' && files.length > 1)
    throw new StatementError('The archive has several CSV files. Upload them one by one.')
  return { format, files }
}

/**
 * The rail with the account that the file names, where it had that one before: deposits agreed then are still paid to it.
 *
 * @throws {Problem} `statement-without-account`
 */
async function ofNamedAccount(rail: Rail, content: Content, confirmed = false): Promise<Rail> {
  const { bankAccount } = rail
  // A CSV names no account: a person who sets its columns up sees how it is read.
  if (!bankAccount || content.format === 'csv') return rail
  for await (const item of readNamed(content.format, content.files)) {
    if (item.kind !== 'account') continue
    const { account: name, company } = item
    // Whose returns these are is said by the company; another one's are left out.
    if (company !== undefined) return rail
    if (name === null) continue
    const account = accountsOf(rail).find(each => isOwnAccount(name, each))
    return account === undefined ? rail : { ...rail, bankAccount: { ...bankAccount, account } }
  }
  if (confirmed) return rail
  throw new Problem(
    'statement-without-account',
    `The statement names no account. If it is of ${bankAccount.account}, upload it again with accountConfirmed.`,
  )
}

/** The items of all files, one after the other. Numbers of bookings go on, so that no two are the same. */
async function* readNamed(
  format: Exclude<StatementFormat, 'csv'>,
  files: readonly Buffer[],
): AsyncGenerator<StatementItem> {
  let last = 0
  for (const bytes of files) {
    const before = last
    for await (const item of readOne(format, bytes)) {
      if (item.kind !== 'line' || item.line.booking === null) {
        yield item
        continue
      }
      const { booking } = item.line
      last = before + booking.number
      yield { kind: 'line', line: { ...item.line, booking: { ...booking, number: last } } }
    }
  }
}

function readOne(format: Exclude<StatementFormat, 'csv'>, bytes: Buffer): AsyncIterable<StatementItem> {
  if (format === 'mt940') return readMt940(chunksOf(bytes), encodingOf(bytes))
  if (format === 'ofx') return readOfx(chunksOf(bytes), encodingOf(bytes))
  if (format === 'nacha') return readNacha(chunksOf(bytes), encodingOf(bytes))
  return readCamt(chunksOf(bytes), format, encodingOf(bytes))
}

/**
 * The statements of a file, one after the other. Those of other accounts are left out.
 *
 * @throws {StatementError} where none is of the rail's account.
 */
export async function* partsOf(
  items: AsyncIterable<StatementItem>,
  rail: Rail,
): AsyncGenerator<StatementPart> {
  const leftOut: LeftOut[] = []
  let part = emptyPart()
  let [lines, isOther, hasOwn] = [0, false, false]
  for await (const item of items) {
    if (item.kind === 'account') {
      if (item.account !== null || item.company !== undefined) {
        if (part.lines.length > 0 || part.opening) yield close(part, rail, leftOut)
        ;[part, isOther] = [emptyPart(), false]
      }
      const fault = isOther ? null : faultOf(item, rail)
      if (fault !== null) leftOut.push({ reason: 'other-account', detail: fault })
      isOther ||= fault !== null
      hasOwn ||= !isOther && item.currency !== null
    }
    if (isOther || item.kind === 'account') continue
    hasOwn ||= item.kind !== 'name'
    if (item.kind === 'line') {
      lines += 1
      if (lines > MAX_LINES) throw new StatementError(`The file has more than ${MAX_LINES} lines.`)
      if (item.line.currency !== rail.currency)
        throw new StatementError(
          `Line ${lines} is in ${item.line.currency.slice(0, 3) || 'no currency'}, and the rail ${rail.name} moves ${rail.currency}.`,
        )
    }
    addItem(part, item, lines)
  }
  const [other] = leftOut
  if (!hasOwn && other?.reason === 'other-account') throw new StatementError(other.detail)
  yield { ...close(part, rail, leftOut), leftOut }
}

const emptyPart = (): StatementPart => ({
  ...{ number: null, page: null, opening: null, closing: null },
  ...{ lines: [], notBooked: 0, unread: [], footers: [], changes: [], leftOut: [] },
})

/** @param position of a line in its file, from 1 */
function addItem(part: StatementPart, item: StatementItem, position: number): void {
  if (item.kind === 'name') [part.number, part.page] = [item.number || null, item.page]
  if (item.kind === 'balance') addBalance(part, item)
  if (item.kind === 'no-money') part.notBooked += 1
  if (item.kind === 'unread') part.unread.push(item.error)
  if (item.kind === 'footer') part.footers.push(item.text)
  if (item.kind === 'change') part.changes.push(item.text)
  if (item.kind === 'line') part.lines.push({ line: item.line, position })
}

function addBalance(part: StatementPart, item: StatementItem & { kind: 'balance' }): void {
  const { amount, day = null, isBetween = false } = item
  const balance = { amount: parseAmount(amount), day, isBetween }
  if (item.at === 'opening') part.opening ??= balance
  else part.closing = balance
}

/** Refuses a part whose balances do not follow, or whose bookings cannot all be read and may have moved money. */
function close(part: StatementPart, rail: Rail, leftOut: LeftOut[]): StatementPart {
  const [unread, ...more] = part.unread
  // Several may have moved money that comes to nothing, such as a payment and what the bank swept away after it.
  const movedNothing = more.length === 0 && part.opening && part.closing && missingIn(part) === 0n
  if (unread && !movedNothing) throw unread
  requireSum(part, rail)
  for (const { message } of part.unread) leftOut.push({ reason: 'unreadable', detail: message })
  for (const detail of part.footers) leftOut.push({ reason: 'no-day', detail })
  for (const detail of part.changes) leftOut.push({ reason: 'notice-of-change', detail })
  return part
}

async function itemsOf(
  deps: Pick<Deps, 'sealer'>,
  db: Db<Tables>,
  rail: Rail,
  { format, files }: Content,
): Promise<AsyncIterable<StatementItem>> {
  if (format === 'nacha') return withOriginals(deps, db, rail.name, readNamed(format, files))
  if (format !== 'csv') return readNamed(format, files)
  const [bytes = Buffer.alloc(0)] = files
  const columns = await currentColumns(db, rail.name)
  if (!columns) throw new StatementError('Save the columns of your CSV statements first.')
  return readCsv(chunksOf(bytes), columns, rail.currency)
}

export function* chunksOf(bytes: Buffer): Generator<Uint8Array> & Chunks {
  for (let start = 0; start < bytes.length; start += CHUNK) yield bytes.subarray(start, start + CHUNK)
}

/** Why a statement is not of the rail's account; null: it is. */
function faultOf(item: StatementItem & { kind: 'account' }, rail: Rail): string | null {
  const { account, currency, company } = item
  if (company !== undefined && company !== (rail.bankAccount?.companyId ?? ''))
    return `The payments that came back are of the company ${company.slice(0, 10)}, and the rail ${rail.name} has the company ${rail.bankAccount?.companyId ?? 'of no number'}.`
  const own = rail.bankAccount?.account ?? ''
  if (account !== null && !isOwnAccount(account, own))
    return `The statement is of the account ${account.slice(0, 40)}, and the rail ${rail.name} has the account ${own}.`
  if (currency !== null && currency !== rail.currency)
    return `The account is in ${currency.slice(0, 3)}, and the rail ${rail.name} moves ${rail.currency}.`
  return null
}

/** What the lines lack to lead from one balance to the other. */
const missingIn = ({ opening, closing, lines }: StatementPart): bigint =>
  lines.reduce((rest, { line }) => rest - moneyOf(line), (closing?.amount ?? 0n) - (opening?.amount ?? 0n))

/** Refuses lines that do not lead from one balance to the other. */
function requireSum(part: StatementPart, { currency }: Rail): void {
  if (!part.opening || !part.closing) return
  const missing = missingIn(part)
  if (missing === 0n) return
  throw new StatementError(
    `The lines do not lead from the opening to the closing balance: ${formatAmount(amountOf(missing))} ${currency} is missing. Part of the file may be lost.`,
  )
}
