import type { Variables } from './base-env.ts'
import { SETTINGS } from './settings-list.ts'

/** A setting that a production start cannot do without. */
interface Undecided {
  name: string
  /** Continues the name: `is not set`. */
  problem: string
  /** What a good value is. */
  decide: string
}

/**
 * Settings that still have a developer's value, or none, all at once. A base env file that was generated for
 * DEPLOYMENT=local decides nothing: its values are for one machine.
 */
export function undecidedSettings(baseEnv: Variables, given: Variables): Undecided[] {
  const decided = baseEnv.DEPLOYMENT === 'local' ? given : { ...baseEnv, ...given }
  return SETTINGS.flatMap(({ name, decide }) => {
    if (decide === undefined) return []
    const problem = problemOf(name, decided)
    return problem === null ? [] : [{ name, problem, decide }]
  })
}

function problemOf(name: string, decided: Variables): string | null {
  // A mock that somebody allowed on purpose, for a public trial on a test network, needs no webhook secret.
  if (name === 'PROVIDER_WEBHOOK_SECRET' && decided.KYC_PROVIDER === 'mock') return null
  if (decided[`${name}_FILE`]) return null
  const value = decided[name]
  if (!value) return 'is not set'
  if (/localhost|127\.0\.0\.1/.test(value)) return `is "${value}", which only this machine reaches`
  return null
}
