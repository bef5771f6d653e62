import type { ApplicationStatus } from '@windlass/contracts/applications.ts'

/** What an administrator may make of an application. */
export const reviews = {
  // The founder gets an invitation; from then on the invitation may be revoked, the approval stays.
  approved: { from: 'applied' },
  // Final: the rail credentials are gone. A founder applies again.
  rejected: { from: 'applied' },
} as const satisfies Partial<Record<ApplicationStatus, { from: ApplicationStatus }>>

export type Review = keyof typeof reviews
