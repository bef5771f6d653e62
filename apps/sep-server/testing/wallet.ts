import {
  Account,
  Asset,
  BASE_FEE,
  Keypair,
  Memo,
  Operation,
  TransactionBuilder,
  type xdr,
} from '@stellar/stellar-sdk/base'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import { readAccount } from '@windlass/stellar/horizon-account.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningAnchor } from './running-anchor.ts'

/** A wallet's key with XLM on the ledger. */
export async function fundedWallet(running: RunningAnchor): Promise<Keypair> {
  const key = Keypair.random()
  const answer = await fetch(`${running.network.friendbotUrl}?addr=${key.publicKey()}`)
  await answer.text()
  return key
}

export const assetOf = ({ anchor }: RunningAnchor) =>
  new Asset(anchor.plan.asset.code, anchor.accounts.issuer)

/** Submits one operation of the wallet's. Returns the transaction's hash; throws the ledger's codes. */
export async function submit(
  running: RunningAnchor,
  key: Keypair,
  operation: xdr.Operation,
  memo: Memo = Memo.none(),
): Promise<string> {
  const account = await readAccount(running.network.url, key.publicKey())
  if (!account) throw new Error('the wallet is not on the ledger')
  const transaction = new TransactionBuilder(new Account(account.id, account.sequence), {
    fee: BASE_FEE,
    networkPassphrase: running.network.passphrase,
    memo,
    timebounds: { minTime: 0, maxTime: 0 },
  })
    .addOperation(operation)
    .build()
  transaction.sign(key)
  const outcome = await createHorizon(running.network.url).submit(transaction.toXdr())
  if (outcome.outcome !== 'applied') throw new Error(JSON.stringify(outcome))
  return Buffer.from(transaction.hash()).toString('hex')
}

export const openTrustline = (running: RunningAnchor, key: Keypair) =>
  submit(running, key, Operation.changeTrust({ asset: assetOf(running) }))

/** Gives the wallet some of the asset, from the issuer. */
export const give = (running: RunningAnchor, key: Keypair, amount: string) =>
  submit(
    running,
    Keypair.fromSecret(running.issuer.secret),
    Operation.payment({ asset: assetOf(running), amount, destination: key.publicKey() }),
  )

export const payAnchor = (running: RunningAnchor, key: Keypair, amount: string, memo: Memo) =>
  submit(
    running,
    key,
    Operation.payment({ asset: assetOf(running), amount, destination: running.anchor.accounts.distribution }),
    memo,
  )

/** What the account holds of the asset: `100.0000000`, or null without a trustline. */
export async function balanceOf(running: RunningAnchor, address: string): Promise<string | null> {
  const account = await readAccount(running.network.url, address)
  const { plan, accounts } = running.anchor
  return (
    account?.balances.find(({ asset }) => asset === `${plan.asset.code}:${accounts.issuer}`)?.balance ?? null
  )
}

/** A SEP-10 token, as any wallet gets it. */
export async function logIn(
  running: RunningAnchor,
  key: Keypair,
  query: Record<string, string> = {},
): Promise<string> {
  const { publicUrl, network } = running.anchor
  const search = new URLSearchParams({ account: key.publicKey(), ...query })
  const challenge = await (await fetch(`${publicUrl}/auth?${search}`)).json()
  const transaction = TransactionBuilder.fromXdr(challenge.transaction, network.passphrase)
  transaction.sign(key)
  const answer = await fetch(`${publicUrl}/auth`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ transaction: transaction.toXdr() }),
  })
  const { token, error } = await answer.json()
  if (!token) throw new Error(error)
  return token
}

/** The wallet's owner, known to the platform. */
export function registerWallet(
  running: RunningAnchor,
  key: Keypair,
  status: 'ACCEPTED' | 'NEEDS_INFO' = 'ACCEPTED',
): string {
  const id = `cus_${key.publicKey().slice(0, 12)}`
  running.platform.customers.set(id, { status, wallets: new Set([key.publicKey()]) })
  return id
}

/** A customer's browser on the anchor's pages. */
export class Browser {
  private cookie = ''
  private readonly origin: string

  constructor(running: RunningAnchor) {
    this.origin = running.anchor.publicUrl
  }

  async open(url: string): Promise<{ status: number; html: string }> {
    return this.go(url.startsWith('http') ? url : this.origin + url, {})
  }

  async submit(path: string, form: Record<string, string> = {}): Promise<{ status: number; html: string }> {
    return this.go(this.origin + path, { method: 'POST', body: new URLSearchParams(form) })
  }

  private async go(url: string, init: RequestInit): Promise<{ status: number; html: string }> {
    const answer = await fetch(url, {
      ...init,
      headers: { cookie: this.cookie, origin: this.origin },
      redirect: 'manual',
    })
    const set = answer.headers.getSetCookie()[0]
    if (set) this.cookie = set.split(';')[0] ?? ''
    const location = answer.headers.get('location')
    const html = await answer.text()
    if (answer.status === 303 && location) return this.open(location)
    return { status: answer.status, html }
  }
}

/** Asks again and again until there is an answer. Throws after `seconds`. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | null | undefined | false>,
  seconds = 15,
): Promise<T> {
  const end = performance.now() + seconds * 1000
  let last: unknown
  while (performance.now() < end) {
    try {
      const answer = await ask()
      if (answer) return answer
    } catch (error) {
      last = error
    }
    await sleep(100)
  }
  throw new Error(`${what} did not happen`, { cause: last })
}
