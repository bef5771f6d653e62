import { Memo, type Keypair } from '@stellar/stellar-sdk/base'
import { randomUUID } from 'node:crypto'
import type { RunningAnchor } from './running-anchor.ts'
import { acceptedWallet, Browser, give, logIn, payAnchor, until } from './wallet.ts'

/** One of the wallet's transactions in SEP-24's form. */
interface WalletTransaction {
  id: string
  status: string
  message?: string
  amount_in?: string
  amount_out?: string
  withdraw_memo?: string
  claimable_balance_id?: string
  stellar_transaction_id?: string
  refunds?: { amount_refunded: string; payments: { id: string; id_type: string }[] }
}

export interface Begun {
  id: string
  url: string
  token: string
  browser: Browser
  read(): Promise<WalletTransaction>
  /** Waits for a status. */
  becomes(status: string, seconds?: number): Promise<WalletTransaction>
}

/**
 * Begins a SEP-24 transaction and opens its page. The customer is known already.
 *
 * @param wallet its key, or the token of its login
 */
export async function begin(
  running: RunningAnchor,
  wallet: Keypair | string,
  side: 'deposit' | 'withdraw',
  fields: Record<string, string>,
): Promise<Begun> {
  const token = typeof wallet === 'string' ? wallet : await logIn(running, wallet)
  const { publicUrl, plan } = running.anchor
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`${publicUrl}/sep24/transactions/${side}/interactive`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ asset_code: plan.asset.code, ...fields }),
  })
  const { id, url, error } = (await answer.json()) as Record<string, string>
  if (!id || !url) throw new Error(error)
  const browser = new Browser(running)
  await browser.open(url)
  const read = async () => {
    const found = await fetch(`${publicUrl}/sep24/transaction?id=${id}`, { headers })
    return ((await found.json()) as { transaction: WalletTransaction }).transaction
  }
  return { id, url, token, browser, read, becomes: watcher(id, read) }
}

/** Waits for a status. */
const watcher =
  (id: string, read: () => Promise<WalletTransaction>) => async (status: string, seconds?: number) => {
    let last: WalletTransaction | undefined
    try {
      return await until(
        status,
        async () => {
          last = await read()
          return last.status === status && last
        },
        seconds,
      )
    } catch (cause) {
      throw new Error(`${id} is ${last?.status} (${last?.message}), not ${status}`, { cause })
    }
  }

/** A direct payment (SEP-31) of an anchor with this key, between customers it has registered; it may pay. */
export async function agreedDirectPayment(running: RunningAnchor, key: Keypair, amount: string) {
  const { publicUrl, plan } = running.anchor
  const authorization = `Bearer ${await logIn(running, key)}`
  const send = async (method: string, path: string, json?: object) => {
    const answer = await fetch(publicUrl + path, {
      method,
      headers: { authorization, ...(json ? { 'content-type': 'application/json' } : {}) },
      ...(json ? { body: JSON.stringify(json) } : {}),
    })
    if (!answer.ok) throw new Error(await answer.text())
    return answer.json()
  }
  const name = { first_name: 'Asha', last_name: 'Rao' }
  const put = (json: object) => send('PUT', '/sep12/customer', { ...name, ...json })
  const { id: sender_id } = await put({ type: 'sep31-sender', memo: '1', address: 'Mumbai' })
  const { id: receiver_id } = await put({
    type: 'sep31-receiver',
    memo: '2',
    bank_account_number: 'asha@okbank',
  })
  const request = { asset_code: plan.asset.code, amount, sender_id, receiver_id }
  const { id, stellar_memo: memo } = await send('POST', '/sep31/transactions', request)
  const read = async () => (await send('GET', `/sep31/transactions/${id}`)).transaction
  const becomes = watcher(id, read)
  await becomes('pending_sender')
  return { id: id as string, memo: memo as string, becomes }
}

/** A deposit whose customer has agreed and may pay. */
export async function agreedDeposit(
  running: RunningAnchor,
  wallet: Keypair | string,
  amount: string,
  more: Record<string, string> = {},
) {
  const begun = await begin(running, wallet, 'deposit', { amount, ...more })
  await begun.browser.submit(`/interactive/t/${begun.id}/confirm`)
  await begun.becomes('pending_user_transfer_start')
  return begun
}

/** A withdrawal whose customer has agreed; the wallet may pay. */
export async function agreedWithdrawal(
  running: RunningAnchor,
  key: Keypair,
  amount: string,
  dest = 'asha@okbank',
) {
  const begun = await begin(running, key, 'withdraw', { amount })
  await begun.browser.submit(`/interactive/t/${begun.id}/details`, { amount, dest })
  await begun.browser.submit(`/interactive/t/${begun.id}/confirm`)
  const { withdraw_memo: memo = '' } = await begun.becomes('pending_user_transfer_start')
  return { ...begun, memo }
}

/** The bank's side of a deposit: it pays the amount, or what was agreed, with the transfer's reference. */
export async function payOverRail(running: RunningAnchor, id: string, amount?: string): Promise<string> {
  const paymentId = randomUUID()
  await running.query(
    `insert into business.simulated_rail_payments (id, rail, direction, reference, amount, currency, outcome, due_at)
     select $2, rail, 'in', reference, coalesce($3::numeric, fiat_amount), currency, 'paid', now()
     from business.transfers where id = $1`,
    [id, paymentId, amount ?? null],
  )
  return paymentId
}

/** Accounts of the anchor's journal that are not 0 in a unit. */
export const journalBalances = (running: RunningAnchor, unit = 'asset') =>
  running.query<{ account: string; amount: number }>(
    `select account, sum(amount)::float as amount from business.journal_lines where unit = $1
     group by account having sum(amount) <> 0 order by account`,
    [unit],
  )

/** What the anchor answers anyone, as JSON. */
export const readPublic = async ({ anchor }: RunningAnchor, path: string) =>
  (await fetch(anchor.publicUrl + path)).json()

/** Puts units of an existing asset into the anchor's treasury. `unit`: the journal's. */
export async function topUp(running: RunningAnchor, amount: string, unit = 'asset'): Promise<void> {
  const operator = await acceptedWallet(running)
  await give(running, operator, amount)
  await payAnchor(running, operator, amount, Memo.text('top-up'))
  await until('the top-up is recorded', async () => (await journalBalances(running, unit)).length === 2)
}

/** A wallet that deposits 60, paid out by a business server that was killed, and withdraws 20. */
export async function walletThroughKill(running: RunningAnchor): Promise<Keypair> {
  const key = await acceptedWallet(running)
  const deposit = await agreedDeposit(running, key, '60')
  await payOverRail(running, deposit.id)
  await running.kill('business')
  await running.start('business')
  await deposit.becomes('completed', 40)
  const withdrawal = await agreedWithdrawal(running, key, '20')
  await payAnchor(running, key, '20', Memo.id(withdrawal.memo))
  await withdrawal.becomes('completed', 40)
  return key
}

/** A direct payment (SEP-31) that ends; the wallet pays it. */
export async function payDirectly(running: RunningAnchor, amount: string): Promise<void> {
  const sender = await acceptedWallet(running)
  await give(running, sender, amount)
  const payment = await agreedDirectPayment(running, sender, amount)
  await payAnchor(running, sender, amount, Memo.id(payment.memo))
  await payment.becomes('completed', 40)
}
