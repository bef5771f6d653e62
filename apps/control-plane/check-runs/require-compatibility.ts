import type { CheckResult, WalletCheckReport } from '@windlass/contracts/platform/wallet-checks.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import type { Deps } from '../deps.ts'
import { StageFailure } from '../stage-failure.ts'
import { recordReport } from './reports.ts'
import { runChecks } from './run-checks.ts'

interface Given {
  deps: Deps
  plan: AnchorPlan
  log(level: 'info' | 'warn', text: string): Promise<void>
  signal: AbortSignal
  fenced(write: (tx: Parameters<typeof recordReport>[0]) => Promise<void>): Promise<void>
}

const BUDGET_MS = 20_000
/** Between the attempts while a check fails: a machine under load answers late, and that passes. */
const PAUSES_MS: readonly number[] = [2_000, 4_000, 8_000, 16_000]
/** If one of these fails, the domain does not lead to the anchor. */
const identityChecks = new Set(['sep1-file', 'sep1-identity', 'sep1-endpoints'])

/**
 * The first wallet compatibility check of an anchor. Failed checks are in the job's log. Throws {@link StageFailure}
 * `public-domain-not-right` if the domain does not lead to the anchor, `anchor-fails-wallet-checks` otherwise.
 */
export async function requireCompatibility(context: Given, pauses = PAUSES_MS): Promise<void> {
  const { plan, fenced, log } = context
  const report = await checkPatiently(context, pauses)
  await fenced(tx => recordReport(tx, plan.anchorId, report))
  const { results } = report
  const failed = results.filter(({ passed }) => !passed)
  for (const result of failed) await log('warn', lineOf(result))
  const [first] = failed
  if (first) {
    const code = failed.some(({ name }) => identityChecks.has(name))
      ? 'public-domain-not-right'
      : 'anchor-fails-wallet-checks'
    throw new StageFailure(
      code,
      `${plan.homeDomain} fails ${failed.length} of ${results.length} wallet compatibility checks. ${lineOf(first)}`,
    )
  }
  await log(
    'info',
    `${plan.homeDomain} passes all ${results.length} wallet compatibility checks (SEP-1, 6, 10, 12, 24, 38).`,
  )
}

async function checkPatiently(context: Given, pauses: readonly number[]): Promise<WalletCheckReport> {
  const { deps, plan, signal, log } = context
  for (const pause of pauses) {
    const report = await runChecks(deps, plan, BUDGET_MS)
    const failed = report.results.filter(({ passed }) => !passed).length
    if (failed === 0) return report
    await log('warn', `${failed} wallet compatibility checks failed. Checking again in ${pause / 1_000} s.`)
    await sleep(pause, undefined, { signal })
  }
  return runChecks(deps, plan, BUDGET_MS)
}

const lineOf = ({ sep, requirement, detail }: CheckResult) =>
  `SEP-${sep}: ${requirement} ${detail ?? ''}`.trim()
