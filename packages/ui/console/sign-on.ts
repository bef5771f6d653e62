import { ProblemError } from '@windlass/client/client.ts'
import { describeError } from './errors.ts'
import { signOnTexts as texts } from './sign-on-texts.ts'

const KEY = 'windlass.single-sign-on'

interface Begun {
  key: string
  /** Where the person was before they signed in. */
  from: string | null
}

/** Leaves for the provider. This tab alone keeps the key with which the sign-in ends. */
export function leaveFor({ url, key }: { url: string; key: string }, from: string | null): void {
  sessionStorage.setItem(KEY, JSON.stringify({ key, from } satisfies Begun))
  location.assign(url)
}

/** The sign-in that this tab began, once. */
export function takeBegun(): Begun | null {
  try {
    const begun = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Begun | null
    sessionStorage.removeItem(KEY)
    return begun
  } catch {
    return null
  }
}

/** Whether the address is that of someone whom a provider sent back. */
export const isBack = (query: URLSearchParams): boolean => query.has('state')

/** As {@link describeError}, with what a refusal of a sign-on means. */
export function describeSignOn(error: unknown) {
  const reason = error instanceof ProblemError ? error.problem['reason'] : undefined
  const detail = Object.entries(texts.refused).find(([code]) => code === reason)?.[1]
  return { ...describeError(error), title: texts.failed, ...(detail === undefined ? {} : { detail }) }
}
