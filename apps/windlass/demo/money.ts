import { Account, type Asset, Memo, Operation, TransactionBuilder, type xdr } from '@stellar/stellar-sdk'
import { ledgerAssetOf } from '@windlass/stellar/assets.ts'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import { ledgerIn } from '@windlass/stellar/network.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, made, type Step, type Story } from './story.ts'
import { tokenAt } from './wallet.ts'

const AMOUNT = '100'
const WITHDRAWN = '40'
/** A public network closes a ledger every five seconds, and a payment needs one or two. */
const WITHIN_MS = 120_000

export const deposit: Step = {
  title: 'Customer deposits (SEP-6)',
  run: async story => {
    const { code } = assetOf(story)
    await openAccount(story)
    const id = await openDeposit(story, AMOUNT)
    const { amount_out: paid, stellar_transaction_id: hash } = await payDeposit(story, id)
    const held = await balance(story)
    expect(Number(held) === Number(paid), `the wallet holds ${held} ${code}, not ${paid}`)
    return `paid over the simulated UPI → ${paid} ${code} in the wallet, transaction ${hash?.slice(0, 8)}…`
  },
}

/** The wallet's account on the ledger, with a trustline, known to the first anchor. */
export async function openAccount(story: Story): Promise<void> {
  const account = story.wallet.publicKey()
  const opened = await fetch(`${story.variables.FRIENDBOT_URL}?addr=${account}`)
  expect(opened.ok, `friendbot answers ${opened.status}`)
  const { asset } = assetOf(story)
  if (!asset.isNative()) await submit(story, [Operation.changeTrust({ asset })])
  const ask = await askAs(story)
  await ask('PUT', '/sep12/customer', { account })
}

/** A deposit of the wallet that waits for the customer's money. Returns its id. */
export async function openDeposit(story: Story, amount: string): Promise<string> {
  const ask = await askAs(story)
  const terms = { asset_code: assetOf(story).code, account: story.wallet.publicKey(), amount, type: 'upi' }
  const { id } = await ask<{ id: string }>('GET', `/sep6/deposit?${new URLSearchParams(terms)}`)
  await untilStatus(ask, id, 'pending_user_transfer_start')
  return id
}

/** Pays a deposit over the simulated rail and waits until the anchor has paid the wallet. */
export async function payDeposit(story: Story, id: string): Promise<Transaction> {
  const ask = await askAs(story)
  await ask('POST', `/sandbox/transactions/${id}/payment`, {})
  return untilStatus(ask, id, 'completed')
}

export const withdraw: Step = {
  title: 'Customer withdraws (SEP-6)',
  run: async story => {
    const { code } = assetOf(story)
    const before = Number(await balance(story))
    const {
      amount_in: amount,
      withdraw_memo: memo,
      amount_out: paid,
    } = await withdrawAmount(story, WITHDRAWN)
    const after = Number(await balance(story))
    expect(before - after === Number(amount), `the wallet holds ${after} ${code} after ${before}`)
    return `${amount} ${code} with memo ${memo} → ${paid} INR over the simulated UPI`
  },
}

/** Withdraws: the wallet pays the anchor, which pays the customer over the simulated rail. */
export async function withdrawAmount(story: Story, withdrawn: string): Promise<Transaction> {
  const ask = await askAs(story)
  const payable = await openWithdrawal(story, ask, withdrawn)
  await payWithdrawal(story, payable)
  return { ...payable, ...(await untilStatus(ask, payable.id, 'completed')) }
}

/** A withdrawal that waits for the wallet's payment. */
export async function openWithdrawal(story: Story, ask: Ask, withdrawn: string): Promise<Transaction> {
  const terms = { asset_code: assetOf(story).code, amount: withdrawn, type: 'upi', dest: 'asha@okbank' }
  const { id } = await ask<{ id: string }>('GET', `/sep6/withdraw?${new URLSearchParams(terms)}`)
  return untilStatus(ask, id, 'pending_user_transfer_start')
}

/** The wallet pays for a withdrawal. */
export async function payWithdrawal(story: Story, payable: Transaction): Promise<void> {
  const { withdraw_anchor_account: destination = '', withdraw_memo: memo = '', amount_in: amount } = payable
  await submit(
    story,
    [Operation.payment({ destination, asset: assetOf(story).asset, amount })],
    Memo.id(memo),
  )
}

