import type { Generated } from 'kysely'

export interface AuditLogTable {
  sequence: string
  at: Date
  actor: string
  action: string
  subject: string
  /** JSON, byte for byte as it was hashed. */
  details: string
  previous: Buffer
  hash: Buffer
}

/** What the log's head was when it was last signed. */
export interface AuditSignatureTable {
  id: Generated<boolean>
  sequence: string
  hash: Buffer
  /** Version of PLATFORM_KEY. */
  key_version: number
  mac: Buffer
  signed_at: Date
}

export interface AuditHeadTable {
  id: boolean
  sequence: string
  hash: Buffer
}
