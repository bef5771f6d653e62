import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Debian's package `prometheus`. */
export const hasPrometheus = spawnSync('prometheus', ['--version']).status === 0

interface Target {
  job: string
  /** `host:port` */
  address: string
  labels: Record<string, string>
}

export interface Prometheus {
  /** Names of the alerts that fire. */
  firing(): Promise<string[]>
  /** Labels of targets that are up. */
  up(): Promise<Record<string, string>[]>
  stop(): Promise<void>
}

const RULES = new URL('../../deploy/observability/alerts.yml', import.meta.url)

/** A real Prometheus with our alert rules, which fire at once instead of after minutes. */
export async function startPrometheus(targets: Target[]): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-prometheus-'))
  writeFileSync(join(folder, 'alerts.yml'), readFileSync(RULES, 'utf8').replaceAll(/^ +for: .*\n/gm, ''))
  // JSON is YAML.
  const scrape_configs = targets.map(({ job, address, labels }, index) => ({
    job_name: `target-${index}`,
    static_configs: [{ targets: [address], labels: { ...labels, job } }],
  }))
  const global = { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '500ms' }
  const config = { global, rule_files: ['alerts.yml'], scrape_configs }
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config))
  const address = `127.0.0.1:${await freePort()}`
  const child = spawn(
    'prometheus',
    [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=${address}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  )
  const ended = once(child, 'exit')
  const ask = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`http://${address}/api/v1/${path}`)
    return ((await answer.json()) as { data: T }).data
  }
  return {
    firing: async () => {
      const { alerts } = await ask<{ alerts: { state: string; labels: { alertname: string } }[] }>('alerts')
      const names = alerts.flatMap(({ state, labels }) => (state === 'firing' ? [labels.alertname] : []))
      return [...new Set(names)].toSorted()
    },
    up: async () => {
      const { result } = await ask<{ result: { metric: Record<string, string> }[] }>('query?query=up==1')
      return result.map(({ metric }) => metric)
    },
    stop: async () => {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}
