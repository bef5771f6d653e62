import { parseArgs } from 'node:util'
import { size } from '../stand/run.ts'

const { values } = parseArgs({
  options: { requests: { type: 'string' }, lanes: { type: 'string' }, only: { type: 'string' } },
})
/** How many there are of a request that costs half a millisecond: others are as many as cost as much together. */
const REQUESTS = Number(values.requests ?? size(2_000, 20))
/** How many ask at once. */
export const LANES = Number(values.lanes ?? size(16, 2))

export const isChosen = (name: string): boolean => name.includes(values.only ?? '')

/** How many requests are measured of those that cost `weight` times half a millisecond. */
export function requestsOf(weight: number): number {
  return Math.max(LANES, Math.round(REQUESTS / weight))
}

/** How many come before, so that the code is compiled. */
export function warmOf(weight: number): number {
  return Math.max(LANES, Math.round(requestsOf(weight) / 2))
}
