import { ProblemError } from '@windlass/client/client.ts'
import { sessionHint } from '@windlass/client/session-hint.ts'
import { adminMe } from '@windlass/contracts/administrators.ts'
import { queryOptions } from '@tanstack/react-query'
import { redirect } from 'react-router'
import { call, queries } from './api.ts'
import { paths } from './paths.ts'

/** Who is signed in: asked once for each visit; a session that ends is noticed by the next answer. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => call(adminMe, { signal }),
  staleTime: Infinity,
})

export const hint = sessionHint('administrator')

/** Nobody sees the inside without a session; they come back to the same page once they have one. */
export async function demandSession({ request }: { request: Request }): Promise<void> {
  if (hint.mayBeSignedIn() && (await isSignedIn())) return
  const { pathname, search } = new URL(request.url)
  throw redirect(paths.login(pathname + search))
}

async function isSignedIn(): Promise<boolean> {
  try {
    await queries.ensureQueryData(meQuery)
    return true
  } catch (error) {
    // Whether there is a session is not known then: the page asks itself and says what is wrong.
    if (!(error instanceof ProblemError && error.status === 401)) return true
    hint.forget()
    return false
  }
}
