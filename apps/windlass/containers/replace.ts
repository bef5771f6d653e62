import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Service } from '../services.ts'
import type { ComposeStack } from './compose.ts'
import { IMAGE, NETWORK } from './environments.ts'

const HEALTHY_WITHIN_MS = 120_000
/** A container that ended this often does not become healthy. */
const MANY_STARTS = 3

/** Parts whose container runs. */
export async function runningParts(stack: ComposeStack): Promise<Service[]> {
  const names = await stack.ask('ps', '--format', '{{.Names}}', '--filter', `network=${NETWORK}`)
  const running = new Set(names.split('\n'))
  return stack.services.filter(({ name }) => running.has(containerOf(name)))
}

/** Whether a part runs from another image or with other settings than it would be started with now. */
export async function isOutdated(stack: ComposeStack, { name }: Service): Promise<boolean> {
  const format = '{{.Image}} {{.Created}} {{index .Config.Labels "windlass.stack"}}'
  const found = await stack.ask('inspect', '--format', format, containerOf(name))
  const [image, created = '', fingerprint] = found.split(' ')
  if (image !== (await stack.ask('image', 'inspect', '--format', '{{.Id}}', IMAGE))) return true
  const settings = statSync(join(stack.envFolder, `${name}.env`))
  return fingerprint !== stack.fingerprint || settings.mtime > new Date(created)
}

/**
 * Replaces a part without a pause: a second container takes its requests while the first ends and starts again.
 *
 * @param startAgain ends the first container and starts it again
 * @throws {Error} where the new one does not become healthy: the old one continues, or the second.
 */
export async function replacePart(
  stack: ComposeStack,
  part: Service,
  startAgain: (container: string) => Promise<void>,
): Promise<void> {
  const container = containerOf(part.name)
  const second = secondOf(part)
  await stack.compose('up', '-d', '--no-deps', '--force-recreate', second)
  try {
    await untilHealthy(stack, part, containerOf(second))
  } catch (error) {
    await stack.compose('stop', second)
    throw error
  }
  await startAgain(container)
  await untilHealthy(stack, part, container)
  await stack.compose('rm', '--stop', '--force', second)
}

/** Those of a replacement that was interrupted, once the first ones run. */
export async function removeSecondContainers(stack: ComposeStack): Promise<void> {
  const names = await stack.ask('ps', '--all', '--format', '{{.Names}}', '--filter', `network=${NETWORK}`)
  const left = new Set(names.split('\n'))
  const seconds = stack.services.filter(isReplaceable).map(secondOf)
  const found = seconds.filter(second => left.has(containerOf(second)))
  if (found.length > 0) await stack.compose('rm', '--stop', '--force', ...found)
}

/** Asked inside of the container: two may have the part's name on the network. */
async function untilHealthy(
  stack: ComposeStack,
  { title, ports, health }: Service,
  container: string,
): Promise<void> {
  const until = performance.now() + HEALTHY_WITHIN_MS
  const isHealthy = () =>
    stack.ask('exec', container, 'healthy', String(ports[0]?.[1]), health).then(
      () => true,
      () => false,
    )
  while (!(await isHealthy())) {
    const starts = Number(await stack.ask('inspect', '--format', '{{.RestartCount}}', container))
    if (starts >= MANY_STARTS || performance.now() > until)
      throw new Error(`the new ${title} did not become healthy; see docker logs ${container}`)
    await sleep(300)
  }
}

export const isReplaceable = ({ handsOver }: Service): boolean => handsOver === true
const secondOf = ({ name }: Service): string => `${name}-2`
const containerOf = (name: string): string => `windlass-${name}`
