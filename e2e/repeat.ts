import { setTimeout as sleep } from 'node:timers/promises'

/** Repeats it until it is over; what fails is a sentence, and what succeeds was acknowledged. */
export function repeat(act: () => Promise<void>) {
  const failures: string[] = []
  let [isOver, done] = [false, 0]
  const running = (async () => {
    while (!isOver) {
      await act().then(
        () => done++,
        (error: unknown) => failures.push(`${new Date().toISOString()} ${String(error)}`),
      )
      await sleep(200)
    }
  })()
  return {
    failures,
    done: () => done,
    stop: () => {
      isOver = true
      return running
    },
  }
}
