import { readAnchorConfig } from '@windlass/service/process/anchor-file.ts'
import type { AnchorConfig } from '@windlass/contracts/internal/anchor-config.ts'
import {
  ConfigError,
  flag,
  integer,
  keyring,
  optional,
  required,
  secret,
  whereThere,
  type Env,
} from '@windlass/service/process/env.ts'
import { readSecondSource, type SecondSourceSettings } from '@windlass/service/process/second-source.ts'
import { derivedKeys } from '@windlass/service/seals/seal.ts'

export interface Config {
  anchor: AnchorConfig
  /** The discovery file that the control plane wrote. */
  stellarToml: string
  port: number
  bindHost: string
  databaseUrl: string
  /** An upgrade of this anchor began and was not completed: its tables may be those of a newer release. */
  databaseMayBeNewer: boolean
  /** Who signs with the SEP-10 key: the signer, or on a developer's machine its seed (`S…`). */
  signing: { url: string; credential: string } | { seed: string }
  /** Signs the tokens of wallets and of interactive pages. */
  jwtSecret: string
  /** Encrypt what wallets send of their customers, the newest first, by version. */
  detailsKeys: Map<number, Buffer>
  /** Between this server and the business server, as `X-Api-Key`. */
  linkSecret: string
  /** Proves the reverse proxy, which says whose requests it passes on. */
  proxySecret: string | undefined
  /** Another source of the ledger, which has to agree who signs for an account. */
  second: SecondSourceSettings
  /** The anchor has no TLS: wallets' servers may have http and private addresses too. */
  local: boolean
}

/** Throws `ConfigError` naming a setting that is missing or wrong. */
export function loadConfig(env: Env): Config {
  const anchor = readAnchorConfig(required(env, 'ANCHOR_CONFIG'))
  const jwtSecret = secret(env, 'SEP_JWT_SECRET')
  const local = new URL(anchor.publicUrl).protocol === 'http:'
  return {
    anchor,
    stellarToml: required(env, 'STELLAR_TOML'),
    port: integer(env, 'PORT', 8080),
    bindHost: optional(env, 'BIND_HOST') ?? 'localhost',
    databaseUrl: required(env, 'DATABASE_URL'),
    databaseMayBeNewer: flag(env, 'DATABASE_MAY_BE_NEWER'),
    signing: signing(env, anchor, local),
    jwtSecret,
    detailsKeys: detailsKeys(env, jwtSecret),
    linkSecret: secret(env, 'LINK_SECRET'),
    proxySecret: whereThere(env, 'PROXY_SECRET'),
    second: readSecondSource(env, { mainnet: flag(env, 'IS_MAINNET') }),
    local,
  }
}

/**
 * DETAILS_KEY (`v2:<base64 of 32 bytes>`, several while one is rotated), then v1, which earlier releases derived from the
 * JWT secret (RFC 5869) for customers' files.
 */
function detailsKeys(env: Env, jwtSecret: string): Map<number, Buffer> {
  const given = whereThere(env, 'DETAILS_KEY') === undefined ? [] : keyring(env, 'DETAILS_KEY')
  const { version, derive } = derivedKeys.sep
  return new Map([...given, ...(new Map(given).has(version) ? [] : [[version, derive(jwtSecret)] as const])])
}

function signing(env: Env, { signerUrl }: AnchorConfig, local: boolean): Config['signing'] {
  if (signerUrl) return { url: signerUrl, credential: secret(env, 'SIGNER_CREDENTIAL') }
  if (local) return { seed: required(env, 'SIGNING_KEY') }
  throw new ConfigError('ANCHOR_CONFIG must have signerUrl: in production no server has a key')
}
