import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Variables } from '../base-env.ts'
import { CHECKOUT } from '../home.ts'
import type { Service } from '../services.ts'
import { settingOf } from '../settings-list.ts'
import { NETWORK } from '../containers/environments.ts'

/** What the stack file is made from. */
export interface StackSettings {
  /** With its registry: nodes look for any other name at Docker Hub. */
  image: string
  /** Parts that no external one replaces. */
  services: readonly Service[]
  variables: Variables
  /** With an env file for each part and a folder of secrets, see `writeEnvFiles`. */
  envFolder: string
  /** Copies of each part that several can run of. */
  copies: (part: string) => number
  /** Whether no other Postgres is named. */
  ownPostgres: boolean
  /** With Caddy in front. */
  tls: boolean
  environment: NodeJS.ProcessEnv
}

/** Caddy and the reverse proxy alone are in it, so that the latter can trust what the former says of clients. */
export const EDGE_SUBNET = '10.91.0.0/24'
/** The name of the reverse proxy there. */
const EDGE_ALIAS = 'reverse-proxy-edge'
/** Nodes that hold data: Postgres, and the stand-ins of a trial. */
const DATA_NODE = 'node.labels.windlass.data==true'
/** The node that the platform's names lead to. */
const EDGE_NODE = 'node.labels.windlass.edge==true'

type Part = Record<string, unknown>

/**
 * The platform for `docker stack deploy`: JSON, which is YAML too. While Postgres starts again, no other part can: what cannot
 * have copies is deployed first (`pinned`).
 */
export function describeStack(settings: StackSettings, which: 'pinned' | 'all' = 'all') {
  const { ownPostgres } = settings
  const services = settings.services.filter(({ handsOver }) => which === 'all' || !handsOver)
  const tls = settings.tls && which === 'all'
  const parts = services.map(service => [service.name, describePart(settings, service)] as const)
  const mounted = new Set(services.flatMap(service => secretsOf(settings, service.name)))
  if (ownPostgres) mounted.add('POSTGRES_PASSWORD')
  return {
    version: '3.9',
    services: {
      ...(ownPostgres && { postgres: postgres(settings), databases: databases(settings) }),
      ...Object.fromEntries(parts),
      ...(tls && { caddy: caddy(settings) }),
    },
    networks: {
      [NETWORK]: { external: true, name: NETWORK },
      ...(tls && { edge: { driver: 'overlay', ipam: { config: [{ subnet: EDGE_SUBNET }] } } }),
    },
    volumes: Object.fromEntries(
      ['postgres', 'anchors', 'mails', 'ledger', 'certificates'].map(name => [
        name,
        { name: `windlass-${name}` },
      ]),
    ),
    secrets: Object.fromEntries([...mounted].map(name => [name, byContent(settings, name)])),
    ...(tls && { configs: { Caddyfile: named('Caddyfile', join(CHECKOUT, 'deploy', 'Caddyfile')) } }),
  }
}

/** What brings the databases of parts to the release of the image, and ends: deployed before the parts are. */
export function describeMigrations(settings: StackSettings) {
  const parts = settings.services.filter(({ database }) => database !== undefined)
  const secrets = parts.flatMap(({ database = '' }) => (settings.variables[database] ? [database] : []))
  const migrations: Part = {
    ...hardened(settings.image),
    command: ['node', 'apps/windlass/containers/migrations/main.ts', ...parts.map(({ name }) => name)],
    environment: Object.fromEntries(secrets.map(name => [`${name}_FILE`, `/run/secrets/${name}`])),
    secrets,
    networks: [NETWORK],
    deploy: { ...limits(settings), replicas: 1, restart_policy: { condition: 'none' } },
  }
  return {
    version: '3.9',
    services: { migrations },
    networks: { [NETWORK]: { external: true, name: NETWORK } },
    secrets: Object.fromEntries(secrets.map(name => [name, byContent(settings, name)])),
  }
}

