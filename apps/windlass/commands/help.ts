import { printJson, readFlags, UsageError, type Command } from '../command.ts'
import { table } from '../progress.ts'
import { settingsAsSchema } from '../settings-list.ts'

/** Lists all commands, or explains one. */
export function help(commands: () => Record<string, Command>): Command {
  return {
    summary: 'explains a command',
    usage: `windlass help [command]

  --settings-schema  prints the settings as a JSON schema, for editors`,
    run: ({ args, progress }) => {
      const { flags, words } = readFlags(args, ['settings-schema'], 2)
      if (flags['settings-schema']) {
        printJson(progress, settingsAsSchema())
        return Promise.resolve(0)
      }
      const wanted = words.join(':')
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
