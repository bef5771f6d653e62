import { Problem } from '@windlass/service/problem.ts'
import type { RenderProblem } from '@windlass/service/render-problem.ts'

/** The SEPs' own form of an error: `{error}`; a missing or wrong token also says so by `type` (SEP-6, SEP-24). */
export const renderSepError: RenderProblem = problem => ({
  contentType: 'application/json; charset=utf-8',
  body: JSON.stringify({
    ...problem.extra.extensions,
    error: problem.message,
  }),
})

/** 403 as SEP-6, SEP-24 and SEP-38 ask for where a token is missing or not good. */
export function notAuthenticated(detail = 'Send a token from SEP-10 as Authorization: Bearer.'): Problem {
  return new Problem('forbidden', detail, { extensions: { type: 'authentication_required' } })
}

/** 400 with a message for the wallet. */
export function refused(message: string): Problem {
  return new Problem('validation-failed', message)
}
