import type { Balance } from '../../money/journal/journal.ts'
import type { EarnedRow } from '../../money/journal/periods.ts'
import { PAGE_WIDTH, pdfPages, westernText } from '../../pdf-pages.ts'

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

const [MARGIN, LINE, GAP] = [56, 16, 6]
const RIGHT = PAGE_WIDTH - MARGIN

const ISSUER = /:(.{4}).{48}(.{4})$/

/** A statement of a period as PDF (A4): balances before and after, and what was earned. */
export async function statementPdf(statement: PrintedStatement): Promise<Buffer> {
  const { anchor, homeDomain, from, to, at } = statement
  const codeOf = (unit: string) => statement.codeOf(unit).replace(ISSUER, ':$1...$2')
  const title = `Statement of ${homeDomain}, ${from} to ${to}`
  const pages = await pdfPages({ title, at, face: 'Helvetica', margin: MARGIN })
  const write = (
    cells: readonly (readonly [text: string, x: number, right?: boolean])[],
    strong = false,
    size = 10,
  ) => {
    const font = strong ? pages.bold : pages.regular
    const widthOf = (text: string) => font.widthOfTextAtSize(text, size)
    const pieces = cells.map(([text, x, right = false], index) => {
      // Up to the next cell, which is drawn to its right end.
      const [, next = RIGHT, nextRight] = cells[index + 1] ?? []
      const end = nextRight ? next - widthOf(westernText(cells[index + 1]?.[0] ?? '')) - GAP : next
      const drawn = right ? westernText(text) : shorten(westernText(text), part => x + widthOf(part) <= end)
      return { text: drawn, x: right ? x - widthOf(drawn) : x, size, font }
    })
    pages.line(pieces, size > 12 ? 2 * LINE : LINE)
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
  pages.skip(LINE)
  write([['Balances', MARGIN]], true, 13)
  write(
    [
      ['Account', MARGIN],
      ['Before', 380, true],
      ['After', RIGHT, true],
    ],
    true,
  )
  for (const { account, unit, before, after } of balancesOf(statement))
    write([
      [`${account} (${codeOf(unit)})`, MARGIN],
      [before, 380, true],
      [after, RIGHT, true],
    ])
  pages.skip(LINE)
  write([['Earned', MARGIN]], true, 13)
  write(
    [
      ['Day', MARGIN],
      ['Rail', 130],
      ['Direction', 220],
      ['Transactions', 380, true],
      ['Fees and rounding', RIGHT, true],
    ],
    true,
  )
  for (const { day, rail, direction, transactions, unit, fees, rounding } of statement.earned)
    write([
      [day, MARGIN],
      [rail, 130],
      [direction, 220],
      [String(transactions), 380, true],
      [`${fees} + ${rounding} ${codeOf(unit)}`, RIGHT, true],
    ])
  return pages.save()
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

/** As much of a text as fits. */
function shorten(text: string, fits: (text: string) => boolean): string {
  if (fits(text)) return text
  let length = text.length
  while (length > 0 && !fits(`${text.slice(0, length)}...`)) length -= 1
  return `${text.slice(0, length)}...`
}
