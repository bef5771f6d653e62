import type { Release, UpgradeRequest } from '@windlass/contracts/anchor-life.ts'
import type { ServerRole, ServerSource, ServerState } from '@windlass/runtimes/runtime.ts'
import { Problem } from '@windlass/service/problem.ts'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { setFirstRelease } from '../anchors/records.ts'
import type { Config } from '../config.ts'
import type { Deps } from '../deps.ts'
import { IMAGE_PROGRAMS, PROGRAMS, VERSION } from '../programs.ts'

/** The release that new anchors run from and existing ones are upgraded to. */
export function presentRelease({ anchors: { runtime } }: Config): Release {
  if (runtime.kind === 'processes') return { version: VERSION }
  const { image, sepImage } = runtime
  return { version: VERSION, images: { sep: sepImage ?? image, business: image } }
}

/** Records the release of an anchor that is older than the record. */
export async function recordRelease(
  { database, config }: Deps,
  anchorId: string,
  states: readonly (ServerState | null)[],
): Promise<void> {
  const version = states.find(state => state?.running)?.version
  const release: Release = { ...presentRelease(config), ...(version ? { version } : {}) }
  await setFirstRelease(database.db, anchorId, release)
}

export const isSameRelease = (one: Release, other: Release): boolean => isDeepStrictEqual(one, other)

/** Where a server of that release comes from; undefined: the runtime's default. */
export function sourceOf(config: Config, release: Release, role: ServerRole): ServerSource | undefined {
  if (isSameRelease(release, presentRelease(config))) return undefined
  const { images, version } = release
  if (!images) {
    if (version === VERSION) return undefined
    return { program: join(config.anchors.releasesFolder, version, PROGRAMS[role]) }
  }
  const ours = role === 'business' || images.sep === images.business
  return { image: images[role], ...(ours ? { program: IMAGE_PROGRAMS[role] } : {}) }
}

/** The requested release. Throws `release-not-found` where it cannot run here. */
export async function demandRelease(deps: Deps, wish: UpgradeRequest): Promise<Release> {
  const release = wished(deps.config, wish)
  for (const role of ['sep', 'business'] as const) {
    if (!(await deps.runtime.canRun(role, sourceOf(deps.config, release, role)))) throw notFound(release)
  }
  return release
}

function wished(config: Config, { version, image, protocolImage }: UpgradeRequest): Release {
  const present = presentRelease(config)
  if (!present.images) {
    if (image === undefined && protocolImage === undefined) return { version: version ?? present.version }
    throw new Problem('release-not-found', 'Servers run as processes here: name a version, not an image.')
  }
  const business = image ?? (version ? retagged(present.images.business, version) : present.images.business)
  const own = present.images.sep === present.images.business ? business : present.images.sep
  const images = { sep: protocolImage ?? own, business }
  return { version: version ?? tagOf(business) ?? present.version, images }
}

/** A reference's last part may carry a tag; a colon before belongs to the registry's port. */
const TAGGED = /^(.*?)(?::([\w][\w.-]*))?(?:@[^/]*)?$/s

function tagOf(image: string): string | undefined {
  const last = image.slice(image.lastIndexOf('/') + 1)
  return TAGGED.exec(last)?.[2]
}

function retagged(image: string, version: string): string {
  const slash = image.lastIndexOf('/') + 1
  const name = TAGGED.exec(image.slice(slash))?.[1] ?? ''
  return `${image.slice(0, slash)}${name}:${version}`
}

function notFound({ version, images }: Release): Problem {
  const what = images
    ? `The engine lacks ${[...new Set([images.sep, images.business])].join(' or ')}.`
    : `There is no release ${version} below releases.`
  return new Problem('release-not-found', what)
}
