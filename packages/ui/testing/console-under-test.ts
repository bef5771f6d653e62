import { startConsole } from '@windlass/service/console-host.ts'
import { createLogger } from '@windlass/service/logger.ts'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { fakePlatform, type FakePlatform } from './fake-platform.ts'

export interface ConsoleUnderTest {
  /** `http://localhost:<port>`. */
  url: string
  /** The folder of the build. */
  folder: string
  platform: FakePlatform
  close(): Promise<void>
}

/**
 * Builds a console as it is shipped and serves it by its own server, before a platform the test answers for or the one
 * at `platformUrl`.
 */
export async function consoleUnderTest(root: string, platformUrl?: string): Promise<ConsoleUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'windlass-console-'))
  const vite = fileURLToPath(new URL('../../bin/vite.js', import.meta.resolve('vite')))
  const args = [vite, 'build', '--outDir', folder, '--emptyOutDir', '--logLevel', 'warn']
  await promisify(execFile)(process.execPath, args, {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const platform = await fakePlatform()
  const settings = {
    name: 'console-under-test',
    port: 0,
    bindHost: 'localhost',
    folder,
    platformUrl: platformUrl ?? platform.url,
    aggregatorUrl: platform.url,
    proxySecret: 'a-proxy-secret-that-only-tests-know-of',
  }
  const running = await startConsole(settings, createLogger('test', 'silent'))
  return {
    url: `http://localhost:${running.port}`,
    folder,
    platform,
    close: async () => {
      await running.stop()
      await platform.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
