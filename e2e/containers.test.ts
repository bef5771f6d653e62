import { Keypair } from '@stellar/stellar-sdk'
import { request } from 'node:https'
import { IMAGE } from '@windlass/windlass/containers/environments.ts'
import { SERVICES } from '@windlass/windlass/services.ts'
import { SETTINGS } from '@windlass/windlass/settings-list.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startLoad } from './load.ts'
import { PORTS, raiseComposedStack, whatIsInTheWay, type ComposedStack } from './composed-stack.ts'

const AUTHORITY = '/data/caddy/pki/authorities/local/root.crt'

/** What takes too long for every run: `npm run test:faults` has it. */
const itAtLength = it.runIf(process.env.MODE === 'faults')
const inTheWay = await whatIsInTheWay()
if (inTheWay) console.warn(`SKIPPED: the stack in containers, because ${inTheWay}`)

describe.skipIf(inTheWay)('the stack in containers', { timeout: 600_000 }, () => {
  let composed: ComposedStack
  const anchors = () =>
    composed.docker(
      'ps',
      '--filter',
      'label=windlass.anchor',
      '--filter',
      'network=platform-net',
      '--format',
      '{{.Names}}',
    )

  beforeAll(async () => {
    composed = await raiseComposedStack('--demo')
  }, 600_000)
  afterAll(() => composed?.remove())

  it('comes up and carries the whole main job, anchors’ servers as containers beside it', async () => {
    const throughTheProxy = `http:\\/\\/lotus-\\w+\\.anchors\\.localhost:${PORTS.PROXY_PORT}\\/auth`
    expect(composed.output).toMatch(
      new RegExp(`Wallet signs in \\(SEP-10\\) .* → token of ${throughTheProxy}`),
    )
    expect(composed.output).toMatch(/All \d+ steps passed/)
    expect((await anchors()).split('\n')).toHaveLength(4)
  })

  it('shows no secret to those who may ask the engine', async () => {
    const ids = (await composed.docker('ps', '--all', '--quiet', '--filter', 'network=platform-net')).split(
      '\n',
    )
    const shown = await composed.docker('inspect', ...ids)
    const secrets = SETTINGS.flatMap(({ name, secretOf }) => (secretOf && composed.variables[name]) || [])
    expect(secrets.length).toBeGreaterThan(10)
    for (const secret of secrets.filter(each => each.length > 8)) expect(shown).not.toContain(secret)
    expect(shown).not.toMatch(/postgres:\/\/[^"]*:[^"]*@/)
  })

  it('heals an anchor whose container is killed', async () => {
    const name = (await anchors()).split('\n').find(each => each.endsWith('-sep')) ?? ''
    const format = '{{.State.Running}} {{.State.StartedAt}}'
    const started = () => composed.docker('inspect', '--format', format, name)
    const before = await started()
    await composed.docker('kill', name)
    await expect
      .poll(
        async () => (await started().catch(() => before)) !== before && (await started()).startsWith('true'),
        {
          timeout: 60_000,
          interval: 500,
        },
      )
      .toBe(true)
  })

  itAtLength('is reached over https behind Caddy: every host that exists, and no other', async () => {
    const anchor = /lotus-\w+\.anchors\.localhost/.exec(composed.output)?.[0] ?? ''
    await composed.stack('stack:down')
    await composed.stack('stack:up', '--tls', '--no-build')
    const ca = await composed.docker('exec', 'windlass-caddy', 'cat', AUTHORITY)
    const status = (host: string, path: string) =>
      statusOverTls({ host, path, ca }).catch((error: { code?: string }) => error.code)
    await expect.poll(() => status('console.localhost', '/')).toBe(200)
    const file = () => status(anchor, '/.well-known/stellar.toml')
    await expect.poll(file, { timeout: 60_000, interval: 500 }).toBe(200)
    expect(await status('nobody.localhost', '/')).toMatch(/^E(PROTO|CONNRESET)|^ERR_SSL/)
  })

  itAtLength('restarts a part and upgrades every part and anchor without losing a request', async () => {
    const anchor = /lotus-\w+\.anchors\.localhost/.exec(composed.output)?.[0] ?? ''
    const ca = await composed.docker('exec', 'windlass-caddy', 'cat', AUTHORITY)
    const urls = [
      ...['api', 'aggregator'].map(name => `https://${name}.localhost/health/live`),
      ...['console', 'admin', 'account'].map(name => `https://${name}.localhost/`),
      `https://${anchor}/.well-known/stellar.toml`,
    ]
    // Debian's Caddy 2.6 breaks off some of the first connections to a name if several come at once.
    for (const url of urls) {
      const { host, pathname: path } = new URL(url)
      expect(await statusOverTls({ host, path, ca })).toBe(200)
    }
    const load = startLoad(urls, { port: PORTS.HTTPS_PORT, ca })
    await composed.stack('stack:restart', 'reverse-proxy')

    const newer = `${IMAGE}-newer`
    await composed.docker('tag', IMAGE, newer)
    await composed.build(IMAGE, `FROM ${newer}\nLABEL newer=1\n`)
    const image = await composed.docker('image', 'inspect', '--format', '{{.Id}}', IMAGE)
    const output = await composed.stack('stack:up', '--tls', '--no-build')
    for (const { title } of SERVICES.filter(({ handsOver }) => handsOver))
      expect(output).toMatch(new RegExp(`${title}\\s+replaced`))
    const images = async () => {
      const names = (await anchors()).split('\n')
      return composed.docker('inspect', '--format', '{{.Image}}', ...names)
    }
    await expect
      .poll(async () => [...new Set((await images().catch(String)).split('\n'))], {
        timeout: 240_000,
        interval: 1_000,
      })
      .toEqual([image])
    const { failures, sent } = await load.stop()
    expect(failures).toEqual([])
    expect(sent).toBeGreaterThan(100)
    expect(await composed.docker('ps', '--all', '--format', '{{.Names}}')).not.toMatch(/-2$/m)
    await composed.docker('tag', newer, IMAGE)
    await composed.docker('rmi', newer)
  })

  itAtLength(
    'replaces an anchor’s own secrets by one command, and its servers have the new ones alone',
    async () => {
      const anchor = /lotus-\w+\.anchors\.localhost/.exec(composed.output)?.[0] ?? ''
      const ca = await composed.docker('exec', 'windlass-caddy', 'cat', AUTHORITY)
      const readSecrets = async (name: string) =>
        composed.docker('exec', name, 'bash', '-c', 'cd /run/windlass/secrets && grep --recursive .')
      const secrets = async (): Promise<Map<string, string>> => {
        const names = (await anchors()).split('\n')
        return new Map(await Promise.all(names.map(async name => [name, await readSecrets(name)] as const)))
      }
      const before = await secrets()
      const command = ['node', 'apps/control-plane/secret-rotation/main.ts', anchor]
      // It was provisioned without TLS, so the port is a part of its home domain.
      expect(await composed.docker('exec', 'windlass-control-plane', ...command)).toBe(
        `${anchor}:${PORTS.PROXY_PORT}: new secrets are in use: database, tokens, platform, link, signer, details.`,
      )
      const path = `/auth?account=${Keypair.random().publicKey()}`
      const challenge = () => statusOverTls({ host: anchor, path, ca }).catch(() => undefined)
      await expect.poll(challenge, { timeout: 60_000, interval: 500 }).toBe(200)
      const after = await secrets()
      const changed = [...before.keys()].filter(name => before.get(name) !== after.get(name))
      const roles = changed.map(name => /-(sep|business)(-b)?$/.exec(name)?.[1])
      expect(roles.toSorted()).toEqual(['business', 'sep'])
      for (const name of changed) {
        const old = (before.get(name) ?? '').matchAll(
          /(?:database_url|credential|link_secret|jwt_secret):(.+)/g,
        )
        expect([...old].filter(([, value = '']) => after.get(name)?.includes(value))).toEqual([])
      }
    },
  )

  it('keeps its volumes when it is stopped, and removes them when told', async () => {
    await composed.stack('stack:down')
    expect(await composed.docker('ps', '--all', '--quiet', '--filter', 'network=platform-net')).toBe('')
    const volumes = () => composed.docker('volume', 'ls', '--quiet', '--filter', 'name=windlass-postgres')
    expect(await volumes()).toBe('windlass-postgres')
    await composed.stack('stack:down', '--volumes')
    expect(await volumes()).toBe('')
  })
})

/** Reads a host's page, if its certificate is one by `ca`. */
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
    const at = { host: '127.0.0.1', port: PORTS.HTTPS_PORT, path }
    request({ ...at, ca, servername: host, headers: { host }, agent: false }, response => {
      response.resume()
      resolve(response.statusCode)
    })
      .setTimeout(10_000, () => reject(new Error('no answer')))
      .on('error', reject)
      .end()
  })
}
