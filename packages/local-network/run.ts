import { help, readCommand, UsageError } from './command.ts'
import { startLocalNetwork } from './local-network.ts'
import { UnusableStore } from './store/database.ts'

/** Runs the command until a signal stops it; ends the process where it cannot start. */
export async function run(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  try {
    const command = readCommand(args, env)
    if (command.help) process.stdout.write(help)
    else {
      const network = await startLocalNetwork(command.options)
      const stop = () => {
        void network.stop().then(() => process.exit(0))
      }
      process.once('SIGTERM', stop)
      process.once('SIGINT', stop)
      const { instances, balancer } = network.faults()
      console.log(
        `Local Stellar network at ${network.url} (friendbot ${network.friendbotUrl}), ledger ${network.latestLedger}`,
      )
      for (const [name, { url }] of Object.entries(instances))
        if (name !== 'main') console.log(`Horizon instance ${name} at ${url}`)
      if (balancer) console.log(`Balancer of all instances at ${balancer.url}`)
      if (network.adminUrl) console.log(`Admin API at ${network.adminUrl}/faults`)
    }
  } catch (error) {
    console.error(`local-network: ${reasonOf(error)}`)
    process.exit(error instanceof UsageError ? 2 : 1)
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof UsageError) return `${error.message}\nTry --help.`
  if (error instanceof UnusableStore) return error.message
  if ('code' in error && error.code === 'EADDRINUSE') return 'the port is taken: choose another with --port'
  return error.stack ?? error.message
}
