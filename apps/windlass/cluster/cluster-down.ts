import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, readFlags } from '../command.ts'
import { NETWORK } from '../containers/environments.ts'
import { type Ask, askManager, STACK } from './cluster.ts'

const OF_ANCHORS = 'label=windlass.anchor'
const OF_STACK = `label=com.docker.stack.namespace=${STACK}`
const ENDS_WITHIN_MS = 60_000

export const clusterDown: Command = {
  summary: 'removes the platform and anchors’ servers from a Docker Swarm; volumes of nodes stay',
  usage: `npm run cluster:down

Removes the platform's services, anchors' servers, their secrets and networks from the cluster whose manager DOCKER_HOST
is. Databases and other volumes of nodes stay; the next npm run cluster:up continues with them.`,
  run: async context => {
    readFlags(context.args, [])
    const ask = askManager(context.environment)
    // It would start anchors' servers again.
    await endTasks(ask, `name=${STACK}_control-plane`)
    await endTasks(ask, OF_ANCHORS)
    await endTasks(ask, OF_STACK)
    await removeAll(ask, 'service', OF_ANCHORS)
    await ask('stack', 'rm', STACK)
    for (const kind of ['secret', 'config']) await removeAll(ask, kind, OF_ANCHORS)
    await removeAll(ask, 'network', OF_ANCHORS, NETWORK)
    return 0
  },
}

/** A manager of release 20.10 can crash where a service, or its network, is removed while tasks of it end. */
async function endTasks(ask: Ask, filter: string): Promise<void> {
  const listed = await ask('service', 'ls', '--filter', filter, '--format', '{{.Name}} {{.Mode}}')
  const rows = listed.split('\n').map(line => line.split(' '))
  const names = rows.flatMap(([name, mode]) => (name && mode === 'replicated' ? [name] : []))
  if (names.length === 0) return
  await ask('service', 'scale', '--detach', ...names.map(name => `${name}=0`))
  const until = performance.now() + ENDS_WITHIN_MS
  const format = '{{.DesiredState}} {{.CurrentState}}'
  while (/^Remove|Running \w/m.test(await ask('service', 'ps', '--format', format, ...names))) {
    if (performance.now() > until) return
    await sleep(1_000)
  }
}

/** Those with the label, and one by its whole name. What is still in use for a moment is tried again. */
async function removeAll(ask: Ask, kind: string, filter: string, name?: string): Promise<void> {
  const until = performance.now() + ENDS_WITHIN_MS
  for (;;) {
    const list = async (...flags: string[]) => (await ask(kind, 'ls', ...flags)).split('\n').filter(Boolean)
    const named = name === undefined ? [] : await list('--format', '{{.Name}}')
    const ids = [...(await list('--quiet', '--filter', filter)), ...named.filter(each => each === name)]
    if (ids.length === 0) return
    try {
      await ask(kind, 'rm', ...ids)
    } catch (error) {
      if (performance.now() > until) throw error
    }
    await sleep(1_000)
  }
}
