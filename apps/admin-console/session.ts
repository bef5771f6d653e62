import { adminMe } from '@windlass/contracts/platform/administrators.ts'
import { createSession } from '@windlass/ui/console/session.ts'
import { queryOptions } from '@tanstack/react-query'
import { call, queries } from './api.ts'
import { paths } from './paths.ts'

/** Read once for each visit; the next answer shows when the session has ended. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => call(adminMe, { signal }),
  staleTime: Infinity,
})

export const { hint, requireSession } = createSession({
  name: 'administrator',
  readProfile: () => queries.ensureQueryData(meQuery),
  signInPath: paths.login,
})
