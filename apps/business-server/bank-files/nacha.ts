import {
  codesIn,
  clean,
  dayOf,
  positiveAmount,
  StatementError,
  type Chunks,
  type StatementItem,
  type StatementLine,
} from './statement.ts'
import { readText, type Encoding } from './file-content.ts'
import { changeReasons, isOfReturn, returnReasons } from './nacha-codes.ts'

const LENGTH = 94
/** Behind the last record: it fills the block. */
const FILLING = '9'.repeat(LENGTH)

/** The characters of a record from one place to another one, both counted from 1 as NACHA's rules do. */
const at = (record: string, from: number, to: number): string => record.slice(from - 1, to).trim()

/** An entry with its addenda. */
interface Entry {
  record: string
  addenda: string[]
}

interface Batch {
  head: string
  entries: Entry[]
}

interface Sums {
  records: number
  hash: bigint
  debit: bigint
  credit: bigint
}

/**
 * Reads a NACHA file of what came back: returns (addenda 99) as money, notices of change (addenda 98) as what they say.
 * Sums of batches and of the file must agree.
 *
 * @throws {StatementError} also for a file of payments, which nobody returned.
 */
export async function* readNacha(
  chunks: Chunks,
  encoding: Encoding = 'utf-8',
): AsyncGenerator<StatementItem> {
  let text = ''
  for await (const each of readText(chunks, encoding)) text += each
  const records = recordsOf(text)
  const batches = batchesOf(records)
  const madeOn = dayOfFile(records[0] ?? '')
  let company: string | null = null
  for (const [index, batch] of batches.entries()) {
    const next = at(batch.head, 41, 50)
    if (next !== company) yield { kind: 'account', account: null, currency: 'USD', company: next }
    company = next
    yield* itemsOf(batch, index + 1, madeOn)
  }
}

function recordsOf(text: string): string[] {
  const bare = text.replace(/^\uFEFF/, '')
  const rows = /[\r\n]/.test(bare.trim()) ? bare.split(/\r\n|\r|\n/) : (bare.trim().match(/.{1,94}/g) ?? [])
  const records = rows.filter(row => row.trim() !== '').map(row => row.padEnd(LENGTH))
  const long = records.findIndex(({ length }) => length > LENGTH)
  if (long >= 0) throw new StatementError(`Record ${long + 1} has more than ${LENGTH} characters.`)
  const filled = records.findIndex(record => record === FILLING)
  return filled < 0 ? records : records.slice(0, filled)
}

function batchesOf(records: readonly string[]): Batch[] {
  const end = records.at(-1) ?? ''
  if (records[0]?.[0] !== '1' || end[0] !== '9')
    throw new StatementError('The file is cut off: it has no beginning or end of a NACHA file.')
  const batches: Batch[] = []
  let batch: Batch | null = null
  for (const [index, record] of records.slice(1, -1).entries()) {
    const where = `Record ${index + 2}`
    const entry = batch?.entries.at(-1)
    if (record[0] === '5' && batch === null) batch = { head: record, entries: [] }
    else if (record[0] === '6' && batch) batch.entries.push({ record, addenda: [] })
    else if (record[0] === '7' && entry) entry.addenda.push(record)
    else if (record[0] === '8' && batch) {
      requireSums(
        sumsOf([batch]),
        { record, count: [5, 10], hash: [11, 20], debit: [21, 32], credit: [33, 44] },
        where,
      )
      batches.push(batch)
      batch = null
    } else throw new StatementError(`${where} is not where a NACHA file has one of its kind.`)
  }
  if (batch) throw new StatementError('The file is cut off: its last batch has no end.')
  const places = { record: end, count: [14, 21], hash: [22, 31], debit: [32, 43], credit: [44, 55] } as const
  requireSums(sumsOf(batches), places, 'The end of the file')
  return batches
}

type Place = readonly [from: number, to: number]

function requireSums(
  found: Sums,
  said: { record: string; count: Place; hash: Place; debit: Place; credit: Place },
  where: string,
): void {
  const number = (place: Place): bigint => BigInt(/^\d+$/.exec(at(said.record, ...place))?.[0] ?? '-1')
  if (
    number(said.count) === BigInt(found.records) &&
    number(said.hash) === found.hash &&
    number(said.debit) === found.debit &&
    number(said.credit) === found.credit
  )
    return
  throw new StatementError(
    `${where} has other sums than the entries before it. Part of the file may be lost.`,
  )
}

function sumsOf(batches: readonly Batch[]): Sums {
  const entries = batches.flatMap(each => each.entries)
  const sum = (numbers: bigint[]) => numbers.reduce((total, each) => total + each, 0n)
  const moved = (way: 'in' | 'out') => sum(entries.filter(each => wayOf(each) === way).map(centsOf))
  return {
    records: entries.reduce((count, { addenda }) => count + 1 + addenda.length, 0),
    hash: sum(entries.map(({ record }) => BigInt(digits(record, 4, 11)))) % 10n ** 10n,
    ...{ debit: moved('out'), credit: moved('in') },
  }
}

