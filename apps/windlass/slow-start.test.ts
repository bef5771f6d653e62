import { freePorts } from '@windlass/testing/free-ports.ts'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { homeAt, prepareHome, type Home } from './home.ts'
import { launchService, untilHealthy } from './service-process.ts'
import type { Service } from './services.ts'

let folder: string
let home: Home
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'windlass-slow-'))
  chmodSync(folder, 0o755)
  home = homeAt(join(folder, 'home'))
  prepareHome(home)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A part that does `work` until it serves, `after` so many milliseconds. */
async function started(work: string, after: number, answers = 200) {
  const [port = 0] = await freePorts(1)
  const script = join(folder, 'part.mjs')
  writeFileSync(
    script,
    `import { createServer } from 'node:http'
const until = performance.now() + ${after}
const serve = () => createServer((_, answer) => answer.writeHead(${answers}).end('{}')).listen(${port}, 'localhost')
const step = () => { if (performance.now() > until) return serve(); ${work}; setTimeout(step, 10) }
step()`,
  )
  const service = {
    ...{ name: 'slow', title: 'slow part', script, health: '/health', needs: [] },
    ports: [['SLOW_PORT', port]],
  } as unknown as Service
  const part = await launchService(
    service,
    { SLOW_PORT: String(port), PATH: process.env['PATH'] ?? '' },
    home,
  )
  onTestFinished(() => part.stop(1_000))
  const slow: string[] = []
  const wait = (timeout: number, most?: number) =>
    untilHealthy(service, part, { SLOW_PORT: String(port) }, home, {
      ...{ timeout, onSlow: sentence => slow.push(sentence) },
      ...(most === undefined ? {} : { most }),
    })
  return { wait, slow }
}

const prints = 'console.log("loading")'
const computes = 'for (const end = performance.now() + 200; performance.now() < end;) {}'

it('waits for a part that still prints what it does, and says that it does', async () => {
  const { wait, slow } = await started(prints, 4_000)
  await wait(1_000)
  expect(slow.length).toBeGreaterThan(0)
  expect(slow[0]).toMatch(/^slow part is still starting after \d+ s; waiting for its health check to answer$/)
})

it(
  'waits for a part that still computes, and prints nothing',
  { skip: process.platform !== 'linux' },
  async () => {
    const { wait, slow } = await started(computes, 9_000)
    await wait(4_000)
    expect(slow.length).toBeGreaterThan(0)
  },
)

it('gives up a part that does nothing', async () => {
  const { wait, slow } = await started('', 60_000)
  await expect(wait(1_500)).rejects.toThrow(/slow part was not healthy after 2 s: no answer/)
  expect(slow).toEqual([])
})

it('gives up a part that works without an end', async () => {
  const { wait } = await started(prints, 60_000)
  await expect(wait(500, 2_000)).rejects.toThrow(/was not healthy after/)
})

it('gives up a part that answers, and is not healthy, when its time is over', async () => {
  const { wait, slow } = await started(prints, 0, 503)
  await expect(wait(1_500)).rejects.toThrow(/was not healthy after 2 s: answers 503/)
  expect(slow).toEqual([])
})
