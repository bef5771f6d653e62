import { existsSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { readOrCreateBaseEnv } from '../base-env.ts'
import {
  createKey,
  type Key,
  type Lock,
  readKeyFile,
  readPassphraseFile,
  signerLine,
  wrongRecipient,
} from '../backups/archive.ts'
import { createBackup } from '../backups/create.ts'
import { isSigner, signerOf, signingKeyOf } from '../backups/signature.ts'
import { type RestoredState, verifyBackup } from '../backups/restore.ts'
import { backupFor, inMiB, listBackups } from '../backups/shelf.ts'
import { MARK_FILE } from '../backups/mark.ts'
import { isBucket, storeAt } from '../backups/store-at.ts'
import type { Store } from '../backups/store.ts'
import { type Command, type Context, printJson, readOptions, UsageError } from '../command.ts'
import { type Home, prepareHome } from '../home.ts'
import { requested } from '../interruption.ts'
import type { Progress } from '../progress.ts'
import { definedIn } from '../settings.ts'

const VALUES = ['to', 'from', 'encrypt-to', 'key', 'passphrase-file', 'signed-by'] as const
type Values = Record<(typeof VALUES)[number], string[]>

export const backup: Command = {
  summary: 'backs up all databases, settings and exports into one encrypted file; verifies and lists backups',
  usage: `npm run backup -- [--to folder] [--encrypt-to age1…] [--passphrase-file file] [--json]
npm run backup -- key <file>
npm run backup -- signer [--json]
npm run backup -- verify [backup] [--from folder] [--key file [--signed-by ed25519:…] | --passphrase-file file] [--json]
npm run backup -- list [--from folder] [--json]

Backs up all databases as of one moment, the base env file and anchors' exports. The stack may run or be stopped.
The file is signed, and encrypted (age) for public keys or with a passphrase of at least 12 characters.
  key       creates a key pair: the secret key in a file, the public key (age1…) for --encrypt-to. Keep the file
            elsewhere. It also names this machine as the signer of the backups.
  signer    prints the public key of this machine's signatures: a line for the key file, or for --signed-by
  verify    restores a backup (by default the newest) beside the databases, reads every row, checks each anchor's
            journal, and removes it again
  list      lists the backups in a folder
  --to, --from   folder of the backups, or s3://bucket/folder with the settings BACKUP_S3_…; by default BACKUP_TO, else
            backups in WINDLASS_HOME
  --encrypt-to   may be given several times; by default BACKUP_ENCRYPT_TO
Exit codes: 0 done, 1 failed, 130 interrupted. A backup that fails leaves nothing behind.`,
  run: async context => {
    const { flags, values, words } = readOptions(context.args, ['json'], VALUES, 2)
    const [word, subject] = words
    const variables = variablesOf(context)
    const progress = flags.json ? onStandardError(context.progress) : context.progress
    const run = { ...context, progress, values, variables, json: flags.json }
    if (word === undefined) return create(run)
    if (word === 'key') return makeKey(run, subject)
    if (word === 'signer' && subject === undefined) return showSigner(run)
    if (word === 'verify') return verify(run, subject)
    if (word === 'list' && subject === undefined) return list(run)
    throw new UsageError(`Unexpected argument '${subject ?? word}'`)
  },
}

interface Run extends Context {
  values: Values
  variables: Record<string, string>
  json: boolean
}

export function variablesOf({
  home,
  environment,
}: Pick<Context, 'home' | 'environment'>): Record<string, string> {
  const base = existsSync(home.baseEnvFile) ? readOrCreateBaseEnv(home.baseEnvFile).variables : {}
  return { ...base, ...definedIn(environment) }
}

/** With `--json`, standard output holds the result alone. */
export function onStandardError(progress: Progress): Progress {
  const print = (text: string) => process.stderr.write(`${text}\n`)
  return {
    ...progress,
    heading: print,
    note: print,
    warn: print,
    fail: print,
    done: (what, detail) => print(`${what}: ${detail}`),
  }
}

/** Where backups are. */
export function backupStore(
  home: Home,
  variables: Record<string, string>,
  given: readonly string[],
): Promise<Store> {
  return storeAt(given.at(-1) ?? variables.BACKUP_TO ?? join(home.folder, 'backups'), home, variables)
}

/**
 * A backup by its path or address.
 *
 * @throws {Error} where it is not there
 */
export async function storedBackup(home: Home, variables: Record<string, string>, file: string) {
  const store = await storeAt(dirname(file), home, variables)
  const name = basename(file)
  if (await store.has(name)) return { store, name }
  throw new Error(
    `There is no backup ${file}. List those in its folder: npm run backup -- list --from ${store.pathOf()}`,
  )
}

/** @throws {UsageError} if no key and no passphrase is given, or what is given is no key. */
export function readLock(values: Values, variables: Record<string, string>): Lock {
  const [passphraseFile] = values['passphrase-file']
  const recipients =
    values['encrypt-to'].length > 0 ? values['encrypt-to'] : keysIn(variables.BACKUP_ENCRYPT_TO)
  if (passphraseFile !== undefined) return readPassphraseFile(passphraseFile)
  const wrong = wrongRecipient(recipients)
  if (wrong !== undefined)
    throw new UsageError(`A backup is encrypted for public keys (age1…), and '${wrong}' is none.`)
  if (recipients.length > 0) return { recipients }
  throw new UsageError(
    'The backup has no key. Add --encrypt-to age1… (create a key with: npm run backup -- key <file>) or --passphrase-file <file>.',
  )
}

/** Public keys, comma separated. */
const keysIn = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map(key => key.trim())
    .filter(Boolean)

/** @throws {UsageError} if neither is given, or nothing says who signs the backups. */
export function readKey(values: Pick<Values, 'key' | 'passphrase-file' | 'signed-by'>): Key {
  const [keyFile] = values.key
  const [passphraseFile] = values['passphrase-file']
  const wrong = values['signed-by'].find(signer => !isSigner(signer))
  if (wrong !== undefined) throw new UsageError(`--signed-by takes a public key (ed25519:…), not '${wrong}'`)
  if (keyFile !== undefined) {
    const { identities, signers } = readKeyFile(keyFile)
    const named = [...signers, ...values['signed-by']]
    if (named.length > 0) return { identities, signers: named }
    throw new UsageError(
      `${keyFile} does not say who signs the backups. Add --signed-by ed25519:…, which "npm run backup -- signer" prints on the machine that makes them.`,
    )
  }
  if (passphraseFile !== undefined) return readPassphraseFile(passphraseFile)
  throw new UsageError('The key of the backup is missing. Add --key <file> or --passphrase-file <file>.')
}

async function create({ home, progress, values, variables, json }: Run): Promise<number> {
  const lock = readLock(values, variables)
  const store = await backupStore(home, variables, values.to)
  const interruption = requested()
  const began = performance.now()
  progress.heading(`Backing up ${home.folder}`)
  try {
    const created = await createBackup({ home, variables, store, lock, signal: interruption.signal })
    progress.done('backup', `${created.file}  ${inMiB(created.bytes)}`, performance.now() - began)
    progress.note(`state of ${created.endedAt}: ${created.databases.join(', ')}`)
    if (isInside(store.pathOf(), home.folder))
      progress.warn(
        'the backup is in the data folder, which "npm stop -- --volumes" removes: copy it elsewhere, or name another folder with --to',
      )
    if (json) printJson(progress, created)
    return 0
  } catch (error) {
    if (!interruption.signal.aborted) throw error
    progress.fail('Interrupted. Nothing was left behind.')
    return 130
  }
}

const isInside = (folder: string, above: string): boolean =>
  `${resolve(folder)}/`.startsWith(`${resolve(above)}/`)

async function makeKey(run: Run, file: string | undefined): Promise<number> {
  if (file === undefined) throw new UsageError('Name the file for the key: npm run backup -- key <file>')
  if (existsSync(file)) throw new Error(`${file} exists already.`)
  const { progress, json } = run
  const signer = ownSigner(run)
  const { identity, recipient } = await createKey()
  const text = `# Opens backups that are encrypted for ${recipient}\n${identity}\n${signerLine(signer)}\n`
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
  if (json) printJson(progress, { file: resolve(file), recipient, signer })
  else {
    progress.done('key', resolve(file))
    progress.plain(
      `\n  Encrypt for it:  --encrypt-to ${recipient}\n\n  Without this file no backup can be read. Copy it to another place, then remove it from this machine.`,
    )
  }
  return 0
}

function showSigner(run: Run): Promise<number> {
  const { progress, json } = run
  const signer = ownSigner(run)
  if (json) printJson(progress, { signer })
  else progress.plain(signerLine(signer))
  return Promise.resolve(0)
}

/** Reads the signer of backups: its key is in the environment, or in the base env file, where one is generated if there is none. */
function ownSigner({ home, environment }: Context): string {
  prepareHome(home)
  const { variables } = readOrCreateBaseEnv(home.baseEnvFile)
  return signerOf(signingKeyOf({ ...variables, ...definedIn(environment) }))
}

async function verify(
  { home, progress, values, variables, json }: Run,
  given: string | undefined,
): Promise<number> {
  const key = readKey(values)
  const store = await backupStore(home, variables, values.from)
  const file = given ?? (await backupFor(store, undefined)).file
  const began = performance.now()
  const interruption = requested()
  const state = await verifyBackup({
    home,
    ...(await storedBackup(home, variables, file)),
    key,
    signal: interruption.signal,
    step: what => progress.note(what),
  })
  progress.done('verified', file, performance.now() - began)
  showState(state, progress)
  if (json) printJson(progress, { file, ...summaryOf(state) })
  return 0
}

/** Prints a summary of a restored state. */
export function showState({ databases, end, reached }: RestoredState, progress: Progress): void {
  const rows = databases.reduce((sum, each) => sum + each.rows, 0)
  const ledger = reached.ledger
    ? `; anchors had read the ledger up to ${reached.ledger.sequence} (${reached.ledger.closedAt})`
    : ''
  progress.note(`the last change was made at ${reached.at}${ledger}`)
  const journals = databases.filter(({ journalEntries }) => journalEntries !== null)
  progress.note(`backup of ${end.endedAt}: ${databases.length} databases, ${rows} rows`)
  const entries = journals.reduce((sum, each) => sum + (each.journalEntries ?? 0), 0)
  progress.note(`${journals.length} anchors' journals balance (${entries} entries)`)
}

/**
 * Refuses the place of another stack for the backups of one that is restored. A bucket whose keys are not known yet is not
 * asked.
 *
 * @throws {Error} where something is there
 */
export async function requireFreePlace(
  home: Home,
  variables: Record<string, string>,
  place: string,
): Promise<void> {
  if (isBucket(place) && !variables.BACKUP_S3_ACCESS_KEY_ID) return
  const store = await storeAt(place, home, variables)
  if ((await store.readText(MARK_FILE)) === undefined && (await listBackups(store)).length === 0) return
  throw new Error(
    `${store.pathOf()} is the place of another stack. Name an empty folder or bucket with --backup-to.`,
  )
}

/** Says for whom a restored stack's backups are encrypted, where the settings of the one before did not. */
export const encryptedFor = (key: Key): string =>
  'identities' in key
    ? 'its backups are encrypted for the key that opened this one: BACKUP_ENCRYPT_TO in the base env file'
    : 'set BACKUP_ENCRYPT_TO before you start the stack: its scheduled backups are encrypted for public keys'

/** Says that a restored stack needs a place of its own. */
export const needsPlace = (backupTo: string): string =>
  `BACKUP_TO is ${backupTo}, the place of the stack that was backed up: name an empty one for this stack before you start it`

export const summaryOf = ({ manifest, end, reached, databases, settings }: RestoredState) => ({
  version: manifest.version,
  endedAt: end.endedAt,
  lastChangeAt: reached.at,
  lastLedger: reached.ledger ?? null,
  databases,
  settingsFromTheEnvironment: settings,
})

async function list({ home, progress, values, variables, json }: Run): Promise<number> {
  const store = await backupStore(home, variables, values.from)
  const backups = (await listBackups(store)).map(({ name: _, ...backup }) => backup)
  if (json) printJson(progress, backups)
  else if (backups.length === 0) progress.plain(`There is no backup in ${store.pathOf()}.`)
  else
    for (const { file, endedAt, bytes } of backups)
      progress.plain(`${endedAt.toISOString()}  ${inMiB(bytes).padStart(10)}  ${file}`)
  return 0
}
