import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { placeData } from '@windlass/postgres/data-folder.ts'
import { ConfigError, optional, type Env } from '@windlass/service/process/env.ts'
import type { Home } from './home.ts'
import { isOfProduction } from './production-home.ts'
import { writeWhole } from '@windlass/service/process/write-whole.ts'

/** Keyrings without which what is in the databases cannot be read. */
const KEYRINGS = ['MASTER_KEY', 'PLATFORM_KEY', 'SECRETS_STORE_KEY', 'SIGNER_KEY', 'AGGREGATOR_KEY'] as const

/** In the data folder, and so in its backups: a hash of each key with which its databases were used. */
const FILE = 'windlass_keys.json'
type Known = Partial<Record<string, string[]>>

/**
 * Databases whose base env file is missing would start with new keys: every part healthy, and nothing readable. Those of
 * production may be in containers, or on another machine.
 *
 * @throws {ConfigError}
 */
export function requireBaseEnvOfData({ folder: home, postgres, baseEnvFile }: Home): void {
  const { folder } = placeData(postgres)
  const isHere = existsSync(join(folder, 'PG_VERSION'))
  if (!isHere && !isOfProduction(home)) return
  const [found, whose] = isHere
    ? [`There are databases in ${folder}`, 'their']
    : [`${home} belongs to production`, 'its']
  throw new ConfigError(
    `${found}, and ${baseEnvFile} with ${whose} keys is missing. Put it back: it was in this folder, is in each backup, and a restore moves it to base.env.before-…. Where all of it comes from the environment, create an empty file.`,
  )
}

/**
 * @throws {ConfigError} where the databases were used with other keys, or a restore was interrupted before it put them in
 *   place
 */
export function requireKeysOfData(home: Home, variables: Env): void {
  const { folder } = placeData(home.postgres)
  if (!existsSync(folder) && existsSync(`${folder}.restored`))
    throw new ConfigError(
      `A restore was interrupted before it put the databases in place. Run it again: npm run restore. To start without it, remove ${folder}.restored; what was there before is in ${folder}.before-….`,
    )
  const known = readKnown(folder)
  const wrong = KEYRINGS.find(name => {
    const hashes = hashesOf(variables, name)
    return hashes.length > 0 && known[name] && !hashes.some(hash => known[name]?.includes(hash))
  })
  if (wrong)
    throw new ConfigError(
      `${wrong} has none of the keys with which the databases in ${folder} were written. Their base.env belongs to them: put it back, or restore a backup, which has both.`,
    )
}

/** Remembers the keys, once the databases were started with them. */
export function rememberKeysOfData(home: Home, variables: Env): void {
  const { folder } = placeData(home.postgres)
  const known = readKnown(folder)
  const now: Known = { ...known }
  for (const name of KEYRINGS) {
    const hashes = hashesOf(variables, name)
    if (hashes.length > 0) now[name] = hashes
  }
  const text = `${JSON.stringify(now, null, 2)}\n`
  if (text !== `${JSON.stringify(known, null, 2)}\n`) writeWhole(join(folder, FILE), text)
}

/** Postgres' account can write there. */
function readKnown(folder: string): Known {
  const file = join(folder, FILE)
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return {}
  try {
    return { ...(JSON.parse(readFileSync(file, 'utf8')) as Known) }
  } catch {
    return {}
  }
}

/** Hashes each key of a keyring (`v2:…,v1:…`). Keys are random, so a hash says nothing about them. */
function hashesOf(variables: Env, name: string): string[] {
  const keys = optional(variables, name)?.split(',') ?? []
  return keys.map(key => createHash('sha256').update(`${name} ${key.trim()}`).digest('hex'))
}
