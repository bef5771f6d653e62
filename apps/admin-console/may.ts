import { type AdminRole, includesRole } from '@windlass/contracts/realm.ts'
import { useQuery } from '@tanstack/react-query'
import { meQuery } from './session.ts'

/** Whether the administrator's role includes this one. The platform decides; screens only hide what it would refuse. */
export function useMay(needed: AdminRole): boolean {
  const role = useQuery(meQuery).data?.role
  return role !== undefined && includesRole(role, needed)
}
