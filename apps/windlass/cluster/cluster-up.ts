import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, readOptions, UsageError } from '../command.ts'
import { IMAGE } from '../containers/environments.ts'
import { SERVICES } from '../services.ts'
import { type Ask, askManager, ensureNetwork, showManager, STACK, writeStack } from './cluster.ts'
import { DATABASES, makeDatabases, migrate, MIGRATIONS, protectAuditLog } from './one-off.ts'

const HEALTHY_WITHIN_MS = 600_000
const COPIES = 2

export const clusterUp: Command = {
  summary: 'deploys the platform on a Docker Swarm, or changes what runs there without a request lost',
  usage: `WINDLASS_IMAGE=registry.example.com/${IMAGE} npm run cluster:up [-- --tls --copies number|part=number --no-deploy]

Run it where DOCKER_HOST is a manager (docs/guides/cluster.md). Generates the base env file if it is missing, writes
.windlass/cluster/stack.yml with its env files and secrets, deploys it, and waits until every copy is healthy. Databases
are migrated before a part that has one is replaced. What changed is replaced copy by copy; a part whose new copies do
not become healthy goes back to what it was.
  --tls        puts Caddy in front, on the node with the label windlass.edge=true
  --copies     of each part that several can run of, or of one part: ${COPIES} by default; may be repeated
  --no-deploy  only writes the file`,
  run: async context => {
    const { environment, progress } = context
    const { flags, values } = readOptions(context.args, ['tls', 'no-deploy'], ['copies'])
    const stack = { tls: flags.tls, copies: readCopies(values.copies) }
    const { first, migrations, whole } = writeStack(context, stack)
    progress.done('stack file', whole)
    if (flags['no-deploy']) return 0
    const ask = askManager(environment)
    await ensureNetwork(ask)
    const deploy = (file: string, ...more: string[]) => {
      const flags = ['--with-registry-auth', ...more, '--compose-file', file]
      return showManager(environment, 'stack', 'deploy', ...flags, STACK)
    }
    const steps = [
      ...(first === undefined ? [] : [() => untilHealthy(ask, () => deploy(first))]),
      () => makeDatabases(ask),
      () => migrate(ask, () => deploy(migrations), progress),
      () => protectAuditLog(ask, progress),
      // It removes the migrations, which have ended.
      () => untilHealthy(ask, () => deploy(whole, '--prune')),
    ]
    for (const step of steps) {
      const failed = await step()
      for (const each of failed) progress.fail(each)
      if (failed.length > 0) return 1
    }
    await removeUnusedFiles(ask)
    progress.done('platform', 'every copy is healthy')
    return 0
  },
}

/** @throws {UsageError} for a part of which one alone can run */
export function readCopies(given: readonly string[]): (part: string) => number {
  const byPart = new Map<string, number>()
  for (const text of given) {
    const [, part = '', number] = /^(?:([a-z-]+)=)?([1-9]\d?)$/.exec(text) ?? []
    const isKnown = part === '' || SERVICES.some(({ name, handsOver }) => name === part && handsOver)
    if (number === undefined || !isKnown)
      throw new UsageError(`--copies ${text}: not a number, or not of such a part`)
    byPart.set(part, Number(number))
  }
  return part => byPart.get(part) ?? byPart.get('') ?? COPIES
}

/** What keeps services from being as they should be once they were deployed: none where all are. */
async function untilHealthy(ask: Ask, deploy: () => Promise<void>): Promise<string[]> {
  // Some earlier deployments may have gone back.
  const before = new Set((await statesOf(ask)).map(({ changed }) => changed))
  await deploy()
  const until = performance.now() + HEALTHY_WITHIN_MS
  for (;;) {
    const states = await statesOf(ask)
    const ended = states.filter(({ changed }) => !before.has(changed))
    const reverted = ended.filter(({ update }) => update.startsWith('rollback') || update === 'paused')
    if (reverted.length > 0)
      return reverted.map(
        ({ name }) => `${name} went back to what it was; see docker service ps --no-trunc ${name}`,
      )
    const behind = states.filter(({ update, running, wanted }) => update === 'updating' || running !== wanted)
    if (behind.length === 0) return []
    if (performance.now() > until)
      return behind.map(({ name }) => `${name} is not healthy; see docker service ps --no-trunc ${name}`)
    await sleep(2_000)
  }
}

/** Services of the stack but those that end. */
async function statesOf(ask: Ask) {
  const ofStack = ['--filter', `label=com.docker.stack.namespace=${STACK}`]
  const listed = await ask('service', 'ls', ...ofStack, '--format', '{{.Name}} {{.Replicas}}')
  const lines = listed.split('\n').filter(line => line !== '')
  const rows = lines.map(line => line.split(/[ /]/))
  const services = rows.filter(([name]) => name !== DATABASES && name !== MIGRATIONS)
  const names = services.map(([name = '']) => name)
  if (names.length === 0) return []
  const format =
    '{{.Spec.Name}} {{if .UpdateStatus}}{{.UpdateStatus.State}} {{.UpdateStatus.StartedAt.UnixNano}}{{end}}'
  const updates = await ask('service', 'inspect', '--format', format, ...names)
  const updateOf = new Map(
    updates.split('\n').map(line => {
      const [name = '', update = '', changed = ''] = line.split(' ')
      return [name, { update, changed: `${name} ${changed}` }]
    }),
  )
  return services.map(([name = '', running, wanted]) => ({
    ...{ name, running, wanted, update: '', changed: '' },
    ...updateOf.get(name),
  }))
}

/** Those of former contents that no service has, nor would have again where it went back to what it was. */
async function removeUnusedFiles(ask: Ask): Promise<void> {
  const ofStack = ['--quiet', '--filter', `label=com.docker.stack.namespace=${STACK}`]
  const list = async (kind: string) => (await ask(kind, 'ls', ...ofStack)).split('\n').filter(Boolean)
  const services = await list('service')
  const format = '{{json .Spec}} {{json .PreviousSpec}}'
  const used = services.length === 0 ? '' : await ask('service', 'inspect', '--format', format, ...services)
  for (const kind of ['secret', 'config'])
    for (const id of await list(kind))
      if (!used.includes(`"${id}"`)) await ask(kind, 'rm', id).catch(() => undefined)
}
