import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readOrCreateBaseEnv, type Variables } from '../base-env.ts'
import type { Context } from '../command.ts'
import { CHECKOUT, prepareHome } from '../home.ts'
import { requireSameDeployment } from '../production-home.ts'
import type { Service } from '../services.ts'
import { readSettings } from '../settings.ts'
import {
  behindTls,
  containerVariables,
  givenVariables,
  IMAGE,
  NETWORK,
  publishedPorts,
  writeEnvFiles,
} from './environments.ts'

const run = promisify(execFile)
const PROJECT = 'windlass'
const DEFAULT_SOCKET = '/var/run/docker.sock'

/** The stack in containers, as the commands use it. */
export interface ComposeStack {
  variables: Variables
  /** Folder of the parts' env files. */
  envFolder: string
  /** Hash of what the compose files say, without the image and the env files. A container's label has the one of its start. */
  fingerprint: string
  /** Services that no external one replaces. */
  services: Service[]
  /** The published port of each part on this machine. */
  ports: Variables
  /** Runs compose with its output shown. Throws where it fails. */
  compose(...args: string[]): Promise<void>
  /** Runs the engine's command line with its output shown. Throws where it fails. */
  docker(...args: string[]): Promise<void>
  /** The output of the engine's command line. */
  ask(...args: string[]): Promise<string>
}

interface Preparation {
  /** With Caddy in front. */
  tls: boolean
  /** Leaves the parts' variables as they were written last, where they were. */
  keepsSettings?: boolean
}

/**
 * Generates a missing base env file, writes each part's variables, and finds the tools.
 *
 * @throws {ConfigError} where the settings must not run together, see `readSettings`
 * @throws {Error} when there is no engine or no compose.
 */
export async function prepareStack(
  { home, environment }: Pick<Context, 'home' | 'environment'>,
  { tls, keepsSettings = false }: Preparation,
): Promise<ComposeStack> {
  await requireEngine(environment)
  prepareHome(home)
  const { variables: base } = readOrCreateBaseEnv(home.baseEnvFile)
  const settings = readSettings({ ANCHOR_RUNTIME: 'docker', ...base }, environment)
  if (!keepsSettings) requireSameDeployment(home, settings)
  const ports = publishedPorts(environment, tls)
  const variables = containerVariables(
    { ...(tls ? behindTls(environment.TLS_ISSUER || undefined) : {}), ...givenVariables(base, environment) },
    ports,
  )
  const envFolder = join(home.folder, 'containers')
  if (!keepsSettings || !existsSync(envFolder)) writeEnvFiles(envFolder, variables)
  const socket = socketOf(environment)
  const env = {
    ...environment,
    ...ports,
    WINDLASS_IMAGE: IMAGE,
    WINDLASS_ENV: envFolder,
    DOCKER_SOCKET: socket,
    DOCKER_GROUP: String(statSync(socket, { throwIfNoEntry: false })?.gid ?? 0),
  }
  const [program, ...first] = await findCompose(environment)
  const names = ['docker-compose.yml', ...(tls ? ['docker-compose.tls.yml'] : [])]
  const files = names.map(name => join(CHECKOUT, 'deploy', name))
  const flags = files.flatMap(file => ['-f', file])
  const fingerprint = fingerprintOf(files, env)
  const caddyfile = readFileSync(join(CHECKOUT, 'deploy', 'Caddyfile'))
  const composeEnv = { ...env, WINDLASS_STACK: fingerprint, WINDLASS_CADDYFILE: digestOf(caddyfile) }
  return {
    variables,
    envFolder,
    fingerprint,
    services: settings.services,
    ports,
    compose: (...args) => shown(program, [...first, '-p', PROJECT, ...flags, ...args], composeEnv),
    docker: (...args) => shown('docker', args, env),
    ask: async (...args) => (await run('docker', args, { env })).stdout.trim(),
  }
}

function fingerprintOf(files: readonly string[], env: NodeJS.ProcessEnv): string {
  const texts = files.map(file => readFileSync(file, 'utf8'))
  const used = new Set(texts.flatMap(text => text.match(/(?<=\$\{)\w+/g) ?? []))
  const values = [...used]
    .filter(name => !/^WINDLASS_(IMAGE|STACK|CADDYFILE)$/.test(name))
    .map(name => `${name}=${env[name] ?? ''}`)
  return digestOf(JSON.stringify([texts, values]))
}

const digestOf = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('hex').slice(0, 16)

/** Whether Caddy is in front of the stack that runs. */
export async function isBehindCaddy({ environment }: Pick<Context, 'environment'>): Promise<boolean> {
  await requireEngine(environment)
  const args = ['ps', '--all', '--quiet', '--filter', 'name=^windlass-caddy$']
  return (await run('docker', args, { env: environment })).stdout.trim() !== ''
}

/** Containers of anchors' servers: the control plane's, not compose's. */
export async function anchorContainers({ ask }: ComposeStack): Promise<string[]> {
  const filters = ['--filter', 'label=windlass.anchor', '--filter', `network=${NETWORK}`]
  const ids = await ask('ps', '--all', '--quiet', ...filters)
  return ids.split('\n').filter(Boolean)
}

async function requireEngine(environment: NodeJS.ProcessEnv): Promise<void> {
  try {
    await run('docker', ['version', '--format', '{{.Server.Version}}'], { env: environment, timeout: 20_000 })
  } catch (cause) {
    const at = environment.DOCKER_HOST ?? `unix://${DEFAULT_SOCKET}`
    throw new Error(`No Docker Engine at ${at}. Start it, or run without containers: npm start.`, { cause })
  }
}

/** Version 2 is part of the docker command; 1.29 is a program of its own. */
async function findCompose(environment: NodeJS.ProcessEnv): Promise<[string, ...string[]]> {
  const candidates: [string, ...string[]][] = [['docker', 'compose'], ['docker-compose']]
  for (const [program, ...first] of candidates) {
    const found = await run(program, [...first, 'version'], { env: environment, timeout: 20_000 }).catch(
      () => null,
    )
    if (found) return [program, ...first]
  }
  throw new Error(
    'Neither "docker compose" nor "docker-compose" is installed. Install one, or run without containers: npm start.',
  )
}

/** The engine's socket on this machine; only the control plane gets it. */
function socketOf({ DOCKER_HOST: address }: NodeJS.ProcessEnv): string {
  if (!address) return DEFAULT_SOCKET
  if (address.startsWith('unix://')) return address.slice('unix://'.length)
  throw new Error(
    `DOCKER_HOST is ${address}: the stack needs an engine with a socket on this machine. Set DOCKER_HOST=unix://<path>.`,
  )
}

function shown(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: CHECKOUT, env, stdio: ['ignore', 'inherit', 'inherit'] })
    child.once('error', reject)
    child.once('close', code =>
      code === 0 ? resolve() : reject(new Error(`${program} ${args.join(' ')} exited with ${code}`)),
    )
  })
}
