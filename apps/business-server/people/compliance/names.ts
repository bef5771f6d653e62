import { jaroWinkler } from '@skyra/jaro-winkler'
import anyAscii from 'any-ascii'

/** Words that say nothing of who it is: titles and legal forms. */
const IGNORED = new Set(
  (
    'mr mrs ms miss dr prof sir shri smt herr frau sr sra don ' +
    'the and of ltd limited llc inc corp co company gmbh ag sa sarl srl bv nv plc pvt private ooo oao zao'
  ).split(' '),
)
const MOST_WORDS = 30
const MOST_LETTERS = 500

/** A name as words that can be compared: in Latin letters and digits, lower case, without marks, titles and legal forms. */
export function wordsOf(name: string): string[] {
  const latin = anyAscii(name.slice(0, MOST_LETTERS).normalize('NFKC')).toLowerCase()
  const words = latin
    .replaceAll(/['`]/g, '')
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .slice(0, MOST_WORDS)
  const telling = words.filter(word => !IGNORED.has(word))
  return telling.length > 0 ? telling : words
}

/** Words that are less alike than this are different words. */
const LEAST_ALIKE = 0.8

/** How alike two words are, from 0 to 1: Jaro-Winkler; an initial may be any word that begins with it. */
function likeness(one: string, other: string): number {
  if (one === other) return 1
  if (one.length === 1 || other.length === 1) return one[0] === other[0] ? LEAST_ALIKE : 0
  const found = jaroWinkler(one, other)
  return found >= LEAST_ALIKE ? found : 0
}

/** A bit for each letter of a word; digits share some. */
const lettersOf = (word: string): number => {
  let letters = 0
  for (const letter of word) letters |= 1 << (parseInt(letter, 36) % 32)
  return letters
}

const countBits = (bits: number): number => {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1
  return count
}

/** The least Jaro similarity of words that are alike: the Winkler part adds something where they begin alike. */
const LEAST_JARO = { sameBegin: (LEAST_ALIKE - 0.4) / 0.6, otherBegin: LEAST_ALIKE }

/** Whether two words may be alike, by their letters alone: most words are not, and need not be compared. */
function mayBeAlike(one: string, letters: number, other: string, otherLetters: number): boolean {
  const [short, long] = one.length <= other.length ? [letters, otherLetters] : [otherLetters, letters]
  const most = Math.min(one.length, other.length) - countBits(short & ~long)
  const jaro = (most / one.length + most / other.length + 1) / 3
  return jaro >= (one[0] === other[0] ? LEAST_JARO.sameBegin : LEAST_JARO.otherBegin) - 1e-9
}

const lengthOf = (words: readonly string[]): number => words.reduce((sum, { length }) => sum + length, 0)

/** How much the name that is covered less counts: a name within a longer one is nearly as good as the same name. */
const SHARE_OF_LESS = 0.15

/**
 * How alike two names are, from 0 to 1, in any order of their words. Each word is paired with the most similar one of the
 * other name; what counts is how much of each name is paired. One word alone has to be all of the other name too.
 */
export function scoreOf(one: readonly string[], other: readonly string[]): number {
  if (one.length === 0 || other.length === 0) return 0
  if (one.join('') === other.join('')) return 1
  const pairs = one
    .flatMap((a, i) => other.map((b, j) => ({ i, j, a, b, alike: likeness(a, b) })))
    .filter(({ alike }) => alike > 0)
    .sort((p, q) => q.alike - p.alike || q.a.length + q.b.length - (p.a.length + p.b.length))
  const [ones, others] = [new Set<number>(), new Set<number>()]
  let [ofOne, ofOther] = [0, 0]
  for (const { i, j, a, b, alike } of pairs) {
    if (ones.has(i) || others.has(j)) continue
    ones.add(i)
    others.add(j)
    ofOne += alike * a.length
    ofOther += alike * b.length
  }
  const covered = [ofOne / lengthOf(one), ofOther / lengthOf(other)]
  const [less, more] = [Math.min(...covered), Math.max(...covered)]
  const alone = Math.min(one.length, other.length) === 1
  const score = alone ? less : more * (1 - SHARE_OF_LESS) + less * SHARE_OF_LESS
  return Math.floor(score * 1000) / 1000
}

export interface ListedName {
  source: string
  list: string
  entryId: string
  name: string
  detail: string
}

export interface Match extends ListedName {
  score: number
}

export interface Matcher {
  /** Entries with a name like this, each by its most similar name, the best first. */
  find(name: string, threshold: number): Match[]
}

const KEPT_WORDS = 20_000

const NAMES_AT_ONCE = 500

/**
 * Finds names in lists: by words like those of the name, so that few names are compared whole.
 *
 * @param turn lets others work between some names and the next.
 */
export async function createMatcher(
  listed: readonly ListedName[],
  turn: () => Promise<unknown>,
): Promise<Matcher> {
  const words: string[][] = []
  const byWord = new Map<string, number[]>()
  const byLetters = new Map<string, number[]>()
  const add = (map: Map<string, number[]>, key: string, index: number) => {
    const known = map.get(key)
    if (known) known.push(index)
    else map.set(key, [index])
  }
  for (const [index, { name }] of listed.entries()) {
    if (index % NAMES_AT_ONCE === 0) await turn()
    const own = wordsOf(name)
    words.push(own)
    for (const word of new Set(own)) add(byWord, word, index)
    add(byLetters, own.join(''), index)
  }
  const vocabulary = [...byWord.keys()].map(word => ({ word, letters: lettersOf(word) }))
  const known = new Map<string, string[]>()
  const wordsLike = (word: string): string[] => {
    const before = known.get(word)
    if (before) return before
    const letters = lettersOf(word)
    const found = vocabulary
      .filter(each => mayBeAlike(word, letters, each.word, each.letters) && likeness(word, each.word) > 0)
      .map(each => each.word)
    if (known.size >= KEPT_WORDS) known.clear()
    known.set(word, found)
    return found
  }
  return {
    find(name, threshold) {
      const own = wordsOf(name)
      const indexes = new Set(byLetters.get(own.join('')) ?? [])
      for (const word of new Set(own))
        for (const like of wordsLike(word)) for (const index of byWord.get(like) ?? []) indexes.add(index)
      const best = new Map<string, Match>()
      for (const index of indexes) {
        const each = listed[index]
        const score = scoreOf(own, words[index] ?? [])
        if (!each || score < threshold) continue
        const key = JSON.stringify([each.source, each.entryId])
        if (score > (best.get(key)?.score ?? -1)) best.set(key, { ...each, score })
      }
      return [...best.values()].sort((a, b) => b.score - a.score)
    },
  }
}
