import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BankAnchor, IBAN } from '../testing/bank-anchor.ts'
import { openLine } from './lines.ts'

/** Each run is an account's history, told by files. */
const numRuns = process.env.MODE === 'faults' ? 3_000 : 40
const TIMEOUT = 1_800_000

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
})
afterAll(() => anchor.close())

interface Booked {
  day: string
  /** In cents; what left the account is below 0. */
  cents: number
  payer: string
  text: string
  reference: 'none' | 'placeholder' | 'counter' | 'numbered' | 'own'
}
/** Bookings of the history from one to another, as one statement. */
interface Told {
  from: number
  to: number
  format: 'mt940' | 'camt.053' | 'camt.054'
  /** The number of its pages, where the statement has several. */
  pageOf: number | null
  page: number
  lineEnds: '\n' | '\r\n'
}

const days = ['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19']
const booked = fc.record({
  day: fc.constantFrom(...days),
  cents: fc.constantFrom(1_000, 1_000, 1_000, 2_500, -1_000),
  payer: fc.constantFrom('Asha Rao', 'Asha Rao', 'Boris Badov'),
  text: fc.constantFrom('alpha', 'alpha', 'beta'),
})
const references = fc.constantFrom<Booked['reference']>('none', 'placeholder', 'counter', 'numbered', 'own')
const history = fc
  .tuple(fc.array(booked, { minLength: 1, maxLength: 9 }), references)
  .map(([all, reference]): Booked[] =>
    all.map(each => ({ ...each, reference })).sort((a, b) => a.day.localeCompare(b.day)),
  )

const format = fc.constantFrom<'mt940' | 'camt.053'>('mt940', 'camt.053')
const lineEnds = fc.constantFrom<Told['lineEnds']>('\n', '\r\n')
/** How the bank tells all of it once, and what else comes: other files, or the same again, in any order. */
const telling = fc.record({
  whole: fc.constantFrom<'days' | 'all' | 'pages'>('days', 'all', 'pages'),
  cuts: fc.array(fc.nat(8), { minLength: 1, maxLength: 3 }),
  formats: fc.array(format, { minLength: 1, maxLength: 3 }),
  more: fc.array(
    fc.record({
      days: fc.tuple(fc.nat(3), fc.nat(3)),
      bookings: fc.tuple(fc.nat(8), fc.nat(8)),
      format: fc.constantFrom<Told['format'] | 'again'>('mt940', 'camt.053', 'camt.054', 'again'),
    }),
    { maxLength: 3 },
  ),
  lineEnds: fc.array(lineEnds, { minLength: 1, maxLength: 3 }),
  order: fc.infiniteStream(fc.nat(1_000)),
})
type Telling = typeof telling extends fc.Arbitrary<infer Value> ? Value : never

const pick = <Item>(items: readonly [Item, ...Item[]] | readonly Item[], index: number): Item => {
  const item = items[index % items.length]
  if (item === undefined) throw new Error('nothing to pick')
  return item
}

function filesOf(bookings: readonly Booked[], how: Telling): Told[] {
  const edges = bookings.flatMap((each, index) => (each.day === bookings[index - 1]?.day ? [] : [index]))
  const inner = how.cuts.map(cut => cut % bookings.length).filter(cut => cut > 0)
  const starts = { days: edges, all: [0], pages: [...new Set([0, ...inner])].sort((a, b) => a - b) }[
    how.whole
  ]
  const whole = starts.map((from, index): Told => ({
    ...{ from, to: starts[index + 1] ?? bookings.length, page: how.whole === 'pages' ? index + 1 : 1 },
    format: pick(how.formats, how.whole === 'pages' ? 0 : index),
    pageOf: how.whole === 'pages' ? starts.length : null,
    lineEnds: pick(how.lineEnds, index),
  }))
  const more = how.more.map((each, index): Told => {
    const ends = pick(how.lineEnds, index + 1)
    if (each.format === 'again') return { ...pick(whole, each.days[0]), lineEnds: ends }
    // A notification has any bookings, a statement whole days.
    const [low, high] =
      each.format === 'camt.054' ? each.bookings : each.days.map(day => edges[day % edges.length] ?? 0)
    const [from, last] = [Math.min(low ?? 0, high ?? 0), Math.max(low ?? 0, high ?? 0)].map(
      at => at % bookings.length,
    )
    const next =
      each.format === 'camt.054'
        ? (last ?? 0) + 1
        : (edges.find(edge => edge > (last ?? 0)) ?? bookings.length)
    return {
      from: Math.min(from ?? 0, last ?? 0),
      to: Math.max(next, 1),
      format: each.format,
      pageOf: null,
      page: 1,
      lineEnds: ends,
    }
  })
  const order = how.order[Symbol.iterator]()
  return [...whole, ...more]
    .map(file => ({ file, at: order.next().value ?? 0 }))
    .sort((a, b) => a.at - b.at)
    .map(({ file }) => file)
}

