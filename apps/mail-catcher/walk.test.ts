import { createLogger } from '@windlass/service/observe/logger.ts'
import { walkOtherRoutes } from '@windlass/testing/walk.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { buildApp } from './app.ts'
import { createDeps } from './deps.ts'

it('answers garbage without a fault', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-walk-'))
  const deps = await createDeps(
    { smtpPort: 0, port: 0, bindHost: 'localhost', folder },
    createLogger('test', 'silent'),
  )
  const server = await buildApp(deps)
  onTestFinished(async () => {
    await server.close()
    rmSync(folder, { recursive: true })
  })
  const headers = { host: 'localhost:1080' }
  expect(await walkOtherRoutes(server, { headers, except: ['GET /events'] })).toEqual([])
})
