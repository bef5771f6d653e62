import { childEnvironment } from '@windlass/testing/processes.ts'
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { CHECKOUT } from '@windlass/windlass/home.ts'

const folder = mkdtempSync(join(tmpdir(), 'windlass-ipv6-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A network of its own whose only address is ::1, and the names that a machine with IPv6 alone has. */
const NETWORK = `mount --bind ${folder}/hosts /etc/hosts && ip link set lo up && ip addr del 127.0.0.1/8 dev lo && exec "$@"`
const canUnshare = spawnSync('unshare', ['-n', '-m', 'true']).status === 0

// npm run test:faults
it.runIf(process.env.MODE === 'faults' && canUnshare)(
  'walks the whole story on a machine that has IPv6 alone',
  async () => {
    writeFileSync(join(folder, 'hosts'), '::1 localhost ip6-localhost\n')
    const command = [
      'sh',
      '-c',
      NETWORK,
      'sh',
      process.execPath,
      join(CHECKOUT, 'boot.mjs'),
      'demo',
      '--exit',
    ]
    const { stdout } = await promisify(execFile)('unshare', ['-n', '-m', ...command], {
      env: { ...childEnvironment(), WINDLASS_HOME: join(folder, 'home') },
      maxBuffer: 2 ** 26,
    })
    expect(stdout).toMatch(/All \d+ steps passed/)
  },
  900_000,
)
