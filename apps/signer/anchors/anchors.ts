import type { SigningLimits, SigningTerms } from '@windlass/contracts/internal/signer.ts'
import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Selectable, Transaction } from 'kysely'
import type { ServerName, Tables, StoredSigningTerms } from '../tables.ts'

/** An anchor for which something may be signed. */
interface Anchor {
  id: string
  terms: StoredSigningTerms
  limits: SigningLimits
}

/** Records the anchor; one that exists stays as it is. */
export async function insertAnchor(db: Db<Tables>, id: string): Promise<void> {
  await db
    .insertInto('anchors')
    .values({ id })
    .onConflict(conflict => conflict.column('id').doNothing())
    .execute()
}

export async function setTerms(db: Db<Tables>, id: string, given: SigningTerms): Promise<void> {
  const { credentials, ...terms } = given
  const updated = await db
    .updateTable('anchors')
    .set({
      terms: JSON.stringify(terms),
      sep_credential: credentials.sep,
      business_credential: credentials.business,
    })
    .where('id', '=', id)
    .executeTakeFirst()
  if (updated.numUpdatedRows === 0n) throw notFound()
}

/** Nothing is signed for the anchor's servers any more; its keys stay. */
export async function endCredentials(db: Db<Tables>, id: string): Promise<void> {
  await db
    .updateTable('anchors')
    .set({ sep_credential: null, business_credential: null })
    .where('id', '=', id)
    .execute()
}

export async function setLimits(db: Db<Tables>, id: string, limits: SigningLimits): Promise<void> {
  await db
    .updateTable('anchors')
    .set({ limits: JSON.stringify(limits) })
    .where('id', '=', id)
    .execute()
}

/** Throws `anchor-not-found`. */
export async function getAnchor(db: Db<Tables>, id: string): Promise<Anchor> {
  const row = await db.selectFrom('anchors').selectAll().where('id', '=', id).executeTakeFirst()
  const anchor = row && asAnchor(row)
  if (!anchor) throw notFound()
  return anchor
}

/** As {@link getAnchor}; until the transaction ends, no other payment of the anchor is judged. */
export async function lockAnchor(tx: Transaction<Tables>, id: string): Promise<Anchor> {
  const row = await tx.selectFrom('anchors').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
  const anchor = row && asAnchor(row)
  if (!anchor) throw notFound()
  return anchor
}

/** The server that has this credential; null: none. */
export async function findServer(
  db: Db<Tables>,
  credentialHash: string,
): Promise<{ anchor: Anchor; server: ServerName } | null> {
  const row = await db
    .selectFrom('anchors')
    .selectAll()
    .where(where =>
      where.or([
        where('sep_credential', '=', credentialHash),
        where('business_credential', '=', credentialHash),
      ]),
    )
    .executeTakeFirst()
  const anchor = row && asAnchor(row)
  return anchor ? { anchor, server: row.sep_credential === credentialHash ? 'sep' : 'business' } : null
}

function asAnchor({ id, terms, limits }: Selectable<Tables['anchors']>): Anchor | null {
  return terms && { id, terms, limits: withFurther(terms, limits ?? defaultLimits(terms)) }
}

/** Enough for what customers send by mistake. */
const XLM_PER_HOUR = '100'

/** Each further asset of the terms has a limit of its own: what was set for it, or two of the largest transfers. */
function withFurther(
  { furtherAssets = [], largestTransfer }: StoredSigningTerms,
  limits: SigningLimits,
): SigningLimits {
  if (furtherAssets.length === 0) return limits
  const perHour = formatAmount(amountOf(twice(largestTransfer)))
  const further = furtherAssets.map(({ code, issuer }) => {
    const asset = `${code}:${issuer}`
    return limits.further?.find(each => each.asset === asset) ?? { asset, perHour }
  })
  return { ...limits, further }
}

const twice = (amount: string): bigint => parseAmount(amount) * 2n

/** In an hour a tenth of what is issued, or two of the largest transfers where that is more. */
function defaultLimits({ issued, largestTransfer }: StoredSigningTerms): SigningLimits {
  const share = parseAmount(issued) / 10n
  const transfers = twice(largestTransfer)
  const perHour = formatAmount(amountOf(share > transfers ? share : transfers))
  return { perHour, perPayment: null, xlmPerHour: XLM_PER_HOUR, destinations: null }
}

const notFound = () => new Problem('anchor-not-found', 'There is no such anchor.')
