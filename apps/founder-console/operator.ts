import { createClient } from '@windlass/client/client.ts'
import { sessionHint } from '@windlass/client/session-hint.ts'
import { getOperatorProfile, refreshOperatorSession } from '@windlass/contracts/operators.ts'
import { queryOptions } from '@tanstack/react-query'
import { redirect } from 'react-router'
import { call, isSignedOut, queries } from './api.ts'
import { paths } from './paths.ts'

/** The platform as the operator who is signed in: where the session's short-lived half ran out, it is rotated. */
export const operator = createClient({
  baseUrl: '',
  fetch: async (url, init) => {
    const answer = await fetch(url, init)
    return answer.status === 401 && (await rotated()) ? fetch(url, init) : answer
  },
})

let rotating: Promise<boolean> | undefined

/** Whether the session goes on. One rotation at a time: two with the same token would look like a stolen one. */
function rotated(): Promise<boolean> {
  rotating ??= call(refreshOperatorSession)
    .then(() => true)
    .catch(error => {
      if (isSignedOut(error)) return false
      throw error
    })
    .finally(() => (rotating = undefined))
  return rotating
}

export const profileQuery = queryOptions({
  queryKey: ['operator', 'me'],
  queryFn: ({ signal }) => operator.call(getOperatorProfile, { signal }),
  staleTime: 60_000,
})

export const hint = sessionHint('operator')

/** Nobody sees a workspace without a session; they come back to the same page once they have one. */
export async function demandSession({ request }: { request: Request }): Promise<void> {
  if (hint.mayBeSignedIn() && (await isSignedIn())) return
  const { pathname, search } = new URL(request.url)
  throw redirect(paths.signIn(pathname + search))
}

async function isSignedIn(): Promise<boolean> {
  try {
    await queries.ensureQueryData(profileQuery)
    return true
  } catch (error) {
    // Whether there is a session is not known then: the page asks itself and says what is wrong.
    if (!isSignedOut(error)) return true
    hint.forget()
    return false
  }
}
