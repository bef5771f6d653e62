import { Asset, Operation, type Transaction } from '@stellar/stellar-sdk/base'
import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { spendableXlm } from './horizon-account.ts'
import type { Horizon, LedgerHead } from './horizon.ts'
import { bidOf, builderFor, raise, type Common } from './issuing.ts'
import { addSignature, type TransactionSigner } from './keys.ts'
import { LedgerError } from './ledger-error.ts'
import { settle, type EnvelopeStore } from './settle.ts'

/*
 * What an account of ours (FUNDING_ACCOUNT) pays for anchors. The network keeps one pending transaction of an account, so
 * its transactions take turns, and one of them opens the accounts of all anchors that wait (docs/adr/0124).
 */

/** The last turn of each account that pays: they hold for the whole process. */
const turns = new Map<string, Promise<unknown>>()

function inTurn<T>(account: string, act: () => Promise<T>): Promise<T> {
  const turn = (turns.get(account) ?? Promise.resolve()).then(act)
  turns.set(
    account,
    turn.catch(() => undefined),
  )
  return turn
}

interface Funding extends Common {
  /** Signer of the account that pays (`FUNDING_ACCOUNT`). */
  payer: TransactionSigner
  accounts: readonly string[]
  /** XLM for each new account. */
  startingBalance: string
  reference: string
}

interface Waiting {
  funding: Funding
  ended: PromiseWithResolvers<'applied' | 'found'>
}

/** Who waits for accounts, by the account that pays. */
const waiting = new Map<string, Waiting[]>()
/** Accounts of one transaction, far below the 100 operations that it may have. */
const MOST_ACCOUNTS = 60

/**
 * Creates those accounts that the ledger does not have, paid by an account of ours: in one transaction with those of others
 * who wait for it. Throws {@link LedgerError}.
 */
export function fundFromAccount(funding: Funding): Promise<'applied' | 'found'> {
  const { address } = funding.payer
  const ended = Promise.withResolvers<'applied' | 'found'>()
  waiting.set(address, [...(waiting.get(address) ?? []), { funding, ended }])
  void inTurn(address, () => fundWaiting(address))
  return ended.promise
}

async function fundWaiting(payer: string): Promise<void> {
  const all = waiting.get(payer) ?? []
  const taken: Waiting[] = []
  let accounts = 0
  for (const each of all) {
    accounts += each.funding.accounts.length
    if (taken.length > 0 && accounts > MOST_ACCOUNTS) break
    taken.push(each)
  }
  waiting.set(payer, all.slice(taken.length))
  for (const group of await groupsOf(taken)) await fundTogether(group)
}

/** Those whose envelope is the same, such as after a crash, and those who have none. */
async function groupsOf(taken: readonly Waiting[]): Promise<Waiting[][]> {
  const groups = new Map<string | null, Waiting[]>()
  for (const each of taken) {
    try {
      const hash = (await each.funding.store.current())?.hash ?? null
      groups.set(hash, [...(groups.get(hash) ?? []), each])
    } catch (error) {
      each.ended.reject(error)
    }
  }
  return [...groups.values()]
}

/** Funds a group by one transaction; where none could be stored, such as for its amount, each by one of its own. */
async function fundTogether(group: readonly Waiting[]): Promise<void> {
  try {
    const outcome = await settleFundings(group.map(({ funding }) => funding))
    for (const { ended } of group) ended.resolve(outcome)
  } catch (error) {
    const [only, ...others] = group
    const stored = await Promise.all(group.map(({ funding }) => funding.store.current())).catch(() => [null])
    if (others.length === 0 || stored.some(each => each !== null))
      for (const { ended } of group) ended.reject(error)
    else for (const each of [only, ...others]) if (each) await fundTogether([each])
  }
}

function settleFundings(fundings: readonly Funding[]): Promise<'applied' | 'found'> {
  const [first] = fundings
  if (!first) return Promise.resolve('found')
  const { horizon, payer } = first
  const missing = async () =>
    (await Promise.all(fundings.map(missingAccounts))).flatMap((accounts, index) =>
      accounts.map(destination => ({
        destination,
        startingBalance: fundings[index]?.startingBalance ?? '0',
      })),
    )
  return settle({
    horizon,
    store: storeOf(fundings.map(({ store }) => store)),
    isDone: async () => (await missing()).length === 0,
    build: async head => buildFunding(fundings, first, await missing(), head),
    raiseFee: xdr => raise(xdr, first, payer),
  })
}

