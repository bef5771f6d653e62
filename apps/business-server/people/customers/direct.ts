import type { CustomerAnswer, CustomerField } from '@windlass/contracts/anchor/anchor-platform.ts'
import { railKind, receiverType, SENDER_TYPE } from '@windlass/contracts/platform/anchor-rails.ts'
import type { Deps } from '../../deps.ts'
import { readDestination, type Wrong } from '../../rails/destination-fields.ts'
import { maySend } from '../sending-anchors/agreements.ts'
import type { Customer } from './seal-details.ts'

/**
 * Customers of direct payments (SEP-31). The sending anchor has identified them and sends what it knows: they are accepted
 * once it is complete, for direct payments of that anchor alone.
 */

/** The rail's field by SEP-9's name; `dest_name` is the receiver's own. */
const BANK_FIELDS: Readonly<Record<string, string>> = {
  dest: 'bank_account_number',
  dest_extra: 'bank_number',
}

/** The account that a customer gave by SEP-12, in the rail's fields. */
export const accountOf = (known: Customer['fields']): Record<string, string> =>
  Object.fromEntries(Object.entries(BANK_FIELDS).map(([field, sep9]) => [field, known[sep9] ?? '']))

/** SEP-9's names of what is missing or wrong. */
export const sep9NamesOf = (wrong: readonly Wrong[]): string[] =>
  wrong.flatMap(({ name }) => BANK_FIELDS[name] ?? [])

const person: Readonly<Record<string, CustomerField>> = {
  first_name: { type: 'string', description: 'The given name' },
  last_name: { type: 'string', description: 'The family name' },
}
const sender: Readonly<Record<string, CustomerField>> = {
  ...person,
  address: { type: 'string', description: 'The postal address, with the country' },
}

/** The rails of the anchor by the SEP-12 type of those they pay. */
function railsByType({ config, rails }: Pick<Deps, 'config' | 'rails'>) {
  const { plan } = config.anchor
  const kinds = plan.rails.map(name => railKind(name, plan.asset.anchoredTo))
  return new Map(kinds.map((kind, index) => [receiverType(kind, kinds), rails.get(plan.rails[index] ?? '')]))
}

export function receiverTypeOf({ config }: Pick<Deps, 'config'>, rail: string): string {
  const { plan } = config.anchor
  const kinds = plan.rails.map(name => railKind(name, plan.asset.anchoredTo))
  return receiverType(railKind(rail, plan.asset.anchoredTo), kinds)
}

/** Whether the SEP-12 `type` is one of direct payments. */
export const isDirectType = (deps: Deps, type: string | undefined): type is string =>
  type !== undefined && (type === SENDER_TYPE || railsByType(deps).has(type))

/** What SEP-12 answers for a customer of a direct payment; `customer` is null while nothing is known. */
export async function directAnswer(
  deps: Deps,
  account: string,
  type: string,
  customer: Customer | null,
): Promise<CustomerAnswer> {
  const known = customer?.fields ?? {}
  const id = customer ? { id: customer.id } : {}
  if (!(await maySend(deps, account))) {
    const message = 'The anchor has no agreement about direct payments with this account.'
    return { ...id, status: 'REJECTED', message }
  }
  const needed = neededFields(deps, type)
  const wrong = type === SENDER_TYPE ? [] : destinationOf(deps, type, known).wrong
  const faults = new Map(wrong.map(({ name, why }) => [BANK_FIELDS[name] ?? name, why]))
  const lacking = Object.entries(needed).filter(
    ([name, field]) => (!known[name] && !field.optional) || (known[name] && faults.has(name)),
  )
  const provided = Object.entries(needed).filter(([name]) => known[name] && !faults.has(name))
  const provided_fields = Object.fromEntries(
    provided.map(([name, field]) => [name, { ...field, status: 'ACCEPTED' as const }]),
  )
  if (lacking.length === 0) return { ...id, status: 'ACCEPTED', provided_fields }
  const fields = Object.fromEntries(
    lacking.map(([name, field]) => {
      const error = known[name] ? faults.get(name) : undefined
      return [name, error ? { ...field, status: 'REJECTED' as const, error } : field]
    }),
  )
  return { ...id, status: 'NEEDS_INFO', fields, ...(provided.length > 0 ? { provided_fields } : {}) }
}

function neededFields(deps: Deps, type: string): Readonly<Record<string, CustomerField>> {
  if (type === SENDER_TYPE) return sender
  const bank = (railsByType(deps).get(type)?.destinationFields ?? []).flatMap(
    ({ name, label, hint, optional }) => {
      const field = BANK_FIELDS[name]
      if (!field) return []
      const description = hint ? `${label}, ${hint}` : label
      return [[field, { type: 'string' as const, description, ...(optional ? { optional } : {}) }] as const]
    },
  )
  return { ...person, ...Object.fromEntries(bank) }
}

/** Where a receiver is paid over the rail of this type, and what no bank would accept of it. */
export function destinationOf(
  deps: Pick<Deps, 'config' | 'rails'>,
  type: string,
  known: Customer['fields'],
): { destination: Record<string, string>; wrong: Wrong[] } {
  const name = [known.first_name, known.last_name].filter(Boolean).join(' ')
  const asked = railsByType(deps).get(type)?.destinationFields ?? []
  return readDestination(asked, { ...accountOf(known), dest_name: name })
}
