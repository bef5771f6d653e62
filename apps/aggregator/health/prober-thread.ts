import { systemClock } from '@windlass/service/work/clock.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { createOutboundOnce } from '@windlass/service/outbound/outbound-once.ts'
import { openDatabase } from '@windlass/service/postgres/database.ts'
import { getPriority, setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { watchDatabase } from '../database/watch.ts'
import { discoveryUrl } from '../discovery/address.ts'
import type { Tables } from '../tables.ts'
import { readSleeping } from './asleep.ts'
import { createProber, type ThreadCall, type ThreadData, type ThreadMessage } from './polling.ts'

/** Nice value; a thread of 0 gets three times the processor time of one of 5 where there is not enough for both. */
const POLLING_PRIORITY = 5

/* The thread of a prober: it polls the anchors, writes the checks and passes them on. */

// A probe can wait, an answer should not. Only Linux has a priority for each thread; elsewhere it is the process'. One that
// was started with a lower priority may not raise it.
if (process.platform === 'linux') setPriority(Math.max(POLLING_PRIORITY, getPriority()))

const data = workerData as ThreadData
const { databaseUrl, databaseAnswersWithinMs, outbound: options, pollSeconds, local, logLevel } = data
const listSleeping = readSleeping(data.controlPlaneUrl, data.serviceSecret)
const logger = createLogger('aggregator', logLevel).child({ thread: 'polling' })
const database = openDatabase<Tables>(databaseUrl, {
  name: 'aggregator polling',
  max: 4,
  onError: error => logger.warn({ err: error }, 'a database connection broke'),
})
const outbound = createOutboundOnce(options)
const urlOf = (domain: string) => discoveryUrl(domain, { local, ingress: options.ingress })
const send = (message: ThreadMessage): void => parentPort?.postMessage(message)
const started = watchDatabase(database, systemClock, logger, databaseAnswersWithinMs).then(watch => {
  const deps = { database, watch, clock: watch.clock, outbound, logger, pollSeconds, urlOf, listSleeping }
  const prober = createProber(deps, {
    checked: checked => send({ checked }),
    writing: writing => send({ writing }),
    owns: owns => send({ owns }),
  })
  return { watch, prober }
})

async function act(call: ThreadCall): Promise<void> {
  const { prober, watch } = await started
  if (call.act === 'put') return prober.put(call.anchors, call.removed)
  if (call.act === 'probeNow') return prober.probeNow(call.id)
  if (call.act !== 'stop') return prober[call.act]()
  await prober.stop()
  await watch.stop()
  // An anchor's server must not keep us from stopping.
  await Promise.race([outbound.close(), sleep(1_000, undefined, { ref: false })])
  await database.close()
}

parentPort?.on('message', (call: ThreadCall) => {
  act(call)
    .catch(error => logger.error({ err: error }, 'a call of the polling thread failed'))
    .finally(() => {
      send({ done: call.call })
      if (call.act !== 'stop') return
      parentPort?.close()
      // Whatever else is open.
      setTimeout(() => process.exit(0), 1_000).unref()
    })
})
