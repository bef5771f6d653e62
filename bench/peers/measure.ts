import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { childrenOf, processorTime } from '../stand/process-costs.ts'
import { size } from '../stand/run.ts'
import type { Case } from './cases.ts'
import { LANES, requestsOf, warmOf } from './load.ts'

/** How long it is seen what the processes use while nobody asks. */
const QUIET_MS = size(10_000, 100)
/** By then what requests leave behind is done: lines of logs. */
const BEHIND_MS = size(300, 100)

/** Processes by name, with the folder of the Postgres that they use. */
export interface Measured {
  pids: ReadonlyMap<string, number>
  postgres: string
}

export type Idle = ReadonlyMap<string, number>

/** Seconds of processor time in a second, while nobody asks. */
export async function idleOf(measured: Measured): Promise<Idle> {
  const before = timesOf(measured)
  await sleep(QUIET_MS)
  const used = [...timesOf(measured)].map(([name, time]): [string, number] => [
    name,
    time - (before.get(name) ?? 0),
  ])
  return new Map(used.map(([name, seconds]) => [name, (seconds * 1_000) / QUIET_MS]))
}

function timesOf({ pids, postgres }: Measured): Map<string, number> {
  const own = [...pids].map(([name, pid]): [string, number] => [name, processorTime(pid)])
  return new Map([...own, ['postgres', postgresTime(postgres)]])
}

export interface Cost {
  perSecond: number
  /** Milliseconds of processor time for each request, in all. */
  ms: number
  /** The same by process, in words. */
  parts: string
}

/**
 * Requests in a second, and milliseconds of processor time for each, of these processes and of Postgres, without what they
 * use while nobody asks. `warmth`: how many times as much as usual comes before.
 */
export async function measure(
  measured: Measured,
  idle: Idle,
  { weight, behindMs = BEHIND_MS }: Case,
  act: (n: number) => Promise<unknown>,
  warmth = 1,
): Promise<Cost> {
  const [warm, count] = [warmth * warmOf(weight), requestsOf(weight)]
  await run(act, 0, warm)
  await sleep(behindMs)
  const [before, began] = [timesOf(measured), performance.now()]
  await run(act, warm, warm + count)
  const seconds = (performance.now() - began) / 1_000
  await sleep(behindMs)
  const took = (performance.now() - began) / 1_000
  const costs = [...timesOf(measured)].map(([name, time]) => ({
    name,
    ms: (Math.max(0, time - (before.get(name) ?? 0) - (idle.get(name) ?? 0) * took) * 1_000) / count,
  }))
  const parts = costs
    .filter(({ ms }) => ms >= 0.01)
    .map(({ name, ms }) => `${name} ${ms.toFixed(2)}`)
    .join(' + ')
  return { perSecond: count / seconds, parts, ms: costs.reduce((sum, { ms }) => sum + ms, 0) }
}

function postgresTime(folder: string): number {
  const [line = ''] = readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')
  return [Number(line), ...childrenOf(Number(line))].reduce((sum, pid) => sum + timeOf(pid), 0)
}

/** 0 where it has just ended: its parent has what it used. */
function timeOf(pid: number): number {
  try {
    return processorTime(pid)
  } catch {
    return 0
  }
}

async function run(act: (n: number) => Promise<unknown>, from: number, to: number): Promise<void> {
  let next = from
  const lane = async () => {
    for (let n = next++; n < to; n = next++) await act(n)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}