function digits(record: string, from: number, to: number): string {
  const found = record.slice(from - 1, to)
  if (/^\d+$/.test(found)) return found
  throw new StatementError(`An entry has no number where it must have one: “${found}”.`)
}

const centsOf = ({ record }: Entry): bigint => BigInt(digits(record, 30, 39))

/** A credit that comes back is money that comes; a debit that comes back leaves. The last digit of the code says which. */
const wayOf = ({ record }: Entry): 'in' | 'out' => (digits(record, 3, 3) <= '4' ? 'in' : 'out')

function dayOfFile(head: string): string {
  const [, year = '', month = '', day = ''] = /^(\d\d)(\d\d)(\d\d)$/.exec(at(head, 24, 29)) ?? []
  return dayOf(`20${year}`, month, day, 'The head of the file')
}

/** The day on which a batch was settled, a number of the year's days; else the day of the file. */
function settledOn({ head }: Batch, madeOn: string): string {
  const number = Number(at(head, 76, 78))
  if (!(number >= 1 && number <= 366)) return madeOn
  const year = Number(madeOn.slice(0, 4))
  const days = [year - 1, year, year + 1].map(each => new Date(Date.UTC(each, 0, number)))
  const distance = (day: Date) => Math.abs(day.getTime() - Date.parse(madeOn))
  const [nearest] = days.toSorted((a, b) => distance(a) - distance(b))
  return nearest?.toISOString().slice(0, 10) ?? madeOn
}

function* itemsOf(batch: Batch, number: number, madeOn: string): Generator<StatementItem> {
  const day = settledOn(batch, madeOn)
  if (at(batch.head, 51, 53) === 'IAT')
    throw new StatementError(`Batch ${number} is international (IAT), which is not read.`)
  const lines: StatementLine[] = []
  for (const entry of batch.entries) {
    const [last] = entry.addenda.filter(record => /^79[89]/.test(record)).slice(-1)
    if (!last)
      throw new StatementError(
        'The file is NACHA with payments. Only returns and notices of change are read.',
      )
    if (last.startsWith('798')) yield { kind: 'change', text: changeOf(batch, entry, last) }
    else if (centsOf(entry) > 0n) lines.push(lineOf(batch, entry, last, day))
  }
  const [first] = lines
  const isOne = lines.length > 1 && lines.every(({ direction }) => direction === first?.direction)
  const cents = batch.entries.reduce((sum, entry) => sum + centsOf(entry), 0n)
  for (const line of lines) {
    // Banks may book a batch as one amount.
    const booking = {
      number,
      direction: line.direction,
      amount: unitsOf(cents, 'A batch'),
      bankReference: null,
    }
    yield { kind: 'line', line: isOne ? { ...line, booking } : line }
  }
}

const unitsOf = (cents: bigint, where: string): string => {
  const text = String(cents).padStart(3, '0')
  return positiveAmount(`${text.slice(0, -2)}.${text.slice(-2)}`, where)
}

function lineOf({ head }: Batch, entry: Entry, addenda: string, day: string): StatementLine {
  const { record } = entry
  const code = at(addenda, 4, 6)
  const reason = clean([code, returnReasons[code]].filter(Boolean).join(' '))
  const id = at(record, 40, 54)
  // The file's code beside the payment's would make it another line than the one of the bank's statement.
  const file = codesIn({ text: id, bankReference: null }).length > 0 ? '' : at(head, 21, 40)
  const said = [id, file, at(head, 54, 63), reason, at(addenda, 36, 79)]
  return {
    ...{ bookedOn: day, direction: wayOf(entry), currency: 'USD' },
    amount: unitsOf(centsOf(entry), `The entry ${at(record, 80, 94)}`),
    bankReference: at(addenda, 80, 94) || null,
    // A return of a return names our payment too, and is not what became of it.
    text: clean(isOfReturn(code) ? reason : said.filter(Boolean).join(' ')),
    party: { name: at(record, 55, 76) || null, account: at(record, 13, 29) || null, bank: null },
    ...{ returnReason: reason, booking: null },
    ...(isOfReturn(code) ? {} : { original: originalOf(at(addenda, 7, 21), record) }),
  }
}

/** What finds an entry in the file in which it left: its trace number, account and amount. */
export const originalOf = (trace: string, record: string): string =>
  [trace, at(record, 13, 29), at(record, 30, 39)].join(' ')

/** Whose entry a bank corrects; what is right is personal, and in the file as it came. */
function changeOf({ head }: Batch, { record }: Entry, addenda: string): string {
  const code = at(addenda, 4, 6)
  const what = changeReasons[code] ?? 'a field'
  const text = `${at(record, 40, 54)} ${at(head, 21, 40)}`
  const [payout = `entry ${at(addenda, 7, 21)}`] = codesIn({ text, bankReference: null })
  return `${payout} ${code}: ${what}`
}
