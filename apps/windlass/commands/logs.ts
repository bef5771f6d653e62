import { createReadStream, existsSync, readdirSync, statSync, watchFile } from 'node:fs'
import { join } from 'node:path'
import { type Command, readFlags, UsageError } from '../command.ts'
import { requested } from '../interruption.ts'
import { lastLogLines, logFileOf, readableLogLine } from '../log-files.ts'

export const logs: Command = {
  summary: 'shows the log of a service; --follow keeps showing it',
  usage: `npm run logs -- [service] [--follow]

Without a service: the last lines of every log. The files lie in WINDLASS_HOME/logs.`,
  run: async ({ args, home, progress }) => {
    const { flags, words } = readFlags(args, ['follow'])
    const names = existsSync(home.logs)
      ? readdirSync(home.logs).flatMap(file => (file.endsWith('.log') ? [file.slice(0, -4)] : []))
      : []
    const [wanted] = words
    if (wanted === undefined) {
      for (const name of names) {
        progress.heading(name)
        lastLogLines(join(home.logs, `${name}.log`), 8).forEach(progress.plain)
      }
      return 0
    }
    if (!names.includes(wanted)) {
      throw new UsageError(`There is no log of "${wanted}". There are: ${names.join(', ') || 'none yet'}.`)
    }
    const file = logFileOf(home, wanted)
    lastLogLines(file, 100).forEach(progress.plain)
    if (flags.follow) await follow(file, progress.plain)
    return 0
  },
}

async function follow(file: string, print: (line: string) => void): Promise<void> {
  let position = statSync(file).size
  watchFile(file, { interval: 300 }, ({ size }) => {
    // It was emptied by rotation.
    if (size < position) position = 0
    if (size === position) return
    createReadStream(file, { start: position, end: size - 1, encoding: 'utf8' }).on('data', chunk => {
      String(chunk).trimEnd().split('\n').map(readableLogLine).forEach(print)
    })
    position = size
  })
  await requested().happened
}
