/** The tables that this slice owns. */
export interface TravelProvidersTables {
  travel_providers: TravelProviderTable
}

export interface TravelProviderTable {
  id: string
  name: string
  lei: string | null
  country: string
  licence: string | null
  agreed_on: string | null
  travel_address: string | null
  domains: string[]
  accounts: string[]
  by: string
  at: Date
}
