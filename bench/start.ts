import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CHECKOUT } from '@windlass/windlass/home.ts'
import { repeats } from './stand/run.ts'
import { raise } from './stand/stack.ts'
import { report } from './stand/report.ts'

/*
 * `npm start` from installed to every part healthy, with an empty WINDLASS_HOME: databases are made, keys generated.
 * --cold removes what earlier starts built first (consoles, anchors' servers, compiled code).
 */
const { values } = parseArgs({ options: { rounds: { type: 'string' }, cold: { type: 'boolean' } } })
const ROUNDS = Number(values.rounds ?? repeats(3, 1, 1))
const GOAL_S = 6
const BUILT = ['apps/founder-console/dist', 'apps/admin-console/dist', 'node_modules/.cache/windlass']

const took: number[] = []
for (let round = 0; round < ROUNDS; round++) {
  if (values.cold) for (const path of BUILT) rmSync(join(CHECKOUT, path), { recursive: true, force: true })
  const began = performance.now()
  const stack = await raise()
  took.push((performance.now() - began) / 1_000)
  await stack.remove()
}
const median = took.toSorted((a, b) => a - b)[took.length >> 1] ?? NaN
console.log(`npm start, ${values.cold ? 'nothing built yet' : 'built before'}: ${median.toFixed(1)} s`)
report(`start: to ${GOAL_S} s`, median / GOAL_S, { atMost: 1 })
process.exit()
