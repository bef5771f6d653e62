import { setTimeout as sleep } from 'node:timers/promises'
import type { Progress } from '../progress.ts'
import { type Ask, STACK } from './cluster.ts'

// Services of the stack that do one thing and end. Each function resolves to what went wrong, if anything did.

export const DATABASES = `${STACK}_databases`
export const MIGRATIONS = `${STACK}_migrations`
const STARTS_WITHIN_MS = 600_000

/** Waits until the parts' databases are there, where the stack has a Postgres of its own. */
export async function makeDatabases(ask: Ask): Promise<string[]> {
  if (!(await isThere(ask, DATABASES))) return []
  return (await untilOver(ask, DATABASES)) ? [] : [`The databases were not made: ${seeLogs(DATABASES)}.`]
}

/** Before any copy is replaced: one that migrates for longer than its health check waits would be taken for broken. */
export async function migrate(ask: Ask, deploy: () => Promise<void>, progress: Progress): Promise<string[]> {
  if (await isThere(ask, MIGRATIONS)) {
    // An earlier cluster:up may have failed or been interrupted.
    await untilOver(ask, MIGRATIONS)
    await ask('service', 'rm', MIGRATIONS)
  }
  await deploy()
  if (!(await untilOver(ask, MIGRATIONS)))
    return [
      `A database was not migrated, and no part that has one was replaced: ${seeLogs(MIGRATIONS)}. Remove the cause, then run cluster:up again.`,
    ]
  progress.done('migrations', 'every database is as this release needs it')
  return []
}

/** Once its tables are there. */
export async function protectAuditLog(ask: Ask, progress: Progress): Promise<string[]> {
  if (!(await isThere(ask, DATABASES))) return []
  const before = (await runsOf(ask, DATABASES)).map(({ id }) => id)
  await ask('service', 'update', '--detach', '--force', DATABASES)
  if (!(await untilOver(ask, DATABASES, before)))
    return [`The audit log got no owner of its own: ${seeLogs(DATABASES)}.`]
  progress.done('databases', 'the audit log has an owner of its own')
  return []
}

const seeLogs = (service: string) =>
  `see docker service logs ${service} and docker service ps --no-trunc ${service}`

async function isThere(ask: Ask, service: string): Promise<boolean> {
  const names = await ask('service', 'ls', '--format', '{{.Name}}', '--filter', `name=${service}`)
  return names.split('\n').includes(service)
}

/** Runs of a service, the newest first. */
async function runsOf(ask: Ask, service: string) {
  const format = '{{.ID}} {{.DesiredState}} {{.CurrentState}}'
  const listed = await ask('service', 'ps', '--no-trunc', '--format', format, service)
  return listed.split('\n').flatMap(line => {
    const [id = '', wanted = '', state = ''] = line.split(' ')
    return id === '' ? [] : [{ id, wanted, state }]
  })
}

/**
 * Whether a service that ends has done its work. While it runs it may take as long as it needs, such as for a large table.
 *
 * @param before runs that are not waited for
 */
async function untilOver(ask: Ask, service: string, before: readonly string[] = []): Promise<boolean> {
  for (let until = performance.now() + STARTS_WITHIN_MS; performance.now() < until; await sleep(1_000)) {
    const [newest] = (await runsOf(ask, service)).filter(({ id }) => !before.includes(id))
    if (newest?.state === 'Complete') return true
    // Where the cluster tries again, there is a newer one.
    if (newest?.wanted === 'Shutdown') return false
    if (newest?.state === 'Running') until = performance.now() + STARTS_WITHIN_MS
  }
  return false
}
