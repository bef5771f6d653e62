/** The right to begin: those who ask first get it first. */
export interface Turns {
  /** Resolves to what ends the turn, to be called once. Throws the reason of `signal` where that aborts before. */
  take(signal: AbortSignal): Promise<() => void>
}

/** @param most how many have their turn at a time */
export function createTurns(most: number): Turns {
  const waiting = new Set<() => void>()
  let taken = 0
  const end = (): void => {
    taken -= 1
    const [first] = waiting
    first?.()
  }
  return {
    take: (signal): Promise<() => void> => {
      const { promise, resolve, reject } = Promise.withResolvers<() => void>()
      const leave = (): void => {
        waiting.delete(begin)
        reject(signal.reason as Error)
      }
      const begin = (): void => {
        waiting.delete(begin)
        signal.removeEventListener('abort', leave)
        taken += 1
        resolve(end)
      }
      if (signal.aborted) leave()
      else if (taken < most) begin()
      else {
        waiting.add(begin)
        signal.addEventListener('abort', leave, { once: true })
      }
      return promise
    },
  }
}
