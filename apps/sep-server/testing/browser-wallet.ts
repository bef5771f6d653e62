import type * as StellarSdk from '@stellar/stellar-sdk'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import type { RunningAnchor } from './running-anchor.ts'

type Fields = Record<string, string>
export type WalletTransaction = Fields & { instructions?: Record<string, { value: string }> }

/** What the wallet's page offers to the tests as `window.wallet`. */
interface BrowserWallet {
  /** Opens the anchor's page in a popup, pays what it asks for, and follows the transaction to its end. */
  interactive(side: 'deposit' | 'withdraw', fields: Fields, callbacks: string): Promise<WalletTransaction>
  /** By SEP-6, without a page. */
  programmatic(side: 'deposit' | 'withdraw', fields: Fields): Promise<WalletTransaction>
  /** A direct payment (SEP-31) between customers that the wallet registers. */
  direct(amount: string): Promise<WalletTransaction>
  messages: { transaction: Fields }[]
  /** Posts to the popup. */
  post(message: unknown): void
  isClosed(): boolean | undefined
  /** The transaction that waits for the customer's money. */
  waiting: string
  /** Whether the popup was closed, at each look, without repeats. */
  closed: boolean[]
}

/**
 * Runs in the wallet's page. Knows an anchor by its home domain alone, as SDF's demo wallet does: reads its discovery
 * file, logs in by SEP-10, opens a popup, looks at its `closed` and at `GET /transaction`, and pays by Horizon.
 */
