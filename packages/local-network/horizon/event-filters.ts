import type { AssetEvent } from './asset-events.ts'

const filtersAtOnce = 5

interface Filter {
  readonly type?: unknown
  readonly contractIds?: readonly unknown[]
  readonly topics?: readonly (readonly unknown[])[]
}

/** Why RPC does not take the filters; otherwise whether they want an event. Without any, all are wanted. */
export function readFilters(given: unknown): string | ((contract: string, event: AssetEvent) => boolean) {
  const filters: unknown = given ?? []
  if (!Array.isArray(filters) || !filters.every(isFilter)) return 'filters must be a list of objects'
  if (filters.length > filtersAtOnce) return `maximum ${filtersAtOnce} filters per request`
  return (contract, event) => filters.length === 0 || filters.some(filter => matches(filter, contract, event))
}

function isFilter(given: unknown): given is Filter {
  if (typeof given !== 'object' || given === null) return false
  const { contractIds = [], topics = [] } = given as Filter
  return Array.isArray(contractIds) && Array.isArray(topics) && topics.every(each => Array.isArray(each))
}

function matches(
  { type, contractIds = [], topics = [] }: Filter,
  contract: string,
  event: AssetEvent,
): boolean {
  const isType = type === undefined || type === '' || String(type).split(',').includes('contract')
  return (
    isType &&
    (contractIds.length === 0 || contractIds.includes(contract)) &&
    (topics.length === 0 || topics.some(segments => fits(segments, event)))
  )
}

/** `*` is any topic, `**` at the end any number of them. */
function fits(segments: readonly unknown[], { topics }: AssetEvent): boolean {
  const isOpen = segments.at(-1) === '**'
  const fixed = isOpen ? segments.slice(0, -1) : segments
  if (isOpen ? topics.length < fixed.length : topics.length !== fixed.length) return false
  return fixed.every((segment, index) => segment === '*' || segment === topics[index]?.toXdr('base64'))
}
