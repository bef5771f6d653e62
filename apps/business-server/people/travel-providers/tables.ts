import type { ColumnType, Selectable } from 'kysely'

/** The tables that this slice owns. */
export interface TravelProvidersTables {
  travel_providers: TravelProviderTable
}

export type TravelProviderRow = Selectable<TravelProviderTable>

interface TravelProviderTable {
  id: string
  name: string
  lei: string | null
  country: string
  licence: string | null
  agreed_on: string | null
  travel_address: string | null
  domains: string[]
  accounts: string[]
  client_certificates: ColumnType<string[], string[] | undefined, string[]>
  authority: ColumnType<string | null, string | null | undefined, string | null>
  sealed_identity: ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>
  by: string
  at: Date
}
