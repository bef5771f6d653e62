import type Docker from 'dockerode'
import { tolerating } from '../docker/engine.ts'
import { withoutTag } from './tasks.ts'

/**
 * An image by its content, so that all nodes run the same: as the registry has it, else as this manager has it. An image without a
 * registry is known to one engine alone and stays as it is. Null: there is none.
 */
export async function resolveImage(engine: Docker, image: string): Promise<string | null> {
  const found = engine.getImage(image)
  const atRegistry = await found.distribution().catch(() => null)
  const digest = atRegistry?.Descriptor.digest
  if (digest) return withoutTag(`${image.replace(/@.*$/, '')}@${digest}`)
  const here = await tolerating([404], () => found.inspect())
  if (!here) return null
  const name = withoutTag(`${image.replace(/@.*$/, '')}@`)
  return here.RepoDigests?.find(each => each.startsWith(name)) ?? here.Id
}
