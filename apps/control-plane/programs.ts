import type { ServerRole } from '@windlass/runtimes/runtime.ts'
import type { Release } from '@windlass/contracts/platform/anchor-life.ts'
import packageFile from '../../package.json' with { type: 'json' }

/** The version of the servers' software: it comes from the same checkout. */
export const VERSION = packageFile.version

interface AnchorSettings {
  runtime: { kind: 'processes' } | { kind: 'docker' | 'swarm'; image: string; sepImage?: string }
}

/** The release that new anchors run from and existing ones are upgraded to, by its names. */
export function presentRelease({ anchors: { runtime } }: { anchors: AnchorSettings }): Release {
  if (runtime.kind === 'processes') return { version: VERSION }
  const { image, sepImage } = runtime
  return { version: VERSION, images: { sep: sepImage ?? image, business: image } }
}

/** What each server runs, from the root of a checkout. */
export const PROGRAMS: Readonly<Record<ServerRole, string>> = {
  sep: 'apps/sep-server/main.ts',
  business: 'apps/business-server/main.ts',
}

/** The same in our image, bundled there, from its working folder. */
export const IMAGE_PROGRAMS: Readonly<Record<ServerRole, string>> = {
  sep: 'anchor-servers/sep.mjs',
  business: 'anchor-servers/business.mjs',
}
