const STOPS = ['SIGINT', 'SIGTERM'] as const

/** A request to end, by Ctrl-C, `kill` or a closed terminal. */
interface Interruption {
  signal: AbortSignal
  happened: Promise<void>
}

/**
 * Listens for it. Further signals change nothing: in a terminal, npm and the shell pass the same Ctrl-C on several
 * times.
 */
export function requested(signals: readonly NodeJS.Signals[] = [...STOPS, 'SIGHUP']): Interruption {
  const controller = new AbortController()
  const happened = new Promise<void>(resolve => {
    for (const name of signals) {
      process.on(name, () => {
        controller.abort()
        resolve()
      })
    }
  })
  return { signal: controller.signal, happened }
}

/** As {@link requested}, of what runs on when its terminal is closed, such as over a connection that breaks. */
export function requestedBeyondTerminal(): Interruption {
  process.on('SIGHUP', () => undefined)
  // Nobody reads it any more.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  return requested(STOPS)
}
