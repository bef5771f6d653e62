export interface UsersTable {
  id: string
  email: string
  full_name: string
  password_hash: string | null
  created_at: Date
}

export interface OrganizationsTable {
  id: string
  name: string
  slug: string
  created_at: Date
}

export interface MembershipsTable {
  organization_id: string
  user_id: string
  role: 'owner' | 'admin' | 'member'
  created_at: Date
}
