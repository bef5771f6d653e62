export interface CustomersTable {
  id: string
  email: string
  created_at: Date
}
