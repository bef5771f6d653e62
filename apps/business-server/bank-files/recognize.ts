import type { StatementFormat } from '@windlass/contracts/anchor/bank-files.ts'
import { parseAmount, formatAmount } from '@windlass/money/amount.ts'
import type { StatementLine } from './statement.ts'
import { isSameRange, relate, type Relation, type StatementDay } from './statement-days.ts'
import { createHash } from 'node:crypto'
import { isSameName } from './accounts.ts'

/** A line of the file that is read. */
export interface ReadLine extends Facts {
  line: StatementLine
  /** In the file, from 1. */
  position: number
  facts: string
  words: string
}

/** A line of that day that is recorded. */
export interface KnownLine extends Facts {
  id: string
  statementId: string
  position: number
  format: StatementFormat
  direction: 'in' | 'out'
  amount: string
  facts: string
  words: string
  booking: StatementLine['booking']
  /** It may be another line itself, and nobody has decided that it is not. */
  isDoubtful: boolean
  /** What each statement that has it says of the day; none: an older release read it. */
  days: readonly StatementDay[]
}

/** How many pairs of lines one file may still compare: what is beyond is doubtful, for a person. */
export interface Comparisons {
  left: number
}

/** 500 equal amounts of a day beside 500. */
const MOST_OF_A_GROUP = 250_000

/** Some seconds of work: a file of thousands of equal amounts must not stop the server. */
export const comparisonsOfAFile = (): Comparisons => ({ left: 1_000_000 })

/** `same`: it is counted already, as this line. `doubtful`: perhaps; a person decides. */
type Verdict = { is: 'new' } | { is: 'same' | 'doubtful'; id: string }

/**
 * Compares what a statement has of one day with the lines that are recorded of that day. What balances prove is done, and
 * what nothing speaks against: equal lines, as many in both. What may be the same and may be another booking is doubtful.
 */
export function recognize(
  says: StatementDay,
  lines: readonly ReadLine[],
  known: readonly KnownLine[],
  comparisons: Comparisons,
): Map<ReadLine, Verdict> {
  const day = new Day(says, lines, known, comparisons)
  day.findAgain()
  day.pairBy(each => each.facts, { isExact: true })
  day.pairBy(each => each.words, { needsProof: true })
  const reference = (each: ReadLine | KnownLine) => withMoney(each, referenceOf(each.bankReference))
  day.pairBy(reference, { among: ({ format }) => format !== says.format })
  day.pairBy(reference, { needsProof: true })
  const codes = (each: ReadLine | KnownLine) => withMoney(each, each.codes.toSorted().join(' ') || null)
  day.pairBy(codes, { among: ({ format }) => format !== says.format })
  day.pairBookings()
  day.pairOtherWords()
  return day.verdicts
}

const moneyKey = ({ direction, amount }: { direction: string; amount: string }): string =>
  `${direction} ${parseAmount(amount)}`

const withMoney = (each: ReadLine | KnownLine, fact: string | null): string | null =>
  fact === null ? null : `${moneyKey('line' in each ? each.line : each)} ${fact}`

const bookingOf = (each: ReadLine | KnownLine) => ('line' in each ? each.line.booking : each.booking)

interface Pairing {
  /** Lines with the same key are equal: those that both statements must have are one, however many more one of them has. */
  isExact?: true
  /** Without balances that prove an overlap they are doubtful, also where both have equally many. */
  needsProof?: true
  among?: (known: KnownLine) => boolean
}

class Day {
  readonly verdicts: Map<ReadLine, Verdict>
  /** Not compared yet. */
  readonly #open: Set<ReadLine>
  readonly #left: Map<KnownLine, Exclude<Relation, 'apart'>>
  readonly #says: StatementDay
  readonly #all: readonly KnownLine[]
  readonly #comparisons: Comparisons

  constructor(
    says: StatementDay,
    lines: readonly ReadLine[],
    known: readonly KnownLine[],
    comparisons: Comparisons,
  ) {
    this.#comparisons = comparisons
    this.#says = says
    this.#all = known
    this.#open = new Set(lines)
    this.verdicts = new Map(lines.map(line => [line, { is: 'new' }]))
    this.#left = new Map()
    for (const each of known) {
      const relation = this.#relationTo(each)
      if (relation !== 'apart') this.#left.set(each, relation)
    }
  }

