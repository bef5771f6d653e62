import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { parseEnvFile } from '../base-env.ts'
import { type Command, printJson, readFlags, UsageError } from '../command.ts'
import { onStandardError } from './backup.ts'

/** Keyrings: the first key encrypts, all of them decrypt. Services encrypt again what older keys encrypted. */
const KEYRINGS = ['MASTER_KEY', 'PLATFORM_KEY', 'SECRETS_STORE_KEY', 'SIGNER_KEY', 'AGGREGATOR_KEY']

export const rotateKeys: Command = {
  summary: 'adds a new key to each keyring in the base env file; older keys still decrypt',
  usage: `npm run keys:rotate -- [name …] [--json]

Puts a new key first in each keyring of the base env file (or in the named ones: ${KEYRINGS.join(', ')}). At the next
start the new key encrypts and the older keys still decrypt. Within ten minutes services encrypt again what older keys
encrypted. Then remove the older keys by hand; a service that still needs one does not start without it.
Back up first: a backup holds the keys that its databases need. Exit codes: 0 done, 1 failed.`,
  run: ({ args, environment, home, progress: terminal }) => {
    const { flags, words } = readFlags(args, ['json'], KEYRINGS.length)
    const unknown = words.find(word => !KEYRINGS.includes(word))
    if (unknown !== undefined)
      throw new UsageError(`${unknown} is not a keyring. Keyrings: ${KEYRINGS.join(', ')}`)
    if (!existsSync(home.baseEnvFile))
      throw new Error(`There is no ${home.baseEnvFile}. Start the stack once.`)
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
    const progress = flags.json ? onStandardError(terminal) : terminal
    for (const { name, version } of versions)
      progress.done(name, `encrypts with ${version} from the next start`)
    if (flags.json) printJson(progress, versions)
    return Promise.resolve(0)
  },
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
