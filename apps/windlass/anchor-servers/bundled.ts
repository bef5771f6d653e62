import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { buildEnvironment, fingerprint } from '../built-from.ts'
import { CHECKOUT, openToUsers } from '../home.ts'
import { SOURCES } from './sources.ts'

const run = promisify(execFile)
const CACHE = join(CHECKOUT, 'node_modules', '.cache', 'windlass')
/** Running servers still read their files: some bundles of earlier sources are kept. */
const KEPT = 5

/** What a program bundles into the folder that it is given. */
export interface Bundle {
  name: string
  /** Relative to the checkout, like `sources`. */
  program: string
  sources: readonly string[]
}

const SERVERS: Bundle = {
  name: 'anchor-servers',
  program: 'apps/windlass/anchor-servers/bundle.ts',
  sources: SOURCES,
}

/**
 * The folder with an anchor's servers as bundles, `sep.mjs` and `business.mjs`, built from the current sources
 * unless they exist. See docs/adr/0015-anchor-servers-are-bundled.md.
 *
 * @throws {Error} with the bundler's output.
 */
export const bundledServers = (environment: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<string> =>
  bundleOnce(SERVERS, environment, signal)

/** The folder with a bundle of the current sources, which is built unless it exists. */
export async function bundleOnce(
  bundle: Bundle,
  environment: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<string> {
  const folder = join(CACHE, bundle.name)
  const key = keyOf(bundle)
  const bundled = join(folder, key)
  if (existsSync(bundled)) {
    markUsed(bundled)
    return bundled
  }
  const aside = `${bundled}-${process.pid}`
  try {
    mkdirSync(folder, { recursive: true })
    openToUsers(folder)
    await runBundler(bundle, aside, environment, signal)
    // Another process is writing them.
    if (keyOf(bundle) !== key) return await bundleOnce(bundle, environment, signal)
    renameSync(aside, bundled)
  } catch (error) {
    // Another process finished the same bundle first.
    if (!existsSync(bundled)) throw error
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
  removeOld(folder)
  return bundled
}

/** Bundles may name files of their checkout, which may have been copied with them. */
const keyOf = ({ sources }: Bundle): string =>
  createHash('sha256').update(CHECKOUT).update(fingerprint(sources)).digest('hex').slice(0, 20)

function markUsed(bundled: string): void {
  try {
    openToUsers(dirname(bundled))
    utimesSync(bundled, new Date(), new Date())
  } catch {
    // Made by another user of this checkout, who also removes it.
  }
}

async function runBundler(
  { name, program }: Bundle,
  folder: string,
  environment: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await run(process.execPath, [join(CHECKOUT, program), folder], {
      env: buildEnvironment(environment),
      signal,
    })
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    throw new Error(`${name} could not be bundled:\n${said.split('\n').slice(0, 25).join('\n')}`, {
      cause: error,
    })
  }
}

/** Some of earlier sources, and what was written aside by a process that was killed. */
function removeOld(folder: string): void {
  const names = readdirSync(folder)
  const left = names.filter(name => /^[\da-f]{20}-\d+$/.test(name) && !isThere(Number(name.split('-')[1])))
  for (const name of left) rmSync(join(folder, name), { recursive: true, force: true })
  const byAge = names
    .filter(name => !name.includes('-'))
    .map(name => ({ name, used: statSync(join(folder, name)).mtimeMs }))
    .toSorted((one, other) => other.used - one.used)
  for (const { name } of byAge.slice(KEPT)) rmSync(join(folder, name), { recursive: true, force: true })
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Another user's.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
