import { getCustomer } from '@windlass/contracts/platform/customers.ts'
import { createSession } from '@windlass/ui/console/session.ts'
import { queryOptions } from '@tanstack/react-query'
import { call, queries } from './api.ts'
import { paths } from './paths.ts'

export const customerQuery = queryOptions({
  queryKey: ['customer'],
  queryFn: ({ signal }) => call(getCustomer, { signal }),
  staleTime: 60_000,
})

export const { hint, requireSession } = createSession({
  name: 'customer',
  readProfile: () => queries.ensureQueryData(customerQuery),
  signInPath: paths.signIn,
})