function installWallet({ home, secret, horizon, network, asset }: Setup): void {
  const sdk = (window as unknown as { StellarSdk: typeof StellarSdk }).StellarSdk
  const key = sdk.Keypair.fromSecret(secret)
  const closed: BrowserWallet['closed'] = []
  const messages: BrowserWallet['messages'] = []
  const sleep = () => new Promise(resolve => setTimeout(resolve, 200))
  // Strangers post too: only the popup's messages count.
  let popup: Window | null = null
  addEventListener('message', ({ data, source }) => {
    if (source === popup) messages.push(data as { transaction: Fields })
  })

  const ask = async <T = Fields>(url: string, token = '', json?: object, method = 'POST'): Promise<T> => {
    const headers: Fields = token ? { authorization: `Bearer ${token}` } : {}
    if (json) headers['content-type'] = 'application/json'
    const answer = await fetch(url, json ? { method, headers, body: JSON.stringify(json) } : { headers })
    if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as T
  }

  const discover = async (): Promise<Fields> => {
    const text = await (await fetch(`${home}/.well-known/stellar.toml`)).text()
    return Object.fromEntries(
      [...text.matchAll(/^([A-Z0-9_]+)\s*=\s*"([^"]*)"/gm)].map(([, name, value]) => [name, value]),
    )
  }

  const logIn = async (auth: string): Promise<string> => {
    const challenge = await ask(`${auth}?account=${key.publicKey()}`)
    const transaction = sdk.TransactionBuilder.fromXdr(challenge['transaction'] ?? '', network)
    transaction.sign(key)
    return (await ask(auth, '', { transaction: transaction.toXdr() }))['token'] ?? ''
  }

  const pay = async (to: string, memo: string, amount: string): Promise<void> => {
    const { sequence = '0' } = await ask(`${horizon}/accounts/${key.publicKey()}`)
    const transaction = new sdk.TransactionBuilder(new sdk.Account(key.publicKey(), sequence), {
      fee: sdk.BASE_FEE,
      networkPassphrase: network,
      memo: sdk.Memo.id(memo),
    })
      .addOperation(
        sdk.Operation.payment({ destination: to, asset: new sdk.Asset(asset.code, asset.issuer), amount }),
      )
      .setTimeout(60)
      .build()
    transaction.sign(key)
    const answer = await fetch(`${horizon}/transactions`, {
      method: 'POST',
      body: new URLSearchParams({ tx: transaction.toXdr() }),
    })
    if (!answer.ok) throw new Error(await answer.text())
  }

  /** Asks again until the transaction has ended; pays once when it is the wallet's turn. */
  const follow = async (read: () => Promise<WalletTransaction>, mayPay = () => true) => {
    for (let isPaid = false; ; await sleep()) {
      const transaction = await read()
      if (popup && closed.at(-1) !== popup.closed) closed.push(popup.closed)
      const { status = '' } = transaction
      if (['completed', 'refunded', 'expired', 'error'].includes(status)) return transaction
      const to = transaction['withdraw_anchor_account'] ?? transaction['stellar_account_id']
      const memo = transaction['withdraw_memo'] ?? transaction['stellar_memo']
      if (status === 'pending_user_transfer_start' && transaction.instructions)
        wallet.waiting = transaction['id'] ?? ''
      const isTurn = status === 'pending_user_transfer_start' || status === 'pending_sender'
      if (isPaid || !isTurn || !to || !memo || !mayPay()) continue
      isPaid = true
      await pay(to, memo, transaction['amount_in'] ?? '')
    }
  }

  const wallet: BrowserWallet = {
    messages,
    closed,
    post: message => popup?.postMessage(message, '*'),
    isClosed: () => popup?.closed,
    waiting: '',
    async interactive(side, fields, callbacks) {
      const { WEB_AUTH_ENDPOINT = '', TRANSFER_SERVER_SEP0024: server = '' } = await discover()
      const token = await logIn(WEB_AUTH_ENDPOINT)
      const start = `${server}/transactions/${side}/interactive`
      const { url, id } = await ask(start, token, { asset_code: asset.code, ...fields })
      popup = open(`${url}&${callbacks}`, 'popup', 'width=500,height=800')
      return follow(
        async () =>
          (await ask<{ transaction: WalletTransaction }>(`${server}/transaction?id=${id}`, token))
            .transaction,
        // A wallet that finds its popup closed stops.
        () => popup?.closed === false,
      )
    },
    async programmatic(side, fields) {
      const { WEB_AUTH_ENDPOINT = '', TRANSFER_SERVER: server = '' } = await discover()
      const token = await logIn(WEB_AUTH_ENDPOINT)
      const { account, ...rest } = { account: key.publicKey(), asset_code: asset.code, ...fields }
      const { id } = await ask(`${server}/${side}?${new URLSearchParams({ account, ...rest })}`, token)
      return follow(
        async () =>
          (await ask<{ transaction: WalletTransaction }>(`${server}/transaction?id=${id}`, token))
            .transaction,
      )
    },
    async direct(amount) {
      const { WEB_AUTH_ENDPOINT = '', DIRECT_PAYMENT_SERVER: server = '', KYC_SERVER = '' } = await discover()
      const token = await logIn(WEB_AUTH_ENDPOINT)
      // The demo wallet stops where an asset has no `fields`.
      const { receive } = await ask<{ receive: Record<string, { fields: { transaction: object } }> }>(
        `${server}/info`,
      )
      if (!receive[asset.code]?.fields.transaction) throw new Error('no fields')
      const put = async (json: object) =>
        (
          await ask(`${KYC_SERVER}/customer`, token, { first_name: 'Asha', last_name: 'Rao', ...json }, 'PUT')
        )['id']
      const sender_id = await put({ type: 'sep31-sender', memo: '1', memo_type: 'id', address: 'Mumbai' })
      const bank = { bank_account_number: 'asha@okbank' }
      const receiver_id = await put({ type: 'sep31-receiver', memo: '2', memo_type: 'id', ...bank })
      const { id } = await ask(`${server}/transactions`, token, {
        asset_code: asset.code,
        amount,
        sender_id,
        receiver_id,
        fields: { transaction: {} },
      })
      return follow(
        async () =>
          (await ask<{ transaction: WalletTransaction }>(`${server}/transactions/${id}`, token)).transaction,
      )
    },
  }
  Object.assign(window, { wallet })
}

interface Setup {
  home: string
  secret: string
  horizon: string
  network: string
  asset: { code: string; issuer: string }
}

/** Opens the wallet in a page of another origin than the anchor's. */
export async function openBrowserWallet({ anchor, network }: RunningAnchor, page: Page, secret: string) {
  const script = new URL('../../dist/stellar-sdk.min.js', import.meta.resolve('@stellar/stellar-sdk'))
  const sdk = await readFile(fileURLToPath(script))
  const server = createServer((request, response) =>
    request.url === '/sdk.js'
      ? response.setHeader('content-type', 'text/javascript').end(sdk)
      : response.setHeader('content-type', 'text/html').end(PAGE),
  )
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const { plan, accounts, publicUrl } = anchor
  await page.evaluate(installWallet, {
    home: publicUrl,
    secret,
    horizon: network.url,
    network: network.passphrase,
    asset: { code: plan.asset.code, issuer: accounts.issuer },
  })
  const wallet = await page.evaluateHandle(() => (window as unknown as { wallet: BrowserWallet }).wallet)
  return { wallet, [Symbol.dispose]: () => server.close() }
}

const PAGE = '<!doctype html><html lang="en"><title>Wallet</title><script src="/sdk.js"></script>'
