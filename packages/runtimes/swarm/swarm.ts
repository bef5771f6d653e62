import type Docker from 'dockerode'
import { setTimeout as sleep } from 'node:timers/promises'
import { LABELS, type ServerImage } from '../docker/container.ts'
import { connectEngine, creating, tolerating } from '../docker/engine.ts'
import { ensureNetwork } from '../docker/network.ts'
import { watchEnds } from '../docker/watch-ends.ts'
import {
  demandMigrated,
  RuntimeError,
  type Runtime,
  type ServerRole,
  type ServerSource,
  type ServerSpec,
} from '../runtime.ts'
import { changeService, scaledTo } from './change.ts'
import { asMade, definitionOf, isEdited } from './definition.ts'
import { contentOf, keepFiles, printOf, readHandedFiles } from './files.ts'
import { resolveImage } from './image.ts'
import { readLog } from './log.ts'
import {
  describeMigration,
  describeService,
  FILES_LABEL,
  migrationName,
  networkName,
  serviceName,
} from './service.ts'
import { codedByCluster, hasEnded, listTasks, replicasOf, stateOf, type Task } from './tasks.ts'
import { anchorOf, createTidying, listServers, removeAnchor } from './tidy.ts'

export interface SwarmOptions {
  /** The address of a manager in the form of DOCKER_HOST. */
  engine: string
  /** Overlay network that the servers share with the platform's services; created when missing. */
  network: string
  images: Readonly<Record<ServerRole, ServerImage>>
  /** Heap limit of a server, in megabytes. */
  memory: number
  /** Which nodes may run servers, such as `node.labels.anchors==true`. */
  placement: readonly string[]
}

const MISSING = 404
const STOPS_WITHIN_MS = 30_000
const STOPPED_AGAIN_AFTER_MS = 10_000
/** Version of the API since which health checks at the start have an interval of their own. */
const START_INTERVAL_SINCE = 1.44

/**
 * Servers as services of a Docker Swarm. The cluster gives each name once, so every attempt to start a server leads to the same
 * service; a stopped one has no replica and keeps its definition.
 */
export function createSwarm(options: SwarmOptions): Runtime {
  const engine = connectEngine(options.engine)
  const tidying = createTidying(engine)
  const sourceOf = (role: ServerRole, from?: ServerSource): ServerImage =>
    from?.image === undefined ? options.images[role] : { image: from.image, program: from.program }

  /** What a service is made from, and how it is made. */
  const plan = async (spec: ServerSpec) => {
    const { network, memory, placement } = options
    const image = sourceOf(spec.role, spec.from)
    const files = await readHandedFiles(spec)
    const print = printOf(spec, { network, memory, placement, image }, files)
    const prepare = async () => ({
      networks: [
        await ensureNetwork(engine, {
          Name: networkName(spec.anchorId),
          Driver: 'overlay',
          Labels: { [LABELS.anchor]: spec.anchorId },
        }),
        await ensureNetwork(engine, { Name: network, Driver: 'overlay', Attachable: true }),
      ],
      image: { ...image, image: await demandImage(engine, image.image) },
      files: await keepFiles(engine, spec, files, print),
      startInterval: Number((await engine.version()).ApiVersion) >= START_INTERVAL_SINCE,
      ...{ memory, placement },
    })
    return { print, prepare }
  }

  const raise = async (spec: ServerSpec, found: Docker.Service | null): Promise<void> => {
    const { print, prepare } = await plan(spec)
    const same = found?.Spec?.Labels?.[LABELS.spec] === print && definitionOf(found.Spec) !== null
    // The cluster starts a server again that ended.
    if (found && same && replicasOf(found) === 1 && !isEdited(found)) return
    if (found && same) return changeService(engine, found.ID, asMade(1))
    const description = describeService(spec, await prepare())
    if (found) return changeService(engine, found.ID, () => description)
    // Another control plane may be creating it now: the cluster gives the name to one of them.
    await creating(() => engine.createService(description))
  }

  return {
    kind: 'swarm',
    start: spec =>
      codedByCluster(async () => {
        const name = serviceName(spec.anchorId, spec.role, spec.slot)
        const found = await findOurs(engine, name, spec)
        const state = found && stateOf(found, await listTasks(engine, name))
        if (found && state?.running && isEdited(found)) await changeService(engine, found.ID, asMade(1))
        if (state?.running) return state
        await raise(spec, found)
        const started = await findOurs(engine, name, spec)
        if (!started) throw new RuntimeError('server-not-started', 'The server was removed while it started.')
        return stateOf(started, await untilTask(engine, name))
      }),
    migrate: (spec, withinSeconds) =>
      codedByCluster(async () => {
        const name = migrationName(spec.anchorId, spec.role, spec.slot)
        await removeJob(engine, name, spec)
        try {
          const { prepare } = await plan(spec)
          await engine.createService(describeMigration(spec, await prepare()))
          demandMigrated(spec.role, await untilOver(engine, name, withinSeconds))
        } finally {
          await removeJob(engine, name, spec)
        }
      }),
    inspect: (anchorId, role, slot) =>
      codedByCluster(async () => {
        const name = serviceName(anchorId, role, slot)
        const found = await findOurs(engine, name, { anchorId, role })
        return found && stateOf(found, await listTasks(engine, name))
      }),
    hasFiles: spec =>
      codedByCluster(async () => {
        const found = await findOurs(engine, serviceName(spec.anchorId, spec.role, spec.slot), spec)
        return found?.Spec?.Labels?.[FILES_LABEL] === contentOf(await readHandedFiles(spec))
      }),
    stop: (anchorId, role, slot) =>
      codedByCluster(async () => {
        const name = serviceName(anchorId, role, slot)
        const found = await findOurs(engine, name, { anchorId, role })
        if (!found) return
        if (replicasOf(found) > 0) await changeService(engine, found.ID, scaledTo(0))
        await untilStopped(engine, found.ID, name)
      }),
    remove: anchorId => codedByCluster(() => removeAnchor(engine, anchorId)),
    log: (anchorId, role, lines, slot) =>
      codedByCluster(async () => {
        const name = serviceName(anchorId, role, slot)
        const found = await findOurs(engine, name, { anchorId, role })
        return found ? readLog(engine, name, lines) : []
      }),
    address: ({ anchorId, role, slot, port }) => `http://${serviceName(anchorId, role, slot)}:${port}`,
    // In its own network namespace every port is free.
    isPortFree: async () => true,
    canRun: (role, from) =>
      codedByCluster(async () => (await resolveImage(engine, sourceOf(role, from).image)) !== null),
    imageId: (role, from) => codedByCluster(() => resolveImage(engine, sourceOf(role, from).image)),
    watch: ended => watchEnds(options.engine, ended, CHANGES),
    tidy: async areRemoved => {
      // Looked up before the database is asked: an anchor of which there is a service by now is in it.
      const services = await codedByCluster(() => listServers(engine))
      const removed = (await areRemoved?.([...new Set(services.map(anchorOf))])) ?? new Map<string, boolean>()
      await codedByCluster(() => tidying(services, removed))
    },
  }
}

