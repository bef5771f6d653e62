import { type Command, readOptions, UsageError } from '../command.ts'
import { runPlatformScript } from './platform-script.ts'

/** Lists from the platform's database, by status. */
function listing(what: string, script: string, statuses: string, columns: string): Command {
  return {
    summary: `lists ${what}`,
    usage: `npm run ${script === 'anchors/main.ts' ? 'anchors' : 'jobs'} -- [--status status] [--json]

Lists ${what}, newest first: ${columns}.
Reads the database of this stack, running or stopped, or the one that PLATFORM_DATABASE_URL names.
  --status  ${statuses}
Exit codes: 0 done, 2 unknown status.`,
    run: async ({ args, environment, home }) => {
      const { flags, values } = readOptions(args, ['json'], ['status'])
      const wanted = values.status.at(-1) ?? 'all'
      if (wanted !== 'all' && !statuses.split(/, | or /).includes(wanted))
        throw new UsageError(`There is no status "${wanted}".`)
      return runPlatformScript(script, [wanted, flags.json ? 'json' : 'text'], { environment, home })
    },
  }
}

export const anchors = listing(
  'anchors',
  'anchors/main.ts',
  'draft, provisioning, active, suspended, removed or error',
  'id, status, asset, home domain, and the reason of its status or since when it sleeps',
)

export const jobs = listing(
  'provisioning jobs',
  'provisioning/main.ts',
  'pending, running, failed, completed or stalled',
  'id, status, subdomain, stage and what went wrong',
)
