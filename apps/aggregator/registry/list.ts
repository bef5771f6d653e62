import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { goesBy, spelled, type Entry } from './entry.ts'
import type { RegistryIndex } from './registry-index.ts'

interface EntryFilter extends PageQuery {
  asset?: string
  rail?: string
  region?: string
  status?: string
  available?: boolean
}

/** One page of the entries that pass, newest first. Read from memory, so it answers while the database is away. */
export function listEntries(index: RegistryIndex, filter: EntryFilter): Entry[] {
  const start = pageStart(filter)
  return [...index.entries()]
    .filter(entry => passes(entry, filter) && (start === null || isNewer(start, entry)))
    .sort((a, b) => (isNewer(a, b) ? -1 : 1))
    .slice(0, pageSize(filter))
}

interface Placed {
  createdAt: Date
  id: string
}

function isNewer(a: Placed, b: Placed): boolean {
  const difference = a.createdAt.getTime() - b.createdAt.getTime()
  return difference === 0 ? a.id > b.id : difference > 0
}

function passes(entry: Entry, { asset, rail, region, status, available }: EntryFilter): boolean {
  return (
    (!asset || supportsAsset(entry, spelled(asset))) &&
    (!rail || entry.rails.includes(rail.toUpperCase())) &&
    (!region || entry.regions.includes(region.toUpperCase())) &&
    (!status || entry.status === status.toLowerCase()) &&
    (available === undefined || entry.available === available)
  )
}

const supportsAsset = (entry: Entry, asset: string) => entry.assets.some(offered => goesBy(offered, asset))
