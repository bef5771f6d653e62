import { monitorEventLoopDelay } from 'node:perf_hooks'
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'

/** How often the event loop is timed: more often takes a noticeable part of an idle process's processor time. */
const RESOLUTION_MS = 1_000
/** The longest time of a timer. Otherwise prom-client times the event loop every 10 ms, for metrics that are replaced here. */
const NEVER_MS = 2 ** 31 - 1
const REPLACED = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99']

const nameOf = (statistic: string) => `nodejs_eventloop_lag_${statistic}_seconds`

/** The metrics of the process and of Node, with how late timers were since the metrics were last read. */
export function collectProcessMetrics(registry: Registry, resolutionMs = RESOLUTION_MS): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS })
  for (const statistic of REPLACED) registry.removeSingleMetric(nameOf(statistic))
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  delays.enable()
  const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - resolutionMs / 1_000)
  const gauge = (statistic: string, help: string, read: () => number) => {
    const each: Gauge = new Gauge({
      name: nameOf(statistic),
      help,
      registers: [registry],
      // Where no timer has ended since, such as for a second Prometheus, the last value stays: 0 would end an alert.
      collect: () => {
        if (delays.count > 0) each.set(seconds(read()))
      },
    })
  }
  gauge('max', 'The longest event loop delay', () => delays.max)
  gauge('p99', '99th percentile of the event loop delays', () => {
    const value = delays.percentile(99)
    // Metrics are read in the order in which they were registered.
    delays.reset()
    return value
  })
}
