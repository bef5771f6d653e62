import { mayBeAlike, soundsAlike } from './sounds.ts'
import { wordOf, type NameWord } from './words.ts'

const OF_ONE_FAMILY = 0.97
const INITIAL = 0.8

/** How alike two words are, from 0 to 1; an initial may be any word that begins with it. */
export function likeness(one: NameWord, other: NameWord): number {
  if (one.text === other.text) return 1
  if (one.family !== null && one.family === other.family) return OF_ONE_FAMILY
  if (one.text.length === 1 && other.text.length === 1 && one.script === other.script) return 0
  if (
    one.script === 'latin' &&
    other.script === 'latin' &&
    (one.text.length === 1 || other.text.length === 1)
  )
    return one.text[0] === other.text[0] ? INITIAL : 0
  if (/\d/.test(one.text + other.text)) return 0
  const found = soundsOf(one, other)
  // Two names that each have a family are two names, however alike.
  return one.family !== null && other.family !== null ? found * 0.9 : found
}

function soundsOf(one: NameWord, other: NameWord): number {
  if (one.script === 'arabic' && other.script !== 'arabic') return alikeWithoutVowels(one, other)
  if (other.script === 'arabic' && one.script !== 'arabic') return alikeWithoutVowels(other, one)
  let alike = soundsAlike(one.codes, other.codes)
  if (one.short) alike = Math.max(alike, soundsAlike(one.short.codes, other.codes))
  if (other.short) alike = Math.max(alike, soundsAlike(one.codes, other.short.codes))
  return alike
}

function alikeWithoutVowels(arabic: NameWord, other: NameWord): number {
  const whole = soundsAlike(arabic.codes, other.codes, true)
  return other.short ? Math.max(whole, soundsAlike(arabic.codes, other.short.codes, true)) : whole
}

/** Whether two words may be alike, by their letters alone: most words are not, and need not be compared. */
export function mayBeLike(one: NameWord, other: NameWord): boolean {
  if (one.script !== 'latin' || other.script !== 'latin') return true
  if (one.family !== null && one.family === other.family) return true
  if (one.text.length === 1 || other.text.length === 1) return one.text[0] === other.text[0]
  return (
    mayBeAlike(one, other) ||
    (one.short !== null && mayBeAlike(one.short, other)) ||
    (other.short !== null && mayBeAlike(one, other.short))
  )
}

export const weightOf = (words: readonly NameWord[]): number =>
  words.reduce((sum, { weight }) => sum + weight, 0)

interface Pair {
  ones: number
  others: number
  alike: number
  /** The weight of the words on each side. */
  one: number
  other: number
}

/** Each word with each, and two words in a row with one that is both. Words are bits of their places. */
function pairsOf(
  one: readonly NameWord[],
  other: readonly NameWord[],
  likenessAt: (at: number, other: NameWord) => number,
): Pair[] {
  const pairs: Pair[] = []
  for (const [i, a] of one.entries())
    for (const [j, b] of other.entries()) {
      const alike = likenessAt(i, b)
      if (alike > 0) pairs.push({ ones: 1 << i, others: 1 << j, alike, one: a.weight, other: b.weight })
    }
  joinedPairs(one, other, (parts, whole, ofParts, ofWhole) =>
    pairs.push({ ones: parts, others: whole, alike: JOINED, one: ofParts, other: ofWhole }),
  )
  joinedPairs(other, one, (parts, whole, ofParts, ofWhole) =>
    pairs.push({ ones: whole, others: parts, alike: JOINED, one: ofWhole, other: ofParts }),
  )
  const isSame = ({ alike }: Pair) => Number(alike === 1)
  const told = ({ alike, one: ofOne, other: ofOther }: Pair) => alike * (ofOne + ofOther)
  return pairs.sort((p, q) => isSame(q) - isSame(p) || told(q) - told(p) || q.alike - p.alike)
}

const LEAST_JOINED = 4
const JOINED = 0.98

function joinedPairs(
  parts: readonly NameWord[],
  wholes: readonly NameWord[],
  found: (parts: number, whole: number, ofParts: number, ofWhole: number) => void,
): void {
  if (!wholes.some(({ text, script }) => text.length >= LEAST_JOINED || script !== 'latin')) return
  for (let at = 0; at + 1 < parts.length; at++) {
    const [first, second] = [parts[at], parts[at + 1]]
    if (!first || !second) continue
    const sound = joinedSound(first, second)
    for (const [whole, word] of wholes.entries())
      if (sound === word.sound || sound === word.short?.sound)
        found(3 << at, 1 << whole, first.weight + second.weight, word.weight)
  }
}

export const joinedSound = (first: NameWord, second: NameWord): string =>
  first.script === 'latin' && second.script === 'latin'
    ? wordOf(first.text + second.text).sound
    : (first.sound + second.sound).replaceAll(/(.)\1+/g, '$1')

/** How much the name that is covered less counts, where the words that are alike say much of who it is. */
const SHARE_OF_LESS = 0.15
/** What alike words must say together for that; of less, both names must be covered. */
const ENOUGH = 1.4
const LITTLE = 0.8
const MOST_OF_LESS = 0.6
/** A word that is alone has to be the same one. */
const SURE = 0.95
const OF_UNSURE = 0.85

/**
 * How alike two names are, from 0 to 1, in any order of their words. Each word is paired with the one most alike in the other
 * name; what counts is how much of each name is paired. One word alone has to be all of the other name too.
 */
export function scoreOf(
  one: readonly NameWord[],
  other: readonly NameWord[],
  likenessAt = (at: number, word: NameWord): number => {
    const own = one[at]
    return own ? likeness(own, word) : 0
  },
): number {
  if (one.length === 0 || other.length === 0) return 0
  let [ones, others, ofOne, ofOther, told, sureness] = [0, 0, 0, 0, 0, 1]
  for (const pair of pairsOf(one, other, likenessAt)) {
    if ((ones & pair.ones) !== 0 || (others & pair.others) !== 0) continue
    ones |= pair.ones
    others |= pair.others
    sureness = Math.min(sureness, pair.alike)
    ofOne += pair.alike * pair.one
    ofOther += pair.alike * pair.other
    told += pair.alike * Math.min(pair.one, pair.other)
  }
  const covered = [ofOne / weightOf(one), ofOther / weightOf(other)] as const
  const [less, more] = [Math.min(...covered), Math.max(...covered)]
  const alone = (ones & (ones - 1)) === 0 || (others & (others - 1)) === 0
  if (alone) return round(sureness >= SURE ? less : less * OF_UNSURE)
  const lacking = Math.min(1, Math.max(0, (ENOUGH - told) / (ENOUGH - LITTLE)))
  const share = SHARE_OF_LESS + lacking * (MOST_OF_LESS - SHARE_OF_LESS)
  return round(more * (1 - share) + less * share)
}

const round = (score: number): number => Math.floor(score * 1000 + 1e-6) / 1000

/** The most that names can score of which so much is covered. */
export const mostOfShares = (one: number, other: number): number =>
  Math.max(one, other) * (1 - SHARE_OF_LESS) + Math.min(one, other) * SHARE_OF_LESS
