import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readOrCreateBaseEnv } from '../base-env.ts'
import { createBackup } from '../backups/create.ts'
import { restoreBackup } from '../backups/restore.ts'
import { type Command, type Context, printJson, readOptions, UsageError } from '../command.ts'
import { CHECKOUT, type Home } from '../home.ts'
import { requested } from '../interruption.ts'
import { describeRelease, readRelease, type Release } from '../built-from.ts'
import { releaseOfData, rememberMigrations } from '../data-migrations.ts'
import { launcherVersion, requestRestart, RestartError } from '../restarts.ts'
import { readLock } from '../run-files.ts'
import { definedIn, readSettings } from '../settings.ts'
import { writeWhole } from '@windlass/service/process/write-whole.ts'
import {
  backupStore,
  needsPlace,
  readKey,
  readLock as readBackupLock,
  storedBackup,
  variablesOf,
} from './backup.ts'

const VALUES = ['to', 'from', 'encrypt-to', 'passphrase-file', 'key', 'signed-by', 'backup-to'] as const

export const upgrade: Command = {
  summary: 'upgrades a running stack to this release without a request lost, or goes back to the one before',
  usage: `npm run upgrade -- [--to folder] [--encrypt-to age1…] [--passphrase-file file] [--no-backup] [--json]
npm run upgrade -- confirm [--json]
npm run upgrade -- back --key file [--signed-by ed25519:…] [--passphrase-file file] [--backup-to folder] [--json]

Run it in the checkout of the new release. It checks the settings, makes a backup as "npm run backup" does, and restarts
the parts of the running stack one after the other: each migrates its database and takes over once it is healthy. If one
does not, it stops there, and the old processes continue. A stopped stack is only checked and backed up: start it then.
  --no-backup   makes none: there is then no way back
  confirm       gives up the way back of the last upgrade, and of those before it
  back          run in the checkout of the release before (where that is 0.1.0: in this one), with the stack stopped:
                restores the upgrade's backup. What was done since is lost from the databases; the ledger is read
                before anything is paid.
Anchors' servers follow by themselves, one first; Fleet in the admin console shows how far they are.
Exit codes: 0 done, 1 failed, 4 its parts are others, or start otherwise, or the stack runs from another checkout:
"npm stop" and "npm start" complete the upgrade.`,
  run: async context => {
    const { flags, values, words } = readOptions(context.args, ['no-backup', 'json'], VALUES, 1)
    const [word] = words
    if (word === 'back') return goBack(context, values, flags.json)
    if (word === 'confirm') return confirm(context, flags.json)
    if (word !== undefined) throw new UsageError(`Unexpected argument '${word}'`)
    return upgradeStack(context, values, flags)
  },
}

type Values = Record<(typeof VALUES)[number], string[]>

/** An upgrade, and what it takes to go back. */
interface Upgrade {
  at: string
  /** Null where the stack was not running. */
  from: Release | null
  to: Release
  /** Null with `--no-backup`. */
  backup: string | null
  /** The upgrade before, whose way back is open again after this one's was taken. */
  before?: Upgrade
}

const NEEDS_NEW_LAUNCHER = 4
const LEAVE = join(CHECKOUT, 'packages/local-network/leave-to-first-release.ts')
const recordFile = (home: Home): string => join(home.folder, 'last-upgrade')

async function upgradeStack(
  { home, environment, progress }: Context,
  values: Values,
  flags: Record<'no-backup' | 'json', boolean>,
): Promise<number> {
  const lock = await readLock(home.run)
  const to = readRelease()
  // A launcher under which parts were upgraded still has its own.
  const from = releaseOfData(home) ?? lock?.release ?? null
  if (!existsSync(home.baseEnvFile))
    throw new Error(`There is nothing to upgrade in ${home.folder}. Start this release: npm start`)
  const { variables: baseEnv } = readOrCreateBaseEnv(home.baseEnvFile)
  const settings = readSettings(baseEnv, environment)
  const variables = { ...baseEnv, ...definedIn(environment) }
  const say = flags.json ? () => undefined : progress.done
  say('settings', `complete for ${describeRelease(to)}`)
  const backup = flags['no-backup'] ? null : await backUp(home, variables, values)
  if (backup) say('backup', backup)
  const record = recordOf({ at: new Date().toISOString(), from, to, backup }, readRecord(home))
  writeRecord(home, record)
  if (record && record.backup !== backup) say('way back', `stays that of the upgrade of ${record.at}`)

  const restarted: string[] = []
  // It would start parts of the release in its own checkout again.
  const elsewhere = lock?.checkout !== undefined && lock.checkout !== CHECKOUT ? lock.checkout : undefined
  const needsLauncher = lock !== undefined && (lock.launcher !== launcherVersion() || elsewhere !== undefined)
  if (lock?.ready && !needsLauncher) {
    try {
      await requestRestart(home, lock, [], title => {
        restarted.push(title)
        say(title, 'upgraded')
      })
    } catch (error) {
      if (!(error instanceof RestartError)) throw error
      // Those before it have migrated their databases.
      await rememberMigrations(home, settings.databases, variables, undefined)
      throw new Error(
        `${error.part} did not start, the old one continues: ${error.message}\n${wayBack(record)}`,
        {
          cause: error,
        },
      )
    }
  }
  if (restarted.length > 0) await rememberMigrations(home, settings.databases, variables, to)
  if (flags.json) printJson(progress, { ...record, restarted, needsLauncher })
  else {
    if (needsLauncher)
      progress.warn(
        `${elsewhere ? `the stack loads from ${elsewhere}` : 'this release has other parts, or starts them otherwise'}. Continue with: npm stop, npm start`,
      )
    else if (!lock) progress.note('The stack is stopped. Continue with: npm start')
    progress.note(wayBack(record))
  }
  return needsLauncher ? NEEDS_NEW_LAUNCHER : 0
}

