import { execFile, spawn } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ConfigError } from '@windlass/service/env.ts'
import { readOrCreateBaseEnv } from '../base-env.ts'
import type { Context } from '../command.ts'
import {
  behindTls,
  containerVariables,
  givenVariables,
  NETWORK,
  publishedPorts,
  writeEnvFiles,
} from '../containers/environments.ts'
import { CHECKOUT, prepareHome } from '../home.ts'
import { DATABASES } from '../services.ts'
import { readSettings } from '../settings.ts'
import { describeStack, EDGE_SUBNET, type StackSettings } from './stack-file.ts'

const run = promisify(execFile)
/** Of the stack; its services are `windlass_<part>`. */
export const STACK = 'windlass'
/** An address for each of anchors' servers and each copy of a part. */
const NETWORK_SUBNET = '10.90.0.0/16'

/** The output of the engine's command line, asked at a manager. */
export type Ask = (...args: string[]) => Promise<string>

export const askManager =
  (env: NodeJS.ProcessEnv): Ask =>
  async (...args) =>
    (await run('docker', args, { env, maxBuffer: 2 ** 26 })).stdout.trim()

/**
 * Writes each part's variables, their secrets, and the stack's files in the order in which they are deployed.
 *
 * @throws {ConfigError} where the settings must not run together, see `readSettings`, or no image is named
 */
export function writeStack(
  { home, environment }: Pick<Context, 'home' | 'environment'>,
  { tls, copies }: Pick<StackSettings, 'tls' | 'copies'>,
): string[] {
  const image = environment.WINDLASS_IMAGE ?? ''
  if (!/^[^/]*[.:][^/]*\/.+/.test(image))
    throw new ConfigError(
      'WINDLASS_IMAGE must name the image with its registry, such as registry.example.com/windlass:0.1.0',
    )
  prepareHome(home)
  const { variables: base } = readOrCreateBaseEnv(home.baseEnvFile)
  const { services } = readSettings({ ANCHOR_RUNTIME: 'swarm', ...base }, environment)
  const given = givenVariables(base, environment)
  const ofCluster = {
    ...(tls && { ...behindTls(environment.TLS_ISSUER || undefined), TRUSTED_PROXIES: EDGE_SUBNET }),
    ANCHOR_RUNTIME: 'swarm',
    ANCHOR_IMAGE: image,
  }
  const { ANCHOR_VOLUME: _ofOneEngine, ...variables } = containerVariables(
    { ...ofCluster, ...given },
    publishedPorts(environment, tls),
  )
  const envFolder = join(home.folder, 'cluster')
  writeEnvFiles(envFolder, variables)
  const ownPostgres = DATABASES.some(({ variable }) => !given[variable])
  const group = { DOCKER_GROUP: groupOf(environment), ...environment }
  const settings = { image, services, variables, envFolder, copies, ownPostgres, tls, environment: group }
  const write = (name: string, stack: object) => {
    const file = join(envFolder, name)
    writeFileSync(file, `${JSON.stringify(stack, null, 2)}\n`, { mode: 0o600 })
    return file
  }
  const first = describeStack(settings, 'pinned')
  const isFirst = Object.keys(first.services).length > 0
  return [...(isFirst ? [write('stack-first.yml', first)] : []), write('stack.yml', describeStack(settings))]
}

/** Of the engine's socket here; managers are alike. */
function groupOf({ DOCKER_SOCKET: socket = '/var/run/docker.sock' }: NodeJS.ProcessEnv): string {
  return String(statSync(socket, { throwIfNoEntry: false })?.gid ?? 0)
}

/** Leaves one that was made with other addresses. */
export async function ensureNetwork(ask: Ask): Promise<void> {
  // A filter by name takes a pattern for a network that this node uses, and a part of the name for others.
  const names = await ask('network', 'ls', '--format', '{{.Name}}')
  if (names.split('\n').includes(NETWORK)) return
  const flags = ['--driver', 'overlay', '--attachable', '--subnet', NETWORK_SUBNET]
  await ask('network', 'create', ...flags, NETWORK)
}

/** Runs the engine's command line with its output shown. Throws where it fails. */
export function showManager(env: NodeJS.ProcessEnv, ...args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('docker', args, { cwd: CHECKOUT, env, stdio: ['ignore', 'inherit', 'inherit'] })
    child.once('error', reject)
    child.once('close', code =>
      code === 0 ? resolve() : reject(new Error(`docker ${args.join(' ')} exited with ${code}`)),
    )
  })
}
