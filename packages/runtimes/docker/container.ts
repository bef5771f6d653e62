import type Docker from 'dockerode'
import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import type { ServerRole, ServerSpec, Slot } from '../runtime.ts'
import { ALLOCATOR, nodeFlags } from '../server-process.ts'

/** The definition of a server's container. */
export interface ServerImage {
  image: string
  /** The program that Node runs in it; without one the image's own command and health check apply. */
  program?: string
}

/** A file of an anchor's folder that its server reads. */
export interface HandedFile {
  /** The variable that names it to the server. */
  variable: string
  /** Within the anchor's folder. */
  path: string
  /** Absolute, as the engine knows it. */
  source: string
}

export interface ContainerSettings {
  name: string
  network: string
  image: ServerImage
  /** Megabytes of JavaScript heap. */
  memory: number
  /** `uid:gid` */
  user: string
  files: readonly HandedFile[]
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
const PIDS = 128
const STOPS_WITHIN_SECONDS = 6
const SECOND = 1_000_000_000

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
    Env: Object.entries(environmentOf(spec, settings)).map(([name, value]) => `${name}=${value}`),
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
  const labels = {
    [LABELS.anchor]: spec.anchorId,
    [LABELS.server]: spec.role,
    [LABELS.slot]: spec.slot ?? 'a',
    [LABELS.port]: String(spec.port),
    [LABELS.version]: spec.version,
  }
  const print = createHash('sha256')
    .update(JSON.stringify([options, labels]))
    .digest('hex')
  return { ...options, Labels: { ...labels, [LABELS.spec]: print } }
}

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

const targetOf = (path: string) => posix.join(FOLDER, path)

// Node needs room beside its heap: code, buffers, threads.
const containerMemory = (heap: number) => (heap + 192) * 2 ** 20

function environmentOf(spec: ServerSpec, { files }: ContainerSettings): Record<string, string> {
  return {
    BIND_HOST: '0.0.0.0',
    ...ALLOCATOR,
    ...spec.env,
    ...Object.fromEntries(files.map(({ variable, path }) => [variable, targetOf(path)])),
    PORT: String(spec.port),
  }
}

function ourProgram(program: string, port: number, memory: number): Docker.ContainerCreateOptions {
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
