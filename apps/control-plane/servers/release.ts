import type { Release, UpgradeRequest } from '@windlass/contracts/platform/anchor-life.ts'
import type { ServerRole, ServerSource, ServerState, Slot } from '@windlass/runtimes/runtime.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { setFirstRelease } from '../anchors/records.ts'
import type { Config } from '../config.ts'
import type { Deps } from '../deps.ts'
import { IMAGE_PROGRAMS, presentRelease, PROGRAMS, VERSION } from '../programs.ts'

/** The present release with what its images hold now; without that where the engine does not answer. */
export async function readPresentRelease({
  config,
  runtime,
}: Pick<Deps, 'config' | 'runtime'>): Promise<Release> {
  const release = presentRelease(config)
  if (!release.images) return release
  return withImageIds(release, role => runtime.imageId(role).catch(() => null))
}

async function withImageIds(
  release: Release,
  imageIdOf: (role: ServerRole) => Promise<string | null>,
): Promise<Release> {
  const [sep, business] = [await imageIdOf('sep'), await imageIdOf('business')]
  return sep && business ? { ...release, imageIds: { sep, business } } : release
}

/**
 * Records the release of an anchor that is older than the record, or than what the record has: `states` are those of its
 * SEP server and its business server.
 */
export async function recordRelease(
  { database, config }: Deps,
  anchorId: string,
  states: readonly (ServerState | null)[],
): Promise<void> {
  const version = states.find(state => state?.running)?.version
  const release: Release = { ...presentRelease(config), ...(version ? { version } : {}) }
  const [sep, business] = states
  const known = await withImageIds(release, async role => (role === 'sep' ? sep : business)?.imageId ?? null)
  await setFirstRelease(database.db, anchorId, known)
}

/** Whether the record of what an anchor runs from is whole. */
export const isRecorded = (release: Release | null): boolean =>
  release !== null && (!release.images || release.imageIds !== undefined)

/** What images hold counts where both know it. */
export function isSameRelease(one: Release, other: Release): boolean {
  const { imageIds: oneHolds, ...oneNamed } = one
  const { imageIds: otherHolds, ...otherNamed } = other
  if (!isDeepStrictEqual(oneNamed, otherNamed)) return false
  return !oneHolds || !otherHolds || isDeepStrictEqual(oneHolds, otherHolds)
}

/** As {@link sourceOf}; by its tag where the engine has the image's former content no more. */
export async function findSource(
  { runtime, release: present, config }: Pick<Deps, 'runtime' | 'release' | 'config'>,
  release: Release,
  role: ServerRole,
): Promise<ServerSource | undefined> {
  const source = sourceOf({ config, present }, release, role)
  if (!release.imageIds || !source?.image || (await runtime.canRun(role, source))) return source
  const { imageIds: _, ...named } = release
  return sourceOf({ config, present }, named, role)
}

/** Whether an anchor's servers of a release run in that slot, or could: after an upgrade of the platform there may be no program of theirs. */
export async function canServe(
  deps: Deps,
  { anchorId, release, slot }: { anchorId: string; release: Release; slot: Slot | null },
): Promise<boolean> {
  const serves = async (role: ServerRole) =>
    (await deps.runtime.inspect(anchorId, role, slot ?? undefined))?.running ||
    deps.runtime.canRun(role, await findSource(deps, release, role))
  return (await serves('sep')) && (await serves('business'))
}

/** Where a server of that release comes from; undefined: the runtime's default. */
function sourceOf(
  { config, present }: { config: Config; present: Release },
  release: Release,
  role: ServerRole,
): ServerSource | undefined {
  if (isSameRelease(release, present)) return undefined
  const { images, imageIds, version } = release
  if (!images) {
    if (version === VERSION) return undefined
    return { program: join(config.anchors.releasesFolder, version, PROGRAMS[role]) }
  }
  const ours = role === 'business' || images.sep === images.business
  return { image: imageIds?.[role] ?? images[role], ...(ours ? { program: IMAGE_PROGRAMS[role] } : {}) }
}

/** The requested release. Throws `release-not-found` where it cannot run here. */
export async function demandRelease(deps: Deps, wish: UpgradeRequest): Promise<Release> {
  const { config, runtime, release: present } = deps
  const release = wished(config, wish)
  const source = (role: ServerRole) => sourceOf({ config, present }, release, role)
  for (const role of ['sep', 'business'] as const) {
    if (!(await runtime.canRun(role, source(role)))) throw notFound(release)
  }
  return release.images ? withImageIds(release, role => runtime.imageId(role, source(role))) : release
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
