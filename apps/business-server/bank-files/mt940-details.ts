import { clean, joinNames, type Party } from './statement.ts'

/** What `:86:` says of a booking. */
interface Details {
  text: string
  party: Party
  returnReason: string | null
}

const nobody: Party = { name: null, account: null, bank: null }

/**
 * Reads `:86:` in one of the ways in which banks write it: in subfields (`?20` …, of any separator), SWIFT's words
 * (`/NAME/`), Dutch words (`NAAM:`), or as plain text. Payers write a part of it themselves, so what names the payer counts
 * only where it stands once, before what payers write: else nobody is named.
 */
export function detailsOf(lines: readonly string[], direction: 'in' | 'out'): Details {
  const joined = lines.join('')
  const separator = BEGINS.subfields.exec(joined)?.[1]
  if (separator) return subfields(joined, separator, direction)
  const text = clean(lines.join(' '))
  if (BEGINS.swift.test(joined)) {
    const words = wordsIn(joined, SWIFT)
    return {
      text,
      party: swiftParty(words, direction),
      returnReason: first(wordsBeforeChosen(words), 'RTRN'),
    }
  }
  const party = BEGINS.dutch.test(joined) ? dutchParty(wordsIn(joined, DUTCH)) : nobody
  return { text, party, returnReason: null }
}

