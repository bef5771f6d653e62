import { appendFileSync } from 'node:fs'
import { isJudged, rowsFile } from './run.ts'

export type Goal = { atLeast: number } | { atMost: number }

/** One measured ratio, as it is written for the program that runs the benchmarks. */
export interface Row {
  what: string
  ratio: number
  goal: Goal
  /** What it was made of, in words. */
  detail?: string
}

export const isMet = (ratio: number, goal: Goal): boolean =>
  'atLeast' in goal ? ratio >= goal.atLeast : ratio <= goal.atMost

export const goalText = (goal: Goal): string => ('atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`)

/** Prints a ratio beside its goal. */
export function report(what: string, ratio: number, goal: Goal, detail?: string): void {
  const judged = isJudged ? (isMet(ratio, goal) ? 'met    ' : 'MISSED ') : 'not judged '
  console.log(`${judged} ${ratio.toFixed(2)} × (goal ${goalText(goal)})  ${what}`)
  const row: Row = { what, ratio, goal, ...(detail === undefined ? {} : { detail }) }
  if (rowsFile) appendFileSync(rowsFile, `${JSON.stringify(row)}\n`)
}
