import { createReadStream, existsSync, readdirSync, statSync, watchFile } from 'node:fs'
import { join } from 'node:path'
import { type Command, readFlags, UsageError } from '../command.ts'
import type { Home } from '../home.ts'
import { requested } from '../interruption.ts'
import { lastLogLines, logFileOf, readableLogLine } from '../log-files.ts'

export const logs: Command = {
  summary: 'shows the log of a service or an anchor; --follow keeps showing it',
  usage: `npm run logs -- [service] [--follow]

Without a service: the last lines of every log. The files are in WINDLASS_HOME/logs.
An anchor's servers: anchors/<anchor id>-sep and anchors/<anchor id>-business, or a part of the name.`,
  run: async ({ args, home, progress }) => {
    const { flags, words } = readFlags(args, ['follow'])
    const names = logNames(home)
    const [word] = words
    if (word === undefined) {
      for (const name of names) {
        progress.heading(name)
        lastLogLines(join(home.logs, `${name}.log`), 8).forEach(progress.plain)
      }
      return 0
    }
    const wanted = pickLog(word, names)
    const file = logFileOf(home, wanted)
    lastLogLines(file, 100).forEach(progress.plain)
    if (flags.follow) await follow(file, progress.plain)
    return 0
  },
}

/** Names of the logs below the folder, with those of anchors' servers: `platform-api`, `anchors/<id>-sep`. */
function logNames(home: Home): string[] {
  if (!existsSync(home.logs)) return []
  return readdirSync(home.logs, { recursive: true, encoding: 'utf8' })
    .flatMap(file => (file.endsWith('.log') ? [file.slice(0, -4)] : []))
    .sort()
}

function pickLog(word: string, names: readonly string[]): string {
  if (names.includes(word)) return word
  const [only, ...others] = names.filter(name => name.includes(word))
  if (only !== undefined && others.length === 0) return only
  const choices = only === undefined ? names : [only, ...others]
  const problem = only === undefined ? 'There is no log of' : 'Several logs match'
  throw new UsageError(`${problem} "${word}". There are: ${choices.join(', ') || 'none yet'}.`)
}

async function follow(file: string, print: (line: string) => void): Promise<void> {
  let position = statSync(file).size
  watchFile(file, { interval: 300 }, ({ size }) => {
    // Log rotation emptied it.
    if (size < position) position = 0
    if (size === position) return
    createReadStream(file, { start: position, end: size - 1, encoding: 'utf8' }).on('data', chunk => {
      String(chunk).trimEnd().split('\n').map(readableLogLine).forEach(print)
    })
    position = size
  })
  await requested().happened
}
