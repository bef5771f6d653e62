import * as contracts from '@windlass/contracts/anchor/retention.ts'
import type { CustomerCopy } from '@windlass/contracts/anchor/retention.ts'
import { answer } from '@windlass/service/http/answer.ts'
import { linkNext } from '@windlass/service/http/pages.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { On } from '@windlass/service/http/server.ts'
import { findCustomerById } from '../../people/customers/customers.ts'
import { type OpenedFile, openFiles } from '../../people/customers/files.ts'
import { countKept, findKept } from '../../people/customers/kept.ts'
import { eraseCustomer, previewErasure } from '../../people/customers/sep12.ts'
import { verifiedNameOf } from '../../people/customers/verified-name.ts'
import { ownersOf } from '../../people/owners/owners.ts'
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
import { detachCustomer } from '../../transfers/detach-customer.ts'
import { isCustomerHeld } from '../../transfers/retention.ts'
import { developerForm } from '../../transfers/developer-form.ts'
import { transfersOf, transfersWithIds } from '../../transfers/find.ts'
import { findRecord, withoutOthers } from '../../transfers/travel-rule/records.ts'
import { Readable } from 'node:stream'

export function serveRetention(on: On, deps: Deps): void {
  const { db } = deps.database
  const retention = async () => {
    const [history, kept, removals] = await Promise.all([
      listRetentionRules(deps, db),
      countKept(db),
      listRemovals(db),
    ])
    return { history, kept, removals: removals.map(({ removal }) => removal) }
  }
  on(contracts.getRetention).serve(retention)
  on(contracts.listRemovals).serve(async ({ query, request, reply }) => {
    const found = await listRemovals(db, query)
    linkNext(request, reply, query, found)
    return found.map(({ removal }) => removal)
  })
  on(contracts.setRetentionAs).serve(async ({ body }) => {
    await addRetentionRules(deps, body)
    return retention()
  })
  on(contracts.previewErasure).serve(async ({ params: { id } }) => {
    const { customer, answer: would } = await previewErasure(deps, id, detachCustomer)
    return { ...would, alone: !(await isCustomerHeld(db, customer)) }
  })
  on(contracts.eraseCustomerAs).serve(({ params: { id } }) => eraseCustomer(deps, id, detachCustomer))
  on(contracts.getCustomerCopy).serve(async ({ params }) => {
    const headers = {
      'content-type': 'application/json',
      'content-disposition': `attachment; filename="customer-${params.id}.json"`,
    }
    return answer(200, Readable.from(await copyOf(deps, params.id)), { headers })
  })
}

/** Throws `customer-not-found`. */
async function copyOf(deps: Deps, id: string): Promise<AsyncGenerator<string>> {
  const { db } = deps.database
  const customer = await findCustomerById(deps, id)
  if (customer) {
    const verifiedName = await verifiedNameOf(db, deps.sealer, customer.central_id)
    const files = await openFiles(deps, customer.id)
    const beneficialOwners = await ownersOf(db, deps.sealer, customer.id)
    const times = { deletedAt: null, keptUntil: null }
    return copyText(
      await form(
        deps,
        { ...customer, ...times, verifiedName, beneficialOwners },
        await transfersOf(db, customer),
      ),
      files,
    )
  }
  const kept = await findKept(deps, id)
  if (!kept) throw new Problem('customer-not-found', 'There is no such customer.')
  const { customerYears } = await currentRetention(deps, db)
  const times = {
    deletedAt: kept.deleted_at.toISOString(),
    keptUntil: removedFrom(kept.deleted_at, customerYears),
  }
  return copyText(
    await form(
      deps,
      { ...kept, ...times, beneficialOwners: kept.owners ?? [] },
      await transfersWithIds(db, kept.transactions),
    ),
    kept.files,
  )
}

type WithoutFiles = Omit<CustomerCopy, 'files'>

/** A copy as JSON, whose files are read as it is sent: they would not fit into memory. */
async function* copyText(copy: WithoutFiles, files: readonly OpenedFile[]): AsyncGenerator<string> {
  yield `${JSON.stringify(copy).slice(0, -1)},"files":[`
  for (const [index, { name, mediaType, pieces }] of files.entries()) {
    yield `${index > 0 ? ',' : ''}${JSON.stringify({ name, mediaType }).slice(0, -1)},"base64":"`
    for await (const piece of pieces) yield piece.toString('base64')
    yield '"}'
  }
  yield ']}'
}

async function form(
  deps: Deps,
  { id, account, memo, deletedAt, keptUntil, fields, ...person }: Omit<WithoutFiles, 'transactions'>,
  transfers: readonly Transfer[],
): Promise<WithoutFiles> {
  const transactions: CustomerCopy['transactions'] = []
  for (const transfer of transfers)
    transactions.push({
      transaction: developerForm(transfer),
      destination: { ...openDestination(deps.sealer, transfer) } as Record<string, string>,
      travelRule: withoutOthers(await findRecord(deps, transfer.id), id),
    })
  const { verifiedName, beneficialOwners } = person
  const known = { id, account, memo, deletedAt, keptUntil, fields: { ...fields }, verifiedName }
  return { ...known, beneficialOwners, transactions }
}