/** Bookings, and the files that tell them. */
const told = fc.tuple(history, telling).map(([bookings, how]) => [bookings, filesOf(bookings, how)] as const)

const euros = (cents: number) => (Math.abs(cents) / 100).toFixed(2)
const balanceAt = (bookings: readonly Booked[], to: number) =>
  bookings.slice(0, to).reduce((sum, { cents }) => sum + cents, 100_000)

function referenceIn(each: Booked, index: number, file: Told, number: number): string {
  if (each.reference === 'placeholder') return 'NONREF'
  if (each.reference === 'counter') return String(number)
  if (each.reference === 'numbered') return `${file.from}${file.to}${file.page}/A${number}`
  return each.reference === 'own' ? `OWN${file.format === 'mt940' ? 'M' : 'C'}${100_000 + index}` : ''
}

/** A fresh part of a file's name, so that a repeated file is never the same bytes. */
let copies = 0

function render(bookings: readonly Booked[], file: Told): string {
  copies += 1
  const some = bookings.slice(file.from, file.to)
  const numbers = some.map((each, index) => referenceIn(each, file.from + index, file, index + 1))
  const [opening, closing] = [balanceAt(bookings, file.from), balanceAt(bookings, file.to)]
  const cut = { before: file.page > 1, after: file.pageOf !== null && file.page < file.pageOf }
  const name = file.pageOf === null ? `S${file.from}-${file.to}` : 'P'
  const lines =
    file.format === 'mt940'
      ? asMt940(some, numbers, { opening, closing, cut, name, page: file.page })
      : asCamt(some, numbers, file.format, { opening, closing, cut, name, page: file.page })
  return lines.join(file.lineEnds)
}

interface Frame {
  opening: number
  closing: number
  cut: { before: boolean; after: boolean }
  name: string
  page: number
}

function asMt940(some: readonly Booked[], references: readonly string[], frame: Frame): string[] {
  const short = (day = '') => day.slice(2).replaceAll('-', '')
  const balance = (cents: number, day = '') => `C${short(day)}EUR${euros(cents).replace('.', ',')}`
  return [
    `:20:${copies}`,
    ':25:37040044/0532013000',
    `:28C:${frame.name}/${frame.page}`,
    `:60${frame.cut.before ? 'M' : 'F'}:${balance(frame.opening, some[0]?.day)}`,
    ...some.flatMap(({ day, cents, text, payer }, index) => [
      `:61:${short(day)}${short(day).slice(2)}${cents < 0 ? 'D' : 'C'}R${euros(cents).replace('.', ',')}NTRFNONREF${references[index] ? `//${references[index]}` : ''}`,
      `:86:166?00GUTSCHRIFT?20SVWZ+${text}?32${payer}`,
    ]),
    `:62${frame.cut.after ? 'M' : 'F'}:${balance(frame.closing, some.at(-1)?.day)}`,
    '-',
  ]
}

function asCamt(
  some: readonly Booked[],
  references: readonly string[],
  kind: 'camt.053' | 'camt.054',
  frame: Frame,
): string[] {
  const [root, part] = kind === 'camt.053' ? ['BkToCstmrStmt', 'Stmt'] : ['BkToCstmrDbtCdtNtfctn', 'Ntfctn']
  const balance = (code: string, cents: number, isCut: boolean) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry>${isCut ? '<SubTp><Cd>INTM</Cd></SubTp>' : ''}</Tp><Amt Ccy="EUR">${euros(cents)}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>${some.at(-1)?.day}</Dt></Dt></Bal>`
  return [
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${kind}.001.08"><${root}><GrpHdr><MsgId>M${copies}</MsgId></GrpHdr><${part}><Id>${frame.name}</Id>`,
    `<StmtPgntn><PgNb>${frame.page}</PgNb></StmtPgntn><Acct><Id><IBAN>${IBAN}</IBAN></Id><Ccy>EUR</Ccy></Acct>`,
    ...(kind === 'camt.053'
      ? [balance('OPBD', frame.opening, frame.cut.before), balance('CLBD', frame.closing, frame.cut.after)]
      : []),
    ...some.map(({ day, cents, text, payer }, index) => {
      const role = cents < 0 ? 'Cdtr' : 'Dbtr'
      return (
        `<Ntry><Amt Ccy="EUR">${euros(cents)}</Amt><CdtDbtInd>${cents < 0 ? 'DBIT' : 'CRDT'}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>` +
        `<BookgDt><Dt>${day}</Dt></BookgDt>${references[index] ? `<AcctSvcrRef>${references[index]}</AcctSvcrRef>` : ''}` +
        `<NtryDtls><TxDtls><RltdPties><${role}><Pty><Nm>${payer}</Nm></Pty></${role}></RltdPties><RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`
      )
    }),
    `</${part}></${root}></Document>`,
  ]
}

