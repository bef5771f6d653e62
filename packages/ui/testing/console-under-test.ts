import { startConsole, type ConsoleSettings } from '@windlass/service/http/console-host.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { builtConsole } from '@windlass/testing/processes.ts'
import { basename } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { openBrowser } from './browser.ts'
import { fakePlatform, type FakePlatform } from './fake-platform.ts'

export interface ConsoleUnderTest {
  /** `http://localhost:<port>`. */
  url: string
  /** The folder of the build. */
  folder: string
  platform: FakePlatform
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Serves the console of the app at `root`, built as it is shipped, by its own server, before a platform the test answers
 * for or the one at `platformUrl`. `mode`: see consoleBuild. `more`: further settings of the server.
 */
export async function consoleUnderTest(
  root: string,
  platformUrl?: string,
  mode?: string,
  more: Partial<ConsoleSettings> = {},
): Promise<ConsoleUnderTest> {
  const folder = await builtConsole(basename(root), mode)
  const platform = await fakePlatform()
  const settings = {
    name: basename(root),
    port: 0,
    bindHost: 'localhost',
    folder,
    platformUrl: platformUrl ?? platform.url,
    aggregatorUrl: platform.url,
    proxySecret: 'a-proxy-secret-that-only-tests-know-of',
    ...more,
  }
  const running = await startConsole(settings, createLogger('test', 'silent'))
  const close = async (): Promise<void> => {
    await running.stop()
    await platform.close()
  }
  return { url: `http://localhost:${running.port}`, folder, platform, close, [Symbol.asyncDispose]: close }
}

/** Serves a console and opens a browser before the tests of a block, and closes both after them. */
export function consoleInBrowser(root: string): ConsoleUnderTest & { browser: Browser } {
  const opened = {} as ConsoleUnderTest & { browser: Browser }
  beforeAll(async () => {
    Object.assign(opened, await consoleUnderTest(root))
    opened.browser = await openBrowser()
  })
  afterAll(async () => {
    await opened.browser?.close()
    await opened.close?.()
  })
  return opened
}
