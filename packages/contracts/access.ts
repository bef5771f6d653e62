import type { Endpoint } from './endpoint.ts'
import type { ApiKeyScope, MemberRole } from './realm.ts'

/** What the table of access looks at. */
export type Act = Pick<Endpoint, 'method' | 'who' | 'area' | 'reads'>

/** Whether a person with this role may call an endpoint of their anchor. */
export function mayCall(role: MemberRole, { method, who = 'member', area, reads }: Act): boolean {
  const isRead = method === 'GET' || reads === true
  switch (role) {
    case 'owner':
      return true
    case 'admin':
      return who !== 'owner'
    case 'auditor':
      return isRead
    case 'member':
      return who === 'member' && area !== 'compliance'
    default:
      return area === role || area === 'any' ? who !== 'owner' : who === 'member' && area !== 'compliance'
  }
}

/**
 * Who may do an act that is not for everyone, for sentences: "Another {@link deciderOf person who may do it (…)} approves
 * it." Screens have the same in their languages.
 */
export const deciderOf = ({ who, area }: Pick<Act, 'who' | 'area'>): string =>
  `person who may do it (${who === 'owner' ? 'owner' : area && area !== 'any' ? `owner, admin or ${area}` : 'owner or admin'})`

/** Whether a person with this role sees hits, cases and what was decided about them. */
export const seesCompliance = (role: MemberRole): boolean =>
  mayCall(role, { method: 'GET', who: 'member', area: 'compliance' })

/** Whether a person with this role sees names and accounts of those who pay and are paid by bank. */
const seesPayers = (role: MemberRole): boolean => role !== 'member' && role !== 'support'

/** What a person with this role reads of an anchor, as scopes of a key: the one table of who reads what, for both. */
export const readScopes = (role: MemberRole): ApiKeyScope[] => [
  'read',
  ...(seesCompliance(role) ? (['compliance'] as const) : []),
  ...(seesPayers(role) ? (['payers'] as const) : []),
]

/** Whether a person with this role does what needs a second one, in some part of the business. */
const isManager = (role: MemberRole): boolean => role !== 'member' && role !== 'auditor' && role !== 'support'

/** Whether a person who had one role may do more with another: what needs a second person they do after a day. */
export const gains = (before: MemberRole | null, role: MemberRole): boolean =>
  isManager(role) && before !== role && before !== 'owner' && (before !== 'admin' || role === 'owner')

/** Whether a person who had one role may do less with another, or with none, of what needs a second person. */
export const loses = (before: MemberRole, role: MemberRole | null): boolean =>
  isManager(before) && before !== role && role !== 'owner'