/** How often each booking is recorded: for certain, and as a possible duplicate. */
async function recorded(): Promise<Map<string, { certain: number; doubtful: number }>> {
  const { db } = anchor.deps.database
  const found = new Map<string, { certain: number; doubtful: number }>()
  for (const line of await db.selectFrom('bank_lines').selectAll().execute()) {
    const { name, text } = openLine(anchor.deps.sealer, line)
    const cents = Math.round(Number(line.amount) * 100) * (line.direction === 'in' ? 1 : -1)
    const key = keyOf({
      day: line.booked_on,
      cents,
      payer: name ?? '',
      text: /alpha|beta/.exec(text)?.[0] ?? '',
    })
    const count = found.get(key) ?? { certain: 0, doubtful: 0 }
    found.set(key, count)
    count[line.possible_duplicate_of === null ? 'certain' : 'doubtful'] += 1
  }
  return found
}

const keyOf = ({ day, cents, payer, text }: Pick<Booked, 'day' | 'cents' | 'payer' | 'text'>) =>
  `${day} ${cents} ${payer} ${text}`

async function tell(bookings: readonly Booked[], files: readonly Told[]): Promise<void> {
  await anchor.rows(
    'truncate bank_line_places, bank_statement_days, bank_statement_parts, bank_lines, bank_statements cascade',
  )
  for (const [index, file] of files.entries()) {
    const answer = await anchor.upload('SEPA', `${index}`, render(bookings, file))
    expect([answer.statusCode, answer.body]).toEqual([201, answer.body])
  }
}

describe('a history that is split into files in any way', () => {
  it(
    'ends in the same bookings, or in possible duplicates: nothing is lost, nothing counts twice',
    async () => {
      await fc.assert(
        fc.asyncProperty(told, async ([bookings, files]) => {
          await tell(bookings, files)
          const found = await recorded()
          const truth = Map.groupBy(bookings, keyOf)
          expect([...found.keys()].filter(key => !truth.has(key))).toEqual([])
          let isCertain = true
          for (const [key, { length }] of truth) {
            const { certain, doubtful } = found.get(key) ?? { certain: 0, doubtful: 0 }
            expect({ key, certain, tooMany: certain > length }).toEqual({ key, certain, tooMany: false })
            expect({ key, certain, doubtful, lost: certain + doubtful < length }).toMatchObject({
              key,
              lost: false,
            })
            isCertain &&= doubtful === 0
          }
          if (!isCertain) return
          const [row] = await anchor.rows<{ sum: string }>(
            `select sum(case direction when 'in' then amount else -amount end) as sum from bank_lines`,
          )
          expect(Math.round(Number(row?.sum) * 100)).toBe(balanceAt(bookings, bookings.length) - 100_000)
        }),
        { numRuns },
      )
    },
    TIMEOUT,
  )

  it(
    'asks nobody where each file has whole days with balances, in whichever format, order and overlap',
    async () => {
      const wholeDays = fc
        .tuple(history, telling)
        .filter(([[first]]) => first?.reference !== 'own' && first?.reference !== 'numbered')
        .map(([bookings, how]) => {
          const more = how.more.map(each =>
            each.format === 'camt.054' ? { ...each, format: 'mt940' as const } : each,
          )
          const whole = how.whole === 'pages' ? ('days' as const) : how.whole
          return [bookings, filesOf(bookings, { ...how, more, whole })] as const
        })
      await fc.assert(
        fc.asyncProperty(wholeDays, async ([bookings, files]) => {
          await tell(bookings, files)
          const found = await recorded()
          for (const [key, { length }] of Map.groupBy(bookings, keyOf))
            expect({ key, ...found.get(key) }).toEqual({ key, certain: length, doubtful: 0 })
        }),
        { numRuns },
      )
    },
    TIMEOUT,
  )
})
