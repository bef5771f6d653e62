import { integer, optional, url, type Env } from '@windlass/service/process/env.ts'
import { TEST_NETWORK, type LedgerSource } from '@windlass/stellar/network.ts'

export interface Config {
  port: number
  bindHost: string
  /** The Horizon that this machine shares. */
  horizon: LedgerSource
}

/** Throws `ConfigError` naming the setting that is missing or wrong. */
export function loadConfig(env: Env): Config {
  return {
    port: integer(env, 'LEDGER_GATEWAY_PORT', 8001),
    bindHost: optional(env, 'BIND_HOST') ?? 'localhost',
    horizon: {
      url: url(env, 'HORIZON_URL', 'http://localhost:8000'),
      passphrase: optional(env, 'NETWORK_PASSPHRASE') ?? TEST_NETWORK,
    },
  }
}
