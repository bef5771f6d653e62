import { parseEnvFile } from '@windlass/windlass/base-env.ts'
import { IMAGE } from '@windlass/windlass/containers/environments.ts'
import { type Cluster, startCluster } from '@windlass/testing/cluster.ts'
import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const CHECKOUT = fileURLToPath(new URL('..', import.meta.url))
const NODES = [1, 2, 3]
const IMAGES = { platform: IMAGE, postgres: 'postgres:18-bookworm', caddy: 'caddy:2' }

/** Port of the balancer. Each of its names leads to one part, through the reverse proxy. */
const PORT = 18_780
const PARTS = {
  'platform-api:4000': '127.0.0.11',
  'aggregator:3005': '127.0.0.12',
  'mail-catcher:1080': '127.0.0.13',
  'local-network:8000': '127.0.0.14',
} as const
const at = (part: keyof typeof PARTS) => `http://${PARTS[part]}:${PORT}`

export interface ClusteredStack {
  cluster: Cluster
  /** Addresses and credentials, as this machine knows them. */
  variables: Record<string, string>
  port: number
  /** The engine's command line at a manager, by default node 1. */
  docker(args: readonly string[], node?: number): Promise<string>
  /** Deploys an image of the registry, with further flags; what `cluster:up` printed. */
  deploy(image?: string, flags?: readonly string[]): Promise<string>
  /** The same with `--tls`, whose authority is Caddy's own, in place of the balancer's port. */
  deployBehindCaddy(image?: string): Promise<string>
  /** Gives the registry the image under another tag and with other content, made by further lines of its file; its name there. */
  makeNewer(lines?: string): Promise<string>
  /** `cluster:down`. */
  down(): Promise<string>
  remove(): Promise<void>
}

/**
 * The platform on three nodes as `npm run cluster:up` deploys it with these settings, data on node 1. A text says why there is
 * none.
 */
