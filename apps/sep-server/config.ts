import { readAnchorConfig } from '@windlass/service/anchor-file.ts'
import type { AnchorConfig } from '@windlass/contracts/anchor-config.ts'
import { integer, optional, required, secret, type Env } from '@windlass/service/env.ts'

export interface Config {
  anchor: AnchorConfig
  /** The discovery file that the control plane wrote. */
  stellarToml: string
  port: number
  bindHost: string
  databaseUrl: string
  /** The SEP-10 key's seed (`S…`). */
  signingSeed: string
  /** Signs the tokens of wallets and of interactive pages. */
  jwtSecret: string
  /** Between this server and the business server, as `X-Api-Key`. */
  linkSecret: string
  /** The anchor has no TLS: wallets' servers may have http and private addresses too. */
  local: boolean
}

/** Throws `ConfigError` naming a setting that is missing or wrong. */
export function loadConfig(env: Env): Config {
  const anchor = readAnchorConfig(required(env, 'ANCHOR_CONFIG'))
  return {
    anchor,
    stellarToml: required(env, 'STELLAR_TOML'),
    port: integer(env, 'PORT', 8080),
    bindHost: optional(env, 'BIND_HOST') ?? 'localhost',
    databaseUrl: required(env, 'DATABASE_URL'),
    signingSeed: required(env, 'SIGNING_KEY'),
    jwtSecret: secret(env, 'SEP_JWT_SECRET'),
    linkSecret: secret(env, 'LINK_SECRET'),
    local: new URL(anchor.publicUrl).protocol === 'http:',
  }
}
