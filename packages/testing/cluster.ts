import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url))

/** Three engines on this machine as a Docker Swarm: `.ci/cluster` says what each does. */
export interface Cluster {
  folder: string
  /** An image's name at the cluster's registry. */
  image(name: string): string
  /** A manager's address in the form of DOCKER_HOST; nodes are 1 to 3. */
  engine(node: number): string
  /** Where ports that a node publishes are reached from here. */
  host(node: number): string
  /** Where containers of a node find its engine. */
  ownSocket: string
  /** Gives the registry an image of the engine at DOCKER_HOST. */
  push(image: string): Promise<unknown>
  /** Ends a node as a loss of power does. */
  kill(node: number): Promise<unknown>
  boot(node: number): Promise<unknown>
  /** Stops a node's engine in order; `boot` starts it. */
  halt(node: number): Promise<unknown>
  /** Where a node's engine keeps what it knows of the cluster. */
  stateOf(node: number): string
  /** Kills a node's engine, which starts again. */
  crash(node: number): Promise<unknown>
  /** Takes a node away with its data: the next boot is a new machine's. */
  empty(node: number): Promise<unknown>
  cut(node: number): Promise<unknown>
  mend(node: number): Promise<unknown>
  stop(): Promise<unknown>
}

/** Brings a cluster up in the folder CLUSTER, or uses the one that runs there. A text says why there is none. */
export async function startCluster(): Promise<Cluster | string> {
  const folder = process.env.CLUSTER ?? (process.env.MODE === 'cluster' ? '/tmp/windlass-cluster' : undefined)
  if (!folder) return 'CLUSTER names no folder to build a cluster in'
  const act = (action: string) => (node?: number) =>
    run('.ci/cluster', [action, folder, ...(node ? [String(node)] : [])], { cwd: CHECKOUT })
  const ran = existsSync(`${folder}/1/docker.sock`)
  try {
    await act('start')()
  } catch (error) {
    return String((error as { stderr?: string }).stderr ?? error).trim()
  }
  return {
    folder,
    image: name => `10.77.0.254:5000/${name}`,
    engine: node => `unix://${folder}/${node}/docker.sock`,
    host: node => `10.77.0.${node}`,
    ownSocket: `${folder}/own/docker.sock`,
    push: image => run('.ci/cluster', ['push', folder, image], { cwd: CHECKOUT }),
    kill: act('kill'),
    boot: act('boot'),
    halt: act('halt'),
    stateOf: node => `${folder}/${node}/data/swarm`,
    crash: act('crash'),
    empty: act('empty'),
    cut: act('cut'),
    mend: act('mend'),
    stop: async () => (ran ? undefined : act('stop')()),
  }
}
