import type { Command } from '../command.ts'
import { readFlags } from '../command.ts'
import { requestedBeyondTerminal } from '../interruption.ts'
import { overview } from '../overview.ts'
import { AlreadyRunningError, InterruptedError, raiseStack } from '../stack.ts'
import { timelineOf } from '../timeline.ts'
import { lowerStack } from './stop.ts'

export const start: Command = {
  summary: 'starts the whole stack in the foreground (Ctrl-C stops it)',
  usage: `npm start [-- --timeline] [-- --sandbox]

Starts the stack in order and stays in the foreground. Ctrl-C stops all of it within ten seconds;
a terminal that is closed does not: npm stop does.
A service that ends is started again. Data is in WINDLASS_HOME (default: .windlass in the checkout),
settings in its base.env; environment variables override that file. With --timeline it prints what each
part took, and what the start waited for.

With --sandbox, which every other command takes too, it is a second stack beside the first: in
.windlass-sandbox, on ports that are 10000 higher (proxy 8180), with consoles at *.sandbox.localhost:8180. Each
screen of it says that no real money moves there.

Ports: PLATFORM_API_PORT 4000, CONTROL_PLANE_PORT 3002, AGGREGATOR_PORT 3005, FOUNDER_CONSOLE_PORT 4001,
ADMIN_CONSOLE_PORT 4002, CUSTOMER_PORTAL_PORT 4003, POSTGRES_PORT 5432, SECRETS_STORE_PORT 4566, PROXY_PORT 80
(8080 where 80 cannot be bound), DASHBOARD_PORT 8090, SMTP_PORT 1025, MAIL_CATCHER_PORT 1080,
LOCAL_NETWORK_PORT 8000, LEDGER_GATEWAY_PORT 8001, SIGNER_PORT 8002, BACKUPS_PORT 3009.

External services in place of local parts: HORIZON_URL with FRIENDBOT_URL and NETWORK_PASSPHRASE, SMTP_URL,
SECRETS_ENDPOINT with AWS_*, PLATFORM_DATABASE_URL and the other *_DATABASE_URL.

Exit codes: 0 stopped on request, 1 failed or one is running already, 78 wrong settings.`,
  run: async ({ args, environment, home, progress }) => {
    const { flags } = readFlags(args, ['timeline'])
    const interruption = requestedBeyondTerminal()
    try {
      const stack = await raiseStack({ home, environment, progress, interrupted: interruption.signal })
      if (flags.timeline) for (const line of timelineOf(stack.timeline)) progress.plain(line)
      progress.plain(
        `\n${overview(stack.variables, stack.settings.local, true)}\n\n  Ctrl-C stops everything.\n`,
      )
      await interruption.happened
      await lowerStack(stack, progress)
      return 0
    } catch (error) {
      if (error instanceof InterruptedError) {
        progress.plain('\nStopped before the stack was ready.')
        return 130
      }
      if (!(error instanceof AlreadyRunningError)) throw error
      progress.fail(`${error.message} Stop it with: npm stop`)
      return 1
    }
  },
}
