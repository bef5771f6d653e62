import type Docker from 'dockerode'
import { LABELS } from '../docker/container.ts'
import { coded, tolerating } from '../docker/engine.ts'
import { RuntimeError, type ServerRole, type ServerState } from '../runtime.ts'

/** One run of a service's container (Docker Engine API, "Task"). */
export interface Task {
  ID: string
  CreatedAt: string
  NodeID?: string
  DesiredState: string
  Status: { State: string; Err?: string; ContainerStatus?: { ExitCode?: number } }
}

const ENDED = new Set(['complete', 'shutdown', 'failed', 'rejected', 'remove', 'orphaned'])

export const hasEnded = ({ Status }: Task) => ENDED.has(Status.State)

/** The newest first. */
export async function listTasks(engine: Docker, service: string): Promise<Task[]> {
  const found = await tolerating([404], () =>
    engine.listTasks({ filters: JSON.stringify({ service: [service] }) }),
  )
  return ((found ?? []) as Task[]).toSorted((one, other) => (one.CreatedAt < other.CreatedAt ? 1 : -1))
}

export const replicasOf = (service: Docker.Service) => service.Spec?.Mode?.Replicated?.Replicas ?? 0

/** A server that the cluster is about to restart does not count as running; one without a task yet is about to get it. */
export function stateOf(service: Docker.Service, tasks: readonly Task[]): ServerState {
  const label = (name: string) => service.Spec?.Labels?.[name] ?? ''
  const [newest] = tasks
  const wanted = replicasOf(service) > 0
  const running = wanted && (!newest || (newest.DesiredState === 'running' && !hasEnded(newest)))
  const exitCode = tasks.find(hasEnded)?.Status.ContainerStatus?.ExitCode
  const role: ServerRole = label(LABELS.server) === 'sep' ? 'sep' : 'business'
  return {
    anchorId: label(LABELS.anchor),
    role,
    running,
    port: Number(label(LABELS.port)),
    version: label(LABELS.version),
    imageId: imageOf(service),
    startedAt: newest?.CreatedAt ?? service.UpdatedAt ?? '',
    // A task does not say whether its memory ran out.
    ...(running || exitCode === undefined ? {} : { ended: { exitCode } }),
    ...(running ? { health: newest?.Status.State === 'running' ? 'healthy' : 'starting' } : {}),
  }
}

/** By its content where a registry or the engine knows it. */
function imageOf({ Spec }: Docker.Service): string | undefined {
  const task = Spec?.TaskTemplate
  const image = task && 'ContainerSpec' in task ? task.ContainerSpec?.Image : undefined
  return image === undefined ? undefined : withoutTag(image)
}

/** `name:tag@sha256:…` as `name@sha256:…`. */
export const withoutTag = (image: string) => image.replace(/:[\w][\w.-]*@/, '@')

/** What managers say while they have no leader, or another one becomes it. */
const WITHOUT_LEADER =
  /not a swarm manager|does not have a leader|deadline exceeded|raft: (no elected|failed to process|node is not yet)|code = (Unavailable|Canceled)/i

/** As {@link coded}; a cluster that lost its quorum, or an engine that manages none, cannot be reached either. */
export function codedByCluster<T>(act: () => Promise<T>): Promise<T> {
  return coded(async () => {
    try {
      return await act()
    } catch (error) {
      const said = error instanceof Error ? error.message : ''
      if (!WITHOUT_LEADER.test(said)) throw error
      throw new RuntimeError('engine-unreachable', 'The cluster has no manager that answers.', error)
    }
  })
}
