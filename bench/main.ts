import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runAlone } from './stand/alone.ts'
import { holdStack } from './stand/hold-stack.ts'
import { commitOf, isBusy, loadNow, thisMachine } from './stand/machine.ts'
import type { Row } from './stand/report.ts'
import { combine, notMeasured, readResults, withTable, writeResult, type Result } from './stand/results.ts'

/*
 * Runs the benchmarks of this folder, one after the other: each prints ratios beside their goals, and leaves nothing
 * behind however it ends. The exit code tells whether all of them ran.
 */

const folder = fileURLToPath(new URL('.', import.meta.url))
const checkout = join(folder, '..')
const RESULTS = join(folder, 'results')
const README = join(checkout, 'README.md')
/** How often each is run where it is recorded. */
const ROUNDS = 3
/** Those that take minutes, however little is repeated. */
const LONG = [
  ...['health-worker', 'idle', 'local-network', 'memory'],
  ...['payouts', 'peers', 'provisioning', 'sleep'],
]
const LONG_ROUNDS = 2
/** One that hangs is ended, and the next one begins. */
const LONGEST_MS = 15 * 60_000
/** Run where they are named: this one takes a quarter of an hour for twenty anchors. */
const NAMED_ONLY = ['thousand']

const all = readdirSync(folder)
  .filter(file => /^[a-z0-9-]+\.ts$/.test(file) && file !== 'main.ts')
  .map(file => file.slice(0, -3))
const OWN = ['--help', '--smoke', '--json', '--record', '--resume', '--table']
const given = process.argv.slice(2)
const own = new Set(given.filter(argument => OWN.includes(argument)))
const isSmoke = own.has('--smoke')
const rest = given.filter(argument => !own.has(argument))
const firstFlag = rest.findIndex(argument => argument.startsWith('-'))
const names = firstFlag === -1 ? rest : rest.slice(0, firstFlag)
const flags = firstFlag === -1 ? [] : rest.slice(firstFlag)

const unknown = names.filter(name => !all.includes(name))
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. There are: ${all.join(', ')}.`)
  process.exit(2)
}
const interrupted = new AbortController()
const interrupt = (): void => {
  process.exitCode = 130
  interrupted.abort()
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt)
// Nobody reads on, such as behind `head`: what runs is ended and removed as by a signal.
for (const stream of [process.stdout, process.stderr]) stream.on('error', interrupt)

if (own.has('--help')) help()
else if (own.has('--table')) printTable()
else await runAll()

async function runAll(): Promise<void> {
  const results: Result[] = []
  const wanted = names.length > 0 ? names : all.filter(name => isSmoke || !NAMED_ONLY.includes(name))
  const chosen = own.has('--resume') ? notMeasured(wanted, readResults(RESULTS), commitOf(checkout)) : wanted
  // Each measures a stack of its own; whether they work is seen with one for all.
  const stack =
    isSmoke && chosen.filter(hasStack).length > 1 ? await holdStack(interrupted.signal) : undefined
  try {
    for (const name of chosen) {
      if (interrupted.signal.aborted) return
      const result = await measure(name, stack && hasStack(name) ? { BENCH_STACK: stack.file } : {})
      if (!result) continue
      results.push(result)
      if (own.has('--record')) keep(result)
    }
  } finally {
    await stack?.end()
  }
  if (own.has('--json')) console.log(JSON.stringify(results, null, 2))
}

/** At once, with README's table: what a run measured before it was interrupted stays, and is shown. */
function keep(result: Result): void {
  writeResult(RESULTS, result)
  printTable()
}

/** Null where it did not run to its end. */
async function measure(name: string, environment: Record<string, string>): Promise<Result | null> {
  console.error(`\n── ${name}`)
  const began = performance.now()
  const before = await loadNow()
  const busy = isBusy(before)
  if (busy && !isSmoke)
    console.error(
      `  The machine is busy: others use ${(before.busy * 100).toFixed(0)} % of its processors. No goal is judged.`,
    )
  const wanted = LONG.includes(name) ? LONG_ROUNDS : NAMED_ONLY.includes(name) ? 1 : ROUNDS
  const told = {
    ...environment,
    ...(isSmoke ? { BENCH_SMOKE: '1' } : {}),
    ...(own.has('--record') && wanted > 1 ? { BENCH_RECORDED: '1' } : {}),
    ...(busy ? { BENCH_JUDGED: '0' } : {}),
  }
  const rounds: Row[][] = []
  while (rounds.length < (own.has('--record') ? wanted : 1)) {
    const { code, rows, left } = await runAlone(join(folder, `${name}.ts`), flags, {
      environment: told,
      signal: NAMED_ONLY.includes(name)
        ? interrupted.signal
        : AbortSignal.any([interrupted.signal, AbortSignal.timeout(LONGEST_MS)]),
      output: own.has('--json') ? 'stderr' : 'inherit',
    })
    for (const line of left) console.error(`  left running, and ended: ${line}`)
    if (code !== 0 || left.length > 0) process.exitCode ||= 1
    if (code !== 0) return null
    rounds.push(rows)
  }
  const after = await loadNow()
  console.error(`  took ${((performance.now() - began) / 1_000).toFixed(0)} s`)
  return {
    benchmark: name,
    commit: commitOf(checkout),
    date: new Date().toISOString().slice(0, 10),
    machine: thisMachine(),
    load: { before, after },
    busy,
    rows: combine(rounds),
  }
}

/** Whether it measures a whole stack that others may use too. */
function hasStack(name: string): boolean {
  return /\braise\(/.test(readFileSync(join(folder, `${name}.ts`), 'utf8'))
}

function printTable(): void {
  writeFileSync(README, withTable(readFileSync(README, 'utf8'), readResults(RESULTS)))
}

function help(): void {
  console.log(`npm run bench                 every benchmark but ${NAMED_ONLY.join(', ')}, one after the other
npm run bench -- NAME …       those, with the flags that follow
  --json                      prints what was measured, with machine, Node, commit, date and load
  --record                    three rounds (${LONG_ROUNDS} of the longest), kept in bench/results after each benchmark, from
                              which README's table is printed: about half an hour for all
  --record --resume           the same, without those that are recorded at this commit
  --table                     only prints README's table again
  --smoke                     tiny sizes: whether they work

thousand takes --anchors N (20), of them --busy N with customers and --paid N paid while they sleep, --minutes M (2),
--pause S between a customer's transfers (30), --wakes N (100), --seconds S (60), and --folder PATH to keep the stack\n`)
  for (const name of all) console.log(`  ${name.padEnd(16)} ${purposeOf(name)}`)
}

/** The first sentence of its first comment. */
function purposeOf(name: string): string {
  const [, comment = ''] = /\/\* ?\s([^]*?)\*\//.exec(readFileSync(join(folder, `${name}.ts`), 'utf8')) ?? []
  const text = comment
    .replaceAll(/^ \* ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, '.') ?? text
}
