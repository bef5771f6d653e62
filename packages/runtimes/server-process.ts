/*
 * Node's options for an anchor's server in every runtime: mostly idle, many on a machine. Measurements:
 * docs/adr/0015-anchor-servers-are-bundled.md.
 */

/** @param memory megabytes of JavaScript heap. */
export function nodeFlags(memory: number): string[] {
  return [
    `--max-old-space-size=${memory}`,
    // Node's default young generation takes about 70 MB.
    '--max-semi-space-size=1',
    // Four threads that share the collection of so small a heap take longer, all together, than one.
    '--single-threaded-gc',
    // Otherwise V8 collects old objects once or twice more while a new server is idle, to give memory back.
    '--no-incremental-marking',
    // For what a start leaves behind, once (packages/service/process/run.ts).
    '--expose-gc',
  ]
}

/** glibc allocator settings that return a compiler thread's memory to the machine. */
export const ALLOCATOR: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_TRIM_THRESHOLD_: '65536',
}
