import type { ProblemDocument } from '@windlass/contracts/common.ts'
import { problems, type ProblemCode } from '@windlass/contracts/problems.ts'

interface ProblemExtra {
  errors?: { path: string; message: string }[]
  headers?: Record<string, string>
  /** Further members of the document that a caller can act on. */
  extensions?: Record<string, unknown>
  /** For the log only; never leaves the service. */
  cause?: unknown
}

/** Thrown anywhere, rendered in one place. Callers read `detail`: it says what to do. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly status: number
  readonly extra: ProblemExtra

  constructor(code: ProblemCode, detail: string, extra: ProblemExtra = {}) {
    super(detail, { cause: extra.cause })
    this.name = 'Problem'
    this.code = code
    this.status = problems[code].status
    this.extra = extra
  }
}

/** One wrong value, named by its path in the request (`companyProfile.name`). */
export function invalid(path: string, message: string): Problem {
  return new Problem('validation-failed', `${path} ${message}.`, { errors: [{ path, message }] })
}

/** A dependency is down; the caller can retry after `retryAfter` seconds. */
export function unavailable(what: string, cause?: unknown, retryAfter = 5): Problem {
  return new Problem('dependency-unavailable', `${what} is not available. Try again shortly.`, {
    headers: { 'retry-after': String(retryAfter) },
    cause,
  })
}

/** The document of RFC 9457 for a problem. */
export function problemDocument(problem: Problem, requestId: string): ProblemDocument {
  return {
    ...problem.extra.extensions,
    type: `/docs/problems/${problem.code}`,
    title: problems[problem.code].title,
    status: problem.status,
    detail: problem.message,
    code: problem.code,
    requestId,
    ...(problem.extra.errors ? { errors: problem.extra.errors } : {}),
  }
}
