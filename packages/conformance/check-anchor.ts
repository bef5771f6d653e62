import type { Finding } from '@windlass/contracts/conformance.ts'
import { sep1 } from './sep1.ts'
import { sep10 } from './sep10.ts'
import { sep12 } from './sep12.ts'
import { sep24 } from './sep24.ts'
import { sep38 } from './sep38.ts'
import { sep6 } from './sep6.ts'
import { startVisit, Unmet, type AnchorToVisit, type Tools, type Visit } from './visit.ts'

/** A demand of wallets, and how to see whether an anchor meets it. `see` throws {@link Unmet} where it does not. */
export interface Demand {
  check: string
  demand: string
  meaning: string
  see(visit: Visit): Promise<void>
}

/** Every demand by its SEP, in the order in which wallets come upon them. */
export const demands: readonly { sep: number; demands: readonly Demand[] }[] = [
  { sep: 1, demands: sep1 },
  { sep: 10, demands: sep10 },
  { sep: 12, demands: sep12 },
  { sep: 24, demands: sep24 },
  { sep: 38, demands: sep38 },
  { sep: 6, demands: sep6 },
]

/**
 * Visits an anchor as a wallet that nobody knows would and holds it against every demand. It reads, logs in once, and
 * leaves no customer, quote or transaction behind. Never throws for what the anchor answers; bounded in time and size.
 */
export async function checkAnchor(anchor: AnchorToVisit, tools: Tools): Promise<Finding[]> {
  const visit = startVisit(anchor, tools)
  const found = await Promise.all(
    demands.map(async ({ sep, demands }) => {
      const findings: Finding[] = []
      // In order within a SEP: a challenge is good once, and what is tried before must not use it up.
      for (const each of demands) findings.push(await seeWhether(each, sep, visit))
      return findings
    }),
  )
  return found.flat()
}

async function seeWhether(
  { check, demand, meaning, see }: Demand,
  sep: number,
  visit: Visit,
): Promise<Finding> {
  const begun = performance.now()
  const detail = await see(visit).then(
    () => null,
    // What the parser of a hostile answer throws is a finding too.
    (error: Error) =>
      error instanceof Unmet ? plain(error.message) : plain(`The answer is not right: ${error.message}`),
  )
  const took = Math.round(performance.now() - begun)
  return { check, sep, demand, meaning, passed: detail === null, detail, took }
}

/** Parts of an answer may stand in it: one line of printable text. */
function plain(text: string): string {
  return text
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 300)
}
