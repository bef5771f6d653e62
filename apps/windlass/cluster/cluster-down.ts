import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, readFlags } from '../command.ts'
import { NETWORK } from '../containers/environments.ts'
import { type Ask, askManager, STACK } from './cluster.ts'

const ANCHORS = ['--filter', 'label=windlass.anchor']
const ENDS_WITHIN_MS = 60_000

export const clusterDown: Command = {
  summary: 'removes the platform and anchors’ servers from a Docker Swarm; volumes of nodes stay',
  usage: `npm run cluster:down

Removes the platform's services, anchors' servers, their secrets and networks from the cluster whose manager DOCKER_HOST
is. Databases and other volumes of nodes stay; the next npm run cluster:up continues with them.`,
  run: async context => {
    readFlags(context.args, [])
    const ask = askManager(context.environment)
    const listed = async (...args: string[]) => (await ask(...args)).split('\n').filter(Boolean)
    // It would start anchors' servers again.
    await ask('service', 'rm', `${STACK}_control-plane`).catch(() => undefined)
    await untilNoTasks(ask)
    const services = await listed('service', 'ls', '--quiet', ...ANCHORS)
    if (services.length > 0) await ask('service', 'rm', ...services)
    await ask('stack', 'rm', STACK)
    for (const kind of ['secret', 'config', 'network']) {
      const found = await listed(kind, 'ls', '--quiet', ...ANCHORS)
      for (const id of found) await removeUnused(ask, kind, id)
    }
    await removeUnused(ask, 'network', NETWORK)
    return 0
  },
}

async function untilNoTasks(ask: Ask): Promise<void> {
  const until = performance.now() + ENDS_WITHIN_MS
  const running = () => ask('ps', '--quiet', '--filter', `name=${STACK}_control-plane`)
  while ((await running()) !== '' && performance.now() < until) await sleep(500)
}

/** A network is in use until the last container of it has ended. */
async function removeUnused(ask: Ask, kind: string, id: string): Promise<void> {
  const until = performance.now() + ENDS_WITHIN_MS
  for (;;) {
    const isGone = await ask(kind, 'rm', id).then(
      () => true,
      (error: unknown) => /no such|not found/i.test(String(error)),
    )
    if (isGone || performance.now() > until) return
    await sleep(1_000)
  }
}
