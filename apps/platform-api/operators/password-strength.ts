import { invalid } from '@windlass/service/problem.ts'

const GUESSES = 10_000

type Estimate = (password: string, known: string[]) => number
let estimator: Promise<{ guessesOf: Estimate; isCommon(password: string): boolean }> | undefined

/**
 * Throws `validation-failed` for a password that attackers try first: one of the 49,000 most common in breaches, or one
 * that zxcvbn finds within 10,000 guesses. `known` are words about the person, which count as guessed.
 */
export async function requireUncommonPassword(password: string, known: readonly string[]): Promise<void> {
  // Megabytes of words that most processes never need.
  estimator ??= openEstimator()
  const { guessesOf, isCommon } = await estimator
  if (!isCommon(password) && guessesOf(password, [...known]) >= GUESSES) return
  throw invalid(
    'password',
    'must be harder to guess: attackers try this one first. Use several unrelated words, or let a password manager create it',
  )
}

async function openEstimator() {
  const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })
  const common = new Set<string>(dictionary['passwords-common'].map(String))
  return {
    guessesOf: (password: string, known: string[]) => zxcvbn.check(password, known).guesses,
    isCommon: (password: string) => common.has(password.toLowerCase()),
  }
}
