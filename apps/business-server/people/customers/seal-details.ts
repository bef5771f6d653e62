import type { Sealer } from '@windlass/service/seals/seal.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Selectable } from 'kysely'
import type { CustomerTable } from '../../tables.ts'

/** Personal details of a customer. */
export interface Details {
  /** SEP-9's names to values. */
  fields: Readonly<Record<string, string>>
  /** Between email and code: the address that a code was sent to. */
  pendingEmail: string | null
  /** Whether the account waits until the customer, who entered the code, confirms it at the platform. */
  unconfirmed: boolean
  /** The SEP-12 type of a direct payment for which a sending anchor described them last. */
  directType: string | null
}

/** An account, and a memo where one account is many people's, with its details opened. */
export interface Customer extends Details {
  id: string
  account: string
  memo: string | null
  central_id: string | null
  created_at: Date
}

const contextOf = (customerId: string) => `customer:${customerId}`

/** Details as they are in the database: bound to their customer, so that they open nowhere else. */
export const sealDetails = (sealer: Sealer, customerId: string, details: Details): Buffer =>
  sealer.seal(JSON.stringify(details), contextOf(customerId))

/** The customer of a row. Throws where the key does not fit. */
export function openCustomer(sealer: Sealer, row: Selectable<CustomerTable>): Customer {
  const { id, account, memo, central_id, created_at } = row
  const details = row.details
    ? (JSON.parse(sealer.open(row.details, contextOf(id))) as Omit<Details, 'unconfirmed' | 'directType'> &
        Partial<Details>)
    : { fields: row.fields, pendingEmail: row.pending_email }
  // Details of an earlier release do not say whether the account waits, nor what for a sending anchor described it.
  return { id, account, memo, central_id, created_at, unconfirmed: false, directType: null, ...details }
}

/** The name of a person or an organization (SEP-9) as this anchor knows it; null: it does not. */
export function nameOf({ fields }: Pick<Details, 'fields'>): string | null {
  const { first_name, additional_name, last_name } = fields
  const name = [first_name, additional_name, last_name].filter(Boolean).join(' ')
  return name || fields['organization.name'] || null
}

/** What a file is bound to: its customer and its name. */
export const fileContext = (customerId: string, name: string) => `customer-file:${customerId}:${name}`

/** What a piece of a file is bound to. */
export const pieceContext = (fileId: string, number: number | string) =>
  `customer-file-piece:${fileId}:${number}`

export const sealedCustomers = sealedColumn({
  ...{ table: 'customers', column: 'details', key: ['id'] },
  contextOf: ({ id }) => contextOf(id),
  plain: {
    columns: { fields: `'{}'`, pending_email: 'null' },
    textOf: ({ fields, pending_email: pendingEmail }) =>
      JSON.stringify({
        fields: JSON.parse(fields ?? '{}'),
        pendingEmail,
        unconfirmed: false,
        directType: null,
      }),
  },
})

export const sealedCustomerFiles = sealedColumn({
  ...{ table: 'customer_files', column: 'sealed', key: ['customer_id', 'name'] },
  contextOf: ({ customer_id, name }) => fileContext(customer_id, name),
})

export const sealedFilePieces = sealedColumn({
  ...{ table: 'customer_file_pieces', column: 'sealed', key: ['file_id', 'number'] },
  contextOf: ({ file_id, number }) => pieceContext(file_id, number),
})
