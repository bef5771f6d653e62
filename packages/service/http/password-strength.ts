import type * as ZxcvbnCore from '@zxcvbn-ts/core'
import type * as CommonLanguage from '@zxcvbn-ts/language-common'
import { createRequire } from 'node:module'
import { invalid } from './problem.ts'

const GUESSES = 10_000
/** zxcvbn's limit for "safely unguessable". */
const ADMINISTRATOR_GUESSES = 100_000_000
const ADMINISTRATOR_LENGTH = 12

const TOO_EASY =
  'must be harder to guess: attackers try this one first. Use several unrelated words, or let a password manager create it'

/**
 * Throws `validation-failed` for a password that attackers try first: one of the 49,000 most common in breaches, or one
 * that zxcvbn finds within 10,000 guesses. `known` are words about the person, which make a password easier to guess.
 */
export function requireUncommonPassword(password: string, known: readonly string[]): void {
  if (isGuessable(password, known, GUESSES)) throw invalid('password', TOO_EASY)
}

/** What is wrong with an administrator's password, continuing "it"; null for one of 12 characters that takes 10⁸ guesses. */
export function weaknessOfAdministrator(password: string, known: readonly string[]): string | null {
  if (password.length < ADMINISTRATOR_LENGTH) return `must have at least ${ADMINISTRATOR_LENGTH} characters`
  return isGuessable(password, [...known, 'windlass'], ADMINISTRATOR_GUESSES) ? TOO_EASY : null
}

function isGuessable(password: string, known: readonly string[], guesses: number): boolean {
  estimator ??= openEstimator()
  return estimator.isCommon(password) || estimator.guessesOf(password, [...known]) < guesses
}

let estimator: ReturnType<typeof openEstimator> | undefined

// Megabytes of words that most processes never need; required, because settings are read synchronously.
function openEstimator() {
  const require = createRequire(import.meta.url)
  const { ZxcvbnFactory } = require('@zxcvbn-ts/core') as typeof ZxcvbnCore
  const { dictionary, adjacencyGraphs } = require('@zxcvbn-ts/language-common') as typeof CommonLanguage
  const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })
  const common = new Set<string>(dictionary['passwords-common'].map(String))
  return {
    guessesOf: (password: string, known: string[]) => zxcvbn.check(password, known).guesses,
    isCommon: (password: string) => common.has(password.toLowerCase()),
  }
}
