/** How a target was at its last check. */
export interface TargetHealth {
  state: 'unknown' | 'up' | 'failing' | 'down'
  /** Milliseconds until it answered. */
  ms: number | null
  /** What it answered, or why there was no answer. */
  detail: string
  checkedAt: string | null
}

const WITHIN_MS = 2_000
const AT_ONCE = 16
const FRESH_MS = 5_000
const unknown: TargetHealth = { state: 'unknown', ms: null, detail: 'not checked yet', checkedAt: null }

/**
 * The health of the targets, for the dashboard. `look` asks each target's `/health` (`/` where it has none), unless it was
 * asked in the last 5 s; `of` is the last result. Nobody is asked while nobody looks.
 */
export function checkTargets(targets: () => string[]): {
  of(target: string): TargetHealth
  look(): void
} {
  let known = new Map<string, TargetHealth>()
  let checking: Promise<void> | null = null
  let checkedAt = -Infinity
  const checkAll = async (): Promise<void> => {
    const waiting = targets()
    const next = new Map<string, TargetHealth>()
    const worker = async (): Promise<void> => {
      for (let target = waiting.pop(); target !== undefined; target = waiting.pop()) {
        next.set(target, await check(target))
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    known = next
  }
  return {
    of: target => known.get(target) ?? unknown,
    look: () => {
      if (performance.now() - checkedAt < FRESH_MS) return
      checking ??= checkAll().finally(() => {
        checking = null
        checkedAt = performance.now()
      })
    },
  }
}

async function check(target: string): Promise<TargetHealth> {
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
