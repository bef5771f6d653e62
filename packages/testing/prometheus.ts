import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-ports.ts'

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

const shipped = (name: string): string =>
  readFileSync(new URL(`../../deploy/observability/${name}`, import.meta.url), 'utf8')

/** The names of our alert rules. */
export const alertNames = (): string[] =>
  [...shipped('alerts.yml').matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name)

/** A real Prometheus with our alert rules, which fire at once instead of after minutes. */
export function startPrometheus(targets: Target[]): Promise<Prometheus> {
  // JSON is YAML.
  const scrape_configs = targets.map(({ job, address, labels }, index) => ({
    job_name: `target-${index}`,
    static_configs: [{ targets: [address], labels: { ...labels, job } }],
  }))
  const global = { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '500ms' }
  const config = JSON.stringify({ global, rule_files: ['alerts.yml'], scrape_configs })
  return run(config, shipped('alerts.yml').replaceAll(/^ +for: .*\n/gm, ''))
}

/**
 * A real Prometheus with the configuration and the rules that we ship, both changed by rule alone: ports are the stack's, it
 * scrapes every three seconds (a metric is waited for two), and a minute takes three (see {@link quicken}).
 *
 * @param portOf the port at which what has this port by default listens
 */
export function startShippedPrometheus(portOf: (port: number) => string): Promise<Prometheus> {
  const config = shipped('prometheus.yml')
    .replaceAll(/localhost:(\d+)/g, (_, port: string) => `localhost:${portOf(Number(port))}`)
    .replaceAll(/(scrape_interval|evaluation_interval|refresh_interval): .*/g, '$1: 3s')
  return run(config, quicken(shipped('alerts.yml')))
}

const FASTER = 20
const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const
/** Services look at some things every twenty seconds, however fast Prometheus is. */
const LEAST_AGE = 25

/**
 * Every duration of the rules is a twentieth: how long something holds (`for`), ranges, and the ages that are compared (`> 60`
 * and more, all in seconds), these at least 25 s.
 */
export function quicken(rules: string): string {
  return rules
    .replaceAll(
      /(for: |\[)(\d+)([smhd])\b/g,
      (_, before: string, count: string, unit: keyof typeof SECONDS) => {
        return `${before}${Math.ceil((Number(count) * SECONDS[unit]) / FASTER)}s`
      },
    )
    .replaceAll(/> (\d+)\b(?!\.)/g, (whole, given: string) => {
      const age = Number(given)
      return age < 60 ? whole : `> ${Math.max(LEAST_AGE, age / FASTER)}`
    })
}

async function run(config: string, rules: string): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-prometheus-'))
  writeFileSync(join(folder, 'alerts.yml'), rules)
  writeFileSync(join(folder, 'prometheus.yml'), config)
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
