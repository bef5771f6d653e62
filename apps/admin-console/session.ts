import { adminMe } from '@windlass/contracts/platform/administrators.ts'
import { createSession } from '@windlass/ui/console/session.ts'
import { queries, query } from './api.ts'
import { paths } from './paths.ts'

/** Read once for each visit; the next answer shows when the session has ended. */
export const meQuery = query(adminMe, {}, { staleTime: Infinity })

export const { hint, forgetPerson, requireSession } = createSession({
  name: 'administrator',
  readProfile: async () => {
    const { username: person, timeZone } = await queries.ensureQueryData(meQuery)
    return { person, timeZone }
  },
  signInPath: paths.login,
})
