/** One of an anchor's two servers, as a runtime is to run it. */
export interface ServerSpec {
  anchorId: string
  role: ServerRole
  /** Default: `a`. */
  slot?: Slot
  /** What it runs from, where that is not what the runtime runs by itself. */
  from?: ServerSource
  /** The anchor's folder: `config/` and `secrets/` are read by its servers. */
  folder: string
  /** TCP port it listens on; an engine with networks of its own may map it. */
  port: number
  /** Settings that are not secret. */
  env: Readonly<Record<string, string>>
  /** Variables that name a file, by its path within the folder: `SIGNING_KEY_FILE: 'secrets/signing_key'`. */
  files: Readonly<Record<string, string>>
  /** Of its software. */
  version: string
}

export type ServerRole = 'sep' | 'business'

/** Two servers of the same anchor and role run side by side only while one takes over from the other. */
export type Slot = 'a' | 'b'

/** An image, with a program in it unless its own command is to start it; or a program's path on this machine. */
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
  /** How it ended, where the runtime can tell. */
  ended?: { exitCode: number; outOfMemory: boolean }
  /** What its engine makes of its health check, where there is an engine. */
  health?: 'starting' | 'healthy' | 'unhealthy'
}

/**
 * Where anchors' servers run. Whatever dies when, at most one server of an anchor, role and slot runs: everything is
 * found again by these three. The slot is `a` by default.
 */
export interface Runtime {
  readonly kind: 'processes' | 'docker'
  /** Starts the server, or adopts the one that runs already. Resolves before it is healthy. Throws {@link RuntimeError}. */
  start(spec: ServerSpec): Promise<ServerState>
  /**
   * Runs the server's program with `--migrate` until it ends, at most so many seconds, beside a server that runs.
   * Throws {@link RuntimeError} `server-exited` where it fails and `server-not-healthy` where it does not end.
   */
  migrate(spec: ServerSpec, withinSeconds: number): Promise<void>
  /** `null`: there is none, running or ended. */
  inspect(anchorId: string, role: ServerRole, slot?: Slot): Promise<ServerState | null>
  /** Ends it in order, then by force. Nothing happens where there is none. */
  stop(anchorId: string, role: ServerRole, slot?: Slot): Promise<void>
  /** The last lines it wrote. */
  log(anchorId: string, role: ServerRole, lines: number, slot?: Slot): Promise<string[]>
  /** Where the platform's services reach it, without a trailing slash. */
  address(spec: Pick<ServerSpec, 'anchorId' | 'role' | 'slot' | 'port'>): string
  /** Whether nothing else holds the port. */
  isPortFree(port: number): Promise<boolean>
  /** Whether what servers of that role would run from is there. */
  canRun(role: ServerRole, from?: ServerSource): Promise<boolean>
  /** Calls `ended` soon after a server ended by itself; not every runtime hears of every end. */
  watch(ended: (anchorId: string) => void): { stop(): void }
  /** Housekeeping that is due now and then, such as rotating logs. */
  tidy(): Promise<void>
}

type RuntimeErrorCode =
  | 'server-image-missing'
  | 'server-not-started'
  | 'server-exited'
  | 'server-not-healthy'
  | 'port-taken'
  | 'engine-unreachable'

/** @param exitCode null where it had to be ended */
export function demandMigrated(role: ServerRole, exitCode: number | null): void {
  if (exitCode === 0) return
  const [code, what] =
    exitCode === null
      ? (['server-not-healthy', 'does not finish preparing its tables'] as const)
      : (['server-exited', 'exited instead of preparing its tables'] as const)
  throw new RuntimeError(code, `The ${role} server ${what}.`)
}

/** `message` is fit for founders. */
export class RuntimeError extends Error {
  readonly code: RuntimeErrorCode

  constructor(code: RuntimeErrorCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'RuntimeError'
    this.code = code
  }
}
