/*
 * Words as they sound, so that one name written in several ways is one word: `Sergei`, `Sergey` and `Serguei` are. Two sounds
 * are compared letter by letter; letters that languages exchange for each other differ less than others.
 */

const REWRITTEN: readonly (readonly [RegExp, string])[] = [
  [/(?:dzh|dsch|dj)/g, 'j'],
  [/(?:tsch|tch|cz)/g, 'C'],
  [/(?:shch|sch|sh|sz)/g, 'S'],
  [/ch/g, 'C'],
  [/zh/g, 'Z'],
  [/kh/g, 'h'],
  [/gh/g, 'g'],
  [/dh/g, 'd'],
  [/th/g, 't'],
  [/ph/g, 'f'],
  [/ck/g, 'k'],
  [/gu(?=[eiy])/g, 'g'],
  [/c(?=[eiy])/g, 's'],
  [/[cq]/g, 'k'],
  [/x/g, 'ks'],
  [/ts|tz/g, 'z'],
  [/([oe])(?:ff?|w)$/, '$1v'],
  [/w/g, 'v'],
  [/(?<=[aeiou])ue?(?=[aeiou])/g, 'v'],
  [/ou|oo|au(?=[^aeiou])/g, 'u'],
  [/o/g, 'u'],
  [/(?<=[aeou])j(?![aeiou])|j$/g, 'i'],
  [/[ey]/g, 'i'],
  [/(.)\1+/g, '$1'],
  [/(?<=[aiu])h(?=[^aiu]|$)/g, 'H'],
]

/** A word in Latin letters as it sounds. `a i u` are vowels, `H` an h that is hardly heard. */
export const soundOf = (word: string): string =>
  REWRITTEN.reduce((sound, [what, by]) => sound.replace(what, by), word)

const LETTERS = 128
const code = (letter: string): number => letter.charCodeAt(0)
const isVowel = (letter: number): boolean => letter === 97 || letter === 105 || letter === 117

/* What it costs to put one letter in another's place or to leave one out, in hundredths. */
const OTHER = 100
const SIMILAR = 40
const EXCHANGED =
  'sz kg dt bp vf vu vb jg ji jZ jC CS Ch Ck Sh Ss Zz hk hg ts zd HC hH au ai iu fp dz gv zZ CZ kC zj js'
const exchange = new Int32Array(LETTERS * LETTERS).fill(OTHER)
for (const pair of EXCHANGED.split(' ')) {
  const [one = '', other = ''] = pair
  exchange[code(one) * LETTERS + code(other)] = SIMILAR
  exchange[code(other) * LETTERS + code(one)] = SIMILAR
}
for (let letter = 0; letter < LETTERS; letter++) exchange[letter * LETTERS + letter] = 0
const leftOut = new Int32Array(LETTERS).fill(OTHER)
for (const letter of 'aiuh') leftOut[code(letter)] = SIMILAR
leftOut[code('H')] = 20
/** In a script that writes no short vowels. */
const unwritten = leftOut.slice()
for (const letter of 'aiuH') unwritten[code(letter)] = 10

const MOST_LETTERS = 40
/** The letters of a sound, to compare it. */
const codesOf = (sound: string): Uint8Array => Uint8Array.from(sound.slice(0, MOST_LETTERS), code)

const width = MOST_LETTERS + 1
let [row, next, before] = [new Int32Array(width), new Int32Array(width), new Int32Array(width)]

/**
 * How far two sounds are from each other, in hundredths of a letter; more than `most` is not told apart.
 *
 * @param omitted what it costs to leave out a letter of the other.
 */
