import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const run = promisify(execFile)
const CHECKOUT = fileURLToPath(new URL('..', import.meta.url))
const wanted = process.env.WINDLASS_STACK_TESTS === 'true'
if (!wanted) {
  console.warn('SKIPPED: the stack in containers, which takes minutes; WINDLASS_STACK_TESTS=true runs it')
}

const PROXY_PORT = 18687
const PORTS = {
  PLATFORM_API_PORT: 18680,
  CONTROL_PLANE_PORT: 18681,
  AGGREGATOR_PORT: 18682,
  FOUNDER_CONSOLE_PORT: 18683,
  ADMIN_CONSOLE_PORT: 18684,
  POSTGRES_PORT: 18685,
  SECRETS_STORE_PORT: 18686,
  PROXY_PORT,
  DASHBOARD_PORT: 18688,
  SMTP_PORT: 18689,
  MAIL_CATCHER_PORT: 18690,
  LOCAL_NETWORK_PORT: 18691,
}

/** Containers named by compose are one to an engine: run it where no other stack is up. */
describe.runIf(wanted)('the stack in containers', { timeout: 900_000 }, () => {
  const home = mkdtempSync(join(tmpdir(), 'windlass-stack-'))
  const ports = Object.fromEntries(Object.entries(PORTS).map(([name, port]) => [name, String(port)]))
  const env = { ...process.env, ...ports, WINDLASS_HOME: join(home, 'home') }
  const stack = async (...args: string[]) =>
    (await run(process.execPath, ['boot.mjs', ...args], { cwd: CHECKOUT, env, maxBuffer: 2 ** 26 })).stdout
  const docker = async (...args: string[]) => (await run('docker', args, { env })).stdout.trim()
  const anchors = () => docker('ps', '--filter', 'label=windlass.anchor', '--format', '{{.Names}}')
  let output = ''

  beforeAll(async () => {
    output = await stack('stack:up', '--demo')
  }, 900_000)
  afterAll(async () => {
    await stack('stack:down', '--volumes')
    rmSync(home, { recursive: true, force: true })
  }, 120_000)

  it('comes up and carries the whole main job, anchors’ servers as containers beside it', async () => {
    expect(output).toMatch(/All \d+ steps held/)
    expect((await anchors()).split('\n')).toHaveLength(4)
  })

  it('heals an anchor whose container is killed', async () => {
    const name = (await anchors()).split('\n').find(each => each.endsWith('-sep')) ?? ''
    await docker('kill', name)
    await expect
      .poll(() => docker('inspect', '--format', '{{.State.Running}}', name), {
        timeout: 60_000,
        interval: 500,
      })
      .toBe('true')
  })

  it('keeps its volumes when it is stopped, and removes them when told', async () => {
    await stack('stack:down')
    expect(await docker('ps', '--all', '--quiet', '--filter', 'network=platform-net')).toBe('')
    const volumes = () => docker('volume', 'ls', '--quiet', '--filter', 'name=windlass-postgres')
    expect(await volumes()).toBe('windlass-postgres')
    await stack('stack:down', '--volumes')
    expect(await volumes()).toBe('')
  })
})
