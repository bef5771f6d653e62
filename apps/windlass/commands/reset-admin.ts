import { type Command, readFlags } from '../command.ts'
import { runPlatformScript } from './platform-script.ts'

export const resetAdmin: Command = {
  summary: 'removes the second factors of administrators who lost them all',
  usage: `npm run admin:reset [user name or email …]

Removes the passkeys, the authenticator app and the recovery codes of administrators (by default of ADMIN_USERNAME),
ends their sessions and records it in the audit log. Changes the database of the running stack, or the one that
PLATFORM_DATABASE_URL names (PLATFORM_KEY is then needed too). Passwords stay. At the next sign-in each administrator adds
a new second factor where one is required.`,
  run: async ({ args, environment, home }) => {
    const { words } = readFlags(args, [], 1)
    return runPlatformScript('second-factors/main.ts', words, { environment, home })
  },
}
