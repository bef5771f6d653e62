import { amount, ConfigError, optional, type Env } from '@windlass/service/process/env.ts'
import { historyIn } from '@windlass/stellar/archive/settings.ts'
import { TEST_NETWORK } from '@windlass/stellar/network.ts'

const NAMES = ['HISTORY_ARCHIVES', 'VALIDATORS', 'PROOF_LIMIT'] as const

/**
 * The settings of archives, validators and the limit above which withdrawals are proven, as they are given to anchors'
 * servers.
 *
 * @throws {ConfigError}
 */
export function readProofSettings(env: Env): Record<string, string> {
  try {
    historyIn(env, optional(env, 'NETWORK_PASSPHRASE') ?? TEST_NETWORK)
  } catch (error) {
    throw new ConfigError((error as Error).message)
  }
  amount(env, 'PROOF_LIMIT', '0')
  return Object.fromEntries(
    NAMES.flatMap(name => {
      const value = optional(env, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}
