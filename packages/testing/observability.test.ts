import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { createServer } from '@windlass/service/http/server.ts'
import { describe, expect, it } from 'vitest'

const checkout = fileURLToPath(new URL('../../', import.meta.url))
const folder = `${checkout}deploy/observability/`
const read = (path: string): string => readFileSync(checkout + path, 'utf8')
const hasPromtool = spawnSync('promtool', ['--version']).status === 0
if (!hasPromtool) console.warn('promtool is not installed (Debian: prometheus): alert rules are not tested')

const rules = read('deploy/observability/alerts.yml')
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name)
const dashboards = readdirSync(`${folder}grafana/dashboards`).map(file =>
  read(`deploy/observability/grafana/dashboards/${file}`),
)

interface Dashboard {
  uid: string
  title: string
  schemaVersion: number
  templating: { list: { name: string }[] }
  panels: {
    id: number
    gridPos: { x: number; y: number; w: number; h: number }
    datasource: { uid: string }
    targets: { expr: string }[]
  }[]
}

/** What the code of services registers, and what every service shows by itself. */
async function knownMetrics(): Promise<Set<string>> {
  const sources = globSync('{apps,packages}/**/*.ts', {
    cwd: checkout,
    exclude: path => path.includes('node_modules') || path.endsWith('.test.ts'),
  })
  const named = sources
    .map(read)
    .filter(text => text.includes("/metrics.ts'") || text.includes('collectProcessMetrics'))
    .flatMap(text => [...text.matchAll(/'(windlass_[a-z_]+)'/g)].map(([, name = '']) => name))
  const server = await createServer({ name: 'any', logger: createLogger('any', 'silent') })
  const shown = [...(await server.app.inject('/metrics')).body.matchAll(/^# TYPE (\w+) (\w+)/gm)].flatMap(
    ([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
  )
  // Patroni serves it where Postgres is on two machines.
  return new Set([...named, ...shown, 'up', 'ALERTS', 'patroni_sync_standby'])
}

/** The metrics in an expression of Prometheus: identifiers that are no function, label or keyword. */
function metricsIn(expression: string): string[] {
  const bare = expression
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\{[^}]*\}/g, ' ')
    .replaceAll(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, ' ')
    .replaceAll(/\[[^\]]*\]/g, '')
  return [...bare.matchAll(/\b([a-zA-Z_]\w*)\b(?!\s*\()/g)]
    .map(([, name = '']) => name)
    .filter(name => !/^(or|and|unless|sum|max|min|by|le)$/.test(name))
}

const expressions = [
  ...[...rules.matchAll(/expr: (?:\|\n((?: {10,}.*\n)+)|(.*)\n)/g)].map(
    ([, long, short]) => long ?? short ?? '',
  ),
  ...dashboards.flatMap(text =>
    [...text.matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g)].map(([, json = '']) => JSON.parse(json) as string),
  ),
]

