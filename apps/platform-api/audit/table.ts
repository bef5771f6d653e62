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

export interface AuditHeadTable {
  id: boolean
  sequence: string
  hash: Buffer
}
