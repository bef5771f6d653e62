import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from './free-ports.ts'

const folder = fileURLToPath(new URL('../../deploy/observability/', import.meta.url))
const PROGRAM = 'prometheus-alertmanager'
const isThere = spawnSync(PROGRAM, ['--version']).status === 0
if (!isThere) console.warn(`${PROGRAM} is not installed: what it does with the alerts is not tested`)

const rules = readFileSync(`${folder}alerts.yml`, 'utf8')
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name)
const configuration = readFileSync(`${folder}alertmanager.yml`, 'utf8')

it('the configuration of Alertmanager names alerts that there are', () => {
  const patterns = [...configuration.matchAll(/alertname (=~?) "([^"]+)"/g)]
  expect(patterns.length).toBeGreaterThan(20)
  for (const [, operator, pattern = ''] of patterns) {
    const each = operator === '=' ? [pattern] : alternativesOf(pattern)
    for (const one of each) {
      const matching = new RegExp(`^${one}$`)
      expect(
        alerts.filter(name => matching.test(name)),
        one,
      ).not.toEqual([])
    }
  }
})

function alternativesOf(pattern: string): string[] {
  const [, before = '', inner = '', after = ''] = /^(.*)\((.*)\)(.*)$/.exec(pattern) ?? []
  return inner === '' ? [pattern] : inner.split('|').map(each => before + each + after)
}

describe.skipIf(!isThere)('Debian’s Alertmanager', () => {
  let program: ReturnType<typeof spawn>
  let place: string
  let api: string
  beforeAll(async () => {
    place = mkdtempSync(join(tmpdir(), 'windlass-alertmanager-'))
    const port = await freePort()
    api = `http://127.0.0.1:${port}/api/v2`
    const args = [
      `--config.file=${folder}alertmanager.yml`,
      `--storage.path=${place}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
    ]
    program = spawn(PROGRAM, args, { stdio: 'ignore' })
    const answers = () =>
      fetch(`${api}/status`).then(
        ({ ok }) => ok,
        () => false,
      )
    while (!(await answers())) await sleep(100)
  })
  afterAll(async () => {
    const ended = once(program, 'exit')
    program.kill('SIGKILL')
    await ended
    rmSync(place, { recursive: true })
  })

  /** What it sends of these alerts, by their names. */
  async function sentOf(given: Record<string, string>[]): Promise<string[]> {
    const body = JSON.stringify(given.map(labels => ({ labels: { severity: 'critical', ...labels } })))
    const headers = { 'content-type': 'application/json' }
    const send = (text: string) => fetch(`${api}/alerts`, { method: 'POST', headers, body: text })
    expect((await send(body)).status).toBe(200)
    const list = async (query: string) => {
      const answer = await fetch(`${api}/alerts/groups?${query}`)
      const groups = (await answer.json()) as { labels: { alertname: string }; alerts: unknown[] }[]
      return groups.flatMap(({ labels, alerts: each }) => (each.length > 0 ? [labels.alertname] : []))
    }
    await expect.poll(async () => (await list('inhibited=true')).length).toBeGreaterThan(0)
    const sent = await list('inhibited=false&silenced=false')
    const over = given.map(labels => ({
      ...{ labels: { severity: 'critical', ...labels }, startsAt: new Date(Date.now() - 2_000) },
      endsAt: new Date(Date.now() - 1_000),
    }))
    expect((await send(JSON.stringify(over))).status).toBe(200)
    await expect.poll(async () => list('inhibited=true')).toEqual([])
    return [...new Set(sent)].toSorted()
  }

  const ofAnchors = (alertname: string) =>
    ['one.example', 'two.example'].map(anchor => ({ alertname, anchor, service: 'business-server' }))
  const ofParts = (alertname: string) =>
    ['aggregator', 'platform-api', 'control-plane', 'signer'].map(service => ({
      alertname,
      service,
      part: service,
    }))

  it('sends one page where Postgres is dead, of all that follows', async () => {
    const all = [
      ...ofParts('WindlassDatabaseDown'),
      ...ofAnchors('WindlassDatabaseDown'),
      ...ofAnchors('WindlassObserverBehind'),
      ...ofAnchors('WindlassErrors'),
      ...ofParts('WindlassErrors'),
      ...ofParts('WindlassOutboxStuck'),
      { alertname: 'WindlassMetricsUnreadable' },
      ...['WindlassProxyErrors', 'WindlassAuditUnsigned', 'WindlassHealthChecksLate'].map(alertname => ({
        alertname,
      })),
    ]
    expect(all.length).toBeGreaterThanOrEqual(18)
    expect(await sentOf(all)).toEqual(['WindlassDatabaseDown'])
  })

  it('sends what an anchor has of its own, beside what follows from something else', async () => {
    const down = { alertname: 'WindlassAnchorServerDown', anchor: 'one.example', part: 'business-server' }
    const all = [
      down,
      ...ofAnchors('WindlassSepCallsStuck'),
      { alertname: 'WindlassLedgerIncident', anchor: 'one.example' },
    ]
    expect(await sentOf(all)).toEqual([
      'WindlassAnchorServerDown',
      'WindlassLedgerIncident',
      'WindlassSepCallsStuck',
    ])
  })

  it('sends a full disk alone, and not what it brings with it', async () => {
    const disk = { alertname: 'WindlassDiskFull', disk: 'postgres' }
    expect(
      await sentOf([
        disk,
        { alertname: 'WindlassDiskFilling', disk: 'postgres' },
        ...ofParts('WindlassDatabaseDown'),
      ]),
    ).toEqual(['WindlassDiskFull'])
  })
})
