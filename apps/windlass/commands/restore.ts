import { restoreBackup } from '../backups/restore.ts'
import { backupFor } from '../backups/shelf.ts'
import { type Command, printJson, readOptions, UsageError } from '../command.ts'
import { requested } from '../interruption.ts'
import { readLock } from '../run-files.ts'
import { practiceHomeOf, practiseRestore } from './practice.ts'
import {
  backupStore,
  encryptedFor,
  needsPlace,
  onStandardError,
  readKey,
  requireFreePlace,
  showState,
  storedBackup,
  summaryOf,
  variablesOf,
} from './backup.ts'

export const restore: Command = {
  summary: 'restores the databases, settings and exports of a backup, as of any time since it was made',
  usage: `npm run restore -- [backup] [--at time] --key file [--signed-by ed25519:…] [--from folder]
                   [--backup-to folder] [--timeline number] [--replace] [--json]
npm run restore -- --practice [backup] [--at time] --key file [--from folder] [--json]

Restores a backup, by default the newest, with all changes in the log stored beside it (wal). Stop the stack first.
Fails where the log does not lead up to its newest file, and says what is lost and how to accept that.
Nothing is replaced before the restored databases have started, every row was read, and each anchor's journal
balances.
  --at        restores the state at this time, such as 2026-11-22T12:00Z
  --from      folder of the backups, or s3://bucket/folder with BACKUP_S3_… in the environment; by default BACKUP_TO, else backups in WINDLASS_HOME
  --key       file with the secret key; --passphrase-file where the backup has a passphrase
  --signed-by   who signed the backup, where the file with the key does not say it
  --backup-to   where the restored stack stores its backups: an empty folder or s3://bucket/folder. It never writes to the
            place of the stack that was backed up.
  --timeline    the timeline of the log to follow, where a restored stack of release 0.1.0 wrote to the same place
  --practice  restores into a home of its own beside WINDLASS_HOME, starts its databases on a port of their own, says how
            long that took and what would be lost, and removes it. The stack may run meanwhile; no part of the restored one
            does: nothing is backed up, sent to a rail or written to the ledger. Needs as much space as the databases.
  --replace   moves existing databases and the base env file aside (NAME.before-TIME); they are never removed
Anchors read the ledger before they pay, so that nothing is paid twice. Ledger in each workspace lists what the
restored state lacks. Exit codes: 0 done, 1 failed, 130 interrupted.`,
  run: async ({ args, home, environment, progress: terminal }) => {
    const options = ['at', 'from', 'backup-to', 'timeline', 'key', 'passphrase-file', 'signed-by'] as const
    const { flags, values, words } = readOptions(args, ['replace', 'practice', 'json'], options, 1)
    const progress = flags.json ? onStandardError(terminal) : terminal
    const key = readKey(values)
    const at = readTime(values.at[0])
    const timeline = readTimeline(values.timeline[0])
    const backupTo = values['backup-to'][0]
    const variables = variablesOf({ home, environment })
    const store = await backupStore(home, variables, values.from)
    const file = words[0] ?? (await backupFor(store, at)).file
    if (flags.practice && (flags.replace || backupTo))
      throw new UsageError(
        'A practice replaces nothing and has no backups: leave --replace and --backup-to out.',
      )
    if (backupTo) await requireFreePlace(home, variables, backupTo)
    if (!flags.practice && (await readLock(home.run)) !== undefined)
      throw new Error('The stack is running. Stop it first: npm stop')
    const interruption = requested()
    const began = performance.now()
    progress.heading(`Restoring into ${(flags.practice ? practiceHomeOf(home) : home).folder}`)
    const restoring = {
      ...(await storedBackup(home, variables, file)),
      ...{ key, signal: interruption.signal, step: (what: string) => progress.note(what) },
      ...(at && { at }),
      ...(timeline && { timeline }),
    }
    try {
      if (flags.practice) {
        const state = await practiseRestore(home, restoring)
        const tookSeconds = Math.round((performance.now() - began) / 1_000)
        progress.done('restored and started', `${file}, and removed again`, performance.now() - began)
        showState(state, progress)
        if (!at)
          progress.note(`${state.lostSeconds} seconds of changes would have been lost with the machine`)
        if (flags.json)
          printJson(progress, { file, ...summaryOf(state), tookSeconds, lostSeconds: state.lostSeconds })
        return 0
      }
      const state = await restoreBackup({
        ...{ ...restoring, home, replace: flags.replace },
        ...(backupTo && { backupTo }),
      })
      progress.done('restored', file, performance.now() - began)
      showState(state, progress)
      for (const path of state.movedTo) progress.note(`moved aside: ${path}`)
      if (state.settings.length > 0)
        progress.warn(
          `these settings came from the environment, set them again: ${state.settings.join(', ')}`,
        )
      if (state.backupTo && !backupTo) progress.warn(needsPlace(state.backupTo))
      if (backupTo && !state.isEncryptToSet) progress.note(encryptedFor(key))
      progress.note('Start the stack: npm start. Then look at Ledger in each workspace.')
      if (flags.json) printJson(progress, { file, ...summaryOf(state), movedTo: state.movedTo })
      return 0
    } catch (error) {
      if (!interruption.signal.aborted) throw error
      progress.fail('Interrupted. Nothing was replaced.')
      return 130
    }
  },
}

function readTimeline(text: string | undefined): number | undefined {
  if (text === undefined || /^[1-9]\d{0,8}$/.test(text)) return text === undefined ? undefined : Number(text)
  throw new UsageError(`--timeline takes a number, not '${text}'`)
}

/** ISO 8601 with a zone: without one, a time means something else on each machine. */
function readTime(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const at = new Date(text)
  if (!/(Z|[+-]\d\d:?\d\d)$/.test(text) || Number.isNaN(at.getTime()))
    throw new UsageError(`--at takes a time with its zone, such as 2026-11-22T12:00Z, not '${text}'`)
  if (at > new Date()) throw new UsageError(`--at ${text} is in the future`)
  return at
}
