import type Docker from 'dockerode'
import { chown, stat } from 'node:fs/promises'
import { isAbsolute, join, posix, relative, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listHandedFiles } from '../handed-files.ts'
import { isPortFree } from '../processes/free-port.ts'
import {
  demandMigrated,
  RuntimeError,
  type Runtime,
  type ServerRole,
  type ServerSource,
  type ServerSpec,
  type ServerState,
  type Slot,
} from '../runtime.ts'
import {
  containerName,
  describeContainer,
  describeMigration,
  LABELS,
  type ContainerSettings,
  type ServerImage,
} from './container.ts'
import { coded, connectEngine, statusOf, tolerating } from './engine.ts'
import { linesOf } from './log-frames.ts'
import { ensureNetwork } from './network.ts'
import { watchEnds } from './watch-ends.ts'

export interface DockerOptions {
  /** The engine's address in the form of DOCKER_HOST. */
  engine: string
  /** Network that the servers share with the platform's parts; created when missing. */
  network: string
  images: Readonly<Record<ServerRole, ServerImage>>
  /** Heap limit of a server, in megabytes. */
  memory: number
  /** The engine's volume with the anchors' folders: its name and its mount point here. */
  volume?: { name: string; mountedAt: string }
  /** Maps servers' ports to 127.0.0.1 and uses these: for a control plane outside the network. */
  publish: boolean
}

const STOP_PATIENCE_SECONDS = 6
/** The image's user `node`: servers run as it when the control plane is root. */
const SERVER_USER = 1000
const NOTHING_TO_DO = 304
const MISSING = 404
const CONFLICT = 409

/**
 * Servers as containers of a Docker Engine. The engine gives each name once, so every attempt to start a server leads to the
 * same container.
 */
export function createDocker(options: DockerOptions): Runtime {
  const engine = connectEngine(options.engine)
  const containerOf = (anchorId: string, role: ServerRole, slot?: Slot) =>
    engine.getContainer(containerName(anchorId, role, slot))

  return {
    kind: 'docker',
    start: spec =>
      coded(async () => {
        const container = containerOf(spec.anchorId, spec.role, spec.slot)
        const found = await findOurs(container, spec.anchorId, spec.role)
        if (found && isRunning(found)) return stateOf(found)
        await raise(engine, container, found, spec, options)
        const started = await findOurs(container, spec.anchorId, spec.role)
        if (!started) throw new RuntimeError('server-not-started', 'The server was removed while it started.')
        return stateOf(started)
      }),
    migrate: (spec, withinSeconds) =>
      coded(async () => {
        const settings = await settingsOf(engine, spec, options)
        const container = engine.getContainer(`${settings.name}-migrate`)
        await remove(container)
        try {
          await engine.createContainer(describeMigration(spec, settings))
          await container.start()
          demandMigrated(spec.role, await untilEnded(container, withinSeconds))
        } finally {
          await remove(container)
        }
      }),
    inspect: (anchorId, role, slot) =>
      coded(async () => {
        const found = await findOurs(containerOf(anchorId, role, slot), anchorId, role)
        return found && stateOf(found)
      }),
    stop: (anchorId, role, slot) =>
      coded(async () => {
        const container = containerOf(anchorId, role, slot)
        if (!(await findOurs(container, anchorId, role))) return
        await tolerating([NOTHING_TO_DO, MISSING], () => container.stop({ t: STOP_PATIENCE_SECONDS }))
        await remove(container)
      }),
    log: (anchorId, role, lines, slot) =>
      coded(async () => {
        const container = containerOf(anchorId, role, slot)
        if (!(await findOurs(container, anchorId, role))) return []
        const frames = await container.logs({ stdout: true, stderr: true, tail: lines })
        return linesOf(frames)
      }),
    address: ({ anchorId, role, slot, port }) =>
      `http://${options.publish ? '127.0.0.1' : containerName(anchorId, role, slot)}:${port}`,
    // In its own network namespace every port is free.
    isPortFree: port => (options.publish ? isPortFree(port) : Promise.resolve(true)),
    canRun: (role, from) =>
      coded(async () => {
        const { image } = imageOf(options, role, from)
        return (await tolerating([MISSING], () => engine.getImage(image).inspect())) !== null
      }),
    imageId: (role, from) =>
      coded(async () => {
        const { image } = imageOf(options, role, from)
        return (await tolerating([MISSING], () => engine.getImage(image).inspect()))?.Id ?? null
      }),
    watch: ended => watchEnds(options.engine, ended),
    // The engine rotates logs.
    tidy: async () => {},
  }
}

function imageOf({ images }: DockerOptions, role: ServerRole, from?: ServerSource): ServerImage {
  return from?.image === undefined ? images[role] : { image: from.image, program: from.program }
}

