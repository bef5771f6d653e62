import type { Db } from '@windlass/service/postgres/database.ts'
import { hasOpenCase } from '../people/compliance/cases.ts'
import type { Detach } from '../people/customers/sep12.ts'
import { keepRatings } from '../people/risk-rating/former.ts'
import { isUnpaid, transfersOf } from './find.ts'
import { unlinkCustomer } from './change.ts'
import { forgetSnapshots } from './snapshots.ts'
import type { Tables } from '../tables.ts'

/**
 * Removes the link from transfers to a customer who is deleted. Where nothing of the customer is kept, it also removes what was
 * known when transfers were agreed to that nobody paid.
 */
export const detachCustomer: Detach = async (tx, customer, { isLooked, at }) => {
  const theirs = await transfersOf(tx, customer, { lock: true })
  const { id } = customer
  const paid = theirs.filter(each => (each.customer_id === id || each.receiver_id === id) && !isUnpaid(each))
  const unpaid = theirs.filter(isUnpaid).map(each => each.id)
  const kept = [...paid.map(each => each.id), ...(await lookedInto(tx, unpaid))]
  await unlinkCustomer(tx, id)
  await keepRatings(tx, customer, at)
  if (kept.length === 0 && !isLooked) await forgetSnapshots(tx, unpaid)
  return { transactions: kept, moved: paid.length > 0 }
}

async function lookedInto(tx: Db<Tables>, ids: readonly string[]): Promise<string[]> {
  const about = (id: string) => ({ kind: 'transaction', id })
  if (!(await hasOpenCase(tx, ids.map(about)))) return []
  const looked = []
  for (const id of ids) if (await hasOpenCase(tx, [about(id)])) looked.push(id)
  return looked
}
