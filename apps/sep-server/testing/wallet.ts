import {
  Account,
  Address,
  authorizeEntry,
  BASE_FEE,
  Keypair,
  Memo,
  nativeToScVal,
  Operation,
  StrKey,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-sdk/base'
import { Server } from '@stellar/stellar-sdk/rpc'
import { idOf, servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { ledgerAssetOf } from '@windlass/stellar/assets.ts'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import { readAccount } from '@windlass/stellar/horizon-account.ts'
import { credentialsOf, decodeEntries, encodeEntries } from '@windlass/stellar/sep45-challenge.ts'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { MAILED_CODE } from './fake-platform.ts'
import type { RunningAnchor } from './running-anchor.ts'

/** A wallet's key with XLM on the ledger. */
export async function fundedWallet(running: RunningAnchor): Promise<Keypair> {
  const key = Keypair.random()
  const answer = await fetch(`${running.network.friendbotUrl}?addr=${key.publicKey()}`)
  await answer.text()
  return key
}

export const assetOf = ({ anchor }: RunningAnchor) => ledgerAssetOf(servedAsset(anchor, null))

/** Submits one operation of the wallet's. Returns the transaction's hash; throws the ledger's codes. */
export async function submit(
  running: RunningAnchor,
  key: Keypair,
  operation: xdr.Operation,
  memo: Memo = Memo.none(),
): Promise<string> {
  const account = await readAccount(running.network, key.publicKey())
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
  const outcome = await createHorizon(running.network).submit(transaction.toXdr())
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
  const account = await readAccount(running.network, address)
  const id = idOf(servedAsset(running.anchor, null))
  return account?.balances.find(({ asset }) => asset === id)?.balance ?? null
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

/** A contract account that is logged in (SEP-45), whose customer is known by an emailed code. */
export async function contractWallet(running: RunningAnchor): Promise<{ address: string; token: string }> {
  const { anchor, platform, rpc } = running
  if (!rpc) throw new Error('the anchor was started without contracts')
  const [key, address] = [Keypair.random(), StrKey.encodeContract(randomBytes(32))]
  rpc.accounts.set(address, key)
  const send = async (method: string, path: string, json?: object, token = '') => {
    const answer = await fetch(anchor.publicUrl + path, {
      method,
      headers: {
        ...(json ? { 'content-type': 'application/json' } : {}),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      ...(json ? { body: JSON.stringify(json) } : {}),
    })
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
    return (await answer.json()) as Record<string, string>
  }
  const challenge = await send('GET', `/sep45/auth?account=${address}`)
  const entries = decodeEntries(challenge.authorization_entries ?? '')
  const sign = (entry: xdr.SorobanAuthorizationEntry) =>
    authorizeEntry(
      entry,
      async (_preimage, payload) => ({
        signatureScVal: xdr.ScVal.scvVec([
          nativeToScVal({ public_key: key.rawPublicKey(), signature: key.sign(payload) }),
        ]),
      }),
      rpc.latest + 10,
      anchor.network.passphrase,
    )
  const isOwn = (entry: xdr.SorobanAuthorizationEntry) =>
    Address.fromScAddress(credentialsOf(entry).address).toString() === address
  const signed = await Promise.all(entries.map(entry => (isOwn(entry) ? sign(entry) : entry)))
  const json = { authorization_entries: encodeEntries(signed) }
  const { token = '' } = await send('POST', '/sep45/auth', json)
  const email_address = `${address.slice(0, 12).toLowerCase()}@example.com`
  platform.customers.set(`cus_${email_address}`, { status: 'ACCEPTED', wallets: new Set() })
  const { id } = await send('PUT', '/sep12/customer', { email_address }, token)
  await send('PUT', '/sep12/customer', { id, email_address_verification: MAILED_CODE }, token)
  return { address, token }
}

/** What a contract account holds of the anchor's asset. */
export async function contractBalanceOf(running: RunningAnchor, address: string): Promise<number> {
  const server = new Server(`${running.network.url}/rpc`, { allowHttp: true })
  const { balanceEntry } = await server.getAssetBalance(
    address,
    assetOf(running),
    running.anchor.network.passphrase,
  )
  return Number(balanceEntry?.amount ?? 0) / 10_000_000
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

/** A wallet that can hold the asset, and whose owner may use it. */
export async function acceptedWallet(running: RunningAnchor): Promise<Keypair> {
  const key = await fundedWallet(running)
  registerWallet(running, key)
  if (!assetOf(running).isNative()) await openTrustline(running, key)
  return key
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
