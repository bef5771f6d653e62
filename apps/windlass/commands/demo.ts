import { ConfigError } from '@windlass/service/process/env.ts'
import { type Command, type Context, readFlags } from '../command.ts'
import { requested } from '../interruption.ts'
import { overview } from '../overview.ts'
import { readLock } from '../run-files.ts'
import { InterruptedError, raiseStack } from '../stack.ts'
import { lowerStack } from './stop.ts'

export const demo: Command = {
  summary:
    'starts the stack and runs the whole story: apply, approve, redeem, provision, route, deposit, withdraw',
  usage: `npm run demo [-- --exit --keep-going]

Starts the stack (or uses the one that runs), runs the whole story over the public HTTP interfaces, prints the result
and time of each step, and leaves the stack running with a table of addresses and credentials.
  --exit        stops the stack that it started at the end; exit code 0 only if every step passed
  --keep-going  continues after a step that fails`,
  run: async context => {
    const { flags } = readFlags(context.args, ['exit', 'keep-going'])
    const running = await readLock(context.home.run)
    if (running === undefined) return onOwnStack(context, flags)
    if (!running.ready)
      throw new Error(`process ${running.pid} is still starting a stack. Wait until it is ready, then retry.`)
    context.progress.heading(
      `Windlass is already running (process ${running.pid}): the demo uses it and leaves it running.`,
    )
    return (await showMainJob(running.variables, context, flags['keep-going'])) ? 0 : 1
  },
}

type Flags = Record<'exit' | 'keep-going', boolean>

async function onOwnStack(context: Context, flags: Flags): Promise<number> {
  const { home, environment, progress } = context
  const interruption = requested()
  try {
    const stack = await raiseStack({ home, environment, progress, interrupted: interruption.signal })
    const walked = showMainJob(stack.variables, context, flags['keep-going'])
    const held = await Promise.race([walked, interruption.happened.then(() => false)])
    if (!flags.exit && !interruption.signal.aborted) {
      progress.plain(`\n${overview(stack.variables, stack.settings.local, true)}\n`)
      progress.plain('  The stack keeps running. Ctrl-C or "npm stop" stops it.\n')
      await interruption.happened
    }
    await lowerStack(stack, progress)
    return held ? 0 : 1
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error
    progress.plain('\nStopped before the stack was ready.')
    return 130
  }
}

/** Runs the demo on a running stack. True when every step passed. */
export async function showMainJob(
  variables: Record<string, string>,
  { progress }: Pick<Context, 'progress'>,
  keepGoing = false,
): Promise<boolean> {
  if (variables.DEPLOYMENT !== 'local' || variables.IS_MAINNET === 'true') {
    throw new ConfigError('the demo writes applications and anchors: it runs on DEPLOYMENT=local only')
  }
  // Imported here because it loads the Stellar SDK, which the other commands do not need.
  const [{ STEPS }, { walk }] = await Promise.all([import('../demo/steps.ts'), import('../demo/walk.ts')])
  progress.heading('Demo, over public HTTP')
  const { held, of } = await walk(STEPS, variables, progress, keepGoing)
  return held === of
}
