import type Docker from 'dockerode'
import { setTimeout as sleep } from 'node:timers/promises'
import { LABELS } from '../docker/container.ts'
import { tolerating } from '../docker/engine.ts'
import { changeService, scaledTo } from './change.ts'
import { asMade, isEdited } from './definition.ts'
import { listUnusedFiles } from './files.ts'
import { listTasks, replicasOf } from './tasks.ts'

const MISSING = 404
const TASKS_GO_WITHIN_MS = 20_000
/** Answers of an engine where something is still used. */
const USED = [400, 403, MISSING]

/** Removes an anchor's services and their files. Its network goes at a later tidying. */
export async function removeAnchor(engine: Docker, anchorId: string): Promise<void> {
  const label = [`${LABELS.anchor}=${anchorId}`]
  for (const { ID } of await engine.listServices({ filters: { label } })) {
    await untilTasksAreGone(engine, ID)
    await tolerating([MISSING], () => engine.getService(ID).remove())
  }
  const filters = JSON.stringify({ label })
  for (const { ID } of await engine.listSecrets({ filters })) await removeUnused(engine.getSecret(ID))
  for (const { ID } of await engine.listConfigs({ filters })) await removeUnused(engine.getConfig(ID))
}

/** A manager of release 20.10 can crash where a service is removed while tasks of its last replica are. */
async function untilTasksAreGone(engine: Docker, service: string): Promise<void> {
  for (const end = performance.now() + TASKS_GO_WITHIN_MS; performance.now() < end; await sleep(200)) {
    const tasks = await listTasks(engine, service)
    if (tasks.every(({ DesiredState }) => DesiredState !== 'remove')) return
  }
}

export const listServers = (engine: Docker): Promise<Docker.Service[]> =>
  engine.listServices({ filters: { label: [LABELS.anchor] } })

export const anchorOf = ({ Spec }: Docker.Service) => Spec?.Labels?.[LABELS.anchor] ?? ''

/**
 * Keeps a cluster as it should be. A server that someone edited or scaled is put back to one copy as it was made. Servers
 * of removed anchors are removed. Secrets and configurations that no service uses are removed once they were unused at
 * the last call too: a control plane may be creating their service right now, or may have died before it did.
 */
export function createTidying(engine: Docker) {
  let before = new Set<string>()
  return async (
    services: readonly Docker.Service[],
    removed: ReadonlyMap<string, boolean>,
  ): Promise<void> => {
    const isRemoved = (service: Docker.Service) => removed.get(anchorOf(service)) === true
    await removeStopped(engine, services.filter(isRemoved))
    for (const service of services.filter(each => !isRemoved(each))) {
      const isOther = replicasOf(service) > 1 || (isEdited(service) && !wentBack(service))
      if (isOther) await tolerating([MISSING], () => changeService(engine, service.ID, asMade()))
    }
    const unused = await listUnused(engine, services)
    for (const { id, remove } of unused) if (before.has(id)) await removeUnused({ remove })
    before = new Set(unused.map(({ id }) => id))
  }
}

/** A service that has replicas loses them first: it is removed at a later call. */
async function removeStopped(engine: Docker, services: readonly Docker.Service[]): Promise<void> {
  const running = services.filter(each => replicasOf(each) > 0)
  for (const { ID } of running) await tolerating([MISSING], () => changeService(engine, ID, scaledTo(0)))
  const left = new Set(running.map(anchorOf))
  const anchors = new Set(services.map(anchorOf))
  for (const anchorId of anchors) if (!left.has(anchorId)) await removeAnchor(engine, anchorId)
}

/** Whether its last update failed: the definition does not start, and another try would only interrupt what does. */
const wentBack = ({ UpdateStatus }: Docker.Service) => UpdateStatus?.State?.startsWith('rollback') === true

interface Removable {
  remove(): Promise<unknown>
}

async function listUnused(engine: Docker, services: readonly Docker.Service[]) {
  const { secrets, configs } = await listUnusedFiles(engine, services)
  const anchors = new Set(services.map(anchorOf))
  const networks = (await engine.listNetworks({ filters: { label: [LABELS.anchor] } })).filter(
    ({ Labels }) => !anchors.has(Labels?.[LABELS.anchor] ?? ''),
  )
  const attached = networks.length > 0 ? await listAttached(engine) : null
  return [
    ...secrets.map(id => ({ id, remove: () => engine.getSecret(id).remove() })),
    ...configs.map(id => ({ id, remove: () => engine.getConfig(id).remove() })),
    ...networks
      .filter(({ Id }) => !attached?.has(Id))
      .map(({ Id: id }) => ({ id, remove: () => engine.getNetwork(id).remove() })),
  ]
}

/**
 * The networks of all tasks that the cluster remembers. A manager of release 20.10 removes a network that containers still
 * use where their service is gone, and then gives their node no network any more.
 */
async function listAttached(engine: Docker): Promise<Set<string>> {
  const tasks = (await engine.listTasks()) as { NetworksAttachments?: { Network: { ID: string } }[] }[]
  const attachments = tasks.flatMap(({ NetworksAttachments = [] }) => NetworksAttachments)
  return new Set(attachments.map(({ Network }) => Network.ID))
}

async function removeUnused(thing: Removable): Promise<void> {
  await tolerating(USED, () => thing.remove())
}
