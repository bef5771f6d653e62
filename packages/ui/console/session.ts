import { sessionHint } from '@windlass/client/session-hint.ts'
import { setTimeZone } from '../formats.ts'
import { chosenTimeZone, followTimeZone } from '../time-zone.ts'
import { codeOf, isSignedOut } from './errors.ts'
import { forgetFilters, keepFiltersOf } from './filter-storage.ts'
import { redirect } from 'react-router'

interface SessionOptions {
  /** Names the hint in the browser's storage. */
  name: string
  /** Reads who is signed in and how they like times; fails with status 401 when nobody is. */
  readProfile(): Promise<{ person: string; timeZone: string | undefined }>
  /** The address of the sign-in page; `from` is where it leads back to. */
  signInPath(from: string): string
}

/** Guards pages that need a session. Visitors without one sign in first and return to the same page. */
export function createSession({ name, readProfile, signInPath }: SessionOptions) {
  const hint = sessionHint(name)
  setTimeZone(chosenTimeZone())
  const isSignedIn = async (): Promise<boolean> => {
    try {
      const { person, timeZone } = await readProfile()
      keepFiltersOf(person)
      followTimeZone(timeZone)
      return true
    } catch (error) {
      // A sign-in that waits for its second factor starts over: the browser remembers nothing of it.
      const unfinished = ['second-factor-needed', 'second-factor-enrolment-needed'].includes(
        codeOf(error) ?? '',
      )
      // The service did not say. The page sends its own requests and displays the error.
      if (!isSignedOut(error) && !unfinished) return true
      hint.forget()
      return false
    }
  }
  return {
    hint,
    /** For those who sign out: what they kept in this browser goes too. After a session that expired, the same person has it again. */
    forgetPerson(): void {
      hint.forget()
      forgetFilters()
    },
    async requireSession({ request }: { request: Request }): Promise<void> {
      if (hint.mayBeSignedIn() && (await isSignedIn())) return
      const { pathname, search } = new URL(request.url)
      throw redirect(signInPath(pathname + search))
    },
  }
}
