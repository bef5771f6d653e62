import packageFile from '../../../package.json' with { type: 'json' }
import { answer } from './answer.ts'

/** Each throws, with a short public message, when its dependency does not work. */
export type Checks = Record<string, () => Promise<void>>

const VERSION = packageFile.version
const TIMEOUT_MS = 2_000
/** Error codes of the system, and of Postgres (disk_full). */
const FULL = ['ENOSPC', 'EDQUOT', '53100']

interface HealthOptions {
  name: string
  version?: string
  checks?: Checks
}

/** Answers `GET /health`: every check at once, each within two seconds. */
export function healthOf({ name, version, checks = {} }: HealthOptions) {
  return async () => {
    const results = await Promise.all(
      Object.entries(checks).map(async ([check, ask]) => [check, await outcome(ask)]),
    )
    const failing = results.some(([, text]) => text !== 'ok')
    const body = {
      status: failing ? ('failing' as const) : ('ok' as const),
      service: name,
      version: version ?? VERSION,
      checks: Object.fromEntries(results) as Record<string, string>,
    }
    return answer(failing ? 503 : 200, body, failing ? { headers: { 'retry-after': '5' } } : {})
  }
}

async function outcome(ask: () => Promise<void>): Promise<string> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('timed out')), TIMEOUT_MS)
  try {
    await Promise.race([ask(), late])
    return 'ok'
  } catch (error) {
    const code = (error as { code?: unknown }).code
    if (FULL.includes(String(code))) return 'unavailable (disk full)'
    return typeof code === 'string' ? `unavailable (${code})` : 'unavailable'
  } finally {
    clearTimeout(timer)
  }
}
