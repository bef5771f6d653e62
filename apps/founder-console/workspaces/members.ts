import { listMembers } from '@windlass/contracts/members.ts'
import { queryOptions } from '@tanstack/react-query'
import { operator } from '../operator.ts'

/** Who works in an organization. */
export const membersQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['operator', 'members', organizationId],
    queryFn: ({ signal }) => operator.call(listMembers, { params: { organizationId }, signal }),
  })
