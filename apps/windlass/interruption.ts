/** A request to end, by Ctrl-C, `kill` or a closed terminal. */
interface Interruption {
  signal: AbortSignal
  happened: Promise<void>
}

/**
 * Listens for it. Further signals change nothing: in a terminal, npm and the shell pass the same Ctrl-C on several
 * times.
 */
export function requested(): Interruption {
  const controller = new AbortController()
  const happened = new Promise<void>(resolve => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(name, () => {
        controller.abort()
        resolve()
      })
    }
  })
  return { signal: controller.signal, happened }
}
