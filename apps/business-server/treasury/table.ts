/** Asset units that are promised and not paid yet: open firm quotes and deposits under way. */
export interface ReservationTable {
  /** A quote's or a transaction's id. */
  id: string
  amount: string
  expires_at: Date | null
}
