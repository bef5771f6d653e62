import type { Generated } from 'kysely'

/** Realms that are signed in to by a code from a mail. */
export type CodeRealm = 'operator' | 'customer'

export interface LoginCodesTable {
  realm: CodeRealm
  email: string
  code_hash: Buffer
  tries: Generated<number>
  expires_at: Date
  used_at: Date | null
  failures: Generated<number>
  failures_since: Generated<Date>
}
