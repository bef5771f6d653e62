interface Bound<V> {
  /** In `windlass_cache_bytes`. */
  name: string
  maxBytes: number
  /** Without its key. */
  sizeOf(value: V): number
}

/** What a map holds of an entry beside key and value, about. */
const ENTRY_BYTES = 100

const all = new Map<string, Set<WeakRef<BoundedCache<never>>>>()

/**
 * Values by key, of which the oldest go when all together are too large (docs/adr/0133): where strangers choose keys or
 * values, a number of entries is no bound.
 */
export class BoundedCache<V> {
  readonly #bound: Bound<V>
  readonly #kept = new Map<string, { value: V; bytes: number }>()
  #bytes = 0

  constructor(bound: Bound<V>) {
    this.#bound = bound
    const same = all.get(bound.name) ?? new Set()
    all.set(bound.name, same.add(new WeakRef(this as unknown as BoundedCache<never>)))
  }

  get(key: string): V | undefined {
    return this.#kept.get(key)?.value
  }

  /** Keeps a value as the newest; one that is too large alone is not kept. */
  set(key: string, value: V): void {
    this.delete(key)
    const { sizeOf, maxBytes } = this.#bound
    const bytes = ENTRY_BYTES + 2 * key.length + sizeOf(value)
    if (bytes > maxBytes) return
    this.#kept.set(key, { value, bytes })
    this.#bytes += bytes
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= maxBytes) return
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0
    this.#kept.delete(key)
  }

  get size(): number {
    return this.#kept.size
  }

  get bytes(): number {
    return this.#bytes
  }
}

/** What this process keeps, by cache. */
export function cacheSizes(): { name: string; entries: number; bytes: number }[] {
  return [...all].map(([name, refs]) => {
    const caches = [...refs].flatMap(ref => {
      const cache = ref.deref()
      if (!cache) refs.delete(ref)
      return cache ?? []
    })
    const sum = (of: (cache: BoundedCache<never>) => number) =>
      caches.reduce((total, cache) => total + of(cache), 0)
    return { name, entries: sum(({ size }) => size), bytes: sum(({ bytes }) => bytes) }
  })
}