const BEGINS = {
  subfields: /^(?:\d{3})?\s*([?>|~^@+*#])(?=00|10|20|21|30|32)/,
  swift: /^(?:\d{3})?\s*\/[A-Z]{2,14}\//,
  dutch: /^\s*(SEPA|IDEAL|(IBAN|BIC|NAAM)\s*:)/i,
}

const TEXT = /^(2\d|6[0-3])$/
const PARTY = /^3[0-3]$/
/** Characters of the name's first subfield, when it is full: the name continues in the second. */
const FULL = 26

function subfields(joined: string, separator: string, direction: 'in' | 'out'): Details {
  const [, ...pieces] = joined.split(separator)
  const fields: { code: string; value: string }[] = []
  for (const piece of pieces) {
    const [, code = '', value = ''] = /^(\d\d)([^]*)$/.exec(piece) ?? []
    const last = fields.at(-1)
    if (/^(00|10|2\d|3[0-4]|6[0-3])$/.test(code)) fields.push({ code, value })
    else if (last) last.value += separator + piece
  }
  const all = (which: RegExp) => fields.filter(({ code }) => which.test(code)).map(({ value }) => value)
  const text = clean(all(TEXT).join(''))
  // Payers write what comes later, also what looks like a subfield.
  const kind = fields[0]?.code === '00' ? fields[0].value : ''
  const returnReason = /RETURN|RETOURE|RUECK|RÜCK/i.test(kind) ? clean(kind) : null
  if (!isInPlace(fields.map(({ code }) => code))) return { text, party: nobody, returnReason }
  const one = (code: string) => all(new RegExp(`^${code}$`)).join('')
  const [name, more] = [one('32'), one('33')]
  const holder =
    name.length >= FULL || /^\s/.test(more) ? clean(name + more) : joinNames(clean(name), clean(more))
  const [, other = ''] =
    (direction === 'in' && /ABWA\+([^+]*?)(?=[A-Z]{4}\+|$)/.exec(all(TEXT).join(''))) || []
  const party = {
    ...{
      name: namesOf(holder, clean(other)),
      account: clean(one('31')) || null,
      bank: clean(one('30')) || null,
    },
  }
  return { text, party, returnReason }
}

/**
 * Whether each subfield of the party stands once and in its order, between the text and what is left of it: a payer who writes
 * one writes it before those of the bank.
 */
function isInPlace(codes: readonly string[]): boolean {
  const placed = codes.filter(code => TEXT.test(code) || PARTY.test(code))
  const groups = placed.map(([group = '']) => group)
  const party = placed.filter(code => PARTY.test(code))
  return groups.join() === groups.toSorted().join() && party.join() === [...new Set(party)].sort().join()
}

interface Word {
  code: string
  value: string
  /** With the slashes behind it. */
  whole: string
}

const SWIFT =
  /\/(TRTP|TRCD|IBAN|BIC|NAME|REMI|USTD|STRD|EREF|PREF|KREF|IREF|CREF|CSID|MARF|MREF|SVCL|CNTP|ORDP|BENM|ULTD|ULTC|ULTB|UDTR|UCRD|PURP|RTRN|ISDT|ADDR|ID|OCMT|EXCH|CHGS|BUSP|INIT|ACCW|BETALINGSKENM)(?=\/)/g
const DUTCH = /(\bIBAN|\bBIC|INCASSANT|MACHTIGING|OMSCHRIJVING|BETALINGSKENM\.?|KENMERK|BETREFT|NAAM)\s*:/gi

/** The words with what stands behind each, up to the next one. */
function wordsIn(joined: string, codes: RegExp): Word[] {
  const found = [...joined.matchAll(codes)]
  return found.map((each, index) => {
    const whole = joined.slice(each.index + each[0].length, found[index + 1]?.index).replace(/^\s*\//, '')
    return { code: (each[1] ?? '').toUpperCase(), whole, value: clean(withoutSlashes(whole)) }
  })
}

/** Without slashes and spaces at its end. In one pass: a text of thousands of them is read again at each by a pattern. */
function withoutSlashes(text: string): string {
  let end = text.length
  while (end > 0 && /[\s/]/.test(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}

const first = (words: readonly Word[], code: string): string | null =>
  words.find(each => each.code === code)?.value.replace(/^[\s/]+/, '') || null

/** Words with which begins what payers write. */
const OWN_TEXT = new Set(['REMI', 'USTD', 'STRD', 'OMSCHRIJVING', 'BETREFT'])
const NAMES = new Set(['NAME', 'NAAM', 'ORDP', 'BENM', 'CNTP', 'IBAN', 'BIC', 'ULTD', 'UDTR', 'ULTC', 'UCRD'])

/** Words of which a payer chooses what stands behind them. */
const CHOSEN = new Set([
  ...OWN_TEXT,
  'NAME',
  'ORDP',
  'BENM',
  'CNTP',
  'ULTD',
  'UDTR',
  'ULTC',
  'UCRD',
  'EREF',
  'ID',
  'PURP',
  'ADDR',
])

/** The words before what payers write; null where one of them comes again: which is the bank's is not known. */
function wordsOfBank(words: readonly Word[]): Word[] | null {
  const end = words.findIndex(({ code }) => OWN_TEXT.has(code))
  const named = words.map(({ code }) => code).filter(code => NAMES.has(code))
  if (new Set(named).size < named.length) return null
  return end < 0 ? [...words] : words.slice(0, end)
}

/** The words before the first of which a payer chooses something, which may look like another word. */
function wordsBeforeChosen(words: readonly Word[]): readonly Word[] {
  const end = words.findIndex(({ code }) => CHOSEN.has(code))
  return end < 0 ? words : words.slice(0, end)
}

function swiftParty(words: readonly Word[], direction: 'in' | 'out'): Party {
  const own = wordsOfBank(words)
  if (!own) return nobody
  const role = first(own, direction === 'in' ? 'ORDP' : 'BENM')
  const other =
    first(own, direction === 'in' ? 'ULTD' : 'ULTC') ?? first(own, direction === 'in' ? 'UDTR' : 'UCRD')
  const entry = own.find(({ code }) => code === 'CNTP')
  if (entry) {
    // Account, bank, name, city and an end: a name may have slashes itself.
    const [account = '', bank = '', ...more] = entry.whole.split('/')
    const name = more.slice(0, Math.max(1, more.length - 2)).join('/')
    return {
      ...{ name: namesOf(clean(name), nameIn(other)), account: clean(account) || null },
      bank: clean(bank) || null,
    }
  }
  const name = first(own, 'NAME') ?? role
  return { name: namesOf(name, nameIn(other)), account: first(own, 'IBAN'), bank: first(own, 'BIC') }
}

/** Reads the name of `/ULTD/name/id`. */
const nameIn = (value: string | null): string | null => value && (value.split('/')[0] ?? null)

function dutchParty(words: readonly Word[]): Party {
  const own = wordsOfBank(words)
  if (!own) return nobody
  return { name: first(own, 'NAAM'), account: first(own, 'IBAN'), bank: first(own, 'BIC') }
}

/** Without a holder nobody is named: the one on whose behalf it was paid is another person. */
const namesOf = (holder: string | null, other: string | null): string | null =>
  holder ? joinNames(holder, other) : null
