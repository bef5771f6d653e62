import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves once `holds` does; throws after `within` milliseconds. */
export async function waitUntil(
  what: string,
  holds: () => boolean | Promise<boolean>,
  within = 10_000,
): Promise<void> {
  const start = performance.now()
  while (!(await holds())) {
    if (performance.now() - start > within) throw new Error(`not within ${within} ms: ${what}`)
    await sleep(20)
  }
}