/** Containers of this manager's node, and services of the whole cluster. Labels are known of containers only. */
const CHANGES: Docker.GetEventsOptions = {
  filters: { type: ['container', 'service'], event: ['die', 'oom', 'health_status', 'update', 'remove'] },
}

/** The service with that name. Refuses a foreign one and never changes it. */
async function findOurs(
  engine: Docker,
  name: string,
  { anchorId, role }: Pick<ServerSpec, 'anchorId' | 'role'>,
): Promise<Docker.Service | null> {
  const found = await tolerating<Docker.Service>([MISSING], () => engine.getService(name).inspect())
  if (!found) return null
  const labels = found.Spec?.Labels ?? {}
  if (labels[LABELS.anchor] === anchorId && labels[LABELS.server] === role) return found
  throw new RuntimeError(
    'server-not-started',
    `The service ${name} belongs to something else. Remove or rename it, then retry.`,
  )
}

async function demandImage(engine: Docker, image: string): Promise<string> {
  const found = await resolveImage(engine, image)
  if (found) return found
  throw new RuntimeError(
    'server-image-missing',
    'Neither a registry nor the engine has the image of the server.',
  )
}

async function untilTask(engine: Docker, name: string): Promise<Task[]> {
  for (let tries = 0; ; tries++) {
    const tasks = await listTasks(engine, name)
    if (tries === 20 || tasks[0]?.DesiredState === 'running') return tasks
    await sleep(100)
  }
}

/** A node that is down tells nothing any more about its tasks. */
async function untilStopped(engine: Docker, id: string, name: string): Promise<void> {
  const begun = performance.now()
  let isAgain = false
  for (; performance.now() - begun < STOPS_WITHIN_MS; await sleep(200)) {
    const left = (await listTasks(engine, name)).filter(task => !hasEnded(task) && task.NodeID)
    if (left.length === 0) return
    // A manager of release 20.10 that is just replacing a server can miss that there is to be none, until the service changes.
    if (!isAgain && performance.now() - begun > STOPPED_AGAIN_AFTER_MS) {
      isAgain = true
      await changeService(engine, id, spec => spec)
    }
    const down = new Set((await engine.listNodes()).filter(isDown).map(({ ID }) => ID))
    if (left.every(({ NodeID }) => down.has(NodeID ?? ''))) return
  }
  throw new RuntimeError('server-not-started', 'The server did not stop in time.')
}

const isDown = ({ Status }: { Status?: { State?: string } }) => Status?.State === 'down'

/** The exit code; null: it still runs. Throws where no node accepted it. */
async function untilOver(engine: Docker, name: string, withinSeconds: number): Promise<number | null> {
  for (const end = performance.now() + withinSeconds * 1_000; performance.now() < end; await sleep(200)) {
    const [task] = await listTasks(engine, name)
    if (!task || !hasEnded(task)) continue
    const { State, ContainerStatus, Err } = task.Status
    if (State === 'complete') return 0
    if (State === 'failed') return ContainerStatus?.ExitCode || 1
    throw new RuntimeError('server-not-started', `No node ran the migrations: ${Err ?? State}.`)
  }
  return null
}

async function removeJob(engine: Docker, name: string, spec: ServerSpec): Promise<void> {
  const found = await findOurs(engine, name, spec)
  if (found) await tolerating([MISSING], () => engine.getService(found.ID).remove())
}
