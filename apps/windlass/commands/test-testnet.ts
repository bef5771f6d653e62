import { type Command, readFlags } from '../command.ts'
import { homeAt } from '../home.ts'
import { join } from 'node:path'
import { demo } from './demo.ts'

/** The public test network; variables of the same name override it. */
const TESTNET = {
  HORIZON_URL: 'https://horizon-testnet.stellar.org',
  FRIENDBOT_URL: 'https://friendbot.stellar.org',
  NETWORK_PASSPHRASE: 'Test SDF Network ; September 2015',
}
const TIMEOUT_MS = 10_000

export const testTestnet: Command = {
  summary: 'runs the demo on the public Stellar test network',
  usage: `npm run test:testnet

Starts a stack in a folder of its own (testnet, below WINDLASS_HOME), provisions an anchor on the public Stellar test
network, deposits and withdraws, and stops the stack again. Needs internet access. HORIZON_URL, FRIENDBOT_URL and
NETWORK_PASSPHRASE name another test network.
Exit codes: 0 every step passed, 1 a step failed, 75 the test network cannot be reached and nothing was tested.`,
  run: async context => {
    readFlags(context.args, [])
    const environment = { ...TESTNET, ...context.environment }
    const reason = await whyUnreachable(environment.HORIZON_URL)
    if (reason !== undefined) {
      context.progress.plain(
        `The Stellar test network at ${environment.HORIZON_URL} cannot be reached from here: ${reason}. Nothing ` +
          `was tested. Run this again on a machine with internet access.`,
      )
      return 75
    }
    const home = homeAt(join(context.home.folder, 'testnet'))
    return demo.run({ ...context, environment, home, args: ['--exit'] })
  },
}

/** Why Horizon cannot be used; undefined when it answers. */
async function whyUnreachable(horizonUrl: string): Promise<string | undefined> {
  try {
    const answer = await fetch(horizonUrl, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    await answer.body?.cancel()
    return answer.ok ? undefined : `it answers with status ${answer.status}`
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return cause instanceof Error ? cause.message : String(cause)
  }
}
