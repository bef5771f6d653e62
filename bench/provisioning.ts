import { parseArgs } from 'node:util'
import { raiseComposedStack, whatIsInTheWay } from '@windlass/e2e/composed-stack.ts'
import { foundersOf, stageTimes, type Provisioned } from '@windlass/e2e/founders.ts'
import { stageNames } from '@windlass/contracts/platform/provisioning.ts'
import { isSmoke, repeats, size } from './stand/run.ts'
import { PATIENCE_MS, raise } from './stand/stack.ts'
import { machineTime } from './stand/process-costs.ts'
import { report } from './stand/report.ts'
import { measureUnavoidable, type Unavoidable } from './stand/unavoidable.ts'

/*
 * Raising one anchor, from the redeem to the answer that says completed, against the sum of what cannot be avoided;
 * then many redeemed at once; then one in containers, where an engine is. Flags: --rounds 5 --at-once 50.
 */
const { values } = parseArgs({ options: { rounds: { type: 'string' }, 'at-once': { type: 'string' } } })
const ROUNDS = Number(values.rounds ?? repeats(5, 3, 1))
const AT_ONCE = Number(values['at-once'] ?? size(50, 2))

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN
const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`

function printStages(raised: readonly Provisioned[]): void {
  for (const name of stageNames) {
    console.log(
      `    ${name.padEnd(44)} ${seconds(median(raised.map(({ job }) => stageTimes(job).get(name) ?? 0)))}`,
    )
  }
}

async function oneByOne(variables: Readonly<Record<string, string>>): Promise<Provisioned[]> {
  const founders = foundersOf(variables)
  // The first starts servers whose code nobody has compiled yet.
  await founders.redeem(await founders.invite(), PATIENCE_MS)
  const raised: Provisioned[] = []
  for (let round = 0; round < ROUNDS; round++)
    raised.push(await founders.redeem(await founders.invite(), PATIENCE_MS))
  return raised
}

async function onProcesses(): Promise<void> {
  const stack = await raise()
  try {
    const raised = await oneByOne(stack.variables)
    const floors: Unavoidable[] = []
    for (let round = 0; round < ROUNDS; round++) floors.push(await measureUnavoidable(stack.variables))
    const floor = (part: keyof Unavoidable) => median(floors.map(each => each[part]))
    const took = median(raised.map(each => each.took))
    const sum = floor('ledger') + floor('database') + floor('processes')
    console.log(`  one anchor, processes: ${seconds(took)}`)
    printStages(raised)
    console.log(
      `  cannot be avoided: ${seconds(sum)} (ledger ${seconds(floor('ledger'))}, database ` +
        `${seconds(floor('database'))}, two processes ${seconds(floor('processes'))})`,
    )
    report('provisioning: one anchor to the sum of what cannot be avoided', took / sum, { atMost: 1.3 })
    if (AT_ONCE > 0) await atOnce(stack.variables)
  } finally {
    await stack.remove()
  }
}

async function atOnce(variables: Readonly<Record<string, string>>): Promise<void> {
  const founders = foundersOf(variables)
  const tokens: string[] = []
  while (tokens.length < AT_ONCE) tokens.push(await founders.invite())
  const [began, busyBefore] = [performance.now(), machineTime()]
  const outcomes = await Promise.allSettled(tokens.map(token => founders.redeem(token, PATIENCE_MS)))
  const all = performance.now() - began
  const busy = (machineTime() - busyBefore) / AT_ONCE
  const raised = outcomes.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []))
  const failures = outcomes.flatMap(each => (each.status === 'rejected' ? [String(each.reason)] : []))
  const attempts = raised.flatMap(({ job }) => job.stages.map(stage => stage.attempts))
  console.log(
    `  ${AT_ONCE} at once: ${raised.length} completed in ${seconds(all)}, the first after ` +
      `${seconds(Math.min(...raised.map(({ took }) => took)))}; ${attempts.filter(n => n > 1).length} stages tried again`,
  )
  for (const failure of failures) console.log(`    ${failure}`)
  report(`provisioning: of ${AT_ONCE} redeemed at once completed`, raised.length / AT_ONCE, { atLeast: 1 })
  const first = Math.min(...raised.map(({ took }) => took))
  report(`provisioning: ${AT_ONCE} redeemed at once to 60 s`, all / 60_000, { atMost: 1 }, seconds(all))
  report(
    'provisioning: processor time of each of them to 3 s',
    busy / 3,
    { atMost: 1 },
    `${busy.toFixed(2)} s`,
  )
  report('provisioning: the first of them to 5 s', first / 5_000, { atMost: 1 }, seconds(first))
}

async function inContainers(): Promise<void> {
  const inTheWay = await whatIsInTheWay()
  if (inTheWay) return console.log(`  in containers: skipped, because ${inTheWay}`)
  const stack = await raiseComposedStack()
  try {
    const raised = await oneByOne(stack.variables)
    console.log(`  one anchor, containers: ${seconds(median(raised.map(each => each.took)))}`)
    printStages(raised)
    const stats = await stack.docker('stats', '--no-stream', '--format', '{{.Name}} {{.MemUsage}}')
    for (const line of stats.split('\n').toSorted()) console.log(`    ${line}`)
  } finally {
    await stack.remove()
  }
}

console.log('Raising an anchor')
await onProcesses()
if (!isSmoke) await inContainers()
process.exit()
