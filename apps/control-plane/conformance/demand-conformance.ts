import type { Finding } from '@windlass/contracts/conformance.ts'
import { StageFailure, type StageContext } from '../provisioning/stage.ts'
import { keepReport } from './queries.ts'
import { visitAnchor } from './visit-anchor.ts'

type Given = Pick<StageContext, 'deps' | 'plan' | 'vault' | 'log'> & {
  fenced(write: (tx: Parameters<typeof keepReport>[0]) => Promise<void>): Promise<void>
}

const BUDGET_MS = 30_000
/** Where these are not met, somebody else answers at the domain, or nobody. */
const whoAnswers = new Set(['sep1-file', 'sep1-identity', 'sep1-endpoints'])

/**
 * The first check of a new anchor: each demand that is not met stands in the job's log. Throws {@link StageFailure}
 * `public-domain-not-right` where the domain does not lead to the anchor, `anchor-not-conformant` otherwise.
 */
export async function demandConformance(context: Given): Promise<void> {
  const { deps, plan, vault, fenced, log } = context
  const report = await visitAnchor(deps, plan, vault, BUDGET_MS)
  await fenced(tx => keepReport(tx, plan.anchorId, report))
  const { findings } = report
  const unmet = findings.filter(({ passed }) => !passed)
  for (const finding of unmet) await log('warn', lineOf(finding))
  const [first] = unmet
  if (first) {
    const code = unmet.some(({ check }) => whoAnswers.has(check))
      ? 'public-domain-not-right'
      : 'anchor-not-conformant'
    throw new StageFailure(
      code,
      `${plan.homeDomain} does not meet ${unmet.length} of ${findings.length} demands of wallets. ${lineOf(first)}`,
    )
  }
  await log(
    'info',
    `${plan.homeDomain} meets all ${findings.length} demands of wallets (SEP-1, 6, 10, 12, 24, 38).`,
  )
}

const lineOf = ({ sep, demand, detail }: Finding) => `SEP-${sep}: ${demand} ${detail ?? ''}`.trim()
