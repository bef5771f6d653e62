import type { FastifyBaseLogger } from 'fastify'
import { flushCompileCache } from 'node:module'
import { ConfigError } from './env.ts'
import { handOver, inheritSockets } from './handover.ts'
import { attachToLauncher } from './launcher.ts'
import { useProxies } from '../outbound/proxy.ts'
import { createLogger } from '../observe/logger.ts'
import { atSources } from '../observe/source-maps.ts'
import type { Tracer } from '../observe/tracing-sdk.ts'
import { startTracing } from '../observe/tracing.ts'

/** A service that has started. */
export interface Running {
  /** Stops taking work, finishes what is under way, closes what is open. */
  stop(): Promise<void>
}

const STOP_WITHIN_MS = 8_000
const WRITE_CACHE_AFTER_MS = 2_000
/** After the first rounds of what can wait (`soonThenEvery`), and when others that start at the same time no longer wait. */
const COLLECT_AFTER_MS = 60_000

/**
 * Starts a service and stops it on SIGTERM or SIGINT. A wrong setting is one clear line on standard error and
 * exit code 78 (EX_CONFIG); any other failure to start is logged and exits with 1.
 */
export async function run(
  name: string,
  start: (logger: FastifyBaseLogger) => Promise<Running>,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const { LOG_LEVEL, OTEL_EXPORTER_OTLP_ENDPOINT } = environment
  inheritSockets(process.env.WINDLASS_SOCKETS)
  attachToLauncher(process.env.WINDLASS_CHANNEL)
  const logger = createLogger(name, logLevelOf(LOG_LEVEL))
  let running: Running | undefined
  let tracer: Tracer | undefined
  let stopping = false
  const stop = async (signal: string): Promise<void> => {
    if (stopping) return
    stopping = true
    logger.info({ signal }, 'stopping')
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
    await running?.stop()
    await tracer?.stop()
    process.exit(0)
  }
  // Node prints it, and ends.
  process.on('uncaughtExceptionMonitor', (error: unknown) => {
    if (error instanceof Error && error.stack) error.stack = atSources(error.stack)
  })
  process.on('SIGTERM', signal => void stop(signal))
  process.on('SIGINT', signal => void stop(signal))
  // Another process has taken over, with its sockets or beside it.
  if (process.platform !== 'win32') process.on('SIGUSR2', signal => void handOver().then(() => stop(signal)))
  try {
    await useProxies(environment)
    if (OTEL_EXPORTER_OTLP_ENDPOINT) tracer = await startTracing(name, OTEL_EXPORTER_OTLP_ENDPOINT)
    running = await start(logger)
    // Written at exit otherwise, where it can take longer than a stop may.
    setTimeout(flushCompileCache, WRITE_CACHE_AFTER_MS).unref()
    setTimeout(collectOnce, COLLECT_AFTER_MS).unref()
  } catch (error) {
    if (error instanceof ConfigError) {
      process.stderr.write(`${name}: ${error.message}\n`)
      process.exit(78)
    }
    logger.fatal({ err: error }, 'could not start')
    process.exit(1)
  }
}

/**
 * What a start leaves behind, with code that ran once: a small server that is idle would keep it until it has twice its size.
 * Only an anchor's servers have it (`nodeFlags`).
 */
function collectOnce(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** A level that does not exist must not keep a service from starting. */
function logLevelOf(text: string | undefined): string {
  return text !== undefined && /^(trace|debug|info|warn|error|fatal)$/.test(text) ? text : 'info'
}
