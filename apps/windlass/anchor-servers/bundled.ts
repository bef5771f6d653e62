import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildEnvironment, fingerprint } from '../built-from.ts'
import { CHECKOUT } from '../home.ts'
import { SOURCES } from './sources.ts'

const run = promisify(execFile)
const FOLDER = join(CHECKOUT, 'node_modules', '.cache', 'windlass', 'anchor-servers')
/** Running servers still read their files: some bundles of earlier sources are kept. */
const KEPT = 5

/**
 * The folder with an anchor's servers as bundles, `sep.mjs` and `business.mjs`, built from the current sources
 * unless they exist. See docs/adr/0015-anchor-servers-are-bundled.md.
 *
 * @throws {Error} with the bundler's output.
 */
export async function bundledServers(environment: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<string> {
  const sources = fingerprint(SOURCES).slice(0, 20)
  const bundled = join(FOLDER, sources)
  if (existsSync(bundled)) {
    markUsed(bundled)
    return bundled
  }
  const aside = `${bundled}-${process.pid}`
  try {
    await bundle(aside, environment, signal)
    // Another process is writing them.
    if (fingerprint(SOURCES).slice(0, 20) !== sources) return await bundledServers(environment, signal)
    renameSync(aside, bundled)
  } catch (error) {
    // Another process finished the same bundle first.
    if (!existsSync(bundled)) throw error
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
  removeOld()
  return bundled
}

function markUsed(bundled: string): void {
  try {
    utimesSync(bundled, new Date(), new Date())
  } catch {
    // Made by another user of this checkout, who also removes it.
  }
}

async function bundle(folder: string, environment: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  const program = join(CHECKOUT, 'apps', 'windlass', 'anchor-servers', 'bundle.ts')
  try {
    await run(process.execPath, [program, folder], { env: buildEnvironment(environment), signal })
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    throw new Error(`anchors' servers could not be bundled:\n${said.split('\n').slice(0, 25).join('\n')}`, {
      cause: error,
    })
  }
}

function removeOld(): void {
  const byAge = readdirSync(FOLDER)
    .filter(name => !name.includes('-'))
    .map(name => ({ name, used: statSync(join(FOLDER, name)).mtimeMs }))
    .toSorted((one, other) => other.used - one.used)
  for (const { name } of byAge.slice(KEPT)) rmSync(join(FOLDER, name), { recursive: true, force: true })
}
