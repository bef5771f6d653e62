/** The tables that this slice owns. */
export interface InteractiveTables {
  opened_links: OpenedLinkTable
}

interface OpenedLinkTable {
  hash: Buffer
  expires_at: Date
}
