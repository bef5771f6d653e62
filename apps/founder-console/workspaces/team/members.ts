import { useQuery } from '@tanstack/react-query'
import { listMembers } from '@windlass/contracts/platform/members.ts'
import { operator } from '../../session.ts'
import { activity } from '../activity/texts.ts'
import { useWorkspace } from '../workspace.tsx'

/** Who works in an organization. */
export const membersQuery = (organizationId: string) =>
  operator.query(listMembers, { params: { organizationId } })

/** The name of a member of the team, by `operator:<id>`. */
export function useMemberName(): (by: string) => string {
  const { organization } = useWorkspace()
  const members = useQuery(membersQuery(organization.id)).data
  return by => members?.find(({ userId }) => by === `operator:${userId}`)?.fullName ?? activity.actors.member
}
