import { identify } from '@windlass/runtimes/processes/process-identity.ts'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { homeAt } from '../home.ts'
import { terminalProgress } from '../progress.ts'
import { type StackLock, writeRunFile } from '../run-files.ts'
import { status } from './status.ts'

const LONG_AGO = '2026-01-01T00:00:00.000Z'

it('says which servers of anchors are not healthy, and leaves out those that are starting', async () => {
  let isClosed = false
  const server = createServer((_request, response) => {
    const body = { checks: { database: isClosed ? 'the database takes no connections' : 'ok' } }
    response.writeHead(isClosed ? 503 : 200).end(JSON.stringify(body))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const home = homeAt(mkdtempSync(join(tmpdir(), 'windlass-status-')))
  onTestFinished(() => {
    server.close()
    rmSync(home.folder, { recursive: true })
  })
  mkdirSync(home.anchorRuns, { recursive: true })
  const identity = await identify(process.pid)
  if (!identity) throw new Error('this process has no identity')
  const lock: StackLock = {
    ...{ ...identity, name: 'stack', startedAt: LONG_AGO },
    ...{ ready: true, services: [], variables: {} },
  }
  writeRunFile(join(home.run, 'stack.json'), lock)
  for (const name of ['anc1-sep', 'anc1-business', 'anc2-sep', 'anc2-business', 'anc3-sep'])
    writeRunFile(join(home.anchorRuns, `${name}.json`), { ...identity, name, port, startedAt: LONG_AGO })
  const starting = { ...identity, name: 'anc3-business', port: 1, startedAt: new Date().toISOString() }
  writeRunFile(join(home.anchorRuns, 'anc3-business.json'), starting)
  const ask = async (): Promise<[number, string]> => {
    const said: string[] = []
    const say = (text: string) => void said.push(text)
    const progress = { ...terminalProgress(true), plain: say, heading: say, note: say, fail: say }
    return [await status.run({ args: [], environment: {}, home, progress }), said.join('\n')]
  }
  const [well, good] = await ask()
  expect([well, good]).toEqual([0, expect.stringContaining('6 anchor servers')])
  isClosed = true
  const [code, bad] = await ask()
  expect(code).toBe(1)
  expect(bad).toMatch(
    /5 of 6 anchor servers: anc\d-\w+ answers 503 \(database: "the database takes no connections"\), .*, and 2 more\n/,
  )
  expect(bad).toMatch(/npm run logs -- anc\d-\w+, then docs\/runbooks\/WindlassAnchorServerDown\.md/)
})
