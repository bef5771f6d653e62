import {
  type Env,
  databaseAddress,
  integer,
  keyring,
  optional,
  required,
  secret,
} from '@windlass/service/process/env.ts'

/** What the secrets store reads from its environment. */
export interface Config {
  port: number
  bindHost: string
  databaseUrl: string
  /** Seals at rest: the newest first (`v2:…,v1:…`). */
  keys: Map<number, Buffer>
  credentials: { accessKeyId: string; secretAccessKey: string }
  region: string
}

/** Throws `ConfigError` on what is missing or wrong. */
export function loadConfig(env: Env): Config {
  return {
    port: integer(env, 'SECRETS_STORE_PORT', 4566),
    bindHost: optional(env, 'BIND_HOST') ?? 'localhost',
    databaseUrl: databaseAddress(env, 'SECRETS_STORE_DATABASE_URL'),
    keys: keyring(env, 'SECRETS_STORE_KEY'),
    credentials: {
      accessKeyId: required(env, 'AWS_ACCESS_KEY_ID'),
      secretAccessKey: secret(env, 'AWS_SECRET_ACCESS_KEY', 16),
    },
    region: optional(env, 'AWS_REGION') ?? 'local',
  }
}
