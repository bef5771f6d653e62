import { Problem } from '@windlass/service/http/problem.ts'
import type { Entry } from './entry.ts'
import type { RegistryIndex } from './registry-index.ts'

/** The registered anchor with this id. Throws `anchor-not-found`. */
export function findEntry(index: RegistryIndex, id: string): Entry {
  const entry = index.get(id)
  if (!entry) throw new Problem('anchor-not-found', 'There is no anchor with this id in the registry.')
  return entry
}

/** As {@link findEntry}, also by slug or domain where exactly one anchor has it. */
export function findNamedEntry(index: RegistryIndex, name: string): Entry {
  const byId = index.get(name)
  if (byId) return byId
  const lower = name.toLowerCase()
  const named = [...index.entries()].filter(({ slug, domain }) => slug === lower || domain === lower)
  const [only] = named
  return named.length === 1 && only ? only : findEntry(index, name)
}
