import { BoundedCache } from '@windlass/service/work/bounded-cache.ts'
import anyAscii from 'any-ascii'
import { FAMILIES_OF_FEW, FAMILIES_OF_MANY, OF_FIRMS, OF_NOBODY } from './families.ts'
import { heard, soundOf, type Sound } from './sounds.ts'

/** A word of a name, as it is compared. */
export interface NameWord extends Sound {
  /** In lower case, without marks; in Latin letters, unless it is Arabic or Hangul, where Latin letters lose too much. */
  text: string
  script: 'latin' | 'arabic' | 'hangul'
  /** The family of names that it belongs to. */
  family: number | null
  /** How much it says of who it is. */
  weight: number
  sound: string
  /** How it sounds without an article that is written with it, as in `aldawhari`. */
  short: Sound | null
}

const NOBODY = new Set(OF_NOBODY.split(' '))
const FIRMS = new Set(OF_FIRMS.split(' '))
const MANY = FAMILIES_OF_MANY.trim().split('\n')
const families = new Map<string, number>()
const familySounds = new Map<string, number>()
for (const [index, line] of [...MANY, ...FAMILIES_OF_FEW.trim().split('\n')].entries())
  for (const word of line.split(' ')) {
    families.set(arabicLetters(word), index)
    if (word.length > 3 && /^[a-z]/.test(word) && !familySounds.has(soundOf(word)))
      familySounds.set(soundOf(word), index)
  }

const MOST_WORDS = 30
const MOST_LETTERS = 2_000
/** A name is rarely of more words, so one that two windows share is whole in one of them. */
const SHARED_WORDS = 8

/** The words of a name, without titles, legal forms and words between names where others are left. */
export const wordsOf = (name: string): NameWord[] => allWordsOf(name).slice(0, MOST_WORDS)

/** The same of a name of any length, so many at once as can be compared: nothing that is put before a name hides it. */
export function windowsOf(name: string): NameWord[][] {
  const all = allWordsOf(name)
  const windows = [all.slice(0, MOST_WORDS)]
  for (let end = MOST_WORDS; end < all.length; end += MOST_WORDS - SHARED_WORDS)
    windows.push(all.slice(end - SHARED_WORDS, end - SHARED_WORDS + MOST_WORDS))
  return windows
}

function allWordsOf(name: string): NameWord[] {
  const all = joinServants(split(name))
  const telling = all.filter(word => !NOBODY.has(word))
  return (telling.length > 0 ? telling : all).map(wordOf)
}

export const isArticle = (word: string): boolean =>
  /^(?:al|el|bin|ben|ibn|abd|abdul|abdel|de|del|la)$/.test(word)

/** Bytes of a word and its sounds, about. */
const WORD_BYTES = 600
const kept = new BoundedCache<NameWord>({
  ...{ name: 'name-words', maxBytes: 40 * 1024 * 1024 },
  sizeOf: () => WORD_BYTES,
})

/** The same word is the same object, as long as it is kept. */
export function wordOf(text: string): NameWord {
  const before = kept.get(text)
  if (before) return before
  const script = /[\u0600-\u06ff]/.test(text) ? 'arabic' : /[\uac00-\ud7af]/.test(text) ? 'hangul' : 'latin'
  const sound = SOUNDS[script](text)
  const family = families.get(text) ?? (script === 'latin' ? familySounds.get(sound) : undefined) ?? null
  const article = script === 'latin' && /^[ae]l(?=.{5})/.test(text)
  const word: NameWord = {
    ...{ text, script, family, ...heard(sound) },
    weight: weightOf(text, lengthOf(script, text), family),
    short: article ? heard(soundOf(text.slice(2))) : null,
  }
  kept.set(text, word)
  return word
}

const OF_MANY_WEIGHT = 0.55
const OF_FIRMS_WEIGHT = 0.15
const FULL_LENGTH = 6

/** As in Latin letters: Arabic writes no short vowels, and a Hangul syllable has about three letters. */
const lengthOf = (script: NameWord['script'], text: string): number =>
  Math.min(
    10,
    script === 'arabic' ? Math.round(text.length * 1.5) : script === 'hangul' ? text.length * 3 : text.length,
  )

