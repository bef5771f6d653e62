import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Variables } from './base-env.ts'
import { CHECKOUT } from './home.ts'

const run = promisify(execFile)
const STAMP = '.built-from'
const SHARED_SOURCES = [
  'packages/ui',
  'packages/client',
  'packages/contracts',
  'packages/money',
  'package-lock.json',
]

/**
 * Builds a console with Vite unless what was built last is from the same sources. It is built aside and put in place
 * whole, so that a console that starts meanwhile, or a build that is broken off, finds nothing half done.
 *
 * @returns whether it was built now.
 * @throws {Error} with what Vite said.
 */
export async function buildConsole(
  name: string,
  environment: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<boolean> {
  const built = join(CHECKOUT, 'apps', name, 'dist')
  const sources = fingerprint([join('apps', name), ...SHARED_SOURCES])
  if (stampOf(built) === sources) return false
  const aside = join(CHECKOUT, 'node_modules', '.cache', 'windlass', `${name}-${process.pid}`)
  try {
    await runVite(name, aside, environment, signal)
    writeFileSync(join(aside, STAMP), sources)
    rmSync(built, { recursive: true, force: true })
    renameSync(aside, built)
  } catch (error) {
    // Somebody else was quicker with the same.
    if (stampOf(built) !== sources) throw error
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
  return true
}

function stampOf(built: string): string | undefined {
  const stamp = join(built, STAMP)
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined
}

async function runVite(
  name: string,
  outDir: string,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal | undefined,
): Promise<void> {
  const vite = join(CHECKOUT, 'node_modules', 'vite', 'bin', 'vite.js')
  const args = [vite, 'build', '--logLevel', 'error', '--outDir', outDir, '--emptyOutDir']
  try {
    await run(process.execPath, args, {
      cwd: join(CHECKOUT, 'apps', name),
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
    throw new Error(`${name} could not be built:\n${lines.slice(0, 25).join('\n')}`)
  }
}

/** A build needs none of the secrets that may be around us. */
function buildEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'SystemRoot', 'LANG']
  const kept = Object.entries(environment).filter(([name]) => names.includes(name))
  return { ...Object.fromEntries(kept), NODE_ENV: 'production', NO_COLOR: '1' }
}

function fingerprint(paths: readonly string[]): string {
  const hash = createHash('sha256')
  for (const path of paths)
    for (const file of filesIn(path)) hash.update(file).update(readFileSync(join(CHECKOUT, file)))
  return hash.digest('hex')
}

function filesIn(path: string): string[] {
  const absolute = join(CHECKOUT, path)
  if (!existsSync(absolute)) return []
  if (path.endsWith('.json')) return [path]
  return readdirSync(absolute, { withFileTypes: true })
    .filter(entry => !['node_modules', 'dist'].includes(entry.name) && !entry.name.includes('.test.'))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap(entry => (entry.isDirectory() ? filesIn(join(path, entry.name)) : [join(path, entry.name)]))
}
