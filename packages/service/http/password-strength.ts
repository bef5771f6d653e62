import type * as ZxcvbnCore from '@zxcvbn-ts/core'
import type * as CommonLanguage from '@zxcvbn-ts/language-common'
import { createRequire } from 'node:module'
import { invalid } from './problem.ts'

/**
 * `readings`: as how many words with letters for digits and signs (`p4ss` as `pass`) a password is looked up at most. A hundred
 * readings of one with many digits keep a service from all else for a tenth of a second; to find what 10,000 guesses find, ten
 * were enough for thousands of common passwords that were written so, and for 10⁸ guesses not quite.
 */
const FOUNDER = { guesses: 10_000, readings: 20 }
/** zxcvbn's limit for "safely unguessable", and its own number of readings. */
const ADMINISTRATOR = { guesses: 100_000_000, readings: 100 }
const ADMINISTRATOR_LENGTH = 12

const TOO_EASY =
  'must be harder to guess: attackers try this one first. Use several unrelated words, or let a password manager create it'

/**
 * Throws `validation-failed` for a password that attackers try first: one of the 49,000 most common in breaches, or one
 * that zxcvbn finds within 10,000 guesses. `known` are words about the person, which make a password easier to guess.
 */
export function requireUncommonPassword(password: string, known: readonly string[]): void {
  if (isGuessable(password, known, FOUNDER)) throw invalid('password', TOO_EASY)
}

/** What is wrong with an administrator's password, continuing "it"; null for one of 12 characters that takes 10⁸ guesses. */
export function weaknessOfAdministrator(password: string, known: readonly string[]): string | null {
  if (password.length < ADMINISTRATOR_LENGTH) return `must have at least ${ADMINISTRATOR_LENGTH} characters`
  return isGuessable(password, known, ADMINISTRATOR) ? TOO_EASY : null
}

function isGuessable(password: string, known: readonly string[], limits: typeof FOUNDER): boolean {
  const estimator = estimators.get(limits) ?? openEstimator(limits)
  estimators.set(limits, estimator)
  return estimator.isCommon(password) || estimator.guessesOf(password, wordsOf(known)) < limits.guesses
}

/** Harbour Pay is tried as harbourpay too, and its words are. */
const wordsOf = (known: readonly string[]): string[] =>
  ['windlass', ...known].flatMap(text => {
    const parts = text.split(/[^\p{L}\p{N}]+/u)
    return [text, parts.join(''), ...parts.filter(part => part.length > 3)]
  })

const estimators = new Map<typeof FOUNDER, ReturnType<typeof openEstimator>>()

// Megabytes of words that most processes never need; required, because settings are read synchronously.
function openEstimator({ readings }: typeof FOUNDER) {
  const require = createRequire(import.meta.url)
  const { ZxcvbnFactory } = require('@zxcvbn-ts/core') as typeof ZxcvbnCore
  const { dictionary, adjacencyGraphs } = require('@zxcvbn-ts/language-common') as typeof CommonLanguage
  const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, l33tMaxSubstitutions: readings })
  const common = new Set<string>(dictionary['passwords-common'].map(String))
  return {
    guessesOf: (password: string, known: string[]) => zxcvbn.check(password, known).guesses,
    isCommon: (password: string) => common.has(password.toLowerCase()),
  }
}
