import type { Db } from '@windlass/service/postgres/database.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import type { Tables, Transfer } from '../tables.ts'

/** Where a withdrawal is paid to: the rail's fields (`dest`, `dest_extra`, `dest_name`) by name. */
export type Destination = Readonly<Record<string, string>>

const contextOf = (transferId: string) => `transfer:${transferId}`

/** A destination as it is in the database: bound to its transfer, so that it opens for no other. */
export const sealDestination = (
  sealer: Sealer,
  transferId: string,
  destination: Destination,
): Buffer | null =>
  Object.keys(destination).length > 0 ? sealer.seal(JSON.stringify(destination), contextOf(transferId)) : null

/** Throws where the key does not fit. */
export const openDestination = (
  sealer: Sealer,
  { id, sealed_destination, destination }: Pick<Transfer, 'id' | 'sealed_destination' | 'destination'>,
): Destination =>
  sealed_destination
    ? (JSON.parse(sealer.open(sealed_destination, contextOf(id))) as Destination)
    : destination

/** `asha@okbank` as `a•••@okbank`, an account number by its last four characters. */
export function maskAccount(account: string): string {
  const [name = '', bank] = account.split('@')
  return bank === undefined ? `•••• ${account.slice(-4)}` : `${name.slice(0, 1)}•••@${bank}`
}

/** Sets the destination of a transfer of which nothing is agreed yet. */
export async function setDestination(
  db: Db<Tables>,
  sealer: Sealer,
  id: string,
  destination: Destination,
): Promise<void> {
  await db
    .updateTable('transfers')
    .set({ sealed_destination: sealDestination(sealer, id, destination), destination: '{}' })
    .where('id', '=', id)
    .where('state', 'in', ['new', 'identifying'])
    .execute()
}

/** Sets where a withdrawal is paid that came back: people agreed with the customer on another account. */
export async function replaceDestination(
  tx: Db<Tables>,
  sealer: Sealer,
  id: string,
  destination: Destination,
): Promise<void> {
  await tx
    .updateTable('transfers')
    .set({ sealed_destination: sealDestination(sealer, id, destination), destination: '{}' })
    .where('id', '=', id)
    .where('state', '=', 'sent_back')
    .execute()
}

const AT_ONCE = 100

/** Encrypts again what an earlier release wrote in plain text, and what an older key encrypted. */
export async function sealDestinationsAgain({ database, sealer, sealVersion }: Deps): Promise<number> {
  const newest = Buffer.from([sealVersion])
  for (let sealed = 0; ;) {
    const count = await database.db.transaction().execute(async tx => {
      const rows = await tx
        .selectFrom('transfers')
        .select(['id', 'sealed_destination', 'destination'])
        .where(
          sql<boolean>`case when sealed_destination is null then destination <> '{}'
            else substring(sealed_destination for 1) <> ${newest} end`,
        )
        .limit(AT_ONCE)
        .forUpdate()
        .execute()
      for (const row of rows) {
        const again = sealDestination(sealer, row.id, openDestination(sealer, row))
        await tx
          .updateTable('transfers')
          .set({ sealed_destination: again, destination: '{}' })
          .where('id', '=', row.id)
          .execute()
      }
      return rows.length
    })
    sealed += count
    if (count < AT_ONCE) return sealed
  }
}
