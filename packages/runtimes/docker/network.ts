import type Docker from 'dockerode'
import { RuntimeError } from '../runtime.ts'
import { creating, tolerating } from './engine.ts'

const IN_USE = 403
const MISSING = 404

/**
 * A network's id; it is created when missing. An engine lets two concurrent requests both create a network of the same
 * name, which then is ambiguous: all use the oldest and remove the others.
 */
export async function ensureNetwork(
  engine: Docker,
  wanted: Docker.NetworkCreateOptions & { Name: string },
): Promise<string> {
  const name = wanted.Name
  // The host network has only its name.
  if (name === 'host') return name
  const found = await networksCalled(engine, name)
  if (found.length === 0) {
    await creating(() => engine.createNetwork({ ...wanted, CheckDuplicate: true }))
  }
  const [oldest, ...others] = found.length === 1 ? found : await networksCalled(engine, name)
  if (!oldest) throw new RuntimeError('server-not-started', `There is no network ${name}.`)
  await Promise.all(others.map(id => tolerating([IN_USE, MISSING], () => engine.getNetwork(id).remove())))
  return oldest
}

/** Ids, the oldest first. */
async function networksCalled(engine: Docker, name: string): Promise<string[]> {
  const found = await engine.listNetworks({ filters: { name: [name] } })
  return found
    .filter(({ Name }) => Name === name)
    .map(({ Created, Id }) => ({ Id, age: `${Created} ${Id}` }))
    .toSorted((one, other) => (one.age < other.age ? -1 : 1))
    .map(({ Id }) => Id)
}
