/**
 * Who may call an endpoint. The realm is part of the contract, so that a route's guard follows from the
 * contract alone and the type of `principal` from the realm.
 *
 * - `public`: no credential.
 * - `operator`, `admin`, `customer`: the browser realms, each with its own host-only cookie.
 * - `internal`: `x-service-secret`, a platform service's or one anchor's own.
 * - `service`: `x-service-secret`, platform services only.
 * - `developer`: `Authorization: Bearer <API_KEY>` at one anchor's API.
 * - `anchor-admin`: the secret an anchor gives to the health worker for its summary. It reads; for anything else the
 *   platform proves itself as well.
 * - `anchor-server`: `Authorization: Bearer <credential>` of one of an anchor's servers, at the signer.
 * - `wallet-developer`: `Authorization: Bearer <WALLET_KEY>` at the aggregator.
 * - `wallet`: `Authorization: Bearer <JWT>` from SEP-10 or SEP-45.
 */
export interface Principals {
  public: null
  operator: {
    userId: string
    sessionId: string
    email: string
    fullName: string
    /** The one organization that the session is for; null: all of the person's. */
    organizationId: string | null
  }
  admin: { username: string; role: AdminRole; sessionId: string }
  customer: { customerId: string; sessionId: string; email: string }
  internal: { kind: 'platform' } | { kind: 'anchor'; anchorId: string }
  service: { kind: 'platform' }
  developer: { anchorId: string; keyId: string; scopes: readonly ApiKeyScope[] }
  'anchor-admin': { kind: 'summary' }
  'anchor-server': { anchorId: string; server: 'sep' | 'business' }
  'wallet-developer': { keyId: string }
  wallet: { account: string; memo: string | null; clientDomain: string | null; tokenId: string }
}

export type Realm = keyof Principals

/** The cookies of sessions, and whose sessions they are. */
export const sessionCookies = {
  ns_session: 'operator',
  ns_refresh: 'operator',
  ns_admin: 'admin',
  ns_customer: 'customer',
} as const satisfies Record<string, Realm>
export type SessionCookie = keyof typeof sessionCookies

export const browserRealms = ['operator', 'admin', 'customer'] as const satisfies readonly Realm[]
/** Where people sign in, each with a console of its own. */
export type BrowserRealm = (typeof browserRealms)[number]

/** What moves money or decides where it goes. A key has one of these only where a person granted it by name. */
export const moneyScopes = [
  'statements',
  'statement-lines',
  'csv-columns',
  'ledger-incidents',
  'agreements',
] as const
/** What a key may only see where a person granted it by name: suspicions, and who paid or is paid from which bank account. */
export const closedScopes = ['compliance', 'payers'] as const
/** What a key may do where nothing else was said when it was created. */
export const defaultScopes = ['read', 'write', 'webhooks'] as const
export const apiKeyScopes = [...defaultScopes, ...moneyScopes, ...closedScopes] as const

/** What a developer API key may do at its anchor. */
export type ApiKeyScope = (typeof apiKeyScopes)[number]

/** Whether a key with these scopes can move money. */
export const canMoveMoney = (scopes: readonly ApiKeyScope[]): boolean =>
  moneyScopes.some(scope => scopes.includes(scope))

/** Parts of an anchor's business that have people of their own. What is of `compliance` nobody else sees. */
export const areas = ['compliance', 'finance', 'support'] as const
export type Area = (typeof areas)[number]

/**
 * What a person may do in an organization: members read, owners and admins also act, owners also decide where money is kept.
 * People of an area act in it as admins do; auditors read everything, and change nothing (`access.ts`).
 */
export const memberRoles = ['owner', 'admin', 'member', ...areas, 'auditor'] as const
export type MemberRole = (typeof memberRoles)[number]

/** Whether a key with these scopes sees what most of an organization's people may not. */
export const seesClosed = (scopes: readonly ApiKeyScope[]): boolean =>
  closedScopes.some(scope => scopes.includes(scope))

/** What an administrator may do: `viewer` reads, `operator` also changes, `owner` also decides who administers. */
export const adminRoles = ['viewer', 'operator', 'owner'] as const
export type AdminRole = (typeof adminRoles)[number]

/** Whether a role includes another one. */
export const includesRole = (own: AdminRole, needed: AdminRole): boolean =>
  adminRoles.indexOf(own) >= adminRoles.indexOf(needed)

/** What a session waits for after its password or emailed code: a second factor, or that the person adds one. */
export type SignInStep = 'second-factor' | 'enrolment'
