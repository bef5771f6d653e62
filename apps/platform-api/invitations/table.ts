export interface InvitationsTable {
  id: string
  application_id: string
  token_hash: Buffer
  created_at: Date
  created_by: string
  expires_at: Date
  used_at: Date | null
  revoked_at: Date | null
}
