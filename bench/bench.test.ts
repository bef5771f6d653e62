import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { processesIn } from './stand/alone.ts'
import { notMeasured, readResults, withTable, type Result } from './stand/results.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))
const all = readdirSync(folder)
  .filter(file => /^[a-z0-9-]+\.ts$/.test(file) && file !== 'main.ts')
  .map(file => file.slice(0, -3))
const STACKS = all.filter(name => /\braise\(/.test(readFileSync(join(folder, `${name}.ts`), 'utf8')))

let shelf: string
beforeAll(() => {
  shelf = mkdtempSync(join(tmpdir(), 'windlass-bench-test-'))
  // Else Postgres, which runs as another user where this runs as root, has its data elsewhere, where nobody looks for it.
  chmodSync(shelf, 0o755)
})
afterAll(() => rmSync(shelf, { recursive: true, force: true }))

function bench(...args: string[]) {
  const child = spawn(process.execPath, [join(folder, 'main.ts'), ...args], {
    env: { ...process.env, TMPDIR: shelf },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]).then(
    ([[code], out, said]) => ({ code: code as number | null, out, said }),
  )
  return { child, ended }
}

const nothingLeft = () => expect([processesIn(shelf), readdirSync(shelf)]).toEqual([[], []])

async function smoke(...names: string[]): Promise<void> {
  const { code, out, said } = await bench(...names, '--smoke', '--json').ended
  expect({ code, said }).toMatchObject({ code: 0 })
  const results = JSON.parse(out) as Result[]
  expect(results.map(({ benchmark }) => benchmark)).toEqual(names)
  for (const { rows, machine, commit, load, date } of results) {
    expect(rows.length).toBeGreaterThan(0)
    expect({ machine, commit, load, date }).toMatchObject({
      machine: { cores: expect.any(Number), node: process.version },
      commit: expect.any(String),
      load: { before: { busy: expect.any(Number) }, after: { average: expect.any(Number) } },
      date: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    })
  }
  expect(said).not.toContain('left running')
  nothingLeft()
}

/** Kills a stack of its own and waits until it is quiet again. */
const LONG = process.env.MODE === 'faults' ? [] : ['thousand']

it.each(all.filter(name => !STACKS.includes(name) && !LONG.includes(name)))(
  '%s works, and leaves nothing behind',
  name => smoke(name),
  300_000,
)

it.runIf(process.env.MODE === 'faults')(
  'those of a whole stack work, and leave nothing behind',
  () => smoke(...STACKS),
  1_200_000,
)

it('leaves nothing behind when it is ended', async () => {
  const { child, ended } = bench('quotes')
  await expect.poll(() => processesIn(shelf).length, { timeout: 60_000 }).toBeGreaterThan(3)
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ code: 130 })
  nothingLeft()
}, 120_000)

it('leaves nothing behind when nobody reads what it prints', async () => {
  const { child, ended } = bench('quotes')
  const exited = once(child, 'exit')
  child.stdout.destroy()
  child.stderr.destroy()
  await expect(ended).rejects.toThrow()
  expect(await exited).toEqual([130, null])
  nothingLeft()
}, 120_000)

it('lists every benchmark with its purpose', async () => {
  const { out } = await bench('--help').ended
  for (const name of all) expect(out).toMatch(new RegExp(`^  ${name} +\\S.{10,}\\.$`, 'm'))
})

it('README shows what is kept of the last measurements', () => {
  const readme = readFileSync(join(folder, '..', 'README.md'), 'utf8')
  expect(readme).toBe(withTable(readme, readResults(join(folder, 'results'))))
})

it('measures again what was measured at another commit or beside other work, and nothing else', () => {
  const measured = [
    { benchmark: 'route', commit: 'now', busy: false },
    { benchmark: 'quotes', commit: 'now', busy: true },
    { benchmark: 'idle', commit: 'before', busy: false },
  ] as Result[]
  expect(notMeasured(['idle', 'quotes', 'route', 'start'], measured, 'now')).toEqual([
    'idle',
    'quotes',
    'start',
  ])
})
