import { ProblemError } from './client.ts'

/** A failed request in words for the reader of the screen. */
export interface ErrorDescription {
  /** `expired`: the session has ended. `forbidden`: signed in but not allowed. `unreachable`: no answer. */
  kind: 'unreachable' | 'expired' | 'forbidden' | 'missing' | 'refused' | 'broken'
  title: string
  detail: string
  /** Identifies the request for support. */
  requestId?: string
}

/** The words of failures that no problem document describes. A console may replace them by its language's. */
export const failureTexts = {
  unreachable: {
    title: 'No connection to Windlass',
    detail: 'The service did not respond. Check your connection, then retry.',
  },
  broken: {
    title: 'An error occurred on this page',
    detail: 'Reload the page. If the error persists, contact support and describe what you did.',
  },
}

/** In another language, the titles of problems by their code; a code without one keeps the document's own. */
export const failureTitles: Record<string, string> = {}

/** The words of the problem document where there is one: they are written for outside readers. */
export function describeError(error: unknown): ErrorDescription {
  if (error instanceof ProblemError) {
    const { code, detail, requestId } = error.problem
    const title = failureTitles[code] ?? error.problem.title
    return { kind: kindOf(error.status), title, detail, ...(requestId ? { requestId } : {}) }
  }
  // `fetch` throws a TypeError when there is no answer: no network, or the service is down.
  if (error instanceof TypeError) {
    return { kind: 'unreachable', ...failureTexts.unreachable }
  }
  return { kind: 'broken', ...failureTexts.broken }
}

function kindOf(status: number): ErrorDescription['kind'] {
  if (status === 401) return 'expired'
  if (status === 403) return 'forbidden'
  if (status === 404 || status === 410) return 'missing'
  return status >= 500 ? 'broken' : 'refused'
}

/** Whether the session has ended or never began. */
export const isSignedOut = (error: unknown): boolean => error instanceof ProblemError && error.status === 401

/** The problem's stable code, where the error is a problem document. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof ProblemError ? error.problem.code : undefined

/** The error of each refused value, by its path in the request (`companyProfile.name`). */
export function fieldErrorsOf(error: unknown): Record<string, string> {
  if (!(error instanceof ProblemError) || !error.problem.errors) return {}
  return Object.fromEntries(
    error.problem.errors.map(({ path, message }) => [pathOf(path), sentence(message)]),
  )
}

const pathOf = (path: string) => path.replace(/^\//, '').replaceAll('/', '.')

const sentence = (message: string) => message.charAt(0).toUpperCase() + message.slice(1)
