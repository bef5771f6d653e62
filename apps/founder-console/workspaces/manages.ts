import { mayCall, type Act } from '@windlass/contracts/access.ts'
import type { MemberRole } from '@windlass/contracts/realm.ts'

/** Whether a person of this role acts as owners and admins do, in a part of the business or everywhere. */
export const manages = (role: MemberRole, area?: Act['area']): boolean =>
  mayCall(role, { method: 'POST', who: 'admin', ...(area && { area }) })
