import { scoreWithFacts, type Facts } from './facts.ts'
import { BETWEEN_HOLDERS } from './families.ts'
import { joinedSound, likeness, mayBeLike, mostOfShares, scoreOf, weightOf } from './score.ts'
import { isArticle, windowsOf, wordsOf, type NameWord } from './words.ts'

interface ListedName {
  source: string
  list: string
  entryId: string
  name: string
  detail: string
  born: readonly number[]
  countries: readonly string[]
}

interface Match extends ListedName {
  score: number
}

export interface Matcher {
  /**
   * Entries with a name like this, each by its most similar name, the best first.
   *
   * @param facts what else is known of who has the name.
   */
  find(name: string, threshold: number, facts?: Facts | null): Match[]
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
  const words: NameWord[][] = []
  const byWord = new Map<NameWord, number[]>()
  const bySound = new Map<string, Set<NameWord>>()
  const byJoined = new Map<string, number[]>()
  const add = <Key>(map: Map<Key, number[]>, key: Key, index: number) => {
    const known = map.get(key)
    if (known) known.push(index)
    else map.set(key, [index])
  }
  const interned = new Map<string, NameWord>()
  for (const [index, { name }] of listed.entries()) {
    if (index % NAMES_AT_ONCE === 0) await turn()
    const own = wordsOf(name).map(word => {
      const before = interned.get(word.text)
      if (!before) interned.set(word.text, word)
      return before ?? word
    })
    words.push(own)
    for (const word of new Set(own)) add(byWord, word, index)
    for (const [first, second] of neighbours(own)) add(byJoined, joinedSound(first, second), index)
  }
  const vocabulary = [...byWord.keys()]
  for (const word of vocabulary)
    for (const sound of [word.sound, word.short?.sound])
      if (sound !== undefined) bySound.set(sound, (bySound.get(sound) ?? new Set()).add(word))
  const known = new Map<string, ReadonlyMap<NameWord, number>>()
  const wordsLike = (word: NameWord): ReadonlyMap<NameWord, number> => {
    const before = known.get(word.text)
    if (before) return before
    const found = new Map<NameWord, number>()
    for (const each of vocabulary) {
      const alike = mayBeLike(word, each) ? likeness(word, each) : 0
      if (alike > 0) found.set(each, alike)
    }
    if (known.size >= KEPT_WORDS) known.clear()
    known.set(word.text, found)
    return found
  }
  const knows = (part: string) => interned.has(part)
  const weights = Float32Array.from(words, weightOf)
  const [ofAsked, ofListed] = [new Float32Array(words.length), new Float32Array(words.length)]

  /** Adds to `best` what one reading of a name is like. */
  function compare(
    own: readonly NameWord[],
    threshold: number,
    facts: Facts | null,
    best: Map<string, Match>,
  ): void {
    const touched: number[] = []
    const touch = (index: number, asked: number, other: number) => {
      if (ofAsked[index] === 0) touched.push(index)
      ofAsked[index]! += asked
      ofListed[index]! += other
    }
    const alike = own.map(wordsLike)
    for (const [at, word] of own.entries()) {
      for (const [like, how] of alike[at] ?? [])
        for (const index of byWord.get(like) ?? []) touch(index, how * word.weight, how * like.weight)
      for (const sound of [word.sound, word.short?.sound])
        if (sound !== undefined) for (const index of byJoined.get(sound) ?? []) touch(index, word.weight, 9)
    }
    for (const [first, second] of neighbours(own))
      for (const like of bySound.get(joinedSound(first, second)) ?? [])
        for (const index of byWord.get(like) ?? []) touch(index, first.weight + second.weight, like.weight)
    const total = weightOf(own)
    for (const index of touched) {
      const most = mostOfShares(
        Math.min(1, ofAsked[index]! / total),
        Math.min(1, ofListed[index]! / weights[index]!),
      )
      ofAsked[index] = ofListed[index] = 0
      if (most + 0.001 < threshold) continue
      const each = listed[index]
      if (!each) continue
      const alone = scoreOf(own, words[index] ?? [], (at, word) => alike[at]?.get(word) ?? 0)
      const score = scoreWithFacts(alone, facts, each)
      if (score < threshold) continue
      const key = JSON.stringify([each.source, each.entryId])
      if (score > (best.get(key)?.score ?? -1)) best.set(key, { ...each, score })
    }
  }
  return {
    find(name, threshold, facts = null) {
      const best = new Map<string, Match>()
      for (const own of readingsOf(name, knows)) compare(own, threshold, facts, best)
      return [...best.values()].sort((a, b) => b.score - a.score)
    },
  }
}

const neighbours = (words: readonly NameWord[]): [NameWord, NameWord][] =>
  words.slice(1).map((second, at) => [words[at]!, second])

/** A name without another word, and a word of another name, that may be several words. */
const LEAST_LETTERS = { alone: 6, inName: 9 }

/**
 * The ways to read a name: as it is; each of several holders; without what follows a number, as an address does; with what is
 * joined or spaced out put right.
 */
function readingsOf(asked: string, knows: (part: string) => boolean): NameWord[][] {
  const name = asked.replaceAll(/\s+/g, ' ').trim()
  const readings = windowsOf(name)
  const holders = name.split(BETWEEN_HOLDERS)
  if (holders.length > 1)
    for (const holder of holders) {
      const words = wordsOf(holder)
      if (words.length > 1) readings.push(words)
    }
  const address = name.search(/\s\S*\d/)
  if (address > 0) readings.push(...windowsOf(name.slice(0, address)))
  const capitals = name.replaceAll(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
  if (capitals !== name) readings.push(...windowsOf(capitals))
  const spaced = name.trim().split(/[\s.]+/)
  if (spaced.length > 4 && spaced.every(each => each.length === 1)) readings.push(wordsOf(spaced.join('')))
  for (const words of [...readings]) {
    const least = words.length === 1 ? LEAST_LETTERS.alone : LEAST_LETTERS.inName
    const parts = words.map(word => (word.text.length < least ? null : partsOf(word, knows)))
    if (parts.some(each => each !== null))
      readings.push(...windowsOf(words.map((word, at) => parts[at] ?? word.text).join(' ')))
  }
  return readings
}

const LEAST_PART = 2

/** The known words that a word is joined of, the longest ones, with spaces between; null: it is one word. */
function partsOf({ text, script }: NameWord, knows: (part: string) => boolean): string | null {
  if (script !== 'latin' || knows(text)) return null
  const best: ({ size: number; parts: string } | null)[] = [{ size: 0, parts: '' }]
  for (let end = 1; end <= text.length; end++) {
    best[end] = null
    for (let start = 0; start <= end - LEAST_PART; start++) {
      const before = best[start]
      const part = text.slice(start, end)
      if (!before || !(knows(part) || isArticle(part))) continue
      const size = before.size + part.length ** 2
      if (size > (best[end]?.size ?? 0)) best[end] = { size, parts: `${before.parts} ${part}` }
    }
  }
  return best[text.length]?.parts ?? null
}