/**
 * What does not change the release is no upgrade. A second upgrade to the same release finds databases that the first one
 * migrated: a backup of them is no way back, so the first one's stays.
 */
function recordOf(upgrade: Upgrade, before: Upgrade | undefined): Upgrade | undefined {
  if (upgrade.from && isSame(upgrade.from, upgrade.to)) return before
  if (!before) return upgrade
  return isSame(before.to, upgrade.to) ? before : { ...upgrade, before }
}

/** A checkout without git is known by its version alone. */
const isSame = (one: Release, other: Release): boolean =>
  one.commit === null || other.commit === null ? one.version === other.version : one.commit === other.commit

function readRecord(home: Home): Upgrade | undefined {
  const file = recordFile(home)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Upgrade) : undefined
}

function writeRecord(home: Home, record: Upgrade | undefined): void {
  if (record) writeWhole(recordFile(home), `${JSON.stringify(record, null, 2)}\n`)
  else rmSync(recordFile(home), { force: true })
}

async function backUp(home: Home, variables: Record<string, string>, values: Values): Promise<string> {
  const lock = readBackupLock(values, variables)
  const store = await backupStore(home, variables, values.to)
  const { signal } = requested()
  return (await createBackup({ home, variables, store, lock, signal })).file
}

function wayBack(record: Upgrade | undefined): string {
  if (!record) return 'The release is the same as before: there is nothing to go back from.'
  const { from, backup } = record
  if (backup === null) return 'No backup was made: there is no way back.'
  if (from === null)
    return 'To go back: npm stop, npm run upgrade -- back --key <file>, check out the release before, npm start. Once you will not: npm run upgrade -- confirm'
  const checkout = from.commit ? `git checkout ${from.commit}` : 'check out the release before'
  return `To go back: npm stop, ${checkout}, npm run upgrade -- back --key <file>, npm start. Once you will not: npm run upgrade -- confirm`
}

/** The backup stays. */
function confirm({ home, progress }: Context, json: boolean): number {
  const record = readRecord(home)
  if (!record) throw new Error('There is no upgrade to confirm.')
  writeRecord(home, undefined)
  if (json) printJson(progress, { confirmed: record })
  else progress.done('confirmed', `${describeRelease(record.to)}; there is no way back to the release before`)
  return 0
}

async function goBack(
  { home, environment, progress }: Context,
  values: Values,
  json: boolean,
): Promise<number> {
  const record = readRecord(home)
  if (!record) throw new Error('There was no upgrade to go back from.')
  const { from, to, backup } = record
  if (backup === null) throw new Error(wayBack(record))
  const key = readKey(values)
  const present = readRelease()
  // 0.1.0, which has no name in its data, has no such command either: this release restores for it.
  if (from && isSame(present, to) && !isSame(from, to))
    throw new Error(
      `This is still the release that was upgraded to, ${describeRelease(to)}. ${wayBack(record)}`,
    )
  if (from && !isSame(present, from))
    throw new Error(
      `The backup is of ${describeRelease(from)}, and this is ${describeRelease(present)}. ${wayBack(record)}`,
    )
  if ((await readLock(home.run)) !== undefined)
    throw new Error('The stack is running. Stop it first: npm stop')
  const [backupTo] = values['backup-to']
  const { movedTo, backupTo: before } = await restoreBackup({
    home,
    ...(await storedBackup(home, variablesOf({ home, environment }), backup)),
    key,
    // Not what the stored log has since: the upgrade is in it.
    isLogIgnored: true,
    replace: true,
    ...(backupTo && { backupTo }),
    signal: requested().signal,
    step: what => json || progress.note(what),
  })
  const ledger = join(home.folder, 'local-network')
  // It is in no backup and stays as it is, and 0.1.0 refuses what this release added to its tables.
  if (!from && existsSync(join(ledger, 'ledger.sqlite'))) execFileSync(process.execPath, [LEAVE, ledger])
  writeRecord(home, record.before)
  if (json) printJson(progress, { restored: backup, release: present, movedTo })
  else {
    progress.done('restored', backup)
    for (const path of movedTo) progress.note(`moved aside: ${path}`)
    if (before && !backupTo) progress.warn(needsPlace(before))
    const next = from ? `Start ${describeRelease(present)}` : 'Check out the release before and start it'
    progress.note(`${next}: npm start. Then look at Ledger in each workspace.`)
  }
  return 0
}
