import type { FastifyBaseLogger } from 'fastify'

/** How a target was at its last poll. */
export interface TargetHealth {
  state: 'unknown' | 'up' | 'failing' | 'down'
  /** Milliseconds until it answered. */
  ms: number | null
  /** What it answered, or why there was none. */
  detail: string
  checkedAt: string | null
}

const EVERY_MS = 5_000
const WITHIN_MS = 2_000
const AT_ONCE = 16
const unknown: TargetHealth = { state: 'unknown', ms: null, detail: 'not asked yet', checkedAt: null }

/** Asks each target's `/health` (`/` where it has none) every five seconds. */
export function watchTargets(
  targets: () => string[],
  logger: FastifyBaseLogger,
): { of(target: string): TargetHealth; poll(): Promise<void>; stop(): void } {
  let known = new Map<string, TargetHealth>()
  let polling: Promise<void> | null = null
  const round = async (): Promise<void> => {
    const waiting = targets()
    const next = new Map<string, TargetHealth>()
    const worker = async (): Promise<void> => {
      for (let target = waiting.pop(); target !== undefined; target = waiting.pop()) {
        next.set(target, await ask(target))
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    known = next
  }
  const poll = (): Promise<void> =>
    (polling ??= round()
      .catch(error => logger.warn({ err: error }, 'targets were not polled'))
      .finally(() => (polling = null)))
  const timer = setInterval(() => void poll(), EVERY_MS)
  return { of: target => known.get(target) ?? unknown, poll, stop: () => clearInterval(timer) }
}

async function ask(target: string): Promise<TargetHealth> {
  const started = performance.now()
  const checkedAt = new Date().toISOString()
  try {
    let status = await statusOf(new URL('/health', target))
    if (status === 404) status = await statusOf(new URL('/', target))
    const ms = Math.round(performance.now() - started)
    return { state: status < 500 ? 'up' : 'failing', ms, detail: `answers ${status}`, checkedAt }
  } catch (error) {
    return { state: 'down', ms: null, detail: reasonOf(error), checkedAt }
  }
}

async function statusOf(url: URL): Promise<number> {
  const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(WITHIN_MS) })
  await answer.body?.cancel()
  return answer.status
}

function reasonOf(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: unknown } }
  if (name === 'TimeoutError') return 'does not answer in time'
  return cause?.code === 'ECONNREFUSED' ? 'nothing listens there' : 'cannot be reached'
}
