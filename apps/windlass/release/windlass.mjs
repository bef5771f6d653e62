#!/usr/bin/env node
// The command of the npm package: unpacks the release beside others once, and hands over to it.
import { spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const here = import.meta.dirname ?? new URL('.', import.meta.url).pathname
const { version } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'))
const releases = process.env.WINDLASS_RELEASES || join(homedir(), '.windlass', 'releases')
const release = join(releases, version)

if (!existsSync(release)) unpack()
for (const folder of [releases, release]) requireOwn(folder)
requireOwn(join(release, 'boot.mjs'))
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

/** What another user could have put there, or can still change, is not run: it would get the data and the keys. */
function requireOwn(path) {
  if (process.getuid === undefined) return
  const why = whyNotOwn(path)
  if (why === null) return
  console.error(
    `windlass: ${path} ${why}, so it is not run. Find out who made it, remove it, and start again.`,
  )
  process.exit(1)
}

function whyNotOwn(path) {
  // Where releases are kept is this user's to choose.
  const { uid, gid, mode } = path === releases ? statSync(path) : lstatSync(path)
  if ((mode & 0o170000) === 0o120000) return 'is a link'
  if (uid !== process.getuid() && uid !== 0) return 'belongs to another user'
  // Many users have a group of their own, which may write to what they make.
  const isGroups = (mode & 0o020) !== 0 && gid !== process.getgid()
  return isGroups || (mode & 0o002) !== 0 ? 'can be changed by other users' : null
}

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