  #relationTo({ days }: KnownLine): Relation {
    const found = new Set(days.map(day => relate(this.#says, day)))
    if (found.has('apart') && found.has('overlaps')) return 'unclear'
    return (['overlaps', 'apart', 'unclear'] as const).find(each => found.has(each)) ?? 'unknown'
  }

  #settle(read: ReadLine, known: KnownLine, is: 'same' | 'doubtful'): void {
    this.verdicts.set(read, { is, id: known.id })
    this.#open.delete(read)
    this.#left.delete(known)
  }

  /** A file that an older release read: it recorded the same places. */
  findAgain(): void {
    const { statementId } = this.#says
    const own = this.#all.filter(each => each.statementId === statementId && each.days.length === 0)
    const byPlace = new Map(own.map(known => [known.position, known]))
    for (const read of this.#open) {
      const known = byPlace.get(read.position)
      if (known && moneyKey(read.line) === moneyKey(known)) this.#settle(read, known, 'same')
    }
  }

  /** Pairs lines with the same key. Lines that are not exactly equal must not contradict each other. */
  pairBy(key: (each: ReadLine | KnownLine) => string | null, how: Pairing): void {
    const known = Map.groupBy([...this.#left.keys()].filter(how.among ?? (() => true)), key)
    for (const [name, reads] of Map.groupBy(this.#open, key)) {
      const same = name === null ? [] : (known.get(name) ?? [])
      if (!how.isExact && !this.#mayCompare(reads, same)) {
        this.#doubt(reads, same)
        continue
      }
      const agree = (read: ReadLine, each: KnownLine) => how.isExact || !contradicts(read, each)
      this.#pair(
        reads.filter(read => same.some(each => agree(read, each))),
        same.filter(each => reads.some(read => agree(read, each))),
        how,
      )
    }
  }

  /** How many lines are equal is what both must agree on, unless the balances prove which of them both have. */
  #pair(reads: readonly ReadLine[], known: readonly KnownLine[], { isExact, needsProof }: Pairing): void {
    const proven = known.filter(each => this.#left.get(each) === 'overlaps')
    const others = known.filter(each => this.#left.get(each) !== 'overlaps')
    if (proven.length > 0 && (isExact || proven.length === reads.length)) {
      reads.slice(0, proven.length).forEach((read, index) => {
        const each = proven[index]
        if (each) this.#settle(read, each, 'same')
      })
      const rest = reads.slice(proven.length)
      if (others.length > 0) this.#doubt(rest.slice(0, others.length), others)
      // A statement with balances that has more than another one has further bookings; other files prove nothing.
      else if (this.#says.opening === null) this.#doubt(rest, proven)
      return
    }
    const certain = others.filter(({ isDoubtful }) => !isDoubtful).length
    const agrees = certain <= reads.length && reads.length <= others.length
    const isSame =
      !needsProof && proven.length === 0 && agrees && others.every(each => this.#left.get(each) === 'unknown')
    const ordered = others.toSorted((a, b) => Number(a.isDoubtful) - Number(b.isDoubtful))
    // As many equal lines as are recorded may be the same; those beyond are further bookings in any case.
    if (!isSame) return this.#doubt(isExact ? reads.slice(0, known.length) : reads, [...proven, ...ordered])
    reads.forEach((read, index) => {
      const each = ordered[index]
      if (each) this.#settle(read, each, 'same')
    })
  }

  #doubt(reads: readonly ReadLine[], known: readonly KnownLine[]): void {
    reads.forEach((read, index) => {
      const each = known[index % known.length]
      if (each) this.#settle(read, each, 'doubtful')
    })
  }

  #mayCompare(reads: readonly ReadLine[], known: readonly KnownLine[]): boolean {
    const pairs = reads.length * known.length
    // A large group leaves the file's share to the others.
    if (pairs > MOST_OF_A_GROUP || pairs > this.#comparisons.left) return false
    this.#comparisons.left -= pairs
    return true
  }

  /** A booking may be one amount in one file, and its transactions in another one. */
  pairBookings(): void {
    const open = Map.groupBy(this.#open, ({ line }) => moneyKey(line))
    for (const known of wholeBookings([...this.#left.keys()])) {
      const [first] = known
      if (!first?.booking) continue
      const reads = (open.get(moneyKey(first.booking)) ?? []).filter(read => this.#open.has(read))
      if (!this.#mayCompare(reads, [first])) {
        this.#doubt(
          reads.filter(({ line }) => !line.booking),
          [first],
        )
        continue
      }
      for (const read of reads) {
        if (read.line.booking) continue
        const one = referenceOf(read.bankReference)
        const other = referenceOf(first.booking.bankReference)
        const isSame = (one !== null && one === other) || this.#isProven(first)
        if (!isSame && !this.#mayDiffer(first, one, other)) continue
        this.#settle(read, first, isSame ? 'same' : 'doubtful')
        for (const each of known) this.#left.delete(each)
        break
      }
    }
    const left = Map.groupBy(this.#left.keys(), moneyKey)
    for (const reads of wholeBookings([...this.#open])) {
      const whole = reads[0]?.line.booking
      if (!whole) continue
      const one = referenceOf(whole.bankReference)
      const same = left.get(moneyKey(whole)) ?? []
      const isCompared = this.#mayCompare(reads.slice(0, 1), same)
      const found = same.find(each => {
        const other = referenceOf(each.bankReference)
        const isSame = (one !== null && one === other) || this.#mayDiffer(each, one, other)
        return !each.booking && this.#left.has(each) && (isSame || !isCompared)
      })
      // The amount may wait for a person, who needs what the transactions say.
      if (found) for (const read of reads) this.#settle(read, found, 'doubtful')
    }
  }

  /** Whether two bookings without a common reference may be one all the same. */
  #mayDiffer(known: KnownLine, one: string | null, other: string | null): boolean {
    return known.format !== this.#says.format || one === null || other === null
  }

  /** One booking may have other words in another file; equal balances and amounts prove that the day is the same. */
  pairOtherWords(): void {
    const known = Map.groupBy(this.#left.keys(), moneyKey)
    for (const [money, reads] of Map.groupBy(this.#open, ({ line }) => moneyKey(line))) {
      const same = known.get(money) ?? []
      if (!this.#mayCompare(reads, same)) {
        this.#doubt(reads, same)
        continue
      }
      const pairs = reads
        .map(read => ({ read, likely: this.#likely(read, same) }))
        .filter(({ likely }) => likely.length > 0)
      const found = new Set(pairs.flatMap(({ likely }) => likely))
      const isSame =
        found.size === pairs.length &&
        pairs.every(({ read, likely }) => likely.every(one => this.#isProven(one) && !contradicts(read, one)))
      for (const { read, likely } of pairs) {
        const free = likely.find(one => found.delete(one))
        const one = free ?? (isSame ? [...found].find(each => found.delete(each)) : likely[0])
        if (one) this.#settle(read, one, isSame ? 'same' : 'doubtful')
      }
    }
  }

  /** Those lines that may be this one, without those that say otherwise if there are others. */
  #likely(read: ReadLine, known: readonly KnownLine[]): readonly KnownLine[] {
    const all = known.filter(each => this.#mayBeOne(read, each))
    const agreeing = all.filter(each => !contradicts(read, each))
    return agreeing.length > 0 ? agreeing : all
  }

  /** One bank's references in one format are of different bookings if they differ, unless the statements overlap. */
  #mayBeOne(read: ReadLine, known: KnownLine): boolean {
    if (this.#isProven(known)) return !nameOthers(read, known)
    if (contradicts(read, known)) return false
    const [one, other] = [referenceOf(read.bankReference), referenceOf(known.bankReference)]
    const areOthers = known.format === this.#says.format && one !== null && other !== null && one !== other
    return !areOthers || this.#left.get(known) === 'overlaps'
  }

  #isProven(known: KnownLine): boolean {
    return this.#left.get(known) === 'overlaps' && known.days.some(day => isSameRange(this.#says, day))
  }
}

/** Lines that are the transactions of one booking each. */
function wholeBookings<Line extends ReadLine | KnownLine>(lines: readonly Line[]): Line[][] {
  const parts = lines.filter(each => bookingOf(each) !== null)
  const groups = Map.groupBy(parts, each => {
    const file = 'statementId' in each ? each.statementId : ''
    return `${file} ${bookingOf(each)?.number ?? ''}`
  })
  return [...groups.values()]
}

/** What two lines are compared by. */
interface Facts {
  bankReference: string | null
  codes: readonly string[]
  name: string | null
  account: string | null
}

/**
 * Digest of all that a bank says of a booking, without its day. Two lines of one day with equal facts may still be two
 * bookings: how many there are is what statements have to agree on (`recognize.ts`).
 */
export const factsOf = (line: Described): string =>
  digest(wordsOf(line), referenceOf(line.bankReference) ?? '')

/** The same without the bank's reference, which may be another one in each file. */
export const wordsOf = ({ direction, amount, currency, text, party }: Described): string =>
  digest(
    ...[direction, formatAmount(parseAmount(amount)), currency],
    // Banks change spaces and capitals between files.
    [text, party.name ?? '', party.account ?? ''].join('|').replaceAll(/\s/g, '').toUpperCase(),
  )

/**
 * The id of a line: the same in every state of the database, since equal lines of a day can stand for each other.
 *
 * @param ordinal how many lines of the day have these facts already
 */
export const idOf = (account: string, day: string, facts: string, ordinal: number): string =>
  digest('line', account, day, facts, String(ordinal))

interface Described {
  direction: 'in' | 'out'
  amount: string
  currency: string
  bankReference: string | null
  text: string
  party: { name: string | null; account: string | null }
}

const digest = (...parts: string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)

const placeholders = new Set([
  'NONREF',
  'NOREF',
  'NOTPROVIDED',
  'NOTAVAILABLE',
  'UNKNOWN',
  'NONE',
  'NULL',
  'NA',
])

/**
 * A bank's reference without the place of a transaction in its booking; null: it has none, a placeholder, or a number so
 * short that it counts the bookings of a statement.
 */
function referenceOf(given: string | null): string | null {
  const bare = (given ?? '')
    .replace(/\/\d+$/, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase()
  return /^0*\d{0,5}$/.test(bare) || placeholders.has(bare) ? null : bare
}

/** Whether two lines name different payments of ours. */
const nameOthers = (one: Facts, other: Facts): boolean =>
  one.codes.length > 0 && other.codes.length > 0 && !one.codes.some(code => other.codes.includes(code))

/** Whether two lines say of themselves that they are different bookings. */
function contradicts(one: Facts, other: Facts): boolean {
  const [a, b] = [accountOf(one), accountOf(other)]
  return (
    nameOthers(one, other) || isSameName(one.name, other.name) === false || (a !== '' && b !== '' && a !== b)
  )
}

const accountOf = ({ account }: Facts): string =>
  (account ?? '').replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase()
