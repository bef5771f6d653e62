import { Problem } from '@windlass/service/http/problem.ts'
import { inLanguage } from './requests/language.ts'
import type { RenderProblem } from '@windlass/service/http/render-problem.ts'

/** Errors as the SEPs define them: `{error}`, with `type` for a missing or invalid token (SEP-6, SEP-24). */
export const renderSepError: RenderProblem = (problem, { query }) => {
  // A request whose target cannot be read has no query.
  const { lang } = (query ?? {}) as { lang?: unknown }
  const answer = { ...problem.extra.extensions, error: problem.message }
  return {
    contentType: 'application/json; charset=utf-8',
    body: JSON.stringify(inLanguage(typeof lang === 'string' ? lang : null, answer)),
  }
}

/** 403 for a missing or invalid token, as in SEP-6, SEP-24 and SEP-38. */
export function notAuthenticated(detail = 'Send a token from SEP-10 as Authorization: Bearer.'): Problem {
  return new Problem('forbidden', detail, { extensions: { type: 'authentication_required' } })
}

/** 400 with a message for the wallet. */
export function badRequest(message: string): Problem {
  return new Problem('validation-failed', message)
}
