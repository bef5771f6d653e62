import { execFile } from 'node:child_process'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { withLock } from '@windlass/runtimes/processes/file-lock.ts'
import { buildEnvironment, fingerprint } from './built-from.ts'
import { CHECKOUT } from './home.ts'

const run = promisify(execFile)
const STAMP = '.built-from'
const CACHE = join(CHECKOUT, 'node_modules', '.cache', 'windlass')
const SHARED_SOURCES = [
  'packages/ui',
  'packages/client',
  'packages/contracts',
  'packages/money',
  'packages/wallet',
  'package-lock.json',
]

/**
 * Builds what browsers load, such as a console, with Vite unless the last build is from the same sources. The build replaces the earlier one in one
 * step, so that neither a starting console nor an interrupted build sees half of it. A second process waits for the
 * first and uses its build.
 *
 * @param mode of Vite, where it is not the one that is shipped.
 * @returns whether it was built now.
 * @throws {Error} with Vite's output.
 */
export async function buildFrontEnd(
  frontEnd: string,
  environment: NodeJS.ProcessEnv,
  signal?: AbortSignal,
  mode?: string,
): Promise<boolean> {
  const built = folderOf(frontEnd, mode)
  const name = mode === undefined ? basename(frontEnd) : basename(built)
  const aside = join(CACHE, `${name}-${process.pid}`)
  const sources = fingerprint([frontEnd, ...SHARED_SOURCES])
  const isCurrent = () => stampOf(built) === sources
  if (isCurrent()) return false
  return withLock(join(CACHE, `${name}.lock`), async () => {
    if (isCurrent()) return false
    try {
      await runVite(
        frontEnd,
        ['--outDir', aside, ...(mode === undefined ? [] : ['--mode', mode])],
        environment,
        signal,
      )
      writeFileSync(join(aside, STAMP), sources)
      rmSync(built, { recursive: true, force: true })
      renameSync(aside, built)
    } finally {
      rmSync(aside, { recursive: true, force: true })
    }
    return true
  })
}

/** Gives the folder of a build, such as that of `apps/founder-console`, as it is shipped or in another of Vite's modes. */
export const folderOf = (frontEnd: string, mode?: string) =>
  mode === undefined ? join(CHECKOUT, frontEnd, 'dist') : join(CACHE, `${basename(frontEnd)}-${mode}`)

function stampOf(built: string): string | undefined {
  const stamp = join(built, STAMP)
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined
}

async function runVite(
  frontEnd: string,
  options: readonly string[],
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal | undefined,
): Promise<void> {
  const vite = join(CHECKOUT, 'node_modules', 'vite', 'bin', 'vite.js')
  const args = [vite, 'build', '--logLevel', 'error', '--emptyOutDir', ...options]
  try {
    await run(process.execPath, args, {
      cwd: join(CHECKOUT, frontEnd),
      maxBuffer: 16 * 1024 * 1024,
      env: buildEnvironment(environment),
      signal,
    })
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
    const lines = output
      .trim()
      .split('\n')
      .filter(line => !/^\s+at /.test(line))
    throw new Error(`${frontEnd} could not be built:\n${lines.slice(0, 25).join('\n')}`)
  }
}
