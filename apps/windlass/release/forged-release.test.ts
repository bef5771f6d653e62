import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'windlass-forged-'))
  const pack = (folder: string, says: string) => {
    mkdirSync(join(root, folder), { recursive: true })
    writeFileSync(join(root, folder, 'boot.mjs'), `console.log(${JSON.stringify(says)})`)
  }
  pack('content', 'the release')
  pack('forged', 'forged')
  mkdirSync(join(root, 'package'))
  cpSync(join(import.meta.dirname, 'windlass.mjs'), join(root, 'package/windlass.mjs'))
  writeFileSync(join(root, 'package/package.json'), '{"version":"1.2.3"}')
  spawnSync('tar', ['-czf', join(root, 'package/release.tar.gz'), '-C', join(root, 'content'), '.'])
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const releases = () => join(root, 'releases')
const place = () => join(releases(), '1.2.3')
/** Starts the command as its user does. */
function start() {
  const env = { ...process.env, WINDLASS_RELEASES: releases(), WINDLASS_HOME: join(root, 'data') }
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(root, 'package/windlass.mjs')], {
    ...{ env, encoding: 'utf8' },
  })
  return { says: stdout.trim(), why: stderr, status }
}

it('the command runs the release that it unpacked, the second time too', () => {
  for (let times = 0; times < 2; times += 1) expect(start()).toMatchObject({ says: 'the release', status: 0 })
})

it.each<[string, () => void, RegExp]>([
  [
    'is a link to a forged one',
    () => {
      mkdirSync(releases(), { recursive: true })
      symlinkSync(join(root, 'forged'), place())
    },
    /is a link/,
  ],
  [
    'has a program that is a link',
    () => {
      mkdirSync(place(), { recursive: true })
      symlinkSync(join(root, 'forged/boot.mjs'), join(place(), 'boot.mjs'))
    },
    /is a link/,
  ],
  [
    'lies where every user can put one',
    () => {
      mkdirSync(releases(), { recursive: true })
      cpSync(join(root, 'forged'), place(), { recursive: true })
      chmodSync(releases(), 0o777)
    },
    /can be changed by other users/,
  ],
  [
    'has a program that every user can change',
    () => {
      cpSync(join(root, 'forged'), place(), { recursive: true })
      chmodSync(join(place(), 'boot.mjs'), 0o666)
    },
    /can be changed by other users/,
  ],
])('a release folder that %s is not run', (_, forge, why) => {
  forge()
  expect(start()).toEqual({ says: '', why: expect.stringMatching(why), status: 1 })
})

it.skipIf(process.getuid?.() !== 0)('a release folder that another user made is not run', () => {
  cpSync(join(root, 'forged'), place(), { recursive: true })
  chownSync(place(), 65_534, 65_534)
  // As a user who is not root: root’s own folders are trusted, a stranger’s are not.
  expect(start()).toMatchObject({ says: '', why: expect.stringContaining('another user'), status: 1 })
})
