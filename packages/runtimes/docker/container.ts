import type Docker from 'dockerode'
import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import type { HandedFile } from '../handed-files.ts'
import type { ServerRole, ServerSpec, Slot } from '../runtime.ts'
import { ALLOCATOR, nodeFlags } from '../server-process.ts'

/** The definition of a server's container. */
export interface ServerImage {
  image: string
  /** The program that Node runs in it; without one the image's own command and health check apply. */
  program?: string
}

/** `source`: its path as the engine knows it, absolute. */
type MountedFile = HandedFile & { source: string }

export interface ContainerSettings {
  name: string
  network: string
  image: ServerImage
  /** Megabytes of JavaScript heap. */
  memory: number
  /** `uid:gid` */
  user: string
  files: readonly MountedFile[]
  /** Maps the port to the engine's loopback address too. */
  publish: boolean
}

export const LABELS = {
  anchor: 'windlass.anchor',
  server: 'windlass.server',
  slot: 'windlass.slot',
  port: 'windlass.port',
  version: 'windlass.version',
  /** Hash of the whole definition. */
  spec: 'windlass.spec',
} as const

const FOLDER = '/run/windlass'
export const PIDS = 128
export const STOPS_WITHIN_SECONDS = 6
export const SECOND = 1_000_000_000

/** Names derive from the server's identity only, so that the engine refuses a second container of it. */
export const containerName = (anchorId: string, role: ServerRole, slot: Slot = 'a') =>
  slot === 'a' ? `windlass-${anchorId}-${role}` : `windlass-${anchorId}-${role}-${slot}`

/**
 * The engine's options for a server's container: only `/tmp` and its folders are writable, it has no capabilities and gains none, and
 * secrets are files that only their reader gets, never variables.
 */
export function describeContainer(
  spec: ServerSpec,
  settings: ContainerSettings,
): Docker.ContainerCreateOptions {
  const { image, network, memory, publish } = settings
  const port = `${spec.port}/tcp`
  const options: Docker.ContainerCreateOptions = {
    name: settings.name,
    Image: image.image,
    Env: environmentOf(spec, settings.files),
    User: settings.user,
    StopTimeout: STOPS_WITHIN_SECONDS,
    ...(image.program ? ourProgram(image.program, spec.port, memory) : {}),
    ExposedPorts: { [port]: {} },
    HostConfig: {
      NetworkMode: network,
      RestartPolicy: { Name: 'unless-stopped' },
      ReadonlyRootfs: true,
      Tmpfs: { '/tmp': 'rw,noexec,nosuid,nodev,size=32m,mode=1777' },
      Mounts: settings.files.map(({ source, path }) => ({
        Type: 'bind' as const,
        Source: source,
        Target: targetOf(path),
        ReadOnly: true,
      })),
      // Unlike those above, these are created by the engine where they are missing.
      ...(spec.folders ? { Binds: spec.folders.map(({ source, at }) => `${source}:${at}`) } : {}),
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges:true'],
      Memory: containerMemory(memory),
      MemorySwap: containerMemory(memory),
      PidsLimit: PIDS,
      Init: true,
      LogConfig: { Type: 'json-file', Config: { 'max-size': '5m', 'max-file': '3' } },
      ...(publish
        ? { PortBindings: { [port]: [{ HostIp: '127.0.0.1', HostPort: String(spec.port) }] } }
        : {}),
    },
  }
  const labels = labelsOf(spec)
  const print = createHash('sha256')
    .update(JSON.stringify([options, labels]))
    .digest('hex')
  return { ...options, Labels: { ...labels, [LABELS.spec]: print } }
}

export const labelsOf = ({ anchorId, role, slot = 'a', port, version }: ServerSpec) => ({
  [LABELS.anchor]: anchorId,
  [LABELS.server]: role,
  [LABELS.slot]: slot,
  [LABELS.port]: String(port),
  [LABELS.version]: version,
})

/** The same program, run once with `--migrate`: it does not listen and is not restarted. */
export function describeMigration(
  spec: ServerSpec,
  settings: ContainerSettings,
): Docker.ContainerCreateOptions {
  const {
    Healthcheck: _,
    ExposedPorts: __,
    HostConfig,
    Cmd = [],
    ...rest
  } = describeContainer(spec, settings)
  const { RestartPolicy: ___, PortBindings: ____, ...host } = HostConfig ?? {}
  return { ...rest, name: `${settings.name}-migrate`, Cmd: [...Cmd, '--migrate'], HostConfig: host }
}

/** Where a file of the anchor's folder is in the container. */
export const targetOf = (path: string) => posix.join(FOLDER, path)

// Node needs room beside its heap: code, buffers, threads.
export const containerMemory = (heap: number) => (heap + 192) * 2 ** 20

/** As `NAME=value`. */
export function environmentOf(spec: ServerSpec, files: readonly HandedFile[]): string[] {
  const variables = {
    BIND_HOST: '0.0.0.0',
    ...ALLOCATOR,
    ...spec.env,
    ...Object.fromEntries(files.map(({ variable, path }) => [variable, targetOf(path)])),
    PORT: String(spec.port),
  }
  return Object.entries(variables).map(([name, value]) => `${name}=${value}`)
}

/** How our own program is run and looked after. */
export function ourProgram(program: string, port: number, memory: number) {
  // Any answer will do, and a Node of its own for each check would cost more than the server.
  const request = `GET /health/live HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n`
  const check = `exec 3<>/dev/tcp/127.0.0.1/${port} && printf '${request}' >&3 && read -r -t 8 http status _ <&3`
  return {
    Entrypoint: ['node'],
    Cmd: [...nodeFlags(memory), program],
    Healthcheck: {
      Test: ['CMD', 'bash', '-c', check],
      Interval: 30 * SECOND,
      Timeout: 10 * SECOND,
      StartPeriod: 60 * SECOND,
      Retries: 3,
    },
  }
}
