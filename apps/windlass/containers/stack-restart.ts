import { readFlags, UsageError, type Command } from '../command.ts'
import { SERVICES } from '../services.ts'
import { isBehindCaddy, prepareStack } from './compose.ts'
import { isReplaceable, removeSecondContainers, replacePart, runningParts } from './replace.ts'

const NAMES = SERVICES.filter(isReplaceable).map(({ name }) => name)

export const stackRestart: Command = {
  summary: 'restarts parts of the stack in containers one after the other, without a request lost',
  usage: `npm run stack:restart [-- part …]

Starts a second container of each part, by default of all: ${NAMES.join(', ')}.
Once it is healthy, the first one ends when its requests have, and starts again. Settings and images stay as they were:
npm run stack:up brings new ones, in the same way. If a container does not become healthy, nothing further is restarted.
Exit codes: 0 all restarted, 1 one did not start, 3 no stack is running.`,
  run: async context => {
    const { words } = readFlags(context.args, [], NAMES.length)
    const unknown = words.find(word => !NAMES.includes(word))
    if (unknown !== undefined) throw new UsageError(`"${unknown}" cannot be restarted alone`)
    const stack = await prepareStack(context, { tls: await isBehindCaddy(context), keepsSettings: true })
    const running = await runningParts(stack)
    if (running.length === 0) {
      context.progress.plain('Nothing is running.')
      return 3
    }
    const asked = running.filter(part => (words.length > 0 ? words.includes(part.name) : isReplaceable(part)))
    for (const part of asked) {
      await replacePart(stack, part, container => stack.docker('restart', '-t', '20', container))
      context.progress.done(part.title, 'restarted')
    }
    await removeSecondContainers(stack)
    return 0
  },
}
