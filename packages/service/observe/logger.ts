import { pino, symbols, type DestinationStream, type Logger } from 'pino'
import { originFields } from './request-context.ts'
import { atSources } from './source-maps.ts'

/**
 * JSON lines on standard output, each with the `requestId` and, where it is traced, the `traceId` of the request that the
 * work is done for; credentials are redacted wherever an object is logged with its headers, and of an
 * error only what {@link describeError} returns is written.
 */
export function createLogger(service: string, level = 'info', destination?: DestinationStream): Logger {
  const options = {
    name: service,
    level,
    serializers: { err: describeError },
    mixin: (_line: object, _level: number, logger: Logger) => (isOfRequest(logger) ? {} : originFields()),
    formatters: { log: withoutCredentials },
  }
  const logger = pino(options, destination ?? standardOutput())
  // Its children are made from it, and have this too.
  const child = logger.child
  logger.child = function (bindings, given) {
    return child.call(this, withoutCredentials(bindings), given) as never
  }
  return logger
}

const CREDENTIALS = ['password', 'token', 'secret', 'code_hash']
const CREDENTIAL_HEADERS = ['cookie', 'authorization', 'x-service-secret', 'x-windlass-proxy']

/** Redacts what the objects of a line have. Most lines have none: looking for paths in each costs half of the line. */
function withoutCredentials(line: Record<string, unknown>): Record<string, unknown> {
  let kept = line
  for (const name in line) {
    const value = line[name]
    if (typeof value !== 'object' || value === null || value instanceof Error) continue
    const redacted = redact(value as Fields)
    if (redacted !== value) kept = { ...kept, [name]: redacted }
  }
  return kept
}

type Fields = Readonly<Record<string, unknown>>

function redact(value: Fields): Fields {
  const own = replace(value, CREDENTIALS)
  const { headers } = value
  if (typeof headers !== 'object' || headers === null) return own
  const safe = replace(headers as Fields, CREDENTIAL_HEADERS)
  return safe === headers ? own : { ...own, headers: safe }
}

/** The same object where it has none of the names. */
function replace(value: Fields, names: readonly string[]): Fields {
  const found = names.filter(name => value[name] !== undefined)
  return found.length === 0
    ? value
    : { ...value, ...Object.fromEntries(found.map(name => [name, '[redacted]'])) }
}

/** Lines that wait for a disk that is full; further ones are dropped. */
const MOST_WAITING_BYTES = 2 ** 20

/** Lines are written together once they are so long, or after so long a time: each write costs more than its lines. */
const TOGETHER_BYTES = 4_096
const TOGETHER_MS = 100
const CAN_WAIT = /^\{"level":[123]0,/

/**
 * Where a line cannot be written, as on a full disk, the service continues without it. The first line after a quiet time is
 * written at once, and so is a warning.
 */
function standardOutput(): DestinationStream {
  const output = pino.destination({
    ...{ dest: 1, sync: false, maxLength: MOST_WAITING_BYTES },
    minLength: TOGETHER_BYTES,
  })
  const add = output.write.bind(output)
  let [writtenAt, timer] = [-Infinity, undefined as NodeJS.Timeout | undefined]
  let isFlushed = true
  const writeAll = () => {
    clearTimeout(timer)
    timer = undefined
    writtenAt = performance.now()
    isFlushed = false
    output.flush()
  }
  // While something is being written, a flush does nothing.
  output.on('drain', () => {
    if (isFlushed) return
    isFlushed = true
    output.flush()
  })
  output.write = line => {
    const isTaken = add(line)
    if (!CAN_WAIT.test(line) || performance.now() - writtenAt > TOGETHER_MS) writeAll()
    else timer ??= setTimeout(writeAll, TOGETHER_MS).unref()
    return isTaken
  }
  let fails = false
  output.on('error', () => (fails = true))
  output.on('write', () => (fails = false))
  // Called at the exit, it would try without end.
  const flush = output.flushSync.bind(output)
  output.flushSync = () => fails || flush()
  return output
}

/** A request's own logger has its ids among its bindings. */
const isOfRequest = (logger: Logger): boolean =>
  String(Reflect.get(logger, symbols.chindingsSym)).includes('"requestId":')

const DEEPEST_CAUSE = 5

/**
 * The parts of an error that can be logged. Drivers attach whole connections, rows (`detail`) and requests with their
 * secrets to errors: those are left out.
 */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : typeof error
  const { code, status } = error as { code?: unknown; status?: unknown }
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof status === 'number' ? { status } : {}),
    stack: error.stack && atSources(error.stack),
    ...(error.cause !== undefined && depth < DEEPEST_CAUSE
      ? { cause: describeError(error.cause, depth + 1) }
      : {}),
  }
}
