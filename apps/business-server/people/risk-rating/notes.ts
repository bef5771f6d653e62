import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import type { Selectable } from 'kysely'
import type { CustomerRatingTable } from '../../tables.ts'

type Noted = Pick<Selectable<CustomerRatingTable>, 'id' | 'note' | 'sealed_note'>

const contextOf = (id: string) => `customer-rating:${id}`

export const sealedRatingNotes = sealedColumn({
  ...{ table: 'customer_ratings', column: 'sealed_note', key: ['id'] },
  contextOf: ({ id }) => contextOf(id),
  plain: { columns: { note: 'null' }, textOf: ({ note }) => note ?? '' },
})

/** What a person noted with a rating. */
export const sealNote = (sealer: Sealer, id: string, note: string | null): Buffer | null =>
  note === null ? null : sealer.seal(note, contextOf(id))

export const openNote = (sealer: Sealer, { id, note, sealed_note }: Noted): string | null =>
  sealed_note ? sealer.open(sealed_note, contextOf(id)) : note
