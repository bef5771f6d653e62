import type { CustomerEmail } from '@windlass/contracts/internal/internal.ts'
import type { EmailLanguage } from '@windlass/contracts/platform/emails.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import type { PlatformDb } from '../tables.ts'
import { enqueueEmail, type LocalizedEmail } from './email.ts'

const contextOf = (id: string) => `customer-email:${id}`

export const sealedAddresses = sealedColumn({
  ...{ table: 'customer_emails', column: 'sealed_address', key: ['id'] },
  contextOf: ({ id }) => contextOf(id),
})

/** Whose customer an email is for. */
export interface AccountAtAnchor {
  account: string
  memo: string | null
}

interface AtAnchor extends AccountAtAnchor {
  anchorId: string
}

interface ToCustomer {
  /** Unique: that of `enqueueEmail`. */
  id: string
  to: string
  email: LocalizedEmail
  language?: EmailLanguage | undefined
  /** Null: nobody proved yet that the mailbox is theirs. */
  customerId: string | null
  about: AtAnchor
  now: Date
}

/** Enqueues an email about an account at an anchor, and keeps for the anchor that it was sent. */
export async function emailCustomer(
  tx: PlatformDb,
  sealer: Sealer,
  { id, to, email, language, customerId, about, now }: ToCustomer,
): Promise<void> {
  const used = await enqueueEmail(tx, sealer, id, to, email, language)
  await tx
    .insertInto('customer_emails')
    .values({
      ...{ id, anchor_id: about.anchorId, account: about.account, memo: about.memo },
      ...{ template: email.template, language: used, customer_id: customerId, at: now },
      sealed_address: sealer.seal(to, contextOf(id)),
    })
    .execute()
}

export async function markDelivered(db: PlatformDb, id: string, now: Date): Promise<void> {
  await db.updateTable('customer_emails').set({ delivered_at: now }).where('id', '=', id).execute()
}

const emailsOf = (db: PlatformDb, { anchorId, account, memo }: AtAnchor) =>
  db
    .selectFrom('customer_emails')
    .where('anchor_id', '=', anchorId)
    .where('account', '=', account)
    .where('memo', 'is not distinct from', memo)

/** The mailbox is the customer's: they entered the code that was sent there. */
export async function claimEmails(
  tx: PlatformDb,
  sealer: Sealer,
  { about, to, customerId }: Pick<ToCustomer, 'about' | 'to'> & { customerId: string },
): Promise<void> {
  const rows = await emailsOf(tx, about)
    .select(['id', 'sealed_address'])
    .where('customer_id', 'is', null)
    .execute()
  const theirs = rows.filter(
    ({ id, sealed_address: sealed }) => sealed !== null && sealer.open(sealed, contextOf(id)) === to,
  )
  if (theirs.length === 0) return
  await tx
    .updateTable('customer_emails')
    .set({ customer_id: customerId })
    .where(
      'id',
      'in',
      theirs.map(({ id }) => id),
    )
    .execute()
}

const LISTED = 100

/** The newest emails to customers who proved their mailbox, newest first. */
export async function listCustomerEmails(
  db: PlatformDb,
  sealer: Sealer,
  about: AtAnchor,
): Promise<CustomerEmail[]> {
  const rows = await emailsOf(db, about)
    .selectAll()
    .where('customer_id', 'is not', null)
    .orderBy('at', 'desc')
    .limit(LISTED)
    .execute()
  return rows.map(({ id, template, language, sealed_address: sealed, at, delivered_at: delivered }) => ({
    ...{ id, template, language, at: at.toISOString(), deliveredAt: delivered?.toISOString() ?? null },
    to: sealed && sealer.open(sealed, contextOf(id)),
  }))
}

/** The customer deletes their account: that they were emailed stays, without their address. */
export async function forgetAddresses(tx: PlatformDb, customerId: string): Promise<void> {
  await tx
    .updateTable('customer_emails')
    .set({ sealed_address: null })
    .where('customer_id', '=', customerId)
    .execute()
}

const [UNPROVEN_DAYS, KEPT_YEARS] = [30, 10]

/** Removes those to mailboxes that nobody proved, and those of before what any law asks to keep. */
export async function pruneCustomerEmails(db: PlatformDb, now: Date): Promise<void> {
  const unproven = new Date(now.getTime() - UNPROVEN_DAYS * 86_400_000)
  const old = new Date(now)
  old.setUTCFullYear(old.getUTCFullYear() - KEPT_YEARS)
  await db
    .deleteFrom('customer_emails')
    .where(({ and, eb, or }) =>
      or([eb('at', '<', old), and([eb('customer_id', 'is', null), eb('at', '<', unproven)])]),
    )
    .execute()
}
