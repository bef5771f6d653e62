import { ConfigError } from '@windlass/service/process/env.ts'
import { backup } from './commands/backup.ts'
import { build } from './commands/build.ts'
import { dev } from './commands/dev.ts'
import { checkStatements } from './commands/check-statements.ts'
import { databases } from './commands/databases.ts'
import { demo } from './commands/demo.ts'
import { docs } from './commands/docs.ts'
import { doctor } from './commands/doctor.ts'
import { exportKey } from './commands/export-key.ts'
import { help } from './commands/help.ts'
import { anchors, jobs } from './commands/lists.ts'
import { logs } from './commands/logs.ts'
import { prove } from './commands/prove.ts'
import { openExport } from './commands/open-export.ts'
import { restart } from './commands/restart.ts'
import { restore } from './commands/restore.ts'
import { rotateKeys } from './commands/rotate-keys.ts'
import { start } from './commands/start.ts'
import { status } from './commands/status.ts'
import { stop } from './commands/stop.ts'
import { testTestnet } from './commands/test-testnet.ts'
import { resetAdmin } from './commands/reset-admin.ts'
import { upgrade } from './commands/upgrade.ts'
import { verifyAudit } from './commands/verify-audit.ts'
import { type Command, UsageError } from './command.ts'
import { clusterDown } from './cluster/cluster-down.ts'
import { clusterUp } from './cluster/cluster-up.ts'
import { stackDown } from './containers/stack-down.ts'
import { stackRestart } from './containers/stack-restart.ts'
import { stackUp } from './containers/stack-up.ts'
import { useProxies } from '@windlass/service/outbound/proxy.ts'
import { homeAt } from './home.ts'
import { terminalProgress } from './progress.ts'
import { isForbidden } from './run-files.ts'
import { readSandbox, SANDBOX_HELP } from './sandbox.ts'

const COMMANDS: Record<string, Command> = {
  start,
  stop,
  demo,
  doctor,
  status,
  logs,
  anchors,
  jobs,
  databases,
  backup,
  restore,
  restart,
  upgrade,
  'keys:rotate': rotateKeys,
  build,
  dev,
  docs,
  'stack:up': stackUp,
  'stack:restart': stackRestart,
  'stack:down': stackDown,
  'cluster:up': clusterUp,
  'cluster:down': clusterDown,
  'audit:verify': verifyAudit,
  prove,
  'statements:check': checkStatements,
  'admin:reset': resetAdmin,
  'export:key': exportKey,
  'export:open': openExport,
  'test:testnet': testTestnet,
  help: help(() => COMMANDS),
}

const { args: words, environment, ofLive } = readSandbox(process.argv.slice(2), process.env)
const { name, args } = wordsOf(words)
const progress = terminalProgress(Boolean(environment.NO_COLOR))
// A closed pipe (| head) must not leave a stack half stopped.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

process.exitCode = await main()
process.exit()

/** `audit verify` is the same as `audit:verify`. */
function wordsOf([first = 'help', ...rest]: string[]): { name: string; args: string[] } {
  const [second = '', ...others] = rest
  const joined = `${first}:${second}`
  return Object.hasOwn(COMMANDS, joined) ? { name: joined, args: others } : { name: first, args: rest }
}

async function main(): Promise<number> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command === undefined) {
    process.stderr.write(`Unknown command "${name}". Commands: ${Object.keys(COMMANDS).join(', ')}\n`)
    return 2
  }
  if (args.includes('--help') || args.includes('-h')) {
    progress.plain(`${command.usage}\n\n${SANDBOX_HELP}`)
    return 0
  }
  if (ofLive.length > 0) {
    process.stderr.write(
      `windlass: ${ofLive.join(', ')} may be the live stack's: run --sandbox in a shell without them.\n`,
    )
    return 78
  }
  const home = homeAt(environment.WINDLASS_HOME)
  try {
    await useProxies(environment)
    return await command.run({ args, environment, home, progress })
  } catch (error) {
    if (isForbidden(error) && error.path?.startsWith(home.folder)) {
      const advice = 'ask as that user, or set WINDLASS_HOME to a folder of yours'
      process.stderr.write(`windlass: ${error.path} belongs to another user: ${advice}.\n`)
      return 1
    }
    if (isFull(error)) {
      const where = error.path ? `the disk of ${error.path}` : 'a disk'
      process.stderr.write(`windlass: ${where} is full (df -h, df -i). Make room, then try again.\n`)
      return 1
    }
    if (error instanceof UsageError) {
      process.stderr.write(`${error.message}\n\n${command.usage}\n`)
      return 2
    }
    if (error instanceof ConfigError) {
      process.stderr.write(`windlass: ${error.message}\n`)
      return 78
    }
    process.stderr.write(`windlass: ${error instanceof Error ? error.message : String(error)}\n`)
    if (environment.DEBUG && error instanceof Error) process.stderr.write(`${error.stack}\n`)
    return 1
  }
}

function isFull(error: unknown): error is NodeJS.ErrnoException {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ENOSPC' || code === 'EDQUOT'
}