describe('alerts and dashboards', () => {
  it('ask for metrics that services show', async () => {
    const known = await knownMetrics()
    expect(expressions.length).toBeGreaterThan(60)
    const asked = [...new Set(expressions.flatMap(metricsIn))]
    expect(asked).toContain('windlass_jobs')
    expect(asked.filter(name => !known.has(name))).toEqual([])
  })

  it('are dashboards that Grafana can load: own panels, known datasource and variables', () => {
    const provisioned = read('deploy/observability/grafana/provisioning/datasources/windlass.yml')
    for (const text of dashboards) {
      const { uid, title, schemaVersion, panels, templating } = JSON.parse(text) as Dashboard
      expect([uid, title].every(Boolean) && schemaVersion > 30).toBe(true)
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
      const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
      )
      expect(new Set(cells).size).toBe(cells.length)
      for (const { datasource, targets } of panels) {
        expect(provisioned).toContain(`uid: ${datasource.uid}\n`)
        expect(targets.every(({ expr }) => expr !== '')).toBe(true)
      }
      const variables = new Set([...text.matchAll(/\$([a-z]\w*)/g)].map(([, name]) => name))
      expect([...variables]).toEqual(templating.list.map(({ name }) => name))
    }
  })

  it('leave out no metric of ours', async () => {
    const asked = new Set(expressions.flatMap(metricsIn))
    const ours = [...(await knownMetrics())].filter(name => name.startsWith('windlass_'))
    expect(ours.filter(name => !asked.has(name))).toEqual([])
  })

  it('have a page for each alert, which it names, and no other pages', () => {
    expect(alerts.length).toBeGreaterThan(20)
    const linked = [...rules.matchAll(/runbook_url: docs\/runbooks\/(\w+)\.md/g)].map(([, name]) => name)
    expect(linked).toEqual(alerts)
    expect(readdirSync(`${checkout}docs/runbooks`).toSorted()).toEqual(
      alerts.map(name => `${name}.md`).toSorted(),
    )
    for (const name of alerts) {
      const page = read(`docs/runbooks/${name}.md`)
      expect(page).toContain(`Alert \`${name}\``)
      for (const [, other = ''] of page.matchAll(/\b(Windlass[A-Z]\w+)\b/g)) expect(alerts).toContain(other)
      for (const [, link = ''] of page.matchAll(/\]\(([^)]+\.md)\)/g))
        expect(existsSync(new URL(link, `file://${checkout}docs/runbooks/`))).toBe(true)
    }
  })

  it('scrape every part that the containers have, at the same ports on one machine', () => {
    const targetsOf = (file: string, pattern: RegExp) =>
      [...read(`deploy/observability/${file}`).matchAll(pattern)].map(([, port, part]) => `${part}:${port}`)
    const here = targetsOf('prometheus.yml', /'localhost:(\d+)'\], labels: { part: ([\w-]+) }/g)
    const inContainers = targetsOf(
      'prometheus.containers.yml',
      /'[\w-]+:(\d+)'\], labels: { part: ([\w-]+) }/g,
    )
    // Backups are of the Postgres that `npm start` starts.
    const alone = here.indexOf('backups:3009')
    expect(here.splice(alone, 1)).toEqual(['backups:3009'])
    expect(here).toEqual(inContainers)
    const compose = read('deploy/docker-compose.yml')
    const parts = [
      ...compose.matchAll(
        /container_name: windlass-([\w-]+)\n\s+command:\s+\[\s*node,\s+(?:--[^,]+,\s+)*apps\/(?!windlass)/g,
      ),
    ]
    expect(parts.length).toBeGreaterThan(8)
    expect(here.map(target => target.split(':')[0]).toSorted()).toEqual(
      parts.map(([, part]) => part).toSorted(),
    )
    const ports = [...compose.matchAll(/_PORT:-\d+}:(\d+)'/g)].map(([, port]) => port)
    for (const target of here) expect(ports).toContain(target.split(':')[1])
  })
})

describe.skipIf(!hasPromtool)('Prometheus', () => {
  const promtool = (...args: string[]): string =>
    execFileSync('promtool', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

  it('accepts the configurations', () => {
    for (const file of ['prometheus.yml', 'prometheus.containers.yml'])
      expect(promtool('check', 'config', file)).toContain('SUCCESS')
  })

  it('reads every query of the dashboards', () => {
    const queries = dashboards
      .flatMap(text => (JSON.parse(text) as Dashboard).panels.flatMap(({ targets }) => targets))
      .map(({ expr }, index) => ({
        record: `dashboard:query_${index}`,
        expr: expr.replaceAll('$anchor', '.+'),
      }))
    expect(queries.length).toBeGreaterThan(30)
    const place = mkdtempSync(join(tmpdir(), 'windlass-queries-'))
    const file = join(place, 'queries.yml')
    // JSON is YAML too.
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboards', rules: queries }] }))
    expect(promtool('check', 'rules', file)).toContain(`${queries.length} rules found`)
    rmSync(place, { recursive: true })
  })

  it('fires each alert for what it is about, and not for what is all right', () => {
    const tests = read('deploy/observability/alerts.test.yml')
    for (const name of alerts) {
      expect(tests).toContain(`name: ${name} fires`)
      expect(tests).toContain(`name: ${name} stays silent`)
    }
    expect(promtool('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS')
  })
})
