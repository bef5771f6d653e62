/** How often a stage is tried before the job is failed and waits for someone to retry it. */
export interface RetryPolicy {
  attempts: number
  /** Seconds before the second try; doubles, with jitter, up to `maxBackoff`. */
  backoff: number
  maxBackoff: number
  /** Seconds that all the tries of a round and the pauses between them may take. */
  budget: number
}

/** A round at the moment of a failure: the failures before it, and the seconds spent including it. */
export interface Round {
  failures: number
  spent: number
}

/**
 * Seconds until the next try: exponential with jitter. `null` when the round's tries or its time are used up.
 *
 * @param random from 0 up to 1
 */
export function nextTry(policy: RetryPolicy, { failures, spent }: Round, random: number): number | null {
  if (failures + 1 >= policy.attempts) return null
  const ceiling = Math.min(policy.maxBackoff, policy.backoff * 2 ** failures)
  const wait = ceiling / 2 + random * (ceiling / 2)
  return spent + wait >= policy.budget ? null : wait
}
