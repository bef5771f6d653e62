import type { AnchorEndpoints } from '@windlass/contracts/internal/anchor-endpoints.ts'
import type { CheckResult } from '@windlass/contracts/platform/wallet-checks.ts'
import { sep1 } from './sep1.ts'
import { sep10 } from './sep10.ts'
import { sep12 } from './sep12.ts'
import { sep24 } from './sep24.ts'
import { sep38 } from './sep38.ts'
import { sep6 } from './sep6.ts'
import { CheckFailed, startVisit, type AnchorToVisit, type Check, type Tools, type Visit } from './visit.ts'

/** All checks by SEP, in the order in which wallets use them. */
export const checksBySep: readonly { sep: number; checks: readonly Check[] }[] = [
  { sep: 1, checks: sep1 },
  { sep: 10, checks: sep10 },
  { sep: 12, checks: sep12 },
  { sep: 24, checks: sep24 },
  { sep: 38, checks: sep38 },
  { sep: 6, checks: sep6 },
]

/**
 * Runs all wallet compatibility checks against an anchor, with the key of a wallet that is new to it. It reads, logs in
 * once, and leaves no customer, quote or transaction behind. An anchor whose endpoints are given is asked for what it
 * offers alone. Never throws for what the anchor answers; bounded in time and size.
 */
export async function checkAnchor(
  anchor: AnchorToVisit,
  tools: Tools,
  more: readonly Check[] = [],
): Promise<CheckResult[]> {
  const visit = startVisit(anchor, tools)
  const results = await Promise.all(
    [...checksBySep.filter(({ sep }) => isOffered(anchor, sep)), { sep: 1, checks: more }].map(
      async ({ sep, checks }) => {
        const ofSep: CheckResult[] = []
        // In order within a SEP: a challenge is good once, and an earlier check must not use it up.
        for (const check of checks.filter(({ name }) => !anchor.endpoints || !OWN_PAGES.has(name)))
          ofSep.push(await runCheck(check, sep, visit))
        return ofSep
      },
    ),
  )
  return results.flat()
}

const ENDPOINTS: Readonly<Record<number, keyof AnchorEndpoints>> = {
  6: 'transferServer',
  12: 'kycServer',
  24: 'transferServerSep24',
  38: 'quoteServer',
}

const isOffered = ({ endpoints }: AnchorToVisit, sep: number): boolean => {
  const name = ENDPOINTS[sep]
  return !endpoints || !name || endpoints[name] !== ''
}

/** They ask for pages that anchors of Windlass have. */
const OWN_PAGES = new Set(['sep24-opener'])

async function runCheck({ run, ...check }: Check, sep: number, visit: Visit): Promise<CheckResult> {
  const started = performance.now()
  const detail = await run(visit).then(
    () => null,
    // An answer that makes the parser throw fails the check too.
    (error: Error) =>
      error instanceof CheckFailed
        ? printable(error.message)
        : printable(`The answer cannot be read: ${error.message}`),
  )
  return {
    ...check,
    sep,
    passed: detail === null,
    detail,
    durationMs: Math.round(performance.now() - started),
  }
}

/** One line of printable text, as parts of the anchor's answer may be in it. */
function printable(text: string): string {
  return text
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 300)
}
