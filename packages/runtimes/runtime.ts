/** One of an anchor's two servers and how to run it. */
export interface ServerSpec {
  anchorId: string
  role: ServerRole
  /** Default: `a`. */
  slot?: Slot
  /** Its image or program, if not the runtime's default. */
  from?: ServerSource
  /** The anchor's folder: `config/` and `secrets/` are read by its servers. */
  folder: string
  /** TCP port it listens on; an engine with its own networks may map it. */
  port: number
  /** Settings that are not secret. */
  env: Readonly<Record<string, string>>
  /** Variables that name a file, by its path within the folder: `SIGNING_KEY_FILE: 'secrets/signing_key'`. */
  files: Readonly<Record<string, string>>
  /** Folders of the machine, outside the anchor's, in which it reads and writes; a container has each at `at`. */
  folders?: readonly { source: string; at: string }[]
  /** Version of its software. */
  version: string
  /** Whom a process runs as where we are root; containers have users of their own. */
  user?: ServerUser
}

/** The system user of one server, and the group that it shares with the anchor's other one. */
export interface ServerUser {
  uid: number
  gid: number
  /** Paths within the folder that both servers read. */
  shared: readonly string[]
}

export type ServerRole = 'sep' | 'business'

/** Two servers of the same anchor and role run side by side only while one takes over from the other. */
export type Slot = 'a' | 'b'

/** An image, with a program unless its own command starts it; or a program's path on this machine. */
export interface ServerSource {
  image?: string
  program?: string
}

export interface ServerState {
  anchorId: string
  role: ServerRole
  running: boolean
  port: number
  version: string
  startedAt: string
  /** The content of the image that it was made from. */
  imageId?: string
  /** How it ended, if known; a cluster does not say whether its memory ran out. */
  ended?: { exitCode: number; outOfMemory?: boolean }
  /** The engine's health status, if there is an engine. */
  health?: 'starting' | 'healthy' | 'unhealthy'
  /** It has just said that it answers requests: nobody has to ask it. */
  serves?: true
}

/**
 * Where anchors' servers run. Whatever crashes, at most one server of an anchor, role and slot runs: these three
 * identify it. The slot is `a` by default.
 */
export interface Runtime {
  readonly kind: 'processes' | 'docker' | 'swarm'
  /**
   * Starts the server, or adopts the running one. Resolves once it serves where the runtime knows, otherwise before. Throws
   * {@link RuntimeError}.
   */
  start(spec: ServerSpec): Promise<ServerState>
  /**
   * Runs the server's program with `--migrate` until it ends, at most so many seconds, beside a server that runs.
   * Throws {@link RuntimeError} `server-exited` where it fails and `server-not-healthy` where it does not end.
   */
  migrate(spec: ServerSpec, withinSeconds: number): Promise<void>
  /**
   * `null`: there is none.
   *
   * @param now what follows sends it requests: whose its port is must not be known from a moment before
   */
  inspect(anchorId: string, role: ServerRole, slot?: Slot, now?: boolean): Promise<ServerState | null>
  /**
   * Whether the server was given its files as they are in its folder now. Without it there is one folder, whose files a server
   * reads.
   */
  hasFiles?(spec: ServerSpec): Promise<boolean>
  /** Stops it, at last by force. Does nothing when there is none. */
  stop(anchorId: string, role: ServerRole, slot?: Slot): Promise<void>
  /** Removes what an engine keeps of an anchor whose servers are stopped. Without it nothing is kept. */
  remove?(anchorId: string): Promise<void>
  /** The last lines it wrote. */
  log(anchorId: string, role: ServerRole, lines: number, slot?: Slot): Promise<string[]>
  /** Its address for the platform's services, without a trailing slash. */
  address(spec: Pick<ServerSpec, 'anchorId' | 'role' | 'slot' | 'port'>): string
  /** Whether the port is free. */
  isPortFree(port: number): Promise<boolean>
  /** Whether the image or program of that role exists. */
  canRun(role: ServerRole, from?: ServerSource): Promise<boolean>
  /** What identifies the content of that role's image, whatever its tag; null: there is no image. */
  imageId(role: ServerRole, from?: ServerSource): Promise<string | null>
  /** Calls `ended` soon after a server ended by itself; a runtime may miss some. */
  watch(ended: (anchorId: string) => void): { stop(): void }
  /**
   * Periodic maintenance, such as log rotation.
   *
   * @param areRemoved which of these anchors are removed: what an engine still has of them goes. A cluster that was restored may
   *   have it again
   */
  tidy(areRemoved?: (anchorIds: readonly string[]) => Promise<ReadonlyMap<string, boolean>>): Promise<void>
  /** Ends what it keeps ready, if anything; servers run on. */
  close?(): void
}

export type RuntimeErrorCode =
  | 'server-image-missing'
  | 'server-not-started'
  | 'server-exited'
  | 'server-not-healthy'
  | 'port-taken'
  | 'engine-unreachable'

/** @param exitCode null when it was killed */
export function demandMigrated(role: ServerRole, exitCode: number | null): void {
  if (exitCode === 0) return
  const [code, what] =
    exitCode === null
      ? (['server-not-healthy', 'did not finish its migrations in time'] as const)
      : (['server-exited', 'failed its migrations'] as const)
  throw new RuntimeError(code, `The ${role} server ${what}.`)
}

/** `message` is shown to founders. */
export class RuntimeError extends Error {
  readonly code: RuntimeErrorCode

  constructor(code: RuntimeErrorCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'RuntimeError'
    this.code = code
  }
}
