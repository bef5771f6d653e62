import { getCustomer } from '@windlass/contracts/platform/customers.ts'
import { createSession } from '@windlass/ui/console/session.ts'
import { queries, query } from './api.ts'
import { paths } from './paths.ts'

export const customerQuery = query(getCustomer, {}, { staleTime: 60_000 })

export const { hint, forgetPerson, requireSession } = createSession({
  name: 'customer',
  readProfile: async () => {
    const { id: person, timeZone } = await queries.ensureQueryData(customerQuery)
    return { person, timeZone }
  },
  signInPath: paths.signIn,
})
