import { Problem } from '@windlass/service/http/problem.ts'
import type { RenderProblem } from '@windlass/service/http/render-problem.ts'

/** Errors as the SEPs define them: `{error}`, with `type` for a missing or invalid token (SEP-6, SEP-24). */
export const renderSepError: RenderProblem = problem => ({
  contentType: 'application/json; charset=utf-8',
  body: JSON.stringify({
    ...problem.extra.extensions,
    error: problem.message,
  }),
})

/** 403 for a missing or invalid token, as in SEP-6, SEP-24 and SEP-38. */
export function notAuthenticated(detail = 'Send a token from SEP-10 as Authorization: Bearer.'): Problem {
  return new Problem('forbidden', detail, { extensions: { type: 'authentication_required' } })
}

/** 400 with a message for the wallet. */
export function badRequest(message: string): Problem {
  return new Problem('validation-failed', message)
}