/** The container with that name. Refuses a foreign one and never changes it. */
async function findOurs(
  container: Docker.Container,
  anchorId: string,
  role: ServerRole,
): Promise<Docker.ContainerInspectInfo | null> {
  const found = await tolerating([MISSING], () => container.inspect())
  if (!found) return null
  const labels = found.Config.Labels
  if (labels[LABELS.anchor] === anchorId && labels[LABELS.server] === role) return found
  throw new RuntimeError(
    'server-not-started',
    `The container ${found.Name.slice(1)} belongs to something else. Remove or rename it, then retry.`,
  )
}

async function raise(
  engine: Docker,
  container: Docker.Container,
  found: Docker.ContainerInspectInfo | null,
  spec: ServerSpec,
  options: DockerOptions,
): Promise<void> {
  const description = describeContainer(spec, await settingsOf(engine, spec, options))
  const same = found?.Config.Labels[LABELS.spec] === description.Labels?.[LABELS.spec]
  if (found && !same) await remove(container)
  if (!found || !same) await make(engine, container, description)
  if (found && same && found.State.Restarting) await container.restart({ t: 1 })
  else await startOnce(container)
}

/** Another control plane may be creating it now: the engine gives the name to one of them. */
async function make(
  engine: Docker,
  container: Docker.Container,
  description: Docker.ContainerCreateOptions,
): Promise<void> {
  if (await tolerating([CONFLICT], () => engine.createContainer(description))) return
  // The name is reserved shortly before the container exists.
  for (let tries = 0; tries < 50; tries++) {
    if (await tolerating([MISSING], () => container.inspect())) return
    await sleep(100)
  }
}

/** The exit code; null: it still runs. */
async function untilEnded(container: Docker.Container, withinSeconds: number): Promise<number | null> {
  for (const end = performance.now() + withinSeconds * 1_000; performance.now() < end; await sleep(100)) {
    const { State } = await container.inspect()
    if (!State.Running) return State.ExitCode
  }
  return null
}

async function startOnce(container: Docker.Container): Promise<void> {
  try {
    await tolerating([NOTHING_TO_DO], () => container.start())
  } catch (error) {
    // A container that failed to start would keep its state and its name.
    if (statusOf(error) !== undefined) await remove(container)
    throw error
  }
}

async function remove(container: Docker.Container): Promise<void> {
  await tolerating([MISSING, CONFLICT], () => container.remove({ force: true, v: true }))
}

async function settingsOf(
  engine: Docker,
  spec: ServerSpec,
  options: DockerOptions,
): Promise<ContainerSettings> {
  const { uid, gid } = await stat(spec.folder)
  const files = await listHandedFiles(spec)
  if (uid === 0)
    await Promise.all(files.map(({ path }) => chown(join(spec.folder, path), SERVER_USER, SERVER_USER)))
  const folder = await folderOfEngine(engine, spec.folder, options.volume)
  return {
    name: containerName(spec.anchorId, spec.role, spec.slot),
    network: await ensureNetwork(engine, { Name: options.network, Driver: 'bridge' }),
    image: imageOf(options, spec.role, spec.from),
    memory: options.memory,
    user: uid === 0 ? `${SERVER_USER}:${SERVER_USER}` : `${uid}:${gid}`,
    files: files.map(file => ({ ...file, source: posix.join(folder, file.path) })),
    publish: options.publish,
  }
}

/** An anchor's folder by the engine's path. */
async function folderOfEngine(
  engine: Docker,
  folder: string,
  volume: DockerOptions['volume'],
): Promise<string> {
  if (!volume) return folder
  const within = relative(volume.mountedAt, folder)
  if (within.startsWith('..') || isAbsolute(within)) {
    throw new RuntimeError('server-not-started', `The folder ${folder} is not in the volume ${volume.name}.`)
  }
  const { Mountpoint } = await engine.getVolume(volume.name).inspect()
  return posix.join(Mountpoint, within.split(sep).join('/'))
}

/** A container that the engine is about to restart does not count as running. */
const isRunning = ({ State }: Docker.ContainerInspectInfo) => State.Running && !State.Restarting

function stateOf(container: Docker.ContainerInspectInfo): ServerState {
  const { State, Config } = container
  const label = (name: string) => Config.Labels[name] ?? ''
  const running = isRunning(container)
  const health = State.Health?.Status
  return {
    anchorId: label(LABELS.anchor),
    role: label(LABELS.server) === 'sep' ? 'sep' : 'business',
    running,
    port: Number(label(LABELS.port)),
    version: label(LABELS.version),
    imageId: container.Image,
    startedAt: State.StartedAt,
    ...(running ? {} : { ended: { exitCode: State.ExitCode, outOfMemory: State.OOMKilled } }),
    ...(health === 'starting' || health === 'healthy' || health === 'unhealthy' ? { health } : {}),
  }
}
