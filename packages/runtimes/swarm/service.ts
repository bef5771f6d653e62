import type Docker from 'dockerode'
import {
  containerMemory,
  containerName,
  environmentOf,
  LABELS,
  labelsOf,
  ourProgram,
  PIDS,
  SECOND,
  STOPS_WITHIN_SECONDS,
  type ServerImage,
} from '../docker/container.ts'
import type { ServerRole, ServerSpec, Slot } from '../runtime.ts'
import { withDefinition } from './definition.ts'
import { SERVER_USER, type KeptFiles } from './files.ts'

interface ServiceSettings {
  /** Its network with the anchor's other server, and the one that it shares with the platform's services. */
  networks: readonly string[]
  image: ServerImage
  /** Megabytes of JavaScript heap. */
  memory: number
  placement: readonly string[]
  files: KeptFiles
  /** Whether every engine checks the health of a server that starts more often than later on. */
  startInterval: boolean
}

/** Names derive from the server's identity only, so that the cluster refuses a second service of it. */
export const serviceName = containerName

/** At most 63 letters, as for every name of a service. */
export const migrationName = (anchorId: string, role: ServerRole, slot: Slot = 'a') =>
  `migrate-${anchorId}-${role}-${slot}`

export const networkName = (anchorId: string) => `windlass-${anchorId}`

/** Label of a service with a hash of the files that its server was given. */
export const FILES_LABEL = 'windlass.files'
/** Longer than a server needs to become healthy: one that ends before fails the update. */
const WATCHED_SECONDS = 30
const RESTARTS_AFTER_SECONDS = 2
/** Share of its limit that a server takes (docs/scale.md): a node gets as many servers as it has memory for. */
const USUAL_SHARE = 1 / 3

/**
 * A server's service. It has the limits of a container of the Docker runtime (docker/container.ts); engines that are older than
 * the setting refuse new privileges by their own configuration.
 */
export function describeService(spec: ServerSpec, settings: ServiceSettings): Docker.ServiceSpec {
  // One server of a slot: the old one ends before its replacement starts.
  const change = { Parallelism: 1, Order: 'stop-first' }
  const monitored = { ...change, FailureAction: 'rollback', Monitor: WATCHED_SECONDS * SECOND }
  return withDefinition({
    Name: serviceName(spec.anchorId, spec.role, spec.slot),
    Labels: {
      ...labelsOf(spec),
      [LABELS.spec]: settings.files.print,
      [FILES_LABEL]: settings.files.content,
    },
    TaskTemplate: taskOf(spec, settings, {
      Condition: 'any',
      Delay: RESTARTS_AFTER_SECONDS * SECOND,
    }),
    Mode: { Replicated: { Replicas: 1 } },
    UpdateConfig: monitored,
    RollbackConfig: { ...change, FailureAction: 'pause' },
    // Works in kernels without IPVS too, and there is one server behind each name.
    EndpointSpec: { Mode: 'dnsrr', Ports: [] },
  })
}

/** The same program, run once with `--migrate`: a job of the cluster. */
export function describeMigration(spec: ServerSpec, settings: ServiceSettings): Docker.ServiceSpec {
  const task = taskOf(spec, settings, { Condition: 'none' })
  const { HealthCheck: _, Args = [], ...container } = task.ContainerSpec ?? {}
  return {
    Name: migrationName(spec.anchorId, spec.role, spec.slot),
    Labels: labelsOf(spec),
    TaskTemplate: { ...task, ContainerSpec: { ...container, Args: [...Args, '--migrate'] } },
    Mode: { ReplicatedJob: { MaxConcurrent: 1, TotalCompletions: 1 } },
    EndpointSpec: { Mode: 'dnsrr' },
  }
}

function taskOf(
  spec: ServerSpec,
  { networks, image, memory, placement, files, startInterval }: ServiceSettings,
  RestartPolicy: Docker.TaskRestartPolicy,
): Docker.ContainerTaskSpec {
  return {
    ContainerSpec: {
      Image: image.image,
      Labels: labelsOf(spec),
      Env: environmentOf(spec, files.handed),
      User: `${SERVER_USER}:${SERVER_USER}`,
      ...(image.program ? programOf(image.program, spec.port, memory, startInterval) : {}),
      Init: true,
      ReadOnly: true,
      Mounts: [
        {
          Type: 'tmpfs',
          Source: '',
          Target: '/tmp',
          TmpfsOptions: { SizeBytes: 32 * 2 ** 20, Mode: 0o1777 },
        },
      ],
      CapabilityDrop: ['ALL'],
      CapabilityAdd: [],
      Privileges: NO_NEW_PRIVILEGES,
      StopGracePeriod: STOPS_WITHIN_SECONDS * SECOND,
      Secrets: files.secrets,
      Configs: files.configs,
    },
    Resources: {
      Limits: { MemoryBytes: containerMemory(memory), Pids: PIDS },
      Reservations: { MemoryBytes: Math.round(containerMemory(memory) * USUAL_SHARE) },
    },
    RestartPolicy,
    Placement: { Constraints: [...placement] },
    Networks: networks.map(Target => ({ Target })),
    LogDriver: { Name: 'json-file', Options: { 'max-size': '5m', 'max-file': '3' } },
  }
}

/** Engines know it since API 1.46; older ones ignore it. */
const NO_NEW_PRIVILEGES = { NoNewPrivileges: true } as Docker.Privileges

/**
 * A name leads to a server only once it is healthy, so the first check comes soon. Engines that cannot check sooner at the start check
 * often throughout.
 */
function programOf(
  program: string,
  port: number,
  memory: number,
  startInterval: boolean,
): Docker.ContainerSpec {
  const { Entrypoint, Cmd, Healthcheck } = ourProgram(program, port, memory)
  const sooner = startInterval ? { StartInterval: SECOND } : { Interval: 5 * SECOND, Retries: 18 }
  return { Command: Entrypoint, Args: Cmd, HealthCheck: { ...Healthcheck, ...sooner } }
}
