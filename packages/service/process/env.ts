import { type Amount, parseAmount } from '@windlass/money/amount.ts'
import { readFileSync } from 'node:fs'
import { parseKeyring } from '../seals/seal.ts'

/** The environment as a service was given it. */
export type Env = Readonly<Record<string, string | undefined>>

/** A setting that is missing or wrong: the service says so in one line and exits. */
export class ConfigError extends Error {}

/** A setting, or from the file that `NAME_FILE` names (container secrets). */
export const optional = (env: Env, name: string): string | undefined => read(env, name, false)

/** As {@link optional}, but a missing file means that the setting is absent. */
export const whereThere = (env: Env, name: string): string | undefined => read(env, name, true)

function read(env: Env, name: string, mayLack: boolean): string | undefined {
  const value = env[name]
  if (value !== undefined && value !== '') return value
  const file = env[`${name}_FILE`]
  if (!file) return undefined
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (mayLack && (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new ConfigError(`${name}_FILE names ${file}, which cannot be read`)
  }
}

export function required(env: Env, name: string): string {
  const value = optional(env, name)
  if (value === undefined) throw new ConfigError(`${name} is not set`)
  return value
}

const SEVERAL_HOSTS = /^[a-z]+:\/\/([^/@]*@)?[^/?]*,/i

/** The address of a database. The driver takes one host, and would look up several as one name. */
export function databaseAddress(env: Env, name: string): string {
  const address = required(env, name)
  if (!SEVERAL_HOSTS.test(address)) return address
  throw new ConfigError(
    `${name} names several hosts. Name one that leads to the primary, such as HAProxy on this machine: docs/guides/postgres.md`,
  )
}

export function integer(env: Env, name: string, fallback: number): number {
  const text = optional(env, name)
  if (text === undefined) return fallback
  if (!/^\d{1,9}$/.test(text)) throw new ConfigError(`${name} must be a whole number, not "${text}"`)
  return Number(text)
}

export function flag(env: Env, name: string, fallback = false): boolean {
  const text = optional(env, name)?.toLowerCase()
  if (text === undefined) return fallback
  if (['true', '1', 'yes'].includes(text)) return true
  if (['false', '0', 'no'].includes(text)) return false
  throw new ConfigError(`${name} must be true or false, not "${text}"`)
}

/** An address without a trailing slash. */
export function url(env: Env, name: string, fallback?: string): string {
  const text = optional(env, name) ?? fallback
  if (text === undefined) throw new ConfigError(`${name} is not set`)
  if (!URL.canParse(text)) throw new ConfigError(`${name} must be an address such as http://localhost:4000`)
  return text.replace(/\/+$/, '')
}

/** An amount of a currency or an asset. */
export function amount(env: Env, name: string, fallback: string): Amount {
  try {
    return parseAmount(optional(env, name) ?? fallback)
  } catch {
    throw new ConfigError(`${name} must be an amount such as 100`)
  }
}

/** A secret of at least `length` characters. */
export function secret(env: Env, name: string, length = 32): string {
  const text = required(env, name)
  if (text.length < length) throw new ConfigError(`${name} must have at least ${length} characters`)
  return text
}

/** Keys that seal at rest, the newest first: `v2:<base64 of 32 bytes>,v1:<…>`. */
export function keyring(env: Env, name: string): Map<number, Buffer> {
  try {
    return parseKeyring(required(env, name))
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw new ConfigError(`${name}: ${(error as Error).message}`)
  }
}

/**
 * Where this runs. `local` (the generated base env file says so) loosens rates and cookies' Secure and allows
 * the mail catcher; anything unset is production. The public network is never local.
 */
export function deployment(env: Env): { local: boolean; mainnet: boolean } {
  const mainnet = flag(env, 'IS_MAINNET')
  const text = optional(env, 'DEPLOYMENT') ?? 'production'
  if (text !== 'local' && text !== 'production')
    throw new ConfigError('DEPLOYMENT must be local or production')
  return { local: text === 'local' && !mainnet, mainnet }
}
