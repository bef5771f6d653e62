/** A server that was just started answers those who wait for it first, and may be stopped a minute later. */
const SOON_MS = 10_000

/** For a loop whose first round can wait: milliseconds until it, and then between two rounds. Goes with `startNow: false`. */
export function soonThenEvery(everyMs: number): () => number {
  let isFirst = true
  return () => {
    const wait = isFirst ? SOON_MS : everyMs
    isFirst = false
    return wait
  }
}
