import type { TravelRuleFact } from '@windlass/contracts/anchor/travel-rule.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { findCustomer, findCustomerById, localStatus } from '../people/customers/customers.ts'
import type { Customer } from '../people/customers/seal-details.ts'
import { namesDiffer, verifiedNameOf } from '../people/customers/verified-name.ts'
import { providerOf } from '../people/travel-providers/directory.ts'
import { senderOf } from '../people/sending-anchors/agreements.ts'
import type { Deps } from '../deps.ts'
import type { Tables, Transfer } from '../tables.ts'
import { openDestination } from './destination.ts'
import { type Anchor, UNKNOWN, type Side, type Sides } from './travel-rule/document.ts'
import { provenBy, type Wallet, walletOf } from './travel-rule/wallet-owners.ts'

type Known = Pick<TravelRuleFact, 'known' | 'by'>
type Facts = Record<TravelRuleFact['fact'], Known>

const NOBODY_KNOWS: Known = { known: 'unknown', by: null }
const told = (by: TravelRuleFact['by']): Known => ({ known: 'asked', by })
const proven = (by: TravelRuleFact['by']): Known => ({ known: 'proven', by })

/** Who sends and who receives a transfer, and how that is known. */
interface KnownSides {
  sides: Sides
  facts: TravelRuleFact[]
}

/** @param provider that holds the wallet; null: nobody who is known. */
export async function sidesOf(
  deps: Deps,
  db: Db<Tables>,
  transfer: Transfer,
  lei: string | null,
  provider: Anchor | null,
): Promise<KnownSides> {
  const self = { name: deps.config.anchor.plan.organizationName, lei }
  if (transfer.sep === '31') return directSides(deps, db, transfer, self)
  const store = { sealer: deps.sealer, database: { ...deps.database, db } }
  const named = transfer.customer_id ? await findCustomerById(store, transfer.customer_id) : null
  // One who was deleted by SEP-12 and came back.
  const customer = named ?? (await findCustomer(store, transfer.account, transfer.account_memo))
  const wallet = await walletSide(deps, db, transfer, customer)
  const own: Side = { ...sideOf(customer), account: null }
  const ownName = await nameKnown(deps, db, customer)
  if (transfer.direction === 'deposit')
    return {
      sides: {
        ...{ originator: own, beneficiary: wallet.side },
        ...{ originatingAnchor: self, beneficiaryAnchor: provider },
      },
      facts: listed({
        ...{ 'originator-name': ownName, 'originator-account': NOBODY_KNOWS },
        ...{ 'beneficiary-name': wallet.name, 'beneficiary-account': wallet.account },
      }),
    }
  const { dest = null, dest_name: holder } = openDestination(deps.sealer, transfer)
  return {
    sides: {
      originator: { ...own, account: textOf(walletOf(transfer)) },
      beneficiary: { fields: holder ? { last_name: holder } : UNKNOWN, customer: null, account: dest },
      ...{ originatingAnchor: provider, beneficiaryAnchor: self },
    },
    facts: listed({
      ...{ 'originator-name': ownName, 'originator-account': wallet.account },
      'beneficiary-name': holder ? told('customer') : NOBODY_KNOWS,
      'beneficiary-account': dest === null ? NOBODY_KNOWS : told('customer'),
    }),
  }
}

/** A sending anchor answers for both sides. */
async function directSides(
  { sealer, database }: Deps,
  db: Db<Tables>,
  transfer: Transfer,
  self: NonNullable<Sides['beneficiaryAnchor']>,
): Promise<KnownSides> {
  const store = { sealer, database: { ...database, db } }
  const find = async (id: string | null) => (id ? await findCustomerById(store, id) : null)
  const [sender, receiver] = [await find(transfer.customer_id), await find(transfer.receiver_id)]
  const { dest = null } = openDestination(sealer, transfer)
  const said = told('sending-anchor')
  return {
    sides: {
      originator: { ...sideOf(sender), account: sender && textOf(sender) },
      beneficiary: { ...sideOf(receiver), account: dest },
      originatingAnchor: await senderAnchor(db, transfer.account),
      beneficiaryAnchor: self,
    },
    facts: listed({
      ...{ 'originator-name': said, 'originator-account': said },
      ...{ 'beneficiary-name': said, 'beneficiary-account': said },
    }),
  }
}

/** A sending anchor by its entry in the directory, else by its agreement. */
async function senderAnchor(db: Db<Tables>, account: string): Promise<Anchor> {
  const provider = await providerOf(db, { account, clientDomain: null })
  return provider ?? (await senderOf(db, account))
}

/** Whose the wallet of a transfer is: the customer's, another customer's of the anchor, or unknown. */
async function walletSide(
  deps: Deps,
  db: Db<Tables>,
  transfer: Transfer,
  customer: Customer | null,
): Promise<{ side: Side; name: Known; account: Known }> {
  const wallet = walletOf(transfer)
  const account = textOf(wallet)
  const by = await provenBy(db, transfer, wallet)
  if (by !== null)
    return {
      side: { ...sideOf(customer), account },
      name: await nameKnown(deps, db, customer),
      account: proven(by),
    }
  const store = { sealer: deps.sealer, database: { ...deps.database, db } }
  const other = await findCustomer(store, wallet.account, wallet.memo)
  const name = await nameKnown(deps, db, other)
  if (!other || name.known === 'unknown')
    return { side: { fields: UNKNOWN, customer: null, account }, name: NOBODY_KNOWS, account: NOBODY_KNOWS }
  const side = { fields: nameIn(other.fields), customer: other.id, account }
  return { side, name, account: proven('wallet-login') }
}

const sideOf = (customer: Customer | null) => ({
  fields: customer?.fields ?? {},
  customer: customer?.id ?? null,
})

/** No more than the rule asks for of who receives. */
const nameIn = (fields: Customer['fields']): Customer['fields'] =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => /^(\w+_name|organization\.name)$/.test(name)))

const textOf = ({ account, memo }: Wallet): string => [account, memo].filter(Boolean).join(':')

/** How the name is known that a customer told. */
async function nameKnown({ sealer }: Deps, db: Db<Tables>, customer: Customer | null): Promise<Known> {
  const { fields = {}, central_id: person = null } = customer ?? {}
  const name = fields['organization.name'] ?? [fields.first_name, fields.last_name].filter(Boolean).join(' ')
  if (!name) return NOBODY_KNOWS
  if ((await localStatus(db, person))?.status !== 'ACCEPTED') return told('customer')
  const isSame = namesDiffer(name, await verifiedNameOf(db, sealer, person)) === false
  return isSame ? proven('identity-check') : told('customer')
}

const listed = (facts: Facts): TravelRuleFact[] =>
  Object.entries(facts).map(([fact, known]) => ({ fact: fact as TravelRuleFact['fact'], ...known }))
