import type { inquiryStates } from '@windlass/contracts/anchor/travel-messages.ts'
import type { ColumnType, Selectable } from 'kysely'

/** The tables that this slice owns. */
export interface TravelMessagesTables {
  travel_inquiries: TravelInquiryTable
}

export type InquiryState = (typeof inquiryStates)[number]

interface TravelInquiryTable {
  id: string
  direction: 'sent' | 'received'
  protocol: 'trp'
  request: string
  /** The network that sent it; null: we asked, or nobody knows. */
  client: ColumnType<string | null, string | null | undefined, null>
  transfer_id: string | null
  provider_id: string
  provider_name: string
  state: InquiryState
  sealed: Buffer
  txid: string | null
  by: string | null
  tells: 'inquiry' | 'resolution' | 'confirmation' | null
  next_try_at: Date | null
  tries: ColumnType<number, number | undefined, number>
  failure: 'unreachable' | 'refused' | 'no-answer' | null
  created_at: Date
  answered_at: Date | null
}
export type TravelInquiryRow = Selectable<TravelInquiryTable>