async function missingAccounts({ horizon, accounts }: Funding): Promise<string[]> {
  const found = await Promise.all(accounts.map(account => horizon.account(account)))
  return accounts.filter((_, index) => found[index] === null)
}

async function buildFunding(
  fundings: readonly Funding[],
  first: Funding,
  accounts: readonly { destination: string; startingBalance: string }[],
  head: LedgerHead,
): Promise<Transaction> {
  const payer = await first.horizon.account(first.payer.address)
  if (!payer) throw empty('does not exist')
  const fee = await bidOf(first)
  const total = accounts.reduce((sum, { startingBalance }) => sum + parseAmount(startingBalance) + fee, 0n)
  if (spendableXlm(payer, head.baseReserve) < total) throw empty('has too little XLM')
  const references = fundings.map(({ reference }) => reference).join(', ')
  const builder = builderFor(first, payer, head, fee, `windlass fund ${references}`)
  for (const account of accounts) builder.addOperation(Operation.createAccount(account))
  const transaction = builder.build()
  await addSignature(transaction, first.payer)
  return transaction
}

const empty = (what: string): LedgerError =>
  new LedgerError('funding-account-empty', `The account that funds new accounts ${what}.`)

/** One envelope in several stores. */
function storeOf(stores: readonly EnvelopeStore[]): EnvelopeStore {
  const [first] = stores
  const inEach = async (act: (store: EnvelopeStore) => Promise<void>): Promise<void> => {
    for (const store of stores) await act(store)
  }
  return {
    current: async () => (await first?.current()) ?? null,
    put: envelope => inEach(store => store.put(envelope)),
    confirm: hash => inEach(store => store.confirm(hash)),
    retire: (hash, why) => inEach(store => store.retire(hash, why)),
    isBeforeReset: async envelope => (await first?.isBeforeReset?.(envelope)) ?? false,
  }
}

interface TopUp extends Common {
  /** The account that pays (`FUNDING_ACCOUNT`). */
  payer: TransactionSigner
  account: string
  /** Stroops: below `least` beyond its reserves, the account gets what it lacks to `target`. */
  least: bigint
  target: bigint
  reference: string
}

/** Tops up an account's XLM where it has little, paid by an account of ours. Throws {@link LedgerError}. */
export function topUp(wanted: TopUp): Promise<'applied' | 'found'> {
  const { horizon, store, payer } = wanted
  const settled = () =>
    settle({
      horizon,
      store,
      isDone: async () => !(await isLow(wanted)),
      build: async head => {
        const paying = await horizon.account(payer.address)
        const account = await horizon.account(wanted.account)
        if (!paying || !account) {
          throw new LedgerError('ledger-unavailable', 'An account of the top-up is not on the ledger.')
        }
        const missing = amountOf(wanted.target - spendableXlm(account, head.baseReserve))
        const fee = await bidOf(wanted)
        if (spendableXlm(paying, head.baseReserve) < missing + fee) {
          throw empty('has too little XLM')
        }
        const payment = { asset: Asset.native(), amount: formatAmount(missing), destination: wanted.account }
        const memo = `windlass top-up ${wanted.reference}`
        const transaction = builderFor(wanted, paying, head, fee, memo)
          .addOperation(Operation.payment(payment))
          .build()
        await addSignature(transaction, payer)
        return transaction
      },
      raiseFee: xdr => raise(xdr, wanted, payer),
    })
  return inTurn(payer.address, settled)
}

/** Whether an account on the ledger has less than `least` beyond its reserves. */
export async function isLow({
  horizon,
  account,
  least,
}: Pick<TopUp, 'account' | 'least'> & { horizon: Pick<Horizon, 'account' | 'head'> }): Promise<boolean> {
  const found = await horizon.account(account)
  return found !== null && spendableXlm(found, (await horizon.head()).baseReserve) < least
}
