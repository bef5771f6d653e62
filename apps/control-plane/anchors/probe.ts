import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import { anchorEndpoints } from '@windlass/contracts/anchor-endpoints.ts'
import { Transaction, TransactionBuilder } from '@stellar/stellar-sdk/base'
import { OutboundError, type OutboundAnswer, type OutboundRequest } from '@windlass/service/outbound.ts'
import { readDiscoveryFile } from '@windlass/stellar/discovery-file.ts'
import { generateKey, signTransaction } from '@windlass/stellar/keys.ts'
import { readChallenge } from '@windlass/stellar/sep10-challenge.ts'
import type { Deps } from '../deps.ts'
import type { Vault } from '../keys/vault.ts'
import { StageFailure } from '../provisioning/stage.ts'
import { publicUrlOf } from './addresses.ts'

/**
 * Does what a wallet would: reads the discovery file at the public domain, asks for a challenge and logs in with it
 * (SEP-1, SEP-10). Throws {@link StageFailure} `public-domain-not-right` naming what was wrong.
 */
export async function probePublicDomain(deps: Deps, plan: AnchorPlan, vault: Vault): Promise<void> {
  const publicUrl = publicUrlOf(deps.config, plan)
  const signing = (await vault.get(deps.database.db, 'signing')).publicKey ?? ''
  const file = await ask(deps, `${publicUrl}/.well-known/stellar.toml`)
  const discovery = right('discovery file', () => readDiscoveryFile(file.text))
  const { webAuth } = anchorEndpoints(publicUrl)
  if (discovery.signingKey !== signing || discovery.webAuth !== webAuth) {
    throw notRight('the discovery file is another anchor’s')
  }
  await logIn(deps, plan, { webAuth, signing })
}

async function logIn(
  deps: Deps,
  plan: AnchorPlan,
  anchor: { webAuth: string; signing: string },
): Promise<void> {
  const wallet = generateKey()
  const { networkPassphrase } = deps.config.ledger
  const offered = await ask(deps, `${anchor.webAuth}?account=${wallet.publicKey}`)
  const envelope = textOf(offered, 'transaction')
  const terms = {
    server: anchor.signing,
    networkPassphrase,
    homeDomain: plan.homeDomain,
    webAuthDomain: new URL(anchor.webAuth).host,
  }
  const challenge = right('challenge', () => readChallenge(envelope, terms, deps.clock.now()))
  if (challenge.account !== wallet.publicKey) throw notRight('the challenge is for another account')
  const transaction = TransactionBuilder.fromXdr(envelope, networkPassphrase)
  if (!(transaction instanceof Transaction)) throw notRight('the challenge is a fee bump')
  signTransaction(transaction, wallet.secret)
  const body = JSON.stringify({ transaction: transaction.toXdr() })
  const headers = { 'content-type': 'application/json' }
  textOf(await ask(deps, anchor.webAuth, { method: 'POST', headers, body }), 'token')
}

async function ask(deps: Deps, url: string, init?: OutboundRequest): Promise<OutboundAnswer> {
  const path = new URL(url).pathname
  try {
    const answer = await deps.outbound.request(url, { ...init, timeout: 8_000, maxBytes: 100 * 1024 })
    if (answer.status !== 200) throw notRight(`${path} answered ${answer.status}`)
    return answer
  } catch (error) {
    if (error instanceof OutboundError) throw notRight(`${path} cannot be reached`, error)
    throw error
  }
}

function textOf(answer: OutboundAnswer, field: string): string {
  const body = right('answer', () => JSON.parse(answer.text) as Record<string, unknown>)
  const value = body[field]
  if (typeof value !== 'string') throw notRight(`the answer has no ${field}`)
  return value
}

function right<T>(what: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw notRight(`the ${what} is not right (${(error as Error).message})`, error)
  }
}

function notRight(what: string, cause?: unknown): StageFailure {
  return new StageFailure('public-domain-not-right', `At the public domain, ${what}.`, { cause })
}