/** A transaction of the wallet as the anchor shows it, whatever its status. */
export async function readTransaction(story: Story, id: string): Promise<Transaction> {
  const ask = await askAs(story)
  return (await ask<{ transaction: Transaction }>('GET', `/sep6/transaction?id=${id}`)).transaction
}

/** What an answer to an outgoing request holds. */
const PAGE = 30

/** Every transaction of the wallet, newest first. */
export async function listTransactions(story: Story): Promise<Transaction[]> {
  const ask = await askAs(story)
  const listed: Transaction[] = []
  for (;;) {
    const query = new URLSearchParams({ asset_code: assetOf(story).code, limit: String(PAGE) })
    const last = listed.at(-1)
    if (last) query.set('paging_id', last.id)
    const page = await ask<{ transactions: Transaction[] }>('GET', `/sep6/transactions?${query}`)
    listed.push(...page.transactions)
    if (page.transactions.length < PAGE) return listed
  }
}

function assetOf({ first }: Story): { asset: Asset; code: string } {
  const { assetCode: code = '', issuer = '' } = made(first.anchor, 'anchor')
  return { asset: ledgerAssetOf({ code, issuer }), code }
}

export type Ask = <T>(method: 'GET' | 'POST' | 'PUT', path: string, body?: object) => Promise<T>

/** Asks the first anchor as the wallet. */
export async function askAs(story: Story): Promise<Ask> {
  const { homeDomain } = made(story.first.anchor, 'anchor')
  const headers = {
    authorization: `Bearer ${await tokenAt(story, story.first)}`,
    'content-type': 'application/json',
  }
  return async (method, path, body) => {
    const request = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }
    const { status, text } = await story.anchors.request(`http://${homeDomain}${path}`, request)
    expect(status >= 200 && status < 300, `${method} ${path} is answered with ${status}: ${text}`)
    return text ? JSON.parse(text) : undefined
  }
}

export interface Transaction {
  id: string
  kind: string
  status: string
  message?: string
  amount_in: string
  amount_out: string
  withdraw_anchor_account?: string
  withdraw_memo?: string
  stellar_transaction_id?: string
}

/** The transaction once it has the status. Throws where it fails, or after two minutes. */
export async function untilStatus(ask: Ask, id: string, status: string): Promise<Transaction> {
  let last: Transaction | undefined
  let pause = 250
  for (let waited = 0; waited < WITHIN_MS; waited += pause) {
    const { transaction } = await ask<{ transaction: Transaction }>('GET', `/sep6/transaction?id=${id}`)
    if (transaction.status === status) return transaction
    expect(transaction.status !== 'error', `the transaction failed: ${transaction.message}`)
    last = transaction
    await sleep(pause)
    // A wallet need not ask often for what takes long.
    pause = Math.min(2_000, 1.25 * pause)
  }
  throw new Error(`the transaction is ${last?.status}, not ${status}, after ${WITHIN_MS / 1_000} s`)
}

/** What the wallet holds of the first anchor's asset. */
export async function balance(story: Story): Promise<string> {
  const { asset } = assetOf(story)
  const account = await horizonOf(story).account(story.wallet.publicKey())
  const name = asset.isNative() ? 'native' : `${asset.getCode()}:${asset.getIssuer()}`
  return account?.balances.find(line => line.asset === name)?.balance ?? '0'
}

/** The wallet pays the first anchor its asset. */
export async function payAnchor(story: Story, amount: string, memo: Memo): Promise<void> {
  const { distribution = '' } = made(story.first.anchor, 'anchor')
  await submit(
    story,
    [Operation.payment({ destination: distribution, asset: assetOf(story).asset, amount })],
    memo,
  )
}

/** A transaction of the wallet, on the ledger. */
async function submit(story: Story, operations: xdr.Operation[], memo: Memo = Memo.none()): Promise<void> {
  const { wallet, variables } = story
  const horizon = horizonOf(story)
  const { id, sequence } = made(await horizon.account(wallet.publicKey()), 'account of the wallet')
  const builder = new TransactionBuilder(new Account(id, sequence), {
    fee: '100000',
    networkPassphrase: variables.NETWORK_PASSPHRASE ?? '',
    memo,
  }).setTimeout(120)
  for (const operation of operations) builder.addOperation(operation)
  const transaction = builder.build()
  transaction.sign(wallet)
  const submitted = await horizon.submit(transaction.toXdr())
  expect(submitted.outcome === 'applied', `the ledger answers ${JSON.stringify(submitted)}`)
}

const horizonOf = ({ variables }: Story) => createHorizon(ledgerIn(variables))
