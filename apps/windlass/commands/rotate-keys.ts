import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { parseEnvFile } from '../base-env.ts'
import { type Command, type Context, printJson, readOptions, UsageError } from '../command.ts'
import { onStandardError } from './backup.ts'
import { runScript } from './platform-script.ts'

/** Keyrings: the first key encrypts, all of them decrypt. Services encrypt again what older keys encrypted. */
const KEYRINGS = ['MASTER_KEY', 'PLATFORM_KEY', 'SECRETS_STORE_KEY', 'SIGNER_KEY', 'AGGREGATOR_KEY']

/** More than there are of either kind. */
const MOST_NAMES = 8

export const rotateKeys: Command = {
  summary: 'adds a new key to each keyring in the base env file, or replaces the own secrets of one anchor',
  usage: `npm run keys:rotate -- [name …] [--json]
npm run keys:rotate -- --anchor anchor [name …] [--json]

Puts a new key first in each keyring of the base env file (or in the named ones: ${KEYRINGS.join(', ')}). At the next
start the new key encrypts and the older keys still decrypt. Within ten minutes services encrypt again what older keys
encrypted. Then remove the older keys by hand; a service that still needs one does not start without it.
Back up first: a backup holds the keys that its databases need.

With --anchor (its id, subdomain or home domain): replaces the own secrets of that anchor, or the named ones:
  database  passwords of its database      tokens   signs wallets' tokens: wallets sign in again
  platform  between it and the platform    link     between its two servers
  signer    by which it has transactions signed
  details   adds a key that encrypts customers' details; older ones still decrypt
The control plane of the running stack does it, or the one with the database that CONTROL_PLANE_DATABASE_URL names; this
waits for it. The anchor's servers start again; requests wait meanwhile. Interrupted, the control plane continues.
Exit codes: 0 done, 1 failed, 2 unknown name.`,
  run: context => {
    const { values, flags, words } = readOptions(context.args, ['json'], ['anchor'], MOST_NAMES)
    const [anchor, second] = values.anchor
    if (second !== undefined) throw new UsageError('Name one anchor.')
    if (anchor === undefined) return Promise.resolve(rotateKeyrings(context, words, flags.json))
    return runScript(
      'control-plane/secret-rotation/main.ts',
      [anchor, ...words, ...(flags.json ? ['--json'] : [])],
      { ...context, variable: 'CONTROL_PLANE_DATABASE_URL' },
    )
  },
}

function rotateKeyrings(
  { environment, home, progress: terminal }: Context,
  words: readonly string[],
  json: boolean,
): number {
  const unknown = words.find(word => !KEYRINGS.includes(word))
  if (unknown !== undefined)
    throw new UsageError(`${unknown} is not a keyring. Keyrings: ${KEYRINGS.join(', ')}`)
  if (!existsSync(home.baseEnvFile)) throw new Error(`There is no ${home.baseEnvFile}. Start the stack once.`)
  const text = readFileSync(home.baseEnvFile, 'utf8')
  const variables = parseEnvFile(text, home.baseEnvFile)
  const names = words.length > 0 ? words : KEYRINGS.filter(name => variables[name] !== undefined)
  const elsewhere = names.find(
    name => environment[name] || environment[`${name}_FILE`] || variables[name] === undefined,
  )
  if (elsewhere !== undefined)
    throw new Error(`${elsewhere} is not set in ${home.baseEnvFile}: rotate it where it is set.`)
  const rotated = names.map(name => ({ name, keyring: withNewKey(variables[name] ?? '') }))
  const changed = rotated.reduce(
    (file, { name, keyring }) => file.replace(new RegExp(`^(\\s*${name}\\s*=).*$`, 'm'), `$1${keyring}`),
    text,
  )
  const unfinished = `${home.baseEnvFile}.${process.pid}`
  writeFileSync(unfinished, changed, { mode: 0o600 })
  renameSync(unfinished, home.baseEnvFile)
  const versions = rotated.map(({ name, keyring }) => ({ name, version: keyring.split(':')[0] ?? '' }))
  const progress = json ? onStandardError(terminal) : terminal
  for (const { name, version } of versions)
    progress.done(name, `encrypts with ${version} from the next start`)
  if (json) printJson(progress, versions)
  return 0
}

/** A version is stored in one byte. */
const LAST_VERSION = 255

function withNewKey(keyring: string): string {
  const versions = [...keyring.matchAll(/(?:^|,)\s*v(\d+):/g)].map(([, version]) => Number(version))
  const next = Math.max(0, ...versions) + 1
  if (versions.length === 0 || next > LAST_VERSION)
    throw new Error('A keyring in the base env file cannot be read.')
  return `v${next}:${randomBytes(32).toString('base64')},${keyring}`
}
