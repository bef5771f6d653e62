import { readFlags, UsageError, type Command } from '../command.ts'
import { table } from '../progress.ts'

/** Lists all commands, or explains one. */
export function help(commands: () => Record<string, Command>): Command {
  return {
    summary: 'explains a command',
    usage: 'windlass help [command]',
    run: ({ args, progress }) => {
      const wanted = readFlags(args, [], 2).words.join(':')
      const command = Object.hasOwn(commands(), wanted) ? commands()[wanted] : undefined
      if (wanted !== '' && command === undefined) {
        const known = Object.keys(commands()).join(', ')
        throw new UsageError(`Unknown command "${wanted}". Commands: ${known}.`)
      }
      if (command !== undefined) progress.plain(command.usage)
      else {
        const rows = Object.entries(commands()).map(
          ([name, { summary }]) => [`npm run ${name}`, summary] as const,
        )
        progress.plain(
          `Windlass raises Stellar anchors in one click.\n\n${table(rows)}\n\n` +
            'Help on a command: npm run <command> -- --help. See also: npm test, npm run check, npm run bench.',
        )
      }
      return Promise.resolve(0)
    },
  }
}
