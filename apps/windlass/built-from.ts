import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { CHECKOUT } from './home.ts'

/** Builds run without the secrets of this environment. */
export function buildEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'SystemRoot', 'LANG']
  const kept = Object.entries(environment).filter(([name]) => names.includes(name))
  return { ...Object.fromEntries(kept), NODE_ENV: 'production', NO_COLOR: '1' }
}

/** Hashes all files below the paths of the checkout, without tests and build output. */
export function fingerprint(paths: readonly string[]): string {
  const hash = createHash('sha256')
  for (const path of paths)
    for (const file of filesIn(path)) hash.update(file).update(readFileSync(join(CHECKOUT, file)))
  return hash.digest('hex')
}

function filesIn(path: string): string[] {
  const absolute = join(CHECKOUT, path)
  if (!existsSync(absolute)) return []
  if (statSync(absolute).isFile()) return [path]
  return readdirSync(absolute, { withFileTypes: true })
    .filter(entry => !['node_modules', 'dist'].includes(entry.name) && !entry.name.includes('.test.'))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap(entry => (entry.isDirectory() ? filesIn(join(path, entry.name)) : [join(path, entry.name)]))
}

/** What a checkout is. */
export interface Release {
  version: string
  /** Null outside of git. */
  commit: string | null
}

export function readRelease(): Release {
  const { version }: { version: string } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8'))
  const args = ['-c', 'safe.directory=*', 'rev-parse', '--short=12', 'HEAD']
  const { status, stdout } = spawnSync('git', args, { cwd: CHECKOUT, encoding: 'utf8' })
  return { version, commit: status === 0 ? stdout.trim() : null }
}

export const describeRelease = ({ version, commit }: Release): string =>
  commit === null ? version : `${version} (${commit})`
