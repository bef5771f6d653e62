import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, openSync, writeSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SOURCE = fileURLToPath(new URL('stepped-clock.c', import.meta.url))

/** What a clock that steps needs and this machine lacks; null: nothing. */
export function missingForSteps(): string | null {
  if (spawnSync('cc', ['--version']).status !== 0) return 'a C compiler (cc)'
  if (spawnSync('unshare', ['-m', 'true']).status !== 0) return 'root, for a mount namespace'
  return null
}

/** A clock for the processes that `under` starts, which can be set while they run. The machine's own stays as it is. */
export interface SteppedClock {
  /** The program and its arguments that run a command by this clock. */
  under: string[]
  /** How far it is ahead of the machine's. */
  set(seconds: number): void
}

/** @param folder an empty one that other users can read */
export function createSteppedClock(folder: string): SteppedClock {
  const [library, offset, etc] = ['clock.so', 'offset', 'etc'].map(name => join(folder, name))
  execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library!, SOURCE])
  writeFileSync(offset!, Buffer.alloc(8), { mode: 0o644 })
  const script = `mkdir -p ${etc} && mount -t tmpfs none ${etc} && cp -a /etc/. ${etc} && mount --bind ${etc} /etc &&
    touch /etc/clock-offset && mount --bind ${offset} /etc/clock-offset && echo ${library} > /etc/ld.so.preload && exec "$@"`
  return {
    under: ['unshare', '-m', 'sh', '-c', script, 'sh'],
    set: seconds => {
      const bytes = Buffer.alloc(8)
      bytes.writeBigInt64LE(BigInt(seconds))
      const file = openSync(offset!, 'r+')
      writeSync(file, bytes, 0, bytes.length, 0)
      closeSync(file)
    },
  }
}
