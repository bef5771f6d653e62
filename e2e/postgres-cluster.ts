import { databaseUrl } from '@windlass/postgres/databases.ts'
import { fastFolder } from '@windlass/testing/fast-folder.ts'
import { ensureDatabases } from '@windlass/windlass/databases.ts'
import { DATABASES } from '@windlass/windlass/services.ts'
import { rolePassword } from '@windlass/windlass/settings.ts'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

const DEPLOY = fileURLToPath(new URL('../deploy/postgres/', import.meta.url))
const POSTGRES = '/usr/lib/postgresql/15/bin/postgres'
const ETCD = ['/usr/bin/etcd', '/usr/bin/etcdctl']
const PROGRAMS = [POSTGRES, '/usr/bin/patroni', ...ETCD, '/usr/sbin/haproxy', '/usr/bin/setpriv']
const PG_BASEBACKUP = '/usr/lib/postgresql/15/bin/pg_basebackup'
const PATH = '/usr/sbin:/usr/bin:/sbin:/bin'
const AS_POSTGRES = ['--reuid=postgres', '--regid=postgres', '--init-groups', '--']
const ADDRESSES = { pg1: '10.231.0.11', pg2: '10.231.0.12', witness: '10.231.0.13' } as const
const OURS = '10.231.0.1'
const SWITCH = 'wlpg-switch'
const DOCKER_BRIDGE = '172.17.0.1'

export type NodeName = keyof typeof ADDRESSES

/** Why no cluster can be made here; null: one can. */
export function obstacleToCluster(): string | null {
  if (userInfo().uid !== 0) return 'it needs root, for network namespaces'
  const missing = PROGRAMS.find(program => !existsSync(program))
  if (missing === undefined) return null
  return `${missing} is missing (Debian 12: apt-get install postgresql-15 patroni etcd-server etcd-client haproxy iproute2 iptables)`
}

/** One machine: a network namespace with what runs in it. */
export class Machine {
  readonly name: NodeName
  readonly address: string
  readonly #folder: string

  constructor(name: NodeName, folder: string) {
    this.name = name
    this.address = ADDRESSES[name]
    this.#folder = folder
  }

