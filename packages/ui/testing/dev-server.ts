import tailwind from '@tailwindcss/vite'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createServer, type Plugin, type ProxyOptions } from 'vite'
import { consoleSources } from '../build/console.ts'
import { LANGUAGE_COOKIE } from '../catalogue.ts'
import { fakePlatform, type FakePlatform } from './fake-platform.ts'

/*
 * node dev-server.ts <folder of a console> <port> [its address in a running stack]: serves a console from its sources
 * and puts each change on the screen without a build. Without an address it answers as its testing/recorded.ts says.
 */

/** What a console's `testing/recorded.ts` exports. */
export interface Recorded {
  /** The session that the browser is to remember (see session-hint.ts). */
  session: string
  answer(platform: FakePlatform): void
}

const [root = '', port = '', address] = process.argv.slice(2)
const recorded = address === undefined ? await recordedAnswers(root) : undefined
const server = await createServer({
  ...consoleSources(root),
  configFile: false,
  cacheDir: join(root, '..', '..', 'node_modules', '.cache', 'windlass', `dev-${basename(root)}`),
  plugins: [...consoleSources(root).plugins, tailwind(), firstScript(recorded?.session)],
  server: {
    host: 'localhost',
    port: Number(port),
    strictPort: true,
    proxy: address === undefined ? toRecorded(recorded!.url) : toConsole(address),
  },
  clearScreen: false,
  logLevel: 'warn',
})
await server.listen()
console.log(`${basename(root)}: http://localhost:${port} (${address ?? 'recorded answers'})`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0))

async function recordedAnswers(folder: string): Promise<{ session: string; url: string }> {
  const file = join(folder, 'testing', 'recorded.ts')
  if (!existsSync(file)) throw new Error(`${basename(folder)} has no recorded answers: start the stack.`)
  const { session, answer } = (await import(pathToFileURL(file).href)) as Recorded
  const platform = await fakePlatform()
  answer(platform)
  return { session, url: platform.url }
}

/** A session's cookies count only for requests of the console's own origin. */
function toConsole(target: string): Record<string, ProxyOptions> {
  const options = { target, changeOrigin: true, headers: { origin: target } }
  return { '^/api/': options, '^/aggregator/': options, '^/docs/problems/': options }
}

/** One server answers for the platform and the aggregator. */
function toRecorded(target: string): Record<string, ProxyOptions> {
  const rewrite = (path: string) => path.replace('/aggregator', '')
  return { '^/api/': { target }, '^/aggregator/': { target, rewrite } }
}

/** Does what the console's server and a sign-in do: chooses the page's language, and remembers the session. */
function firstScript(session: string | undefined): Plugin {
  const language = `document.documentElement.lang = /\\b${LANGUAGE_COOKIE}=(\\w+)/.exec(document.cookie)?.[1] ?? (navigator.language.startsWith('es') ? 'es' : 'en')`
  const remember = session === undefined ? '' : `;localStorage.setItem('windlass.${session}', '1')`
  return {
    name: 'windlass:dev-first-script',
    transformIndexHtml: () => [{ tag: 'script', children: language + remember, injectTo: 'head-prepend' }],
  }
}
