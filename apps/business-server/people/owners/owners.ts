import type { BeneficialOwner } from '@windlass/contracts/anchor/beneficial-owners.ts'
import { countries } from '@windlass/contracts/countries.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { isUuid } from '@windlass/service/postgres/uuid.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import type { Selectable } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import { after, requireDay } from '../../paging.ts'
import type { BeneficialOwnerTable, Tables } from '../../tables.ts'
import { yearsIn } from '../compliance/names/facts.ts'
import { dropOwnerName, recordName } from '../compliance/screened-names.ts'

type Row = Selectable<BeneficialOwnerTable>
type NewOwner = Omit<BeneficialOwner, 'id' | 'customer' | 'organization' | 'by' | 'createdAt' | 'ended'>
/** What is sealed of one. */
type Told = NewOwner & { endReason?: string }
/** An owner, without the customer's name. */
export type Owner = Omit<BeneficialOwner, 'organization'>

const MOST_OF_CUSTOMER = 100

const contextOf = (id: string) => `beneficial-owner:${id}`

export const sealedBeneficialOwners = sealedColumn({
  ...{ table: 'beneficial_owners', column: 'sealed', key: ['id'] },
  contextOf: ({ id }) => contextOf(id),
})

const seal = (sealer: Sealer, id: string, told: Told): Buffer =>
  sealer.seal(JSON.stringify(told), contextOf(id))

function formOf(sealer: Sealer, row: Row): Owner {
  const { endReason = '', ...told } = JSON.parse(sealer.open(row.sealed, contextOf(row.id))) as Told
  const { id, customer_id: customer, by, created_at, ended_by, ended_at } = row
  return {
    ...{ id, customer, ...told, by, createdAt: created_at.toISOString() },
    ended:
      ended_by !== null && ended_at !== null
        ? { reason: endReason, by: ended_by, at: ended_at.toISOString() }
        : null,
  }
}

/** Newest first. */
export async function listOwners(
  { database: { db }, sealer }: Pick<Deps, 'database' | 'sealer'>,
  filter: PageQuery & { customer?: string; status?: 'current' | 'ended' },
): Promise<Owner[]> {
  const start = pageStart(filter)
  const { customer, status } = filter
  if (customer !== undefined && !isUuid(customer)) return []
  let query = db.selectFrom('beneficial_owners').selectAll()
  if (customer !== undefined) query = query.where('customer_id', '=', customer)
  if (status) query = query.where('ended_at', status === 'current' ? 'is' : 'is not', null)
  if (start) query = query.where(after(start))
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(pageSize(filter))
    .execute()
  return rows.map(row => formOf(sealer, row))
}

/** All of a customer, also those who ended, oldest first. */
export async function ownersOf(db: Db<Tables>, sealer: Sealer, customerId: string): Promise<Owner[]> {
  const query = db.selectFrom('beneficial_owners').selectAll().where('customer_id', '=', customerId)
  const rows = await query.orderBy('created_at').orderBy('id').execute()
  return rows.map(row => formOf(sealer, row))
}

function check(deps: Pick<Deps, 'clock'>, { birthDate, country, asOf }: NewOwner): void {
  const today = deps.clock.now().toISOString().slice(0, 10)
  if (requireDay('asOf', asOf) > today) throw invalid('asOf', 'must not be in the future')
  if (birthDate !== null && requireDay('birthDate', birthDate) > today)
    throw invalid('birthDate', 'must not be in the future')
  if (country !== null && ![...countries.values()].includes(country))
    throw invalid('country', 'is no country')
}

/** Enters an owner of a customer, whose name is compared with the lists from now on. Throws `validation-failed`. */
export async function addOwner(
  deps: Pick<Deps, 'database' | 'sealer' | 'clock'>,
  customerId: string,
  { by, ...told }: NewOwner & { by: string },
): Promise<Owner> {
  check(deps, told)
  const { database, sealer, clock } = deps
  return database.db.transaction().execute(async tx => {
    const owners = await ownersOf(tx, sealer, customerId)
    if (owners.length >= MOST_OF_CUSTOMER)
      throw invalid('name', `is one too many: a customer has at most ${MOST_OF_CUSTOMER}`)
    const id = randomUUID()
    const row = { id, customer_id: customerId, sealed: seal(sealer, id, told), by, created_at: clock.now() }
    const made = await tx.insertInto('beneficial_owners').values(row).returningAll().executeTakeFirstOrThrow()
    const facts = {
      born: yearsIn([told.birthDate ?? '']),
      countries: told.country === null ? [] : [told.country],
    }
    await recordName(tx, sealer, {
      ...{ subject: { kind: 'customer', id: customerId }, role: 'owner', name: told.name, ownerId: id },
      facts: facts.born.length + facts.countries.length > 0 ? facts : null,
    })
    return formOf(sealer, made)
  })
}

/** Throws `not-found`. */
export async function endOwner(
  { database, sealer, clock }: Pick<Deps, 'database' | 'sealer' | 'clock'>,
  id: string,
  { reason, by }: { reason: string; by: string },
): Promise<Owner> {
  return database.db.transaction().execute(async tx => {
    const query = tx.selectFrom('beneficial_owners').selectAll().where('ended_at', 'is', null)
    const row = isUuid(id) ? await query.where('id', '=', id).forUpdate().executeTakeFirst() : undefined
    if (!row) throw new Problem('not-found', 'There is no beneficial owner with this id who has not ended.')
    const told = JSON.parse(sealer.open(row.sealed, contextOf(id))) as Told
    const ended = await tx
      .updateTable('beneficial_owners')
      .set({ sealed: seal(sealer, id, { ...told, endReason: reason }), ended_by: by, ended_at: clock.now() })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await dropOwnerName(tx, id)
    return formOf(sealer, ended)
  })
}
