#!/usr/bin/env node
// The command of the npm package: unpacks the release beside others once, and hands over to it.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const here = import.meta.dirname ?? new URL('.', import.meta.url).pathname
const { version } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'))
const releases = process.env.WINDLASS_RELEASES || join(homedir(), '.windlass', 'releases')
const release = join(releases, version)

if (!existsSync(release)) unpack()
const child = spawn(process.execPath, [join(release, 'boot.mjs'), ...process.argv.slice(2)], {
  stdio: 'inherit',
  // Data stays where it is when another release runs.
  env: { ...process.env, WINDLASS_HOME: process.env.WINDLASS_HOME || join(homedir(), '.windlass', 'data') },
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.once('error', error => {
  console.error(`windlass: ${error.message}`)
  process.exitCode = 1
})
child.once('exit', (code, signal) => {
  process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1)
})

/** Appears under its name once it is complete; a second start at the same time makes the same. */
function unpack() {
  mkdirSync(releases, { recursive: true })
  const partial = mkdtempSync(`${release}.partial-`)
  try {
    const { status, error } = spawnSync('tar', ['-xzf', join(here, 'release.tar.gz'), '-C', partial], {
      stdio: 'inherit',
    })
    if (status !== 0)
      throw new Error(`windlass: the release cannot be unpacked (${error?.message ?? 'tar failed'})`)
    renameSync(partial, release)
  } catch (error) {
    if (!existsSync(join(release, 'boot.mjs'))) throw error
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
}
