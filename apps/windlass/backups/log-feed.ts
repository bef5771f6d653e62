import {
  chownSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DataPlace } from '@windlass/postgres/data-folder.ts'
import { SEGMENT_BYTES } from '@windlass/postgres/log-segments.ts'
import type { LogPlan } from './log-plan.ts'
import { requireSpace } from './shelf.ts'
import { type LogSource, readLogFile } from './unpack.ts'

/** Segments that wait for Postgres. */
const AHEAD = 8
/** Those that it has read stay with the data until its next restart point, at most about a gigabyte. */
const MOST_KEPT = 72
const LOOK_MS = 20
/** The command waits no longer for a file, should this process have been killed. */
const WAIT_SECONDS = 600

/** Hands the log to Postgres, file by file, as it recovers. */
export interface LogFeed {
  /** For `restore_command`. */
  command: string
  /** Why it ended before its last file; undefined: it did not. */
  failure(): Error | undefined
  stop(): Promise<void>
}

/** The folder of a feed, beside the data folder. */
export const feedFolderOf = (dataFolder: string): string => `${dataFolder}.feed`

/**
 * Unpacks the chosen segments one after the other, a few ahead of Postgres, so that the disk need not hold all of them, and
 * what comes after the time that is restored is not read.
 */
export function feedLog(
  dataFolder: string,
  account: DataPlace['account'],
  systemId: string,
  { segments }: Pick<LogPlan, 'segments'>,
  source: LogSource,
): LogFeed {
  requireSpace(dataFolder, Math.min(segments.length, MOST_KEPT + AHEAD) * SEGMENT_BYTES)
  const folder = feedFolderOf(dataFolder)
  const [unpacking, ready, wanted] = ['unpacking', 'ready', 'wanted'].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ]
  for (const path of [folder, unpacking, ready, wanted]) mkdirSync(path, { mode: 0o755 })
  // Postgres' account takes files out of it, and can put none where this process writes.
  if (account) chownSync(ready, account.uid, account.gid)
  for (const name of segments) writeFileSync(join(wanted, name), '')

  const stopping = new AbortController()
  const signal = AbortSignal.any([source.signal, stopping.signal])
  let failure: Error | undefined
  const unpackOne = async (name: string): Promise<void> => {
    const file = join(unpacking, name)
    await readLogFile(systemId, name, { ...source, signal }, content =>
      pipeline(content, createWriteStream(file, { mode: 0o600 }), { signal }),
    )
    if (account) chownSync(file, account.uid, account.gid)
    renameSync(file, join(ready, name))
    rmSync(join(wanted, name))
  }
  const run = async (): Promise<void> => {
    try {
      for (const name of segments) {
        while (readdirSync(ready).length >= AHEAD) await sleep(LOOK_MS, undefined, { signal })
        await unpackOne(name)
      }
    } catch (error) {
      if (!signal.aborted) failure = error instanceof Error ? error : new Error(String(error))
    } finally {
      // Postgres waits for none of the others.
      rmSync(wanted, { recursive: true })
    }
  }
  const running = run()
  return {
    command: commandOf(folder),
    failure: () => failure,
    stop: async () => {
      stopping.abort()
      await running
      if (existsSync(folder)) rmSync(folder, { recursive: true })
    },
  }
}

/** Exits with 1 where the file is not of the feed: Postgres then looks in its own log. */
function commandOf(folder: string): string {
  // Postgres replaces %f and %p.
  const quoted = `'${folder.replaceAll("'", String.raw`'\''`).replaceAll('%', '%%')}'`
  return [
    `d=${quoted}; n=0`,
    `while [ -e "$d/wanted/%f" ] && [ ! -e "$d/ready/%f" ] && [ $n -lt ${WAIT_SECONDS * 10} ]`,
    'do n=$((n+1)); sleep 0.1; done',
    '[ -e "$d/ready/%f" ] && mv "$d/ready/%f" "%p"',
  ].join('; ')
}
