/** How often a client may call an endpoint without a credential. A client is a network (ADR 0028). */
export type PublicLimit =
  /** The handler counts each request of a client. */
  | 'client'
  /** The service counts each request of a client to all of these endpoints together. */
  | 'shared'
  /** The handler counts by something else too, or not every request. */
  | { by: string }
  /** Why it needs none. */
  | { unlimited: string }

export const READ_FROM_MEMORY: PublicLimit = { unlimited: 'It is answered from memory.' }
export const ENDS_SESSION: PublicLimit = { unlimited: 'It ends the session of the cookie that is sent.' }
export const SIGNED: PublicLimit = {
  unlimited: 'Nothing is looked up or stored before the signature is verified, and providers send in bursts.',
}
export const NEEDS_JOB_ID: PublicLimit = {
  unlimited: 'It needs the id of a job, which the person who redeemed the invitation has.',
}
export const NEEDS_APPLICATION_ID: PublicLimit = {
  unlimited: 'It needs the id of an application, which the person who sent it has.',
}
export const EMAILED_CODES: PublicLimit = {
  by: 'client, email address and both; without headers, which would show whether an address is known',
}
