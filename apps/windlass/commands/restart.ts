import { type Command, printJson, readFlags } from '../command.ts'
import { whereElse } from '../home.ts'
import { requestRestart } from '../restarts.ts'
import { readLock } from '../run-files.ts'
import { BACKUPS, SERVICES } from '../services.ts'

export const restart: Command = {
  summary: 'restarts parts of a running stack one after the other, without a request lost',
  usage: `npm run restart -- [part …] [--json]

Starts a new process of each part, by default of all: ${[...SERVICES, BACKUPS]
    .filter(({ handsOver }) => handsOver)
    .map(({ name }) => name)
    .join(', ')}.
Once it is healthy it takes over the part's sockets, and the old process ends when its requests have. If the new
process does not become healthy, the old one continues and nothing further is restarted.
Exit codes: 0 all restarted, 1 one did not start, 3 no stack is running.`,
  run: async ({ args, home, progress }) => {
    const { flags, words } = readFlags(args, ['json'], SERVICES.length + 1)
    const lock = await readLock(home.run)
    if (!lock?.ready) {
      progress.plain(
        lock ? `Process ${lock.pid} is still starting the stack.` : `Nothing is running. ${whereElse(home)}`,
      )
      return 3
    }
    const done: string[] = []
    await requestRestart(home, lock, words, title => {
      done.push(title)
      if (!flags.json) progress.done(title, 'restarted')
    })
    if (flags.json) printJson(progress, { restarted: done })
    return 0
  },
}
