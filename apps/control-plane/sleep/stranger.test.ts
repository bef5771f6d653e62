import { spawn } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  CHALLENGE,
  SLEEPY,
  SOON,
  startSleepingAnchor,
  type SleepingAnchor,
} from '../testing/sleeping-anchor.ts'

let anchor: SleepingAnchor

beforeAll(async () => {
  anchor = await startSleepingAnchor()
})
afterAll(() => anchor?.fixture.stop())

const STRANGER = 1_234
/** Listens at the port as soon as something is written to it, and answers everything. Writes what it is asked. */
const listens = (port: number) => `
  process.stdout.write('ready\\n')
  process.stdin.once('data', () => require('node:http').createServer((request, response) => {
    process.stdout.write(request.url + '\\n')
    response.end('stranger')
  }).listen(${port}, '127.0.0.1', () => process.stdout.write('listening\\n')))`

// Only root can start a program as another user.
describe.runIf(process.getuid?.() === 0)('another user’s program on the port of a server that starts', () => {
  it('is sent nothing that waited for the anchor, which gets other ports', async () => {
    // A server that loads its program itself takes a moment to listen.
    await anchor.restart({ ...SLEEPY, ANCHOR_SPARES: '0' })
    await anchor.untilAsleep()
    const port = await sepPort()
    const stranger = await startStranger(port)
    const login = anchor.ask(CHALLENGE)
    await expect.poll(anchor.pids, { ...SOON, interval: 1 }).not.toEqual([])
    for (const pid of await anchor.pids()) process.kill(pid, 'SIGSTOP')
    await stranger.listen()

    const { status, text } = await login
    expect({ status, text }).toEqual({ status: 200, text: expect.stringContaining('network_passphrase') })
    expect(new Set(stranger.heard())).toEqual(new Set(['/health/live']))
    expect(await sepPort()).not.toBe(port)
  })
})

async function sepPort(): Promise<number> {
  const { rows } = await anchor.fixture.database.query<{ sep_port: number }>('select sep_port from anchors')
  return rows[0]?.sep_port ?? 0
}

async function startStranger(port: number) {
  const options = { uid: STRANGER, gid: STRANGER, cwd: '/' }
  const child = spawn(process.execPath, ['-e', listens(port)], options)
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(...text.trim().split('\n')))
  await expect.poll(() => lines, SOON).toContain('ready')
  return {
    listen: async () => {
      child.stdin.write('listen')
      await expect.poll(() => lines, SOON).toContain('listening')
    },
    heard: () => lines.filter(line => line.startsWith('/')),
  }
}
