import * as contracts from '@windlass/contracts/anchor/beneficial-owners.ts'
import type { BeneficialOwner } from '@windlass/contracts/anchor/beneficial-owners.ts'
import { answer } from '@windlass/service/http/answer.ts'
import { linkNext } from '@windlass/service/http/pages.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../../deps.ts'
import { addOwner, endOwner, listOwners, type Owner } from './owners.ts'

/** The names of customers' organizations by the customer's id; null: a person's. Customers who do not exist are left out. */
type OrganizationsOf = (customerIds: readonly string[]) => Promise<ReadonlyMap<string, string | null>>

export function serveBeneficialOwners(on: On, deps: Deps, organizationsOf: OrganizationsOf): void {
  const named = async (owners: readonly Owner[]): Promise<BeneficialOwner[]> => {
    const names = await organizationsOf(owners.map(({ customer }) => customer))
    return owners.map(owner => ({ ...owner, organization: names.get(owner.customer) ?? null }))
  }
  on(contracts.listBeneficialOwners).serve(async ({ query, request, reply }) => {
    const found = await listOwners(deps, query)
    linkNext(request, reply, query, found)
    return named(found)
  })
  on(contracts.addBeneficialOwnerAs).serve(async ({ params: { id }, body }) => {
    const organization = (await organizationsOf([id])).get(id)
    if (organization === undefined)
      throw new Problem('customer-not-found', 'There is no customer with this id.')
    if (organization === null) throw invalid('id', 'is of a person: they told no name of an organization')
    return answer(201, { ...(await addOwner(deps, id, body)), organization })
  })
  on(contracts.endBeneficialOwnerAs).serve(async ({ params: { id }, body }) => {
    const ended = await endOwner(deps, id, body)
    const names = await organizationsOf([ended.customer])
    return { ...ended, organization: names.get(ended.customer) ?? null }
  })
}