/** Secrets of a part that have a value. */
function secretsOf({ variables }: StackSettings, part: string): string[] {
  return Object.keys(variables).filter(
    name => variables[name] !== '' && settingOf(name)?.secretOf?.includes(part),
  )
}

const byContent = ({ envFolder }: StackSettings, name: string) =>
  named(name, join(envFolder, 'secrets', name))

/** The cluster changes neither secrets nor configs: another content is another name. */
function named(name: string, file: string): Part {
  const digest = createHash('sha256').update(readFileSync(file)).digest('hex')
  return { name: `windlass_${name}_${digest.slice(0, 12)}`, file }
}

function describePart(settings: StackSettings, service: Service): Part {
  const { name, script, flags = [], ports, health, handsOver } = service
  const { image, envFolder, tls } = settings
  const isProxy = name === 'reverse-proxy'
  return {
    ...hardened(image, ...volumesOf(settings, name)),
    command: ['node', ...flags, script],
    env_file: [join(envFolder, `${name}.env`)],
    secrets: secretsOf(settings, name),
    networks: { [NETWORK]: {}, ...(isProxy && tls && { edge: { aliases: [EDGE_ALIAS] } }) },
    healthcheck: healthcheck(ports[0]?.[1] ?? 0, livenessOf(health)),
    // Each copy reads its routes from another one when it starts, and keeps them while it runs.
    ...(isProxy && { environment: { WINDLASS_HOME: '/tmp/windlass' } }),
    ...(isProxy && !tls && { ports: [onNode(settings, 'PROXY_PORT', 80)] }),
    ...(name === 'control-plane' && ofControlPlane(settings)),
    // It ends once the requests that are under way have.
    ...(handsOver && { stop_signal: 'SIGUSR2', stop_grace_period: '20s' }),
    deploy: handsOver ? replaceable(settings, name) : pinned(settings, DATA_NODE),
  }
}

/** What `tmpfs: [/tmp]` is for compose; a stack ignores that. */
const memoryAt = (target: string, megabytes: number): Part => ({
  type: 'tmpfs',
  target,
  tmpfs: { size: megabytes * 2 ** 20 },
})

const hardened = (image: string, ...volumes: string[]): Part => ({
  image,
  volumes: [memoryAt('/tmp', 64), ...volumes],
  init: true,
  read_only: true,
  cap_drop: ['ALL'],
  logging: { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '3' } },
})

/** The cluster replaces copies that fail their check, which must not happen to all of them while a database moves. */
const livenessOf = (health: string) => (health === '/health' ? '/health/live' : health)

const healthcheck = (port: number, path: string): Part => ({
  test: ['CMD', 'healthy', String(port), path],
  // A name leads to a copy once its first check has passed.
  interval: '10s',
  timeout: '10s',
  start_period: '90s',
  retries: 4,
})

const HOME = '/var/lib/windlass'

function volumesOf({ environment }: StackSettings, part: string): string[] {
  const volume = { 'mail-catcher': 'mails', 'local-network': 'ledger', 'control-plane': 'anchors' }[part]
  const socket = `${environment.DOCKER_SOCKET || '/var/run/docker.sock'}:/var/run/docker.sock`
  return [...(volume ? [`${volume}:${HOME}`] : []), ...(part === 'control-plane' ? [socket] : [])]
}

/** The only one with the engine's socket. Its group must have one number on all managers. */
function ofControlPlane({ environment }: StackSettings): Part {
  return {
    user: `1000:${environment.DOCKER_GROUP || '0'}`,
    environment: { DOCKER_HOST: 'unix:///var/run/docker.sock' },
  }
}

/** Published by the node that a copy runs on: not every kernel has what the cluster's own balancing needs. */
function onNode({ environment }: StackSettings, variable: string, target: number): Part {
  return { target, published: Number(environment[variable] || target), protocol: 'tcp', mode: 'host' }
}

