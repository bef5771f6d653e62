import { ConfigError, deployment, type Env, keyring, optional } from '@windlass/service/process/env.ts'
import { seedFromBytes, signerFromSeed } from '@windlass/stellar/ed25519.ts'
import { hkdfSync } from 'node:crypto'

/**
 * The seed of the account that holds the audit log's head on the ledger: AUDIT_LEDGER_KEY. On a developer's machine it
 * follows from the oldest key of PLATFORM_KEY.
 */
export function ledgerSeedOf(env: Env): string | undefined {
  const given = optional(env, 'AUDIT_LEDGER_KEY')
  if (given !== undefined && !isSeed(given)) throw new ConfigError('AUDIT_LEDGER_KEY must be a seed (S…)')
  if (given !== undefined || !deployment(env).local || optional(env, 'PLATFORM_KEY') === undefined)
    return given
  const oldest = [...keyring(env, 'PLATFORM_KEY').values()].at(-1) ?? Buffer.alloc(0)
  return seedFromBytes(Buffer.from(hkdfSync('sha256', oldest, '', 'windlass audit ledger', 32)))
}

function isSeed(text: string): boolean {
  try {
    signerFromSeed(text)
    return true
  } catch {
    return false
  }
}

/** AUDIT_LEDGER_ACCOUNT, for auditors who have no key, else the account of the seed. */
export function ledgerAccountOf(env: Env): string | undefined {
  const seed = ledgerSeedOf(env)
  return (
    optional(env, 'AUDIT_LEDGER_ACCOUNT') ?? (seed === undefined ? undefined : signerFromSeed(seed).address)
  )
}
