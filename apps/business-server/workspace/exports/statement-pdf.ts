import anyAscii from 'any-ascii'
import type { Balance } from '../../money/journal/journal.ts'
import type { EarnedRow } from '../../money/journal/periods.ts'

interface PrintedStatement {
  anchor: string
  homeDomain: string
  /** A unit of the journal as people read it. */
  codeOf(this: void, unit: string): string
  /** Days, both included. */
  from: string
  to: string
  at: Date
  opening: readonly Balance[]
  closing: readonly Balance[]
  earned: readonly EarnedRow[]
  /** Differences of the reconciliation when the statement was made. */
  openDifferences: number
  /** Those that people resolved, and that are still there. */
  resolvedDifferences: number
  /** `provisional`: the period is not over. `not-closed`: what is booked late may still change it. */
  state: 'provisional' | 'not-closed' | 'closed'
}

const STATES = {
  provisional: 'PROVISIONAL: the period is not over',
  'not-closed': 'The period is not closed: what is booked late may still change it',
  closed: 'The period is closed',
} as const

const [WIDTH, HEIGHT, MARGIN, LINE, GAP] = [595, 842, 56, 16, 6]

const ISSUER = /:(.{4}).{48}(.{4})$/

/** A statement of a period as PDF (A4): balances before and after, and what was earned. */
export async function statementPdf(statement: PrintedStatement): Promise<Buffer> {
  // Loaded with the first statement.
  const { PDFDocument, StandardFonts } = await import('@cantoo/pdf-lib')
  const { anchor, homeDomain, from, to, at } = statement
  const codeOf = (unit: string) => statement.codeOf(unit).replace(ISSUER, ':$1...$2')
  const document = await PDFDocument.create()
  const [regular, bold] = [
    await document.embedFont(StandardFonts.Helvetica),
    await document.embedFont(StandardFonts.HelveticaBold),
  ]
  document.setTitle(`Statement of ${homeDomain}, ${from} to ${to}`)
  document.setCreationDate(at)
  document.setModificationDate(at)
  let page = document.addPage([WIDTH, HEIGHT])
  let y = HEIGHT - MARGIN
  const write = (
    cells: readonly (readonly [text: string, x: number, right?: boolean])[],
    strong = false,
    size = 10,
  ) => {
    if (y < MARGIN + LINE) {
      page = document.addPage([WIDTH, HEIGHT])
      y = HEIGHT - MARGIN
    }
    const font = strong ? bold : regular
    const widthOf = (text: string) => font.widthOfTextAtSize(text, size)
    for (const [index, [text, x, right = false]] of cells.entries()) {
      // Up to the next cell, which is drawn to its right end.
      const [, next = WIDTH - MARGIN, nextRight] = cells[index + 1] ?? []
      const end = nextRight ? next - widthOf(latin(cells[index + 1]?.[0] ?? '')) - GAP : next
      const drawn = right ? latin(text) : shorten(latin(text), part => x + widthOf(part) <= end)
      page.drawText(drawn, { x: right ? x - widthOf(drawn) : x, y, size, font })
    }
    y -= size > 12 ? 2 * LINE : LINE
  }
  write([[anchor, MARGIN]], true, 18)
  write([[`${homeDomain}: statement of ${from} to ${to}`, MARGIN]])
  write([[`Made ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC from the journal`, MARGIN]])
  const { openDifferences: open } = statement
  write([[STATES[statement.state], MARGIN]], statement.state === 'provisional')
  write([[`Open differences between journal, ledger and rails: ${open}`, MARGIN]])
  if (statement.resolvedDifferences > 0)
    write([
      [
        `Differences that people resolved, and that are still there: ${statement.resolvedDifferences}`,
        MARGIN,
      ],
    ])
  y -= LINE
  write([['Balances', MARGIN]], true, 13)
  write(
    [
      ['Account', MARGIN],
      ['Before', 380, true],
      ['After', WIDTH - MARGIN, true],
    ],
    true,
  )
  for (const { account, unit, before, after } of balancesOf(statement))
    write([
      [`${account} (${codeOf(unit)})`, MARGIN],
      [before, 380, true],
      [after, WIDTH - MARGIN, true],
    ])
  y -= LINE
  write([['Earned', MARGIN]], true, 13)
  write(
    [
      ['Day', MARGIN],
      ['Rail', 130],
      ['Direction', 220],
      ['Transactions', 380, true],
      ['Fees and rounding', WIDTH - MARGIN, true],
    ],
    true,
  )
  for (const { day, rail, direction, transactions, unit, fees, rounding } of statement.earned)
    write([
      [day, MARGIN],
      [rail, 130],
      [direction, 220],
      [String(transactions), 380, true],
      [`${fees} + ${rounding} ${codeOf(unit)}`, WIDTH - MARGIN, true],
    ])
  return Buffer.from(await document.save())
}

/** Balances before and after, by account and unit. What was owed or earned is negative, as in the journal. */
function balancesOf({ opening, closing }: PrintedStatement) {
  const key = ({ account, unit }: Balance) => `${unit} ${account}`
  const before = new Map(opening.map(each => [key(each), each.amount]))
  const after = new Map(closing.map(each => [key(each), each.amount]))
  const all = new Map([...opening, ...closing].map(each => [key(each), each]))
  return [...all.entries()]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { account, unit }]) => ({
      account,
      unit,
      before: before.get(name) ?? '0',
      after: after.get(name) ?? '0',
    }))
}

/** The fonts of every PDF reader have Western characters only: others are written in Latin letters. */
const latin = (text: string): string =>
  [...text.normalize('NFC')]
    .map(letter => (/[\x20-\x7E\u00A1-\u00FF]/.test(letter) ? letter : anyAscii(letter)))
    .join('')

/** As much of a text as fits. */
function shorten(text: string, fits: (text: string) => boolean): string {
  if (fits(text)) return text
  let length = text.length
  while (length > 0 && !fits(`${text.slice(0, length)}...`)) length -= 1
  return `${text.slice(0, length)}...`
}
