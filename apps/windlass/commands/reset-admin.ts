import { type Command, readFlags } from '../command.ts'
import { runPlatformScript } from './platform-script.ts'

export const resetAdmin: Command = {
  summary: 'removes the second factors of an administrator who lost them all',
  usage: `npm run admin:reset [user name or email]

Removes the passkeys, the authenticator app and the recovery codes of an administrator (by default ADMIN_USERNAME), ends
their sessions and records it in the audit log. Changes the database of the running stack, or the one that
PLATFORM_DATABASE_URL names (PLATFORM_KEY is then needed too). The password stays. At the next sign-in the administrator
adds a new second factor where one is required.`,
  run: async ({ args, environment, home }) => {
    const { words } = readFlags(args, [], 1)
    return runPlatformScript('second-factors/main.ts', words, { environment, home })
  },
}