export async function raiseClusteredStack(
  settings: Record<string, string> = {},
): Promise<ClusteredStack | string> {
  const cluster = await startCluster()
  if (typeof cluster === 'string') return cluster
  const missing = await pushImages(cluster)
  if (missing) {
    await cluster.stop()
    return missing
  }
  const socket = cluster.ownSocket
  const home = join(cluster.folder, 'home')
  const environment = {
    ...process.env,
    ...settings,
    WINDLASS_HOME: home,
    POSTGRES_IMAGE: cluster.image(IMAGES.postgres),
    DOCKER_SOCKET: socket,
    DOCKER_GROUP: String(statSync(cluster.engine(1).replace('unix://', '')).gid),
  }
  const behindBalancer = {
    ANCHOR_PUBLIC_PORT: String(PORT),
    PROXY_HOSTS: Object.entries(PARTS)
      .map(([part, host]) => `${host}=http://${part}`)
      .join(','),
    LOCAL_NETWORK_ALLOWED_HOSTS: `local-network,${PARTS['local-network:8000']}`,
  }
  const docker = async (args: readonly string[], node = 1): Promise<string> => {
    const env = { ...environment, DOCKER_HOST: cluster.engine(node) }
    return (await run('docker', args, { env, maxBuffer: 2 ** 26, timeout: 120_000 })).stdout.trim()
  }
  const boot = async (args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<string> => {
    const env = { ...environment, ...more, DOCKER_HOST: cluster.engine(1) }
    const running = run(process.execPath, ['boot.mjs', ...args], { cwd: CHECKOUT, env, maxBuffer: 2 ** 26 })
    return running.then(
      ({ stdout }) => stdout,
      ({ stdout, stderr }: { stdout: string; stderr: string }) => {
        throw new Error(`${args[0]} failed: ${stdout.slice(-4_000)}\n${stderr.slice(-4_000)}`)
      },
    )
  }
  const image = cluster.image(IMAGES.platform)
  const up = ['cluster:up', '--copies', '2', '--copies', 'control-plane=3', '--copies', 'aggregator=3']
  const deploy = (wanted = image, flags: readonly string[] = []) =>
    boot([...up, ...flags], { ...behindBalancer, WINDLASS_IMAGE: wanted })
  const behindCaddy = { TLS_ISSUER: 'internal', CADDY_IMAGE: cluster.image(IMAGES.caddy) }
  await docker(['node', 'update', '--label-add', 'windlass.data=true', 'node-1'])
  await deploy()
  const balancer = startBalancer(NODES.map(node => cluster.host(node)))
  const file = join(home, 'base.env')
  return {
    cluster,
    variables: {
      ...parseEnvFile(readFileSync(file, 'utf8'), file),
      PLATFORM_URL: at('platform-api:4000'),
      AGGREGATOR_URL: at('aggregator:3005'),
      MAIL_CATCHER_URL: at('mail-catcher:1080'),
      HORIZON_URL: at('local-network:8000'),
      FRIENDBOT_URL: `${at('local-network:8000')}/friendbot`,
      ANCHOR_DOMAIN_SUFFIX: 'anchors.localhost',
      ANCHOR_INGRESS: `http://127.0.0.1:${PORT}`,
    },
    port: PORT,
    docker,
    deploy,
    deployBehindCaddy: (wanted = image) => boot([...up, '--tls'], { ...behindCaddy, WINDLASS_IMAGE: wanted }),
    makeNewer: async (lines = '') => {
      const newer = 'windlass:newer'
      const building = run('docker', ['build', '-q', '-t', newer, '-'])
      building.child.stdin?.end(`FROM ${IMAGES.platform}\nLABEL newer=${Date.now()}\n${lines}`)
      await building
      await cluster.push(newer)
      return cluster.image(newer)
    },
    down: () => boot(['cluster:down']),
    remove: async () => {
      await balancer.stop()
      // A cluster that a test left without a manager goes all the same.
      try {
        await boot(['cluster:down'])
      } finally {
        await cluster.stop()
      }
    },
  }
}

/** From the engine at DOCKER_HOST; null, or what it lacks. */
async function pushImages(cluster: Cluster): Promise<string | null> {
  for (const image of Object.values(IMAGES)) {
    const found = await run('docker', ['image', 'inspect', image]).catch(() => null)
    if (!found) return `no engine has the image ${image} (.ci/engine start and deploy/Dockerfile make all)`
    await cluster.push(image)
  }
  return null
}

/**
 * What stands in front of a platform that has no Caddy: passes connections on to nodes whose port is open, and ends those of a
 * node that is silent.
 */
function startBalancer(nodes: readonly string[]) {
  const sockets = new Map(nodes.map(node => [node, new Set<Socket>()]))
  const isUp = new Map(nodes.map(node => [node, true]))
  let turn = 0
  const pass = (client: Socket, left: readonly string[]): void => {
    const [node, ...others] = left
    if (node === undefined) return void client.destroy()
    const server = connect({ host: node, port: 80, timeout: 1_000 })
    const fail = () => {
      server.destroy()
      pass(client, others)
    }
    server.once('error', fail).once('timeout', fail)
    server.once('connect', () => {
      server.off('error', fail).off('timeout', fail).setTimeout(0)
      const pair = [client, server]
      const end = () => pair.forEach(each => each.destroy())
      for (const each of pair) {
        sockets.get(node)?.add(each)
        each.on('error', end).on('close', () => sockets.get(node)?.delete(each))
      }
      client.pipe(server).pipe(client)
    })
  }
  const listeners = ['127.0.0.1', ...Object.values(PARTS)].map(host =>
    createServer(client => {
      client.on('error', () => client.destroy())
      turn++
      const inTurn = nodes.map((_, index) => nodes[(turn + index) % nodes.length] ?? '')
      pass(
        client,
        inTurn.toSorted((one, other) => Number(isUp.get(other)) - Number(isUp.get(one))),
      )
    }).listen(PORT, host),
  )
  let isOver = false
  const watching = nodes.map(async node => {
    for (; !isOver; await sleep(500)) {
      const found = await look(node)
      // Where a copy ends, its requests still do; a node that is lost ends none.
      if (found === 'silent') for (const each of sockets.get(node) ?? []) each.destroy()
      isUp.set(node, found === 'open')
    }
  })
  return {
    stop: () => {
      isOver = true
      for (const each of [...sockets.values()].flatMap(set => [...set])) each.destroy()
      for (const each of listeners) each.close()
      return Promise.all(watching)
    },
  }
}

function look(host: string): Promise<'open' | 'closed' | 'silent'> {
  const { promise, resolve } = Promise.withResolvers<'open' | 'closed' | 'silent'>()
  const socket = connect({ host, port: 80, timeout: 1_000 })
  socket.once('connect', () => resolve('open'))
  socket.once('error', () => resolve('closed'))
  socket.once('timeout', () => resolve('silent'))
  return promise.finally(() => socket.destroy())
}
