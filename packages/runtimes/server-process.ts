/*
 * How Node is to run an anchor's server, whatever the runtime: mostly idle, many to a machine. The figures are in
 * docs/adr/0015-anchor-servers-are-bundled.md.
 */

/** @param memory megabytes of JavaScript heap. */
export function nodeFlags(memory: number): string[] {
  return [
    `--max-old-space-size=${memory}`,
    // A young generation of Node's own size would come to some 70 MB.
    '--max-semi-space-size=1',
    // Its bundle has a map of our own sources alone.
    '--enable-source-maps',
  ]
}

/** Settings of glibc's allocator: what a compiler's thread took for a moment goes back to the machine. */
export const ALLOCATOR: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_TRIM_THRESHOLD_: '65536',
}