  get #namespace() {
    return `wlpg-${this.name}`
  }

  /** Starts what is installed on it, as after a boot. */
  start(): void {
    this.startEtcd()
    if (this.name !== 'witness') this.startPatroni()
  }

  startEtcd(): void {
    const given = readEnv(join(this.#folder, 'etc/default/etcd'))
    this.#run('etcd', ['/usr/bin/etcd'], { ...given, ETCD_DATA_DIR: join(this.#folder, 'etcd') })
  }

  startPatroni(): void {
    this.#run('patroni', ['/usr/bin/patroni', this.#config], this.#environment)
  }

  get #config() {
    return join(this.#folder, 'etc/patroni/config.yml')
  }

  get #environment(): Record<string, string> {
    return {
      ...readEnv(join(this.#folder, 'etc/patroni_env.conf')),
      PATRONI_POSTGRESQL_DATA_DIR: this.dataFolder,
      PATRONI_POSTGRESQL_PGPASS: join(this.#folder, 'pgpass'),
    }
  }

  get dataFolder() {
    return join(this.#folder, 'data')
  }

  /** What an operator types on it, and answers. */
  patronictl(args: readonly string[], input = ''): string {
    return execFileSync('/usr/bin/patronictl', ['-c', this.#config, ...args], {
      env: { PATH, LC_ALL: 'C.UTF-8', ...this.#environment },
      encoding: 'utf8',
      input,
    })
  }

  etcdctl(...args: string[]): string {
    const here = ['netns', 'exec', this.#namespace, 'etcdctl', ...args]
    return execFileSync('ip', here, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  }

  /** Copies the databases as a replica does; the folder of the copy. */
  backUp(): string {
    const copy = join(this.#folder, 'backup')
    const args = ['-h', this.address, '-U', 'replicator', '-D', copy, '-X', 'stream', '-c', 'fast']
    execFileSync('setpriv', [...AS_POSTGRES, PG_BASEBACKUP, ...args], {
      cwd: this.#folder,
      env: { PATH, PGPASSWORD: this.#environment.PATRONI_REPLICATION_PASSWORD },
    })
    return copy
  }

  /** Resolves once Patroni has stopped Postgres and ended. */
  async stopPatroni(): Promise<void> {
    const which = /\/(patroni|postgres) /
    this.#signal('SIGTERM', /\/usr\/bin\/patroni /)
    await until(
      async () => this.#pids(which),
      pids => pids.length === 0,
      60_000,
    )
  }

  /** Has the databases of a copy from now on. */
  restore(copy: string): void {
    this.removeDatabases()
    execFileSync('cp', ['-a', copy, this.dataFolder])
  }

  removeDatabases(): void {
    rmSync(this.dataFolder, { recursive: true, force: true })
  }

  /** A machine without data that joins the etcd of the others. */
  replaceByNew(): void {
    this.removeDatabases()
    rmSync(join(this.#folder, 'etcd'), { recursive: true, force: true })
    appendFileSync(join(this.#folder, 'etc/default/etcd'), 'ETCD_INITIAL_CLUSTER_STATE=existing\n')
  }

  /** Reads a metric of Patroni's `/metrics`. */
  async metric(name: string): Promise<number | null> {
    const text = await (await this.#ask('/metrics')).text()
    const [, value] = new RegExp(`^${name}\\{.*\\} (\\S+)$`, 'm').exec(text) ?? []
    return value === undefined ? null : Number(value)
  }

  #run(title: string, command: string[], env: Record<string, string>): void {
    const log = openSync(join(this.#folder, `${title}.log`), 'a')
    // `ip` gives it mounts of its own; machines do not share the folder of Postgres' sockets.
    const alone = ['sh', '-c', 'mount -t tmpfs -o mode=777 none /run/postgresql && exec "$@"', 'sh']
    const child = spawn(
      'ip',
      ['netns', 'exec', this.#namespace, ...alone, 'setpriv', ...AS_POSTGRES, ...command],
      {
        cwd: this.#folder,
        env: { PATH, LC_ALL: 'C.UTF-8', ...env },
        stdio: ['ignore', log, log],
        detached: true,
      },
    )
    closeSync(log)
    child.unref()
  }

  /** The end of what Patroni and Postgres say. */
  log(): string {
    const lines = readFileSync(join(this.#folder, 'patroni.log'), 'utf8').split('\n')
    return lines
      .filter(line => /LOG|FATAL|ERROR|INFO|WARNING/.test(line))
      .slice(-40)
      .join('\n')
  }

  /** The processes on it. */
  #pids(which = /./): number[] {
    const listed = execFileSync('ip', ['netns', 'pids', this.#namespace], { encoding: 'utf8' })
    const pids = listed.split('\n').filter(pid => pid !== '')
    return pids.filter(pid => which.test(commandOf(pid))).map(Number)
  }

  #signal(signal: NodeJS.Signals, which?: RegExp): void {
    for (const pid of this.#pids(which)) tryKill(pid, signal)
  }

  /** As by a power cut. */
  powerOff(): void {
    this.#signal('SIGKILL')
  }

  /** `kill -9` of one program. */
  kill(program: 'postgres' | 'patroni' | 'etcd'): void {
    if (program !== 'postgres') return this.#signal('SIGKILL', new RegExp(`/usr/bin/${program} `))
    const [pid] = readFileSync(join(this.dataFolder, 'postmaster.pid'), 'utf8').split('\n')
    tryKill(Number(pid), 'SIGKILL')
  }

  /** The whole machine stands still, as a virtual machine that is paused. */
  freeze(): void {
    this.#signal('SIGSTOP')
  }

  thaw(): void {
    this.#signal('SIGCONT')
  }

  /** Packets are lost without a word, to it, from it, or both. */
  cut(directions: readonly ('INPUT' | 'OUTPUT')[]): void {
    for (const direction of directions) {
      const device = direction === 'INPUT' ? '-i' : '-o'
      ip('netns', 'exec', this.#namespace, 'iptables', '-A', direction, device, 'eth0', '-j', 'DROP')
    }
  }

  heal(): void {
    ip('netns', 'exec', this.#namespace, 'iptables', '-F')
  }

  /** Whether Patroni says that its Postgres is the primary. */
  async leads(): Promise<boolean> {
    return (await this.#ask('/primary').catch(() => null))?.status === 200
  }

  /** Whether etcd names a leader and a standby that has every commit. */
  async knowsBoth(): Promise<boolean> {
    const { members = [] } = (await (await this.#ask('/cluster')).json()) as { members?: { role: string }[] }
    return ['leader', 'sync_standby'].every(wanted => members.some(({ role }) => role === wanted))
  }

  #ask(path: string): Promise<Response> {
    return fetch(`http://${this.address}:8008${path}`, { signal: AbortSignal.timeout(2_000) })
  }
}

/** What a primary can suffer without a word to others. */
export const PRIMARY_FAULTS: {
  what: string
  begin(primary: Machine): void
  end(primary: Machine): void
}[] = [
  { what: 'loses power', begin: node => node.powerOff(), end: node => node.start() },
  { what: 'is cut off', begin: node => node.cut(['INPUT', 'OUTPUT']), end: node => node.heal() },
  { what: 'stands still', begin: node => node.freeze(), end: node => node.thaw() },
]

/** Makes the databases of Windlass; their addresses by variable, on a server that parts know by another address or the same. */
export async function makeDatabases(
  superuserUrl: string,
  knownAs = superuserUrl,
): Promise<Record<string, string>> {
  const roles = { POSTGRES_PASSWORD: randomBytes(16).toString('hex') }
  await ensureDatabases(superuserUrl, [...DATABASES], roles)
  return Object.fromEntries(
    DATABASES.map(({ variable, name }) => [
      variable,
      databaseUrl(knownAs, name, name, rolePassword(roles, name)),
    ]),
  )
}

export interface PostgresCluster {
  /** The superuser's address through HAProxy. */
  url: string
  superuserPassword: string
  pg1: Machine
  pg2: Machine
  witness: Machine
  /** The one that leads now. */
  primary(): Promise<Machine>
  /** Resolves once one leads and the other has every commit. */
  untilWhole(): Promise<void>
  /**
   * Starts HAProxy on nodes of the cluster that `.ci/cluster` made, where docs/guides/postgres.md lets containers reach it. The
   * superuser's address there.
   */
  serveNodes(nodes: readonly number[]): string
  stop(): Promise<void>
}

/** Two Postgres machines, a third for etcd's majority, and HAProxy here, by the files of `deploy/postgres`. */
export async function startPostgresCluster(port: number): Promise<PostgresCluster> {
  removeNetwork()
  const folder = mkdtempSync(join(fastFolder(), 'windlass-cluster-'))
  chmodSync(folder, 0o755)
  const settings = join(folder, 'cluster.env')
  const secret = () => randomBytes(16).toString('hex')
  const superuserPassword = secret()
  const values = {
    ...Object.fromEntries(Object.entries(ADDRESSES).map(([name, address]) => [name.toUpperCase(), address])),
    SUPERUSER_PASSWORD: superuserPassword,
    REPLICATION_PASSWORD: secret(),
    RESTAPI_PASSWORD: secret(),
  }
  writeFileSync(
    settings,
    Object.entries(values)
      .map(pair => pair.join('='))
      .join('\n'),
  )
  makeNetwork()
  const machines = Object.keys(ADDRESSES).map(name => installMachine(name as NodeName, folder, settings))
  const [pg1, pg2, witness] = machines as [Machine, Machine, Machine]
  for (const machine of machines) machine.start()
  const listens = 'bind 127.0.0.1:5432'
  const proxy = (name: string, from: string, to: string) =>
    configureProxy(join(folder, name), settings, text => text.replace(from, to))
  const proxies = [spawnProxy(proxy('client', listens, `bind 127.0.0.1:${port}`), [])]
  const both = [pg1, pg2]
  const leading = async () => {
    const leads = await Promise.all(both.map(node => node.leads()))
    return both.filter((_, index) => leads[index])
  }
  const url = `postgres://postgres:${superuserPassword}@127.0.0.1:${port}/postgres`
  const cluster: PostgresCluster = {
    ...{ url, superuserPassword, pg1, pg2, witness },
    primary: async () => {
      const [one, ...others] = await until(leading, found => found.length === 1, 60_000)
      if (!one || others.length > 0) throw new Error('there is no single primary')
      return one
    },
    untilWhole: async () => {
      const whole = async () => {
        const [one, ...others] = await leading()
        return one && others.length === 0 && (await hasStandby(url)) && (await one.knowsBoth())
      }
      await until(() => whole().catch(() => false), Boolean, 90_000).catch((cause: unknown) => {
        const logs = both.map(node => `${node.name}:\n${node.log()}`).join('\n')
        throw new Error(`the machines do not agree who leads and who follows.\n${logs}`, { cause })
      })
    },
    serveNodes: nodes => {
      joinNetworks(nodes)
      const line = `    ${listens} tcp-ut 20s\n`
      const file = proxy('node', line, `${line}    bind ${DOCKER_BRIDGE}:5432 transparent tcp-ut 20s\n`)
      for (const node of nodes) proxies.push(spawnProxy(file, ['ip', 'netns', 'exec', `windlass-${node}`]))
      return `postgres://postgres:${superuserPassword}@${DOCKER_BRIDGE}:5432/postgres`
    },
    stop: async () => {
      for (const each of proxies) each.kill('SIGKILL')
      for (const machine of machines) machine.powerOff()
      removeNetwork()
      await sleep(200)
      rmSync(folder, { recursive: true, force: true })
    },
  }
  try {
    await cluster.untilWhole()
  } catch (error) {
    await cluster.stop()
    throw error
  }
  return cluster
}

async function hasStandby(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2_000, query_timeout: 2_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rowCount } = await client.query(
      "select from pg_stat_replication where sync_state = 'sync' and state = 'streaming'",
    )
    return rowCount === 1
  } finally {
    await client.end()
  }
}

function installMachine(name: NodeName, folder: string, settings: string): Machine {
  const root = join(folder, name)
  mkdirSync(root, { mode: 0o755 })
  execFileSync(join(DEPLOY, 'configure'), [name, settings, root])
  const [uid, gid] = ['-u', '-g'].map(flag => Number(execFileSync('id', [flag, 'postgres'])))
  chownSync(root, uid ?? 0, gid ?? 0)
  return new Machine(name, root)
}

/** The path of HAProxy's file, with a change of what `deploy/postgres` has. */
function configureProxy(root: string, settings: string, change: (text: string) => string): string {
  execFileSync(join(DEPLOY, 'configure'), ['client', settings, root])
  const file = join(root, 'etc/haproxy/haproxy.cfg')
  writeFileSync(file, change(readFileSync(file, 'utf8')))
  return file
}

function spawnProxy(file: string, within: readonly string[]): ChildProcess {
  const log = openSync(join(file, '../../..', 'haproxy.log'), 'a')
  const [command = '', ...args] = [...within, '/usr/sbin/haproxy', '-db', '-f', file]
  return spawn(command, args, { stdio: ['ignore', log, log] })
}

/** Gives nodes of the cluster that `.ci/cluster` made a way to the Postgres machines. */
function joinNetworks(nodes: readonly number[]): void {
  ip('-n', SWITCH, ...'link add nodes type veth peer name postgres netns windlass-lan'.split(' '))
  ip('-n', SWITCH, 'link', 'set', 'nodes', 'master', 'br0', 'up')
  ip('-n', 'windlass-lan', 'link', 'set', 'postgres', 'master', 'lan', 'up')
  for (const node of nodes)
    ip('-n', `windlass-${node}`, 'address', 'add', `10.231.0.${100 + node}/24`, 'dev', 'eth0')
}

/** A switch in a namespace of its own, so that no firewall rule of this machine concerns its packets. */
function makeNetwork(): void {
  ip('netns', 'add', SWITCH)
  ip('-n', SWITCH, 'link', 'add', 'br0', 'type', 'bridge')
  ip('-n', SWITCH, 'link', 'set', 'br0', 'up')
  ip('link', 'add', 'wlpg', 'type', 'veth', 'peer', 'name', 'client', 'netns', SWITCH)
  ip('-n', SWITCH, 'link', 'set', 'client', 'master', 'br0', 'up')
  ip('address', 'add', `${OURS}/24`, 'dev', 'wlpg')
  ip('link', 'set', 'wlpg', 'up')
  for (const [name, address] of Object.entries(ADDRESSES)) {
    const space = `wlpg-${name}`
    ip('netns', 'add', space)
    ip('-n', space, 'link', 'set', 'lo', 'up')
    ip('-n', space, 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', name, 'netns', SWITCH)
    ip('-n', SWITCH, 'link', 'set', name, 'master', 'br0', 'up')
    ip('-n', space, 'address', 'add', `${address}/24`, 'dev', 'eth0')
    ip('-n', space, 'link', 'set', 'eth0', 'up')
  }
}

/** Also what a killed run left. */
function removeNetwork(): void {
  // Before its other end goes with the namespace, and it with that.
  if (existsSync('/sys/class/net/wlpg')) ip('link', 'delete', 'wlpg')
  const spaces = execFileSync('ip', ['netns', 'list'], { encoding: 'utf8' }).match(/^wlpg-\S+/gm) ?? []
  for (const space of spaces) {
    for (const pid of execFileSync('ip', ['netns', 'pids', space], { encoding: 'utf8' }).split('\n')) {
      if (pid !== '') tryKill(Number(pid), 'SIGKILL')
    }
    ip('netns', 'delete', space)
  }
}

function ip(...args: string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] })
}

function tryKill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
  }
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

function readEnv(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return Object.fromEntries(
    lines.map(line => [line.split('=', 1)[0] ?? '', line.slice(line.indexOf('=') + 1)]),
  )
}

async function until<T>(
  look: () => Promise<T>,
  isEnough: (found: T) => boolean,
  withinMs: number,
): Promise<T> {
  const end = performance.now() + withinMs
  for (;;) {
    const found = await look()
    if (isEnough(found)) return found
    if (performance.now() > end) throw new Error(`not within ${withinMs / 1_000} s`)
    await sleep(250)
  }
}
