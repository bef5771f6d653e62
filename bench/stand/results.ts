import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Load, Machine } from './machine.ts'
import { goalText, isMet, type Goal, type Row } from './report.ts'
import { median } from './percentile.ts'

/** What one benchmark measured, as `bench/results/` keeps it. */
export interface Result {
  benchmark: string
  commit: string
  /** The day, by the calendar of UTC. */
  date: string
  machine: Machine
  /** Null: not kept. */
  load: { before: Load; after: Load } | null
  /** Others used the machine: the figures are no reason to say that a goal is met or missed. */
  busy: boolean
  rows: MeasuredRow[]
}

export interface MeasuredRow {
  what: string
  goal: Goal
  /** The ratio of each round. */
  ratios: number[]
  /** What the median was made of. */
  detail?: string
}

/** Rows of several rounds by what they measure, in the order of the first round. */
export function combine(rounds: readonly (readonly Row[])[]): MeasuredRow[] {
  const [first = []] = rounds
  return first.map(({ what, goal }) => {
    const same = rounds.flatMap(rows => rows.filter(row => row.what === what))
    const middle = median(same.map(({ ratio }) => ratio))
    const detail = same.find(({ ratio }) => ratio === middle)?.detail
    return {
      ...{ what, goal, ratios: same.map(({ ratio }) => ratio) },
      ...(detail === undefined ? {} : { detail }),
    }
  })
}

export const readResults = (folder: string): Result[] =>
  readdirSync(folder)
    .filter(file => file.endsWith('.json'))
    .toSorted()
    .map(file => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Result)

/** Those that were not measured at a commit yet, or on a busy machine alone. */
export function notMeasured(names: readonly string[], results: readonly Result[], commit: string): string[] {
  const measured = new Set(
    results.filter(each => each.commit === commit && !each.busy).map(({ benchmark }) => benchmark),
  )
  return names.filter(name => !measured.has(name))
}

export function writeResult(folder: string, result: Result): void {
  writeFileSync(join(folder, `${result.benchmark}.json`), `${JSON.stringify(result, null, 2)}\n`)
}

const OUTCOMES = { met: 'met', missed: '**missed**', busy: 'not judged' } as const

/** The table of README. */
export function tableOf(results: readonly Result[]): string {
  const groups = Map.groupBy(
    results,
    ({ date, commit, machine }) =>
      `Taken on ${date} at commit ${commit}, on ${machine.cores} cores and ${machine.gibibytes} GiB with Node ${machine.node}`,
  )
  const parts = [...groups].map(([when, group]) => {
    const lines = group.flatMap(result => result.rows.map(row => lineOf(result, row)))
    return [`${when}:`, '', '| What | Measured | Goal | |', '|---|---|---|---|', ...lines].join('\n')
  })
  return parts.join('\n\n')
}

function lineOf({ busy }: Result, { what, goal, ratios, detail }: MeasuredRow): string {
  const middle = median(ratios)
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)]
  const spread = ratios.length > 1 ? ` (${least.toFixed(2)} to ${most.toFixed(2)})` : ''
  const outcome = OUTCOMES[busy ? 'busy' : isMet(middle, goal) ? 'met' : 'missed']
  const measured = `${middle.toFixed(2)} ×${spread}${detail === undefined ? '' : `: ${detail}`}`
  return `| ${what} | ${measured} | ${goalText(goal)} | ${outcome} |`
}

const BEGIN = '<!-- Printed by `npm run bench -- --table` from bench/results -->'
const END = '<!-- End of what is printed -->'

/** A text with its table printed again. Throws where it has no place for one. */
export function withTable(text: string, results: readonly Result[]): string {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error('README has no place for the table of figures')
  return `${text.slice(0, begin + BEGIN.length)}\n\n${tableOf(results)}\n\n${text.slice(end)}`
}
