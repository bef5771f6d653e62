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
    redact: {
      paths: [
        '*.headers.cookie',
        '*.headers.authorization',
        '*.headers["x-service-secret"]',
        '*.headers["x-windlass-proxy"]',
        '*.password',
        '*.token',
        '*.secret',
        '*.code_hash',
      ],
      censor: '[redacted]',
    },
  }
  return pino(options, destination ?? standardOutput())
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
