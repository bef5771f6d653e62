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
const unknown: TargetHealth = { state: 'unknown', ms: null, detail: 'not checked yet', checkedAt: null }

/** `check` asks each target's `/health` (`/` where it has none); `of` is the last result. */
export function checkTargets(targets: () => string[]): {
  of(target: string): TargetHealth
  check(): Promise<void>
} {
  let known = new Map<string, TargetHealth>()
  return {
    of: target => known.get(target) ?? unknown,
    check: async () => {
      const waiting = targets()
      const next = new Map<string, TargetHealth>()
      const worker = async (): Promise<void> => {
        for (let target = waiting.pop(); target !== undefined; target = waiting.pop()) {
          next.set(target, await check(target))
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, worker))
      known = next
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
