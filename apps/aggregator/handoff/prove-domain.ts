import { Problem } from '@windlass/service/http/problem.ts'
import type { Entry } from '../registry/entry.ts'
import { recordDomainCheck } from '../registry/register.ts'
import type { HandoffDeps } from './deps.ts'
import { provesDomain } from './keys.ts'

/**
 * Reads the discovery file at an anchor's domain and records whether it carries the anchor's keys. A file that cannot
 * be read leaves the last verdict.
 */
export async function proveDomain(
  deps: Pick<HandoffDeps, 'discoveries' | 'database' | 'index' | 'clock'>,
  entry: Entry,
): Promise<void> {
  try {
    const discovery = await deps.discoveries.read(entry.domain, true)
    await recordDomainCheck(deps, entry, provesDomain(discovery, entry))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
  }
}
