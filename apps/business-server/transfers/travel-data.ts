import type { CustomerAnswer, CustomerField } from '@windlass/contracts/anchor/anchor-platform.ts'
import type { Ivms101 } from '@windlass/contracts/anchor/ivms101.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { findCustomer, findCustomerById } from '../people/customers/customers.ts'
import type { Deps } from '../deps.ts'
import { nameOfSender } from '../people/sending-anchors/agreements.ts'
import type { Tables, Transfer } from '../tables.ts'
import { createDocument, missingFields, type Side, type Sides } from './travel-rule/document.ts'
import { addRecord, hasRecord } from './travel-rule/records.ts'
import { thresholdIn } from '../money/pricing/worth.ts'
import { currentTravelRule } from './travel-rule/settings.ts'
import { missingResidence } from './countries.ts'
import { openDestination } from './destination.ts'
import { missingSourceOfFunds } from './risk.ts'
import { transfersAsking } from './find.ts'

/** SEP-9's fields that customer and receiver still have to send, or the document that is complete. */
type TravelData = { customer: string[]; receiver: string[] } | { document: Ivms101 }

/** What the travel rule asks for of a transfer; null: its amount is below the threshold. */
export async function travelDataOf(
  deps: Deps,
  db: Db<Tables>,
  transfer: Transfer,
): Promise<TravelData | null> {
  const { threshold, lei } = await currentTravelRule(deps, db)
  if (threshold === null || transfer.amount === null) return null
  if (parseAmount(transfer.amount) < thresholdIn(deps.config, threshold, transfer.asset)) return null
  const sides = await sidesOf(deps, db, transfer, lei)
  const today = deps.clock.now().toISOString().slice(0, 10)
  const { originator, beneficiary } = missingFields(sides, today)
  if (originator.length + beneficiary.length === 0) return { document: createDocument(sides, today) }
  return transfer.sep === '31'
    ? { customer: originator, receiver: beneficiary }
    : { customer: [...new Set([...originator, ...beneficiary])], receiver: [] }
}

async function sidesOf(deps: Deps, db: Db<Tables>, transfer: Transfer, lei: string | null): Promise<Sides> {
  const { sealer, database, config } = deps
  const store = { sealer, database: { ...database, db } }
  const { sep, direction, account, customer_id, receiver_id } = transfer
  const find = async (id: string | null) => (id ? await findCustomerById(store, id) : null)
  const [named, receiver] = [await find(customer_id), await find(receiver_id)]
  // One who was deleted by SEP-12 and came back.
  const customer = named ?? (sep === '31' ? null : await findCustomer(store, account, transfer.account_memo))
  const { dest = null, dest_name: holder } = openDestination(sealer, transfer)
  const wallet = [transfer.stellar_account, transfer.memo ?? transfer.account_memo].filter(Boolean).join(':')
  const known: Side = { fields: customer?.fields ?? {}, customer: customer?.id ?? null, account: null }
  const self = { name: config.anchor.plan.organizationName, lei }
  if (sep === '31')
    return {
      originator: {
        ...known,
        account: customer && [customer.account, customer.memo].filter(Boolean).join(':'),
      },
      beneficiary: { fields: receiver?.fields ?? {}, customer: receiver?.id ?? null, account: dest },
      originatingAnchor: { name: await nameOfSender(db, account), lei: null },
      beneficiaryAnchor: self,
    }
  if (direction === 'deposit')
    return {
      originator: known,
      beneficiary: { ...known, account: wallet },
      originatingAnchor: self,
      beneficiaryAnchor: null,
    }
  const holderOf: Side = { fields: { last_name: holder ?? '' }, customer: null, account: dest }
  return {
    originator: { ...known, account: wallet },
    beneficiary: holder ? holderOf : { ...known, account: dest },
    originatingAnchor: null,
    beneficiaryAnchor: self,
  }
}

/** The fields that are missing before a transfer continues, of its customer and of its receiver. */
export async function missingTravelData(deps: Deps, transfer: Transfer): Promise<string[]> {
  const data = await travelDataOf(deps, deps.database.db, transfer)
  const lacking = data && 'customer' in data ? [...data.customer, ...data.receiver] : []
  return [
    ...new Set([
      ...lacking,
      ...(await missingResidence(deps, deps.database.db, transfer)),
      ...(await missingSourceOfFunds(deps, transfer)),
    ]),
  ]
}

/**
 * Keeps who sends and receives with a transfer that reaches the threshold, in the caller's transaction.
 *
 * @returns the fields that are missing; then nothing is kept, and its money must not move.
 */
export async function keepTravelData(deps: Deps, tx: Db<Tables>, transfer: Transfer): Promise<string[]> {
  if (await hasRecord(tx, transfer.id)) return []
  const data = await travelDataOf(deps, tx, transfer)
  if (!data) return []
  if ('customer' in data) return [...new Set([...data.customer, ...data.receiver])]
  await addRecord(deps, tx, transfer.id, data.document, deps.clock.now())
  return []
}

/** As {@link keepTravelData}, for what is agreed. @throws {Problem} `validation-failed` */
export async function requireTravelData(deps: Deps, tx: Db<Tables>, transfer: Transfer): Promise<void> {
  const missing = await keepTravelData(deps, tx, transfer)
  if (missing.length > 0)
    throw new Problem('validation-failed', `the travel rule asks for this amount for ${missing.join(', ')}`)
}

const descriptions: Readonly<Record<string, string>> = {
  first_name: 'The given name',
  last_name: 'The family name',
  address: 'The postal address: street and number',
  city: 'The city of the postal address',
  source_of_funds: 'Where the money comes from, such as a salary',
  address_country_code: 'The country of the postal address: its ISO 3166-1 alpha-3 code, such as IND',
}

/** What SEP-12 answers for a customer whose open transfers still need something by the travel rule. */
export async function withTravelData(deps: Deps, answer: CustomerAnswer): Promise<CustomerAnswer> {
  const { id } = answer
  if (answer.status !== 'ACCEPTED' || !id) return answer
  const { db } = deps.database
  const [names, others] = [new Set<string>(), new Set<string>()]
  for (const transfer of await transfersAsking(db, id)) {
    const data = await travelDataOf(deps, db, transfer)
    const asked = data && 'customer' in data ? data : { customer: [], receiver: [] }
    for (const name of transfer.customer_id === id ? asked.customer : asked.receiver) names.add(name)
    if (transfer.customer_id !== id || transfer.state !== 'identifying') continue
    const more = [
      ...(await missingResidence(deps, db, transfer)),
      ...(await missingSourceOfFunds(deps, transfer)),
    ]
    for (const name of more) others.add(name)
  }
  if (names.size + others.size === 0) return answer
  const fields = [...new Set([...names, ...others])].map((name): [string, CustomerField] => [
    name,
    { type: 'string', description: descriptions[name] ?? name.replaceAll(/[._]+/g, ' ') },
  ])
  const message =
    names.size > 0
      ? 'The travel rule asks for it before an amount of this size moves.'
      : 'It is needed before the transaction continues.'
  return { ...answer, status: 'NEEDS_INFO', fields: Object.fromEntries(fields), message }
}