function distance(one: Uint8Array, other: Uint8Array, most: number, omitted: Int32Array): number {
  const [n, m] = [one.length, other.length]
  row[0] = 0
  for (let j = 1; j <= m; j++) row[j] = row[j - 1]! + omitted[other[j - 1]!]!
  for (let i = 1; i <= n; i++) {
    const a = one[i - 1]!
    const drop = leftOut[a]!
    let least = (next[0] = row[0]! + drop)
    let left = least
    for (let j = 1; j <= m; j++) {
      const b = other[j - 1]!
      let cost = row[j - 1]! + exchange[a * LETTERS + b]!
      const without = row[j]! + drop
      if (without < cost) cost = without
      left += omitted[b]!
      if (left < cost) cost = left
      if (a !== b && i > 1 && j > 1 && a === other[j - 2] && b === one[i - 2]) {
        const turned = before[j - 2]! + (isVowel(a) || isVowel(b) ? SIMILAR : OTHER)
        if (turned < cost) cost = turned
      }
      next[j] = left = cost
      if (cost < least) least = cost
    }
    if (least > most) return least
    ;[before, row, next] = [row, next, before]
  }
  return row[m]!
}

const SAME_SOUND = 0.98
/** For vowels that are not written. */
const OF_VOWELS = 20
const STRICTNESS = 0.8

/** How much two sounds may differ as one word, by the letters of the longer one: less in a short one. */
const MOST = [0, SIMILAR, SIMILAR, SIMILAR, SIMILAR, 100, 140, 160]
const mostOf = (length: number): number => MOST[length] ?? 170

/** How alike two sounds are, from 0 to 1; 0: they are different words. Words that are alike begin alike. */
export function soundsAlike(one: Uint8Array, other: Uint8Array, oneLacksVowels = false): number {
  const length = Math.max(one.length, other.length)
  const first = exchange[one[0]! * LETTERS + other[0]!]
  if (first === OTHER && leftOut[one[0]!] === OTHER && leftOut[other[0]!] === OTHER) return 0
  const most = mostOf(length) + (oneLacksVowels ? OF_VOWELS : 0)
  const far = distance(one, other, most, oneLacksVowels ? unwritten : leftOut)
  return far > most ? 0 : SAME_SOUND - (far / 100 / length) * STRICTNESS
}

const OF_DIGITS = 31
const bitOf = (letter: number): number =>
  letter >= 97 ? letter - 97 : letter === 67 ? 26 : letter === 83 ? 27 : letter === 90 ? 28 : OF_DIGITS

/** A bit for each letter of a sound; digits share one, and a letter that is hardly heard has none. */
function lettersOf(sound: string): number {
  let letters = 0
  for (const letter of sound) if (letter !== 'H') letters |= 1 << bitOf(letter.charCodeAt(0))
  return letters
}

/** Bits of the letters that are exchanged for those of a sound. */
function exchangedFor(sound: string): number {
  let letters = 0
  for (const letter of sound) letters |= exchangedBits[letter.charCodeAt(0)]!
  return letters
}

const exchangedBits = new Int32Array(LETTERS)
for (const pair of EXCHANGED.split(' ')) {
  const [one = '', other = ''] = pair
  exchangedBits[code(one)]! |= lettersOf(other)
  exchangedBits[code(other)]! |= lettersOf(one)
}
const LEFT_OUT = lettersOf('aiuh')

export interface Sound {
  sound: string
  codes: Uint8Array
  letters: number
  exchanged: number
}

export const heard = (sound: string): Sound => ({
  ...{ sound, codes: codesOf(sound), letters: lettersOf(sound), exchanged: exchangedFor(sound) },
})

/** Whether two sounds may be alike, by their letters alone: each that only one of them has costs something. */
export function mayBeAlike(one: Sound, other: Sound): boolean {
  const most = mostOf(Math.max(one.codes.length, other.codes.length))
  return costOfLetters(one, other) <= most && costOfLetters(other, one) <= most
}

function costOfLetters(one: Sound, other: Sound): number {
  const missing = one.letters & ~other.letters
  if (missing === 0) return 0
  return SIMILAR * countBits(missing) + (OTHER - SIMILAR) * countBits(missing & ~other.exchanged & ~LEFT_OUT)
}

function countBits(bits: number): number {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1
  return count
}
