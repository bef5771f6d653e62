import { execFile, spawn } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ConfigError } from '@windlass/service/process/env.ts'
import { readOrCreateBaseEnv, type Variables } from '../base-env.ts'
import type { Context } from '../command.ts'
import {
  behindTls,
  containerVariables,
  givenVariables,
  IMAGE,
  NETWORK,
  publishedPorts,
  writeEnvFiles,
} from '../containers/environments.ts'
import { CHECKOUT, prepareHome } from '../home.ts'
import { requireSameDeployment } from '../production-home.ts'
import { DATABASES } from '../services.ts'
import { readSettings } from '../settings.ts'
import { describeMigrations, describeStack, EDGE_SUBNET, type StackSettings } from './stack-file.ts'

const run = promisify(execFile)
/** Name of the stack; its services are `windlass_<part>`. */
export const STACK = 'windlass'
/** An address for each of anchors' servers and each copy of a part. */
const NETWORK_SUBNET = '10.90.0.0/16'

/** The output of the engine's command line, asked at a manager. */
export type Ask = (...args: string[]) => Promise<string>

export const askManager =
  (env: NodeJS.ProcessEnv): Ask =>
  async (...args) =>
    (await run('docker', args, { env, maxBuffer: 2 ** 26 })).stdout.trim()

/** Paths of the stack's files, in the order in which they are deployed. */
interface StackFiles {
  /** What cannot have copies, if anything. */
  first?: string
  migrations: string
  whole: string
}

/**
 * Writes each part's variables, their secrets, and the stack's files.
 *
 * @throws {ConfigError} where the settings must not run together, see `readSettings`, or not in a cluster, or no image is named
 */
export function writeStack(
  { home, environment }: Pick<Context, 'home' | 'environment'>,
  { tls, copies }: Pick<StackSettings, 'tls' | 'copies'>,
): StackFiles {
  const { WINDLASS_IMAGE: image = '' } = environment
  demandRegistry('WINDLASS_IMAGE', image)
  prepareHome(home)
  const { variables: base } = readOrCreateBaseEnv(home.baseEnvFile)
  const given = givenVariables(base, environment)
  demandSwarm(given)
  const { services, local } = readSettings({ ANCHOR_RUNTIME: 'swarm', ...base }, environment)
  requireSameDeployment(home, { local })
  const behind = tls && { ...behindTls(environment.TLS_ISSUER || undefined), TRUSTED_PROXIES: EDGE_SUBNET }
  const anchors = { ANCHOR_RUNTIME: 'swarm', ANCHOR_IMAGE: given.ANCHOR_IMAGE || image }
  demandRegistry('ANCHOR_IMAGE', anchors.ANCHOR_IMAGE)
  const { ANCHOR_VOLUME: _ofOneEngine, ...variables } = containerVariables(
    { ...behind, ...given, ...anchors },
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
  return {
    ...(isFirst && { first: write('stack-first.yml', first) }),
    migrations: write('stack-migrations.yml', describeMigrations(settings)),
    whole: write('stack.yml', describeStack(settings)),
  }
}

/** Nodes look for any other name at Docker Hub. */
function demandRegistry(name: string, image: string): void {
  if (/^[^/]*[.:][^/]*\/.+/.test(image)) return
  throw new ConfigError(
    `${name} must name the image with its registry, such as registry.example.com/${IMAGE}`,
  )
}

/** With containers of one engine, anchors would run on the nodes of control planes alone and move nowhere. */
function demandSwarm({ ANCHOR_RUNTIME: runtime }: Variables): void {
  if (!runtime || runtime === 'swarm') return
  throw new ConfigError(
    `ANCHOR_RUNTIME is ${runtime}, but in a cluster anchors are services of Docker Swarm. Remove it from your settings, then run cluster:up again.`,
  )
}

/** Reads the group of the engine's socket here; managers are alike. */
function groupOf({ DOCKER_SOCKET: socket = '/var/run/docker.sock' }: NodeJS.ProcessEnv): string {
  return String(statSync(socket, { throwIfNoEntry: false })?.gid ?? 0)
}

/** Leaves one that was made with other addresses. Throws where the one of that name does not reach other nodes. */
export async function ensureNetwork(ask: Ask): Promise<void> {
  // A filter by name takes a pattern for a network that this node uses, and a part of the name for others.
  const listed = await ask('network', 'ls', '--format', '{{.Name}} {{.Driver}}')
  const drivers = listed
    .split('\n')
    .flatMap(line => (line.startsWith(`${NETWORK} `) ? [line.split(' ')[1]] : []))
  const [other] = drivers.filter(driver => driver !== 'overlay')
  if (other !== undefined)
    throw new Error(
      `The network ${NETWORK} of this machine has the driver ${other}, which reaches no other node: npm run stack:up makes it. Run npm run stack:down, then cluster:up again.`,
    )
  if (drivers.length > 0) return
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
