import { servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { add, amountOf, parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { CaseFile, CasePayout } from '@windlass/contracts/anchor/cases.ts'
import type { VelocityFinding, VelocityKind } from '@windlass/contracts/anchor/compliance.ts'
import { worthIn } from '../../money/pricing/worth.ts'
import { caseFile } from '../../people/compliance/cases.ts'
import { customersOfAccounts, customersWithIds } from '../../people/customers/customers.ts'
import { findKept, keptWithTransactions } from '../../people/customers/kept.ts'
import { verifiedNamesOf } from '../../people/customers/verified-name.ts'
import { payoutEvidence } from '../../bank-files/payout-evidence.ts'
import type { Deps } from '../../deps.ts'
import type { Transfer } from '../../tables.ts'
import { openDestination } from '../../transfers/destination.ts'
import { transfersOf, transfersWithIds } from '../../transfers/find.ts'

/** A customer whom a report is about. */
export interface ReportedPerson {
  id: string
  account: string
  /** By SEP-9's names. */
  fields: Readonly<Record<string, string>>
  verifiedName: string | null
}

export interface ReportedTransfer {
  transfer: Transfer
  /** The bank account that a withdrawal pays, and its holder. */
  payee: { account: string; holder: string } | null
}

/** What a report is made of. */
export interface Reported {
  file: CaseFile
  people: readonly ReportedPerson[]
  transfers: readonly ReportedTransfer[]
  filer: { name: string; email: string; homeDomain: string }
  at: Date
  narrative: string
  /** The worth of the transactions in a currency; null: a rate is missing, or there is no amount. */
  worthIn(this: void, currency: string): Amount | null
}

/** Throws `case-not-found`. */
export async function reportedOf(deps: Deps, id: string): Promise<Reported> {
  const { db } = deps.database
  const file = await caseFile(deps, db, id)
  const { kind, id: subject } = file.case.subject
  const payout = kind === 'payout' ? await payoutEvidence(deps, subject) : null
  const named = [...(kind === 'transaction' ? [subject] : []), ...file.hits.flatMap(transactionsOf)]
  const found = await transfersWithIds(db, [...new Set(named)])
  const ids = [...(kind === 'customer' ? [subject] : []), ...(await customersOf(deps, found))]
  const people = await findPeople(deps, [...new Set(ids)])
  const transfers = new Map(found.map(each => [each.id, each]))
  if (kind === 'customer')
    for (const person of people)
      for (const each of await transfersOf(db, person)) transfers.set(each.id, each)
  const listed = [...transfers.values()].filter(({ amount }) => amount !== null)
  const { plan } = deps.config.anchor
  return {
    ...{ file, people, narrative: narrativeOf(file, payout), at: deps.clock.now() },
    transfers: listed.map(transfer => ({ transfer, payee: payeeOf(deps, transfer) })),
    filer: { name: plan.organizationName, email: plan.businessEmail, homeDomain: plan.homeDomain },
    worthIn: currency => worthOf(deps, listed, currency),
  }
}

const transactionsOf = ({ subject, velocity, transactions }: CaseFile['hits'][number]): string[] => [
  ...(subject.kind === 'transaction' ? [subject.id] : []),
  ...transactions,
  ...(velocity?.transfers.map(({ id }) => id) ?? []),
]

/** Who the customers of transactions are: named by the sending anchor, or who has the wallet, also if deleted since. */
async function customersOf(deps: Deps, transfers: readonly Transfer[]): Promise<string[]> {
  const found: string[] = await keptWithTransactions(
    deps.database.db,
    transfers.map(({ id }) => id),
  )
  const own = transfers.filter(({ sep, account }) => sep !== '31' && account)
  found.push(...(await customersOfAccounts(deps.database.db, own)))
  return [
    ...found,
    ...transfers.flatMap(each => [each.customer_id, each.receiver_id].flatMap(id => id ?? [])),
  ]
}

/** Customers, and those who were deleted and are kept, in this order; others are left out. */
async function findPeople(
  deps: Deps,
  ids: readonly string[],
): Promise<(ReportedPerson & { memo: string | null })[]> {
  const { database, sealer } = deps
  const customers = await customersWithIds(deps, ids)
  const centralIds = [...customers.values()].flatMap(({ central_id }) => central_id ?? [])
  const verified = await verifiedNamesOf(database.db, sealer, centralIds)
  const people = []
  for (const id of ids) {
    const customer = customers.get(id)
    const person = customer
      ? { ...customer, verifiedName: verified.get(customer.central_id ?? '') ?? null }
      : await findKept(deps, id)
    if (person) people.push(person)
  }
  return people
}

function payeeOf({ sealer }: Deps, transfer: Transfer): ReportedTransfer['payee'] {
  const { dest, dest_name } = openDestination(sealer, transfer)
  return transfer.direction === 'withdrawal' && dest ? { account: dest, holder: dest_name ?? '' } : null
}

function worthOf({ config }: Deps, transfers: readonly Transfer[], currency: string): Amount | null {
  let sum = amountOf(0n)
  for (const { asset, amount } of transfers) {
    const { anchoredTo } = servedAsset(config.anchor, asset)
    const worth = worthIn(config, parseAmount(amount ?? '0'), anchoredTo, currency)
    if (worth === null) return null
    sum = add(sum, worth)
  }
  return transfers.length > 0 ? sum : null
}

/** What a rule counts, where it is not transfers. */
const counted: Partial<Record<VelocityKind, string>> = {
  'account-customers': 'customer',
  'wallet-customers': 'customer',
  'customer-accounts': 'bank account',
  'customer-wallets': 'wallet',
}

function countOf({ rule: { kind }, count }: VelocityFinding): string {
  const name = counted[kind] ?? 'transfer'
  return `${count} ${count === 1 ? name : `${name}s`}`
}

function describePayout({ kind, code, amount, currency, rail, payee, line }: CasePayout): string {
  const to = payee ? ` to ${payee.dest_name ?? 'UNKNOWN'}, account ${payee.dest ?? 'UNKNOWN'}` : ''
  const from = line
    ? ` It came on ${line.bookedOn} from ${line.payer ?? 'UNKNOWN'}, account ${line.account ?? 'UNKNOWN'}.`
    : ''
  return `${kind === 'return' ? 'Money that goes back' : 'Payout'} ${code}: ${amount} ${currency} by ${rail}${to}.${from}`
}

/** What was found, then what people wrote, oldest first. */
function narrativeOf({ case: { openedAt }, hits, steps }: CaseFile, payout: CasePayout | null): string {
  const findings = hits.flatMap(({ match, velocity, country, outside, status }) => {
    if (match)
      return `${match.name} is like ${match.entryName} (${match.source} ${match.entryId}, ${match.detail}), score ${match.score}: ${status}.`
    if (outside)
      return `A program found of the ${outside.kind}: ${outside.evidence ?? 'no text'} (${outside.reference ?? 'no number'}): ${status}.`
    if (country) return `Country ${country.country} (${country.of}, ${country.list}): ${status}.`
    if (!velocity) return []
    const { rule, amount } = velocity
    return `Rule ${rule.kind} within ${rule.hours} hours: ${countOf(velocity)}, ${amount} in all: ${status}.`
  })
  const written = steps.flatMap(({ text, at }) => (text === null ? [] : [`${at.slice(0, 10)}: ${text}`]))
  const paid = payout ? [describePayout(payout)] : []
  return [`Case opened ${openedAt.slice(0, 10)}.`, ...paid, ...findings, ...written].join('\n')
}
