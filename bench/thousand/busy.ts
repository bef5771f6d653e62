import { parseAmount } from '@windlass/money/amount.ts'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import { ledgerIn } from '@windlass/stellar/network.ts'
import { linkAndProveWallet, signInCustomer, verifyIdentity } from '@windlass/windlass/demo/customer.ts'
import {
  balance,
  deposit,
  listTransactions,
  openDeposit,
  payDeposit,
  payWithdrawal,
  withdrawAmount,
  type Transaction,
} from '@windlass/windlass/demo/money.ts'
import { beginStory, type Story } from '@windlass/windlass/demo/story.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { firstByte } from '../stand/first-byte.ts'
import type { ProvisionedAnchor } from './anchors.ts'

/** A customer who deposits and withdraws at one anchor all the time. */
export interface Customer {
  anchor: ProvisionedAnchor
  story: Story
  done: number
  /** Transfers that were interrupted: what became of them is read at the end. */
  interrupted: number
}

const AT_ONCE = 4

/** Each has deposited at its anchor. */
export async function createCustomers(
  variables: Readonly<Record<string, string>>,
  anchors: readonly ProvisionedAnchor[],
): Promise<Customer[]> {
  const customers: Customer[] = []
  const left = [...anchors]
  const worker = async (): Promise<void> => {
    for (let anchor = left.shift(); anchor; anchor = left.shift())
      customers.push(await createCustomer(variables, anchor))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  console.log(`  ${customers.length} customers have deposited`)
  return customers
}

async function createCustomer(
  variables: Readonly<Record<string, string>>,
  anchor: ProvisionedAnchor,
): Promise<Customer> {
  const story = beginStory({ ...variables })
  Object.assign(story.first, { anchorId: anchor.id, anchor: anchor.result })
  // It wakes: on a busy machine that takes longer than a wallet waits.
  await firstByte(variables, anchor.result.homeDomain ?? '')
  for (const step of [signInCustomer, linkAndProveWallet, verifyIdentity, deposit])
    await step.run(story, () => undefined)
  return { anchor, story, done: 1, interrupted: 0 }
}

/** Moves money until it is over. */
export async function keepBusy(customer: Customer, pauseMs: number, isOver: () => boolean): Promise<void> {
  const { story } = customer
  // Not all at the same moment.
  for (await sleep(Math.random() * pauseMs); !isOver(); await sleep(pauseMs)) {
    try {
      if (customer.done % 2 === 1) await withdrawAmount(story, '20')
      else await payDeposit(story, await openDeposit(story, '30'))
      customer.done++
    } catch {
      customer.interrupted++
    }
  }
}

/** What the wallet pays when the withdrawal is already completed: the anchor has to send it back. */
export interface SecondPayment {
  pay(): Promise<void>
  isBack(): Promise<boolean>
}

/** Withdraws. */
export async function prepareSecondPayment(customer: Customer): Promise<SecondPayment> {
  const { story } = customer
  const withdrawal = await withdrawAmount(story, '20')
  customer.done++
  const before = await balance(story)
  return {
    pay: () => payWithdrawal(story, withdrawal),
    isBack: async () => (await balance(story)) === before,
  }
}

const RESTING = new Set(['completed', 'refunded', 'expired', 'incomplete', 'pending_user_transfer_start'])
const SETTLED_WITHIN_MS = 180_000

/** What differs, to the last unit; none: the anchor, the ledger and the wallet agree. */
export async function differencesOf(customer: Customer, serverUrl: string): Promise<string[]> {
  const { story, anchor } = customer
  const shown = await untilSettled(story)
  const horizon = createHorizon(ledgerIn(story.variables))
  const account = await horizon.account(anchor.result.distribution ?? '')
  const asset = `${anchor.result.assetCode}:${anchor.result.issuer}`
  const onLedger = units(account?.balances.find(line => line.asset === asset)?.balance ?? '0')
  const inJournal = await journalOf(serverUrl, anchor.id)
  const held = units(await balance(story))
  const completed = shown.filter(({ status }) => status === 'completed')
  const expected = completed.reduce(
    (sum, each) => sum + (each.kind.startsWith('deposit') ? units(each.amount_out) : -units(each.amount_in)),
    0n,
  )
  const compared: [what: string, one: bigint, other: bigint][] = [
    ['the journal’s treasury and the ledger', inJournal.treasury, onLedger],
    ['what the journal cannot assign and nothing', inJournal.suspense, 0n],
    ['the wallet’s balance and its transactions', held, expected],
  ]
  return compared.flatMap(([what, one, other]) =>
    one === other ? [] : [`${anchor.id}: ${what} differ by ${one - other} stroops`],
  )
}

async function untilSettled(story: Story): Promise<Transaction[]> {
  const until = performance.now() + SETTLED_WITHIN_MS
  for (;;) {
    const transactions = await listTransactions(story).catch(() => null)
    const open = transactions?.filter(({ status }) => !RESTING.has(status))
    if (transactions && open?.length === 0) return transactions
    if (performance.now() > until)
      throw new Error(`transfers are not settled: ${open?.map(({ status }) => status).join(', ')}`)
    await sleep(1_000)
  }
}

/** Read beside the anchor's own server: it may sleep. */
async function journalOf(
  serverUrl: string,
  anchorId: string,
): Promise<{ treasury: bigint; suspense: bigint }> {
  const connectionString = Object.assign(new URL(serverUrl), { pathname: `/anchor_${anchorId}` }).href
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    const { rows } = await client.query<{ account: string; amount: string }>(
      `select account, sum(amount)::text as amount from business.journal_lines where unit = 'asset' group by account`,
    )
    const of = (account: string) => units(rows.find(row => row.account === account)?.amount ?? '0')
    return { treasury: of('treasury'), suspense: of('suspense') }
  } finally {
    await client.end()
  }
}

/** Stroops. */
const units = (amount: string): bigint =>
  amount.startsWith('-') ? -parseAmount(amount.slice(1)) : parseAmount(amount)
