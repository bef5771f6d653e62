import type { CustomerAnswer, CustomerField } from '@windlass/contracts/anchor/anchor-platform.ts'
import type { Ivms101 } from '@windlass/contracts/anchor/ivms101.ts'
import type { TravelRuleFact, TravelRuleSettings } from '@windlass/contracts/anchor/travel-rule.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import type { TravelProvider } from '@windlass/contracts/anchor/travel-messages.ts'
import type { Deps } from '../deps.ts'
import { providerOf } from '../people/travel-providers/directory.ts'
import type { Tables, Transfer } from '../tables.ts'
import { missingResidence } from './countries.ts'
import { transfersAsking } from './find.ts'
import { linkedWorth } from './linked.ts'
import { missingSourceOfFunds } from './risk.ts'
import { thresholdTowards } from './travel-rule/corridors.ts'
import { createDocument, missingFields } from './travel-rule/document.ts'
import { isUnanswered as askProvider } from './travel-messages/exchange.ts'
import { addRecord, addSenderAccount, findRecord, hasRecord } from './travel-rule/records.ts'
import { currentTravelRule } from './travel-rule/settings.ts'
import { noteOwner, provenBy, type Wallet, walletOf } from './travel-rule/wallet-owners.ts'
import { sidesOf } from './travel-sides.ts'

/** What a person proves rather than types: that the wallet is theirs. */
export const WALLET_PROOF = 'wallet_proof'

/** SEP-9's fields that customer and receiver still have to send, or the document that is complete. */
type TravelData = { customer: string[]; receiver: string[] } | { document: Ivms101; facts: TravelRuleFact[] }

/** What the travel rule asks for of a transfer; null: its amount is below the threshold. */
async function travelDataOf(deps: Deps, db: Db<Tables>, transfer: Transfer): Promise<TravelData | null> {
  const rule = await currentTravelRule(deps, db)
  const proof = await missingProof(deps, db, transfer, rule)
  if (!(await isReached(deps, db, transfer, rule))) {
    return proof.length > 0 ? { customer: proof, receiver: [] } : null
  }
  const { sides, facts } = await sidesOf(deps, db, transfer, rule.lei, await providerFor(db, transfer))
  const today = deps.clock.now().toISOString().slice(0, 10)
  const { originator, beneficiary } = missingFields(sides, today)
  if (originator.length + beneficiary.length + proof.length === 0)
    return { document: createDocument(sides, today), facts }
  return transfer.sep === '31'
    ? { customer: originator, receiver: beneficiary }
    : { customer: [...new Set([...originator, ...beneficiary, ...proof])], receiver: [] }
}

/** Who holds the wallet of a transfer for its customers; null: nobody who is known. */
const providerFor = (
  db: Db<Tables>,
  { stellar_account, client_domain: clientDomain, sep }: Transfer,
  account = stellar_account,
): Promise<TravelProvider | null> =>
  sep === '31' ? Promise.resolve(null) : providerOf(db, { account, clientDomain })

/**
 * Whether money waits for the answer of the provider that holds the wallet, in the caller's transaction. The provider is asked,
 * whether money waits for it or not.
 */
export async function waitsForProvider(
  deps: Deps,
  tx: Db<Tables>,
  transfer: Transfer,
  sender: string | null,
): Promise<boolean> {
  const provider = await providerFor(tx, transfer, sender ?? transfer.stellar_account)
  if (!provider || provider.travelAddress === null) return false
  const record = await findRecord({ ...deps, database: { ...deps.database, db: tx } }, transfer.id)
  if (!record) return false
  const isUnanswered = await askProvider(deps, tx, transfer, provider, record.document)
  return isUnanswered && (await currentTravelRule(deps, tx)).waitsForAnswer
}

/** Whether a transfer, with those it is linked to, reaches the threshold towards the other side. */
async function isReached(
  deps: Deps,
  db: Db<Tables>,
  transfer: Transfer,
  rule: TravelRuleSettings,
): Promise<boolean> {
  if (transfer.amount === null) return false
  const provider = await providerFor(db, transfer)
  const threshold = thresholdTowards(deps.config, rule, provider?.country ?? null)
  if (threshold === null) return false
  const worth = await linkedWorth(deps, db, transfer)
  return worth === null || worth >= threshold
}

/** That the wallet is the customer's is proven from an amount on (Regulation (EU) 2023/1113, articles 14 and 16). */
async function missingProof(
  deps: Deps,
  db: Db<Tables>,
  transfer: Transfer,
  { ownershipAbove }: Pick<TravelRuleSettings, 'ownershipAbove'>,
  wallet: Wallet = walletOf(transfer),
): Promise<string[]> {
  if (ownershipAbove === null || transfer.sep === '31' || transfer.amount === null) return []
  const worth = await linkedWorth(deps, db, transfer)
  if (worth !== null && worth < parseAmount(ownershipAbove)) return []
  if (await providerFor(db, transfer, wallet.account)) return []
  return (await provenBy(db, transfer, wallet)) === null ? [WALLET_PROOF] : []
}

/** The fields that are missing before a transfer continues, of its customer and of its receiver. */
export async function missingTravelData(deps: Deps, transfer: Transfer): Promise<string[]> {
  await askForOwner(deps, transfer, null)
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
  await addRecord(deps, tx, transfer.id, data, deps.clock.now())
  return []
}

/**
 * As {@link keepTravelData}, before money leaves: the units of a withdrawal may have come from another account than the customer named.
 *
 * @param sender null: of a deposit.
 */
export async function travelDataBeforeItLeaves(
  deps: Deps,
  tx: Db<Tables>,
  transfer: Transfer,
  sender: string | null,
): Promise<string[]> {
  const missing = await keepTravelData(deps, tx, transfer)
  if (missing.length > 0) return missing
  const wallet = sender === null ? walletOf(transfer) : senderWallet(transfer, sender)
  if (sender !== null && transfer.sep !== '31' && baseAccount(transfer.account) !== sender)
    await addSenderAccount(deps, tx, transfer.id, sender, await provenBy(tx, transfer, wallet))
  return missingProof(deps, tx, transfer, await currentTravelRule(deps, tx), wallet)
}

/** Units of an account with many people's memos come with the withdrawal's memo. */
const senderWallet = ({ account, account_memo: memo }: Transfer, sender: string): Wallet =>
  baseAccount(account) === sender ? { account, memo } : { account: sender, memo: null }

/** Asks the platform, before {@link travelDataBeforeItLeaves}, whose the wallet is where that has to be proven. */
export async function askForOwner(deps: Deps, transfer: Transfer, sender: string | null): Promise<void> {
  const { ownershipAbove } = await currentTravelRule(deps, deps.database.db)
  if (ownershipAbove === null || transfer.sep === '31') return
  await noteOwner(deps, transfer, sender === null ? walletOf(transfer) : senderWallet(transfer, sender))
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
  [WALLET_PROOF]:
    'Proof that the wallet is yours: sign in to this anchor with it, or connect it in the customer portal',
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