const limits = (
  { environment }: StackSettings,
  variable = 'SERVICE_MEMORY',
  fallback = '1g',
  pids = 256,
): Part => ({
  resources: { limits: { memory: (environment[variable] || fallback).toUpperCase(), pids } },
})
const restart = { restart_policy: { condition: 'any', delay: '2s' } }

/**
 * Copies on different nodes, of which one after the other is replaced, each once its successor is healthy. Where all nodes have
 * a copy that publishes a port, none has room for a successor: there it comes afterwards.
 */
function replaceable(settings: StackSettings, part: string): Part {
  const order = part === 'reverse-proxy' && !settings.tls ? 'stop-first' : 'start-first'
  const change = { parallelism: 1, order, monitor: '15s' }
  return {
    ...limits(settings),
    ...restart,
    mode: 'replicated',
    replicas: settings.copies(part),
    endpoint_mode: 'dnsrr',
    update_config: { ...change, failure_action: 'rollback' },
    rollback_config: change,
    placement: {
      constraints: part === 'control-plane' ? ['node.role==manager'] : [],
      preferences: [{ spread: 'node.id' }],
    },
  }
}

const pinned = (settings: StackSettings, node: string, own: Part = limits(settings)): Part => ({
  ...own,
  ...restart,
  replicas: 1,
  endpoint_mode: 'dnsrr',
  update_config: { order: 'stop-first' },
  placement: { constraints: [node] },
})

function postgres(settings: StackSettings): Part {
  return {
    image: settings.environment.POSTGRES_IMAGE || 'postgres:18-bookworm',
    env_file: [join(settings.envFolder, 'postgres.env')],
    secrets: ['POSTGRES_PASSWORD'],
    networks: [NETWORK],
    command: [
      'postgres',
      ...['-c', 'max_connections=500', '-c', 'autovacuum_naptime=5min'],
      // All files are flushed at once after a crash.
      ...['-c', 'recovery_init_sync_method=syncfs'],
    ],
    // An engine gives 64 MiB for what parallel workers share; a stack ignores `shm_size`.
    volumes: ['postgres:/var/lib/postgresql', memoryAt('/dev/shm', 256)],
    stop_grace_period: '30s',
    healthcheck: { ...healthcheck(0, ''), test: ['CMD', 'bash', '-c', '</dev/tcp/127.0.0.1/5432'] },
    deploy: pinned(settings, DATA_NODE, limits(settings, 'POSTGRES_MEMORY', '4g', 1_024)),
  }
}

/** Makes what is missing and ends. */
function databases(settings: StackSettings): Part {
  return {
    ...hardened(settings.image),
    command: ['node', 'apps/windlass/containers/databases/main.ts'],
    env_file: [join(settings.envFolder, 'postgres.env')],
    secrets: ['POSTGRES_PASSWORD'],
    networks: [NETWORK],
    deploy: { ...limits(settings), replicas: 1, restart_policy: { condition: 'on-failure', delay: '2s' } },
  }
}

function caddy(settings: StackSettings): Part {
  const { environment } = settings
  return {
    ...hardened(environment.CADDY_IMAGE || 'caddy:2', 'certificates:/data'),
    command: ['caddy', 'run', '--config', '/etc/caddy/Caddyfile', '--adapter', 'caddyfile'],
    cap_add: ['NET_BIND_SERVICE'],
    environment: {
      TLS_ISSUER: environment.TLS_ISSUER || 'acme',
      REVERSE_PROXY: EDGE_ALIAS,
      XDG_DATA_HOME: '/data',
      XDG_CONFIG_HOME: '/tmp',
    },
    configs: [{ source: 'Caddyfile', target: '/etc/caddy/Caddyfile' }],
    networks: { edge: {}, [NETWORK]: {} },
    ports: [onNode(settings, 'HTTP_PORT', 80), onNode(settings, 'HTTPS_PORT', 443)],
    deploy: pinned(settings, EDGE_NODE),
  }
}
