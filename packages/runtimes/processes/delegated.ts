import { LOOPBACK_HOST } from '@windlass/service/process/loopback.ts'
import { realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { RuntimeError, type Runtime, type RuntimeErrorCode, type ServerSpec } from '../runtime.ts'

/** Has a runtime's act carried out by the process that may start servers as users of their own. */
export type Delegate = (act: string, args: unknown[]) => Promise<unknown>

/** Calls `ended` with the anchor's id each time one of its servers ended, until the returned function is called. */
export type Subscribe = (ended: (anchorId: string) => void) => () => void

/** Servers as processes of this machine that another process starts, see {@link serveRuntime}. */
export function delegateRuntime(delegate: Delegate, subscribe: Subscribe): Runtime {
  const call = async <T>(act: string, ...args: unknown[]): Promise<T> => {
    try {
      return (await delegate(act, args)) as T
    } catch (error) {
      const { code, message } = error as Error & { code?: string }
      throw new RuntimeError(codeOf(code), message, error)
    }
  }
  return {
    kind: 'processes',
    start: spec => call('start', spec),
    migrate: (spec, withinSeconds) => call('migrate', spec, withinSeconds),
    inspect: (anchorId, role, slot, now) => call('inspect', anchorId, role, slot ?? 'a', now === true),
    stop: (anchorId, role, slot) => call('stop', anchorId, role, slot ?? 'a'),
    log: (anchorId, role, lines, slot) => call('log', anchorId, role, lines, slot ?? 'a'),
    address: ({ port }) => `http://${LOOPBACK_HOST}:${port}`,
    isPortFree: port => call('isPortFree', port),
    canRun: (role, from) => call('canRun', role, from ?? {}),
    imageId: async () => null,
    watch: ended => ({ stop: subscribe(ended) }),
    tidy: () => call('tidy'),
  }
}

const CODES: readonly RuntimeErrorCode[] = [
  'server-image-missing',
  'server-not-started',
  'server-exited',
  'server-not-healthy',
  'port-taken',
]

const codeOf = (code: string | undefined): RuntimeErrorCode =>
  CODES.find(each => each === code) ?? 'engine-unreachable'

/** What a delegating process may have started. */
interface Allowed {
  /** Below it each anchor has its folder. */
  anchorsFolder: string
  /** Below it are the programs of other releases. */
  releasesFolder: string
  /** Users of servers have ids from here on, */
  firstUser: number
  /** and below this one. */
  lastUser: number
}

/**
 * Carries out what {@link delegateRuntime} asks for. The asking process is not trusted: it gets servers of anchors,
 * each as a user of its own, and nothing else. Throws {@link RuntimeError}.
 */
export function serveRuntime(runtime: Runtime, allowed: Allowed): Delegate {
  return async (act, args) => {
    const [first, second, third, fourth] = args
    switch (act) {
      case 'start':
        return runtime.start(demandSpec(first, allowed))
      case 'migrate':
        return runtime.migrate(demandSpec(first, allowed), demandNumber(second))
      case 'inspect':
        return runtime.inspect(...demandServer(first, second, third), fourth === true)
      case 'stop':
        return runtime.stop(...demandServer(first, second, third))
      case 'log': {
        const [anchorId, role, slot] = demandServer(first, second, fourth)
        return runtime.log(anchorId, role, demandNumber(third), slot)
      }
      case 'isPortFree':
        return runtime.isPortFree(demandNumber(first))
      case 'canRun':
        return runtime.canRun(demandRole(first), demandSource(second, allowed))
      case 'tidy':
        return runtime.tidy()
      default:
        throw refused(act)
    }
  }
}

/** Every field is checked: unknown ones are dropped. */
function demandSpec(given: unknown, allowed: Allowed): ServerSpec {
  const spec = (given ?? {}) as Record<string, unknown>
  const [anchorId, role, slot] = demandServer(spec.anchorId, spec.role, spec.slot ?? 'a')
  const folder = join(allowed.anchorsFolder, anchorId, ...(slot === 'a' ? [] : [slot]))
  demand(spec.folder === folder, 'folder')
  const version = demandText(spec.version, /^[\w.+-]{1,64}$/, 'version')
  const files = demandTexts(spec.files, VARIABLE, FILE)
  const env = demandTexts(spec.env, VARIABLE, /^[^\0]{0,4096}$/)
  const port = demandNumber(spec.port)
  demand(port >= 1024 && port < 65_536, 'port')
  const from = demandSource(spec.from, allowed)
  const user = demandUser(spec.user, role, allowed)
  return { anchorId, role, slot, folder, version, files, env, port, user, ...(from ? { from } : {}) }
}

/** Not those by which Node, OpenSSL or the C library runs other code. */
const VARIABLE = /^(?!NODE_|LD_|OPENSSL_|GCONV_|PATH$)[A-Z][A-Z0-9_]{0,63}$/
const FILE = /^(config|secrets)\/\w[\w.-]{0,63}$/

function demandServer(anchorId: unknown, role: unknown, slot: unknown) {
  const known = slot === 'a' || slot === 'b' ? slot : undefined
  if (!known) throw refused('slot')
  return [demandText(anchorId, /^[a-z0-9]{1,40}$/, 'anchorId'), demandRole(role), known] as const
}

function demandRole(role: unknown): ServerSpec['role'] {
  if (role !== 'sep' && role !== 'business') throw refused('role')
  return role
}

/** Three ids for each anchor: its group, and the users of its SEP server and of its business server. */
function demandUser(
  given: unknown,
  role: ServerSpec['role'],
  { firstUser, lastUser }: Allowed,
): NonNullable<ServerSpec['user']> {
  const user = (given ?? {}) as Record<string, unknown>
  const [uid, gid] = [demandNumber(user.uid), demandNumber(user.gid)]
  const isAnchors = gid >= firstUser && gid + 2 < lastUser && (gid - firstUser) % 3 === 0
  demand(isAnchors && uid === gid + (role === 'sep' ? 1 : 2), 'user')
  demand(Array.isArray(user.shared), 'shared')
  const shared = (user.shared as unknown[]).map(path => demandText(path, FILE, 'shared'))
  return { uid, gid, shared }
}

function demandSource(given: unknown, { releasesFolder }: Allowed): ServerSpec['from'] {
  const program = (given as { program?: unknown } | undefined)?.program
  if (program === undefined) return undefined
  const path = demandText(program, /^[^\0]{1,4096}$/, 'program')
  try {
    // The real one is started: a link may lead elsewhere by then.
    const real = realpathSync(path)
    demand(real.startsWith(realpathSync(releasesFolder) + sep), 'program')
    return { program: real }
  } catch {
    throw new RuntimeError('server-image-missing', `There is no program ${path} below releases.`)
  }
}

function demandTexts(given: unknown, name: RegExp, value: RegExp): Record<string, string> {
  const entries = Object.entries((given ?? {}) as Record<string, unknown>)
  return Object.fromEntries(
    entries.map(([key, text]) => [demandText(key, name, key), demandText(text, value, key)]),
  )
}

function demandText(given: unknown, pattern: RegExp, what: string): string {
  if (typeof given !== 'string' || !pattern.test(given)) throw refused(what)
  return given
}

function demandNumber(given: unknown): number {
  if (typeof given !== 'number' || !Number.isInteger(given) || given < 0) throw refused('number')
  return given
}

function demand(holds: boolean, what: string): void {
  if (!holds) throw refused(what)
}

const refused = (what: string) =>
  new RuntimeError(
    'server-not-started',
    `The launcher does not start this server: its ${what} is not allowed.`,
  )
