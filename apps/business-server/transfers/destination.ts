import type { Db } from '@windlass/service/postgres/database.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import type { Tables, Transfer } from '../tables.ts'

/** Where a withdrawal is paid to: the rail's fields (`dest`, `dest_extra`, `dest_name`) by name. */
export type Destination = Readonly<Record<string, string>>

const contextOf = (transferId: string) => `transfer:${transferId}`

export const sealedDestinations = sealedColumn({
  ...{ table: 'transfers', column: 'sealed_destination', key: ['id'] },
  contextOf: ({ id }) => contextOf(id),
  plain: { columns: { destination: `'{}'` }, textOf: ({ destination }) => destination ?? '{}' },
})

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
