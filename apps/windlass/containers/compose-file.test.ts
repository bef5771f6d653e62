import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CHECKOUT } from '../home.ts'
import { SERVICES } from '../services.ts'

const text = readFileSync(join(CHECKOUT, 'deploy', 'docker-compose.yml'), 'utf8')
const services = text.slice(text.indexOf('\nservices:\n'), text.indexOf('\nnetworks:\n'))

/** A service's lines. */
function blockOf(name: string): string {
  const found = new RegExp(`\\n  ${name}:\\n((?:    .*\\n|\\n)+)`).exec(services)
  expect(found, `${name} in the compose file`).not.toBeNull()
  return found?.[1] ?? ''
}

describe('the compose file', () => {
  it('puts every component on platform-net and publishes it on its port of this machine', () => {
    expect(text).toMatch(/\nnetworks:\n {2}platform-net:\n {4}name: platform-net\n/)
    for (const { name, ports, script } of SERVICES) {
      const block = blockOf(name)
      expect(block).toContain('<<: *service')
      expect(block).toContain(`command: [node, ${script}]`)
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
