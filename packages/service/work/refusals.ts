/** Answers that may be others the next time: keys change, what is in the way ends. */
const passing = new Set([401, 403, 407, 408, 409, 421, 423, 425, 429])

interface Answered {
  status?: unknown
  code?: unknown
  problem?: { code?: unknown }
}

/** The code of an answer that a message gets however often it is sent (`validation-failed`); null: it may be taken later. */
export function refusalOf(error: unknown): string | null {
  const { status, code, problem } = (error ?? {}) as Answered
  if (typeof status !== 'number' || status < 400 || status > 499 || passing.has(status)) return null
  const named = problem?.code ?? code
  return typeof named === 'string' ? named.slice(0, 100) : `http-${status}`
}
