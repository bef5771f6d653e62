import { ProblemError } from './client.ts'

/** A failed call in words for the person in front of the screen. */
export interface Trouble {
  /** `expired`: the session is over. `forbidden`: signed in, not allowed. `unreachable`: no answer at all. */
  kind: 'unreachable' | 'expired' | 'forbidden' | 'missing' | 'refused' | 'broken'
  title: string
  detail: string
  /** What support can look up. */
  requestId?: string
}

/** The problem document's own words where there is one: they are written for people outside. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof ProblemError) {
    const { title, detail, requestId } = error.problem
    return { kind: kindOf(error.status), title, detail, ...(requestId ? { requestId } : {}) }
  }
  // `fetch` fails with a TypeError where there is no answer: no network, or the service is down.
  if (error instanceof TypeError) {
    return {
      kind: 'unreachable',
      title: 'No connection to Windlass',
      detail: 'There was no answer. Check your connection and try again.',
    }
  }
  return {
    kind: 'broken',
    title: 'Something went wrong on this page',
    detail: 'Load the page again. If that does not help, tell us what you were doing.',
  }
}

function kindOf(status: number): Trouble['kind'] {
  if (status === 401) return 'expired'
  if (status === 403) return 'forbidden'
  if (status === 404 || status === 410) return 'missing'
  return status >= 500 ? 'broken' : 'refused'
}

/** The problem's stable code, where the failure is a problem document. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof ProblemError ? error.problem.code : undefined

/** What was wrong with which value, by its path in the request (`companyProfile.name`). */
export function fieldErrorsOf(error: unknown): Record<string, string> {
  if (!(error instanceof ProblemError) || !error.problem.errors) return {}
  return Object.fromEntries(
    error.problem.errors.map(({ path, message }) => [pathOf(path), sentence(message)]),
  )
}

const pathOf = (path: string) => path.replace(/^\//, '').replaceAll('/', '.')

const sentence = (message: string) => message.charAt(0).toUpperCase() + message.slice(1)
