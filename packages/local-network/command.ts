import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readFaults, UnusableFaults, type Faults } from './faults/faults.ts'
import { newestProtocol, oldestProtocol } from './ledger/header.ts'
import { testPassphrase, type CloseEvery, type LocalNetworkOptions } from './local-network.ts'

const publicPassphrase = 'Public Global Stellar Network ; September 2015'

/** What the command was called with that it cannot use. */
export class UsageError extends Error {}

export const help = `local-network: a Stellar test network in one process

Usage: local-network [options]

  --port <port>          TCP port                                     (LOCAL_NETWORK_PORT, 8000)
  --host <address>       address to listen at; localhost means
                         127.0.0.1 and ::1                            (BIND_HOST, localhost)
  --home <folder>        where the ledger is kept, or :memory:        (LOCAL_NETWORK_HOME, .local-network)
  --close-every <ms>     milliseconds between ledgers, or at-once,
                         or on-demand                                 (LOCAL_NETWORK_CLOSE_EVERY, 1000)
  --passphrase <text>    network passphrase    (NETWORK_PASSPHRASE, '${testPassphrase}')
  --allow-host <names>   further host names, comma separated, at
                         which friendbot and the page answer          (LOCAL_NETWORK_ALLOWED_HOSTS)
  --admin-port <port>    port on 127.0.0.1 where faults are set       (LOCAL_NETWORK_ADMIN_PORT, none)
  --faults <json>        faults from the start: JSON, or a file's path (LOCAL_NETWORK_FAULTS)
  --protocol <version>   protocol that ledgers declare, 19 to 28      (LOCAL_NETWORK_PROTOCOL, 28)
  --reset                start with an empty ledger
  --help                 print this

An option wins over its environment variable.
`

export type Command =
  { readonly help: true } | { readonly help: false; readonly options: LocalNetworkOptions }

/**
 * Reads the command line and the environment.
 * @throws UsageError naming the option that is wrong
 */
export function readCommand(args: readonly string[], env: NodeJS.ProcessEnv): Command {
  const values = parse(args)
  if (values.help) return { help: true }
  if (!['', 'false', '0', 'no'].includes((env['IS_MAINNET'] ?? '').toLowerCase()))
    throw new UsageError('a local network has no place on the public network: IS_MAINNET is set')
  const passphrase = values.passphrase ?? (env['NETWORK_PASSPHRASE'] || testPassphrase)
  if (passphrase === publicPassphrase)
    throw new UsageError('what is signed for this passphrase is valid on the public network: choose another')
  const home = values.home ?? env['LOCAL_NETWORK_HOME']
  const windlassHome = env['WINDLASS_HOME']
  const adminPort = values['admin-port'] ?? env['LOCAL_NETWORK_ADMIN_PORT']
  return {
    help: false,
    options: {
      port: portOf(values.port ?? env['LOCAL_NETWORK_PORT'] ?? '8000'),
      host: values.host ?? (env['BIND_HOST'] || 'localhost'),
      dataFolder: home || (windlassHome ? join(windlassHome, 'local-network') : '.local-network'),
      closeEvery: closeEveryOf(values['close-every'] ?? env['LOCAL_NETWORK_CLOSE_EVERY'] ?? '1000'),
      passphrase,
      allowedHosts: namesOf(values['allow-host'] ?? env['LOCAL_NETWORK_ALLOWED_HOSTS'] ?? ''),
      ...(adminPort && { adminPort: portOf(adminPort) }),
      faults: faultsOf(values.faults ?? env['LOCAL_NETWORK_FAULTS'] ?? ''),
      protocol: protocolOf(values.protocol ?? env['LOCAL_NETWORK_PROTOCOL'] ?? ''),
      reset: values.reset ?? false,
    },
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        home: { type: 'string' },
        'close-every': { type: 'string' },
        passphrase: { type: 'string' },
        'allow-host': { type: 'string' },
        'admin-port': { type: 'string' },
        faults: { type: 'string' },
        protocol: { type: 'string' },
        reset: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        // A supervisor finds the process by it.
        'run-file': { type: 'string' },
      },
    }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'options could not be read')
  }
}

function portOf(given: string): number {
  const port = Number(given)
  if (!/^\d{1,5}$/.test(given) || port > 65_535) throw new UsageError(`'${given}' is not a port`)
  return port
}

function protocolOf(given: string): number {
  if (given === '') return newestProtocol
  const protocol = Number(given)
  if (/^\d{2}$/.test(given) && protocol >= oldestProtocol && protocol <= newestProtocol) return protocol
  throw new UsageError(`'${given}' is not a protocol version from ${oldestProtocol} to ${newestProtocol}`)
}

function closeEveryOf(given: string): CloseEvery {
  if (given === 'at-once' || given === 'on-demand') return given
  if (!/^\d{1,8}$/.test(given) || Number(given) < 1)
    throw new UsageError(`'${given}' is neither a number of milliseconds, nor at-once, nor on-demand`)
  return Number(given)
}

/** Faults as JSON, or the path of a file that holds them. */
function faultsOf(given: string): Faults {
  if (given.trim() === '') return {}
  try {
    return readFaults(JSON.parse(given.trimStart().startsWith('{') ? given : readFileSync(given, 'utf8')))
  } catch (error) {
    if (error instanceof UnusableFaults) throw new UsageError(error.message)
    throw new UsageError(`--faults is neither JSON nor a file of it: ${(error as Error).message}`)
  }
}

function namesOf(given: string): string[] {
  return given
    .split(',')
    .map(name => name.trim().toLowerCase())
    .filter(name => name !== '')
}
