import type { Keypair } from '@stellar/stellar-sdk/base'
import { afterAll, beforeAll } from 'vitest'
import { startRunningAnchor, type RunningAnchor } from '../running-anchor.ts'
import { fundedWallet, logIn, registerWallet } from '../wallet.ts'

/** One anchor and one known customer's wallet for all the cases of a run. */
export let running: RunningAnchor
export let key: Keypair
/** The wallet's SEP-10 token. */
export let token: string

beforeAll(async () => {
  running = await startRunningAnchor({ rails: ['UPI', 'IMPS'] })
  key = await fundedWallet(running)
  registerWallet(running, key)
  token = await logIn(running, key)
})
afterAll(() => running.stop())

export type Init = RequestInit & { token?: string | null; json?: unknown }

/** A request to the anchor's public host, with the wallet's token by default. */
export async function ask(path: string, { token: given = token, json, ...init }: Init = {}) {
  const headers = new Headers(init.headers)
  if (given) headers.set('authorization', `Bearer ${given}`)
  if (json !== undefined) headers.set('content-type', 'application/json')
  const body = json === undefined ? (init.body ?? null) : JSON.stringify(json)
  const answer = await fetch(running.anchor.publicUrl + path, { ...init, headers, body })
  const text = await answer.text()
  const type = answer.headers.get('content-type') ?? ''
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body: type.includes('json') ? JSON.parse(text) : null,
  }
}

export const rupees = 'iso4217:INR'
export const asset = () => `stellar:MUMBAI:${running.anchor.accounts.issuer}`
export const interactive = (side: 'deposit' | 'withdraw') => `/sep24/transactions/${side}/interactive`

/** A SEP-24 deposit of the wallet's. */
export const startDeposit = (fields: Record<string, string> = {}) =>
  ask(interactive('deposit'), { method: 'POST', json: { asset_code: 'MUMBAI', ...fields } })