function weightOf(text: string, length: number, family: number | null): number {
  const kind = FIRMS.has(text)
    ? OF_FIRMS_WEIGHT
    : family !== null && family < MANY.length
      ? OF_MANY_WEIGHT
      : 1
  return kind * ((2 + length) / (2 + FULL_LENGTH))
}

function split(name: string): string[] {
  const text = name
    .slice(0, MOST_LETTERS)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/['’`ʼʿʾ‘´]/g, '')
  return text
    .replaceAll(/[\u064b-\u065f\u0670\u0640]/g, '')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .flatMap(partsOf)
    .filter(Boolean)
}

/** A written word as words: a Hangul syllable and a Chinese character are each one. */
function partsOf(word: string): string[] {
  if (/\p{Script=Arabic}/u.test(word)) return [arabicLetters(word).replace(/^(?:و?ال)(?=..)(?!له$)/, '')]
  if (/\p{Script=Hangul}/u.test(word)) return word.match(/[\uac00-\ud7af]|[^\uac00-\ud7af]+/g) ?? []
  if (/\p{Script=Han}/u.test(word)) return [...word].map(latin)
  return latin(word).split(/[^a-z0-9]+/)
}

const latin = (text: string): string => anyAscii(text).toLowerCase().replaceAll(/['`]/g, '')

/** Arabic and Persian letters that are written for one another, as one. */
function arabicLetters(text: string): string {
  return text
    .replaceAll(/[أإآٱ]/g, 'ا')
    .replaceAll(/[ىیئ]/g, 'ي')
    .replaceAll('ؤ', 'و')
    .replaceAll('ک', 'ك')
    .replaceAll('ة', 'ه')
    .replaceAll('ء', '')
}

const SERVANT =
  /^abd(?:al|el|il|ol|oul|ul|ar(?=r)|er(?=r)|ur(?=r)|our(?=r)|as(?=s)|es(?=s)|us(?=s)|ou|u|e|a)?(?=[^aeiou])/
const SERVANT_ALONE = /^abd(?:[aeiou]{1,2}l?)?$|^abdu[rs]$/

/** `Abd al-Wahhab`, `Abdul Wahhab` and `Abdelwahhab` are one word. */
function joinServants(words: readonly string[]): string[] {
  const joined: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    const next = words.slice(at + 1).findIndex(each => !/^[aeu][lrs]$/.test(each)) + at + 1
    const following = words[next]
    if (following && next > at && (SERVANT_ALONE.test(word) || word === 'عبد')) {
      joined.push(word === 'عبد' ? word + following : 'abd' + following)
      at = next
    } else if (word === 'الله' && joined.length > 0) joined.push(`${joined.pop()}${word}`)
    else if (word.length > 6 && SERVANT.test(word) && !families.has(word))
      joined.push(word.replace(SERVANT, 'abd'))
    else joined.push(word)
  }
  return joined
}

const SOUNDS = { latin: soundOf, arabic: soundOfArabic, hangul: soundOfHangul }

const ARABIC_SOUNDS: Readonly<Record<string, string>> = {
  ...{
    ا: 'a',
    ب: 'b',
    ت: 't',
    ث: 't',
    ج: 'j',
    ح: 'h',
    خ: 'h',
    د: 'd',
    ذ: 'd',
    ر: 'r',
    ز: 'z',
    س: 's',
    ش: 'S',
  },
  ...{
    ص: 's',
    ض: 'd',
    ط: 't',
    ظ: 'z',
    ع: 'a',
    غ: 'g',
    ف: 'f',
    ق: 'k',
    ك: 'k',
    ل: 'l',
    م: 'm',
    ن: 'n',
    ه: 'H',
  },
  ...{ و: 'u', ي: 'i', پ: 'b', چ: 'C', ژ: 'Z', گ: 'g', ڤ: 'v' },
}

function soundOfArabic(word: string): string {
  return [...word]
    .map(letter => ARABIC_SOUNDS[letter] ?? '')
    .join('')
    .replaceAll(/(.)\1+/g, '$1')
}

/** A syllable in the official romanization, with the vowels that names are written with. */
function soundOfHangul(syllable: string): string {
  return soundOf(
    latin(syllable)
      .replaceAll('eo', 'o')
      .replaceAll('eu', 'u')
      .replace(/^l/, 'r')
      .replace(/(?<!n)[gdb]$/, end => ({ g: 'k', d: 't', b: 'p' })[end] ?? end),
  )
}
