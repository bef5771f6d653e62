import * as contracts from '@windlass/contracts/anchor/retention.ts'
import type { CustomerCopy } from '@windlass/contracts/anchor/retention.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { On } from '@windlass/service/http/server.ts'
import { findCustomerById } from '../../people/customers/customers.ts'
import { countKept, findKept, personOf } from '../../people/customers/kept.ts'
import { verifiedNameOf } from '../../people/customers/verified-name.ts'
import {
  addRetentionRules,
  currentRetention,
  listRemovals,
  listRetentionRules,
  removedFrom,
} from '../../people/retention/rules.ts'
import type { Deps } from '../../deps.ts'
import type { Transfer } from '../../tables.ts'
import { openDestination } from '../../transfers/destination.ts'
import { developerForm } from '../../transfers/developer-form.ts'
import { transfersOf, transfersWithIds } from '../../transfers/find.ts'
import { findRecord } from '../../transfers/travel-rule/records.ts'

export function serveRetention(on: On, deps: Deps): void {
  const { db } = deps.database
  const retention = async () => {
    const [history, kept, removals] = await Promise.all([
      listRetentionRules(db),
      countKept(db),
      listRemovals(db),
    ])
    return { history, kept, removals }
  }
  on(contracts.getRetention).serve(retention)
  on(contracts.setRetentionAs).serve(async ({ body }) => {
    await addRetentionRules(deps, body)
    return retention()
  })
  on(contracts.getCustomerCopy).serve(({ params }) => copyOf(deps, params.id))
}

/** Throws `customer-not-found`. */
async function copyOf(deps: Deps, id: string): Promise<CustomerCopy> {
  const { db } = deps.database
  const customer = await findCustomerById(deps, id)
  if (customer) {
    const person = await personOf(deps, customer, await verifiedNameOf(db, deps.sealer, customer.central_id))
    const transfers = await transfersOf(db, customer)
    return form(deps, { ...customer, ...person, deletedAt: null, keptUntil: null }, transfers)
  }
  const kept = await findKept(deps, id)
  if (!kept) throw new Problem('customer-not-found', 'There is no such customer.')
  const { customerYears } = await currentRetention(db)
  const times = {
    deletedAt: kept.deleted_at.toISOString(),
    keptUntil: removedFrom(kept.deleted_at, customerYears),
  }
  return form(deps, { ...kept, ...times }, await transfersWithIds(db, kept.transactions))
}

async function form(
  deps: Deps,
  {
    id,
    account,
    memo,
    deletedAt,
    keptUntil,
    fields,
    verifiedName,
    files,
  }: Omit<CustomerCopy, 'transactions'>,
  transfers: readonly Transfer[],
): Promise<CustomerCopy> {
  const transactions: CustomerCopy['transactions'] = []
  for (const transfer of transfers)
    transactions.push({
      transaction: developerForm(transfer),
      destination: { ...openDestination(deps.sealer, transfer) } as Record<string, string>,
      travelRule: await findRecord(deps, transfer.id),
    })
  return { id, account, memo, deletedAt, keptUntil, fields: { ...fields }, verifiedName, files, transactions }
}
