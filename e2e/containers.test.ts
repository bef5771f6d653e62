import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const run = promisify(execFile)
const CHECKOUT = fileURLToPath(new URL('..', import.meta.url))
const IMAGES = ['node:24-bookworm-slim', 'postgres:18-bookworm', 'caddy:2']

const inTheWay = await whatIsInTheWay()
if (inTheWay) console.warn(`SKIPPED: the stack in containers, because ${inTheWay}`)

/** Its containers and volumes are one to an engine: somebody's own stack is left alone. */
async function whatIsInTheWay(): Promise<string | null> {
  const ask = async (...args: string[]) => (await run('docker', args, { timeout: 20_000 })).stdout.trim()
  try {
    await ask('version')
  } catch {
    return 'no container engine answers'
  }
  for (const image of IMAGES) {
    const found = await ask('image', 'inspect', '--format', '{{.Id}}', image).catch(() => '')
    if (found === '') return `the engine has no image ${image}`
  }
  const [containers, volumes] = [
    await ask('ps', '--all', '--format', '{{.Names}}'),
    await ask('volume', 'ls', '-q'),
  ]
  const stack = `${containers}\n${volumes}`
    .split('\n')
    .find(name => /^windlass-(postgres|anchors)$/.test(name))
  return stack ? `the engine holds a stack already (${stack})` : null
}

const PROXY_PORT = 18687
const HTTPS_PORT = 18692
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
  HTTPS_PORT,
  HTTP_PORT: 18693,
}

describe.skipIf(inTheWay)('the stack in containers', { timeout: 600_000 }, () => {
  const home = mkdtempSync(join(tmpdir(), 'windlass-stack-'))
  const ports = Object.fromEntries(Object.entries(PORTS).map(([name, port]) => [name, String(port)]))
  const tls = { TLS_ISSUER: 'internal', TLS_ADDRESS: '127.0.0.1' }
  const env = { ...process.env, ...ports, ...tls, WINDLASS_HOME: join(home, 'home') }
  const stack = (...args: string[]) =>
    run(process.execPath, ['boot.mjs', ...args], { cwd: CHECKOUT, env, maxBuffer: 2 ** 26 }).then(
      ({ stdout }) => stdout,
      ({ stdout, stderr }: { stdout: string; stderr: string }) => {
        throw new Error(`${args.join(' ')} failed: ${stdout.slice(-4_000)}\n${stderr.slice(-4_000)}`)
      },
    )
  const docker = async (...args: string[]) => (await run('docker', args, { env })).stdout.trim()
  const anchors = () =>
    docker(
      'ps',
      '--filter',
      'label=windlass.anchor',
      '--filter',
      'network=platform-net',
      '--format',
      '{{.Names}}',
    )
  let output = ''

  beforeAll(async () => {
    output = await stack('stack:up', '--demo')
  }, 600_000)
  afterAll(async () => {
    await stack('stack:down', '--volumes')
    rmSync(home, { recursive: true, force: true })
  }, 120_000)

  it('comes up and carries the whole main job, anchors’ servers as containers beside it', async () => {
    expect(output).toMatch(
      /A wallet logs in \(SEP-10\) .* → token of http:\/\/lotus-\w+\.anchors\.localhost:18687/,
    )
    expect(output).toMatch(/All \d+ steps held/)
    expect((await anchors()).split('\n')).toHaveLength(4)
  })

  it('heals an anchor whose container is killed', async () => {
    const name = (await anchors()).split('\n').find(each => each.endsWith('-sep')) ?? ''
    const started = () => docker('inspect', '--format', '{{.State.Running}} {{.State.StartedAt}}', name)
    const before = await started()
    await docker('kill', name)
    await expect.poll(started, { timeout: 60_000, interval: 500 }).toMatch(/^true /)
    expect(await started()).not.toBe(before)
  })

  it('is reached over https behind Caddy: every host that exists, and no other', async () => {
    const anchor = /lotus-\w+\.anchors\.localhost/.exec(output)?.[0] ?? ''
    await stack('stack:down')
    await stack('stack:up', '--tls', '--no-build')
    const ca = await docker('exec', 'windlass-caddy', 'cat', '/data/caddy/pki/authorities/local/root.crt')
    const status = (host: string, path: string) =>
      statusOverTls({ host, path, ca }).catch(error => error.code)
    await expect.poll(() => status('console.localhost', '/'), { timeout: 30_000 }).toBe(200)
    const file = () => status(anchor, '/.well-known/stellar.toml')
    await expect.poll(file, { timeout: 60_000, interval: 500 }).toBe(200)
    expect(await status('nobody.localhost', '/')).toMatch(/^E(PROTO|CONNRESET)|^ERR_SSL/)
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

/** Of a host's page as its certificate by `ca` and Caddy have it. */
function statusOverTls({
  host,
  path,
  ca,
}: {
  host: string
  path: string
  ca: string
}): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: HTTPS_PORT,
      path,
      ca,
      servername: host,
      headers: { host },
      agent: false,
    }
    request(options, response => {
      response.resume()
      resolve(response.statusCode)
    })
      .setTimeout(10_000, () => reject(new Error('no answer')))
      .on('error', reject)
      .end()
  })
}
