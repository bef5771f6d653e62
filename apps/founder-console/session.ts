import { createClient } from '@windlass/client/client.ts'
import { getOperatorProfile, refreshOperatorSession } from '@windlass/contracts/platform/operators.ts'
import { fetchConfirmed } from '@windlass/ui/confirmation.tsx'
import { isSignedOut } from '@windlass/ui/console/errors.ts'
import { withIdempotencyKeys } from '@windlass/ui/console/idempotency-key.ts'
import { createSession } from '@windlass/ui/console/session.ts'
import { withQueries } from '@windlass/ui/console/query.ts'
import { call } from './api.ts'
import { queries } from './queries.ts'
import { paths } from './paths.ts'

/** The platform as the signed-in operator. Rotates the session once its access token has expired. */
export const operator = withQueries(
  createClient({
    baseUrl: '',
    fetch: withIdempotencyKeys(async (url, init) => {
      const response = await fetchConfirmed(url, init)
      return response.status === 401 && (await rotateSession()) ? fetchConfirmed(url, init) : response
    }),
  }),
)

let rotation: Promise<boolean> | undefined

/** Whether the session continues. One rotation at a time: a refresh token used twice looks like a stolen one. */
function rotateSession(): Promise<boolean> {
  rotation ??= call(refreshOperatorSession)
    .then(() => true)
    .catch(error => {
      if (isSignedOut(error)) return false
      throw error
    })
    .finally(() => (rotation = undefined))
  return rotation
}

export const profileQuery = operator.query(getOperatorProfile, {}, { staleTime: 60_000 })

export const { hint, forgetPerson, requireSession } = createSession({
  name: 'operator',
  readProfile: async () => {
    const { user, timeZone } = await queries.ensureQueryData(profileQuery)
    return { person: user.id, timeZone }
  },
  signInPath: paths.signIn,
})
