import { type Command, readFlags } from '../command.ts'
import { runScript } from './platform-script.ts'

export const checkStatements: Command = {
  summary: 'lists bank statements of which an earlier release may have left out bookings',
  usage: `npm run statements:check [-- --json]

For each anchor: the files of which lines were taken for earlier ones by the bank's reference alone, how many of them
were surely left out, and the lines that bookings of other days looked like. Uploaded again, a file adds what was left
out, and nothing counts twice. Reads the database of the running stack, or those that CONTROL_PLANE_DATABASE_URL and
ANCHORS_DATABASE_URL name. Exit codes: 0 none, 1 some.`,
  run: ({ args, environment, home }) => {
    const { flags } = readFlags(args, ['json'])
    return runScript('control-plane/bank-statements/main.ts', flags.json ? ['--json'] : [], {
      ...{ environment, home, variable: 'CONTROL_PLANE_DATABASE_URL' },
    })
  },
}
