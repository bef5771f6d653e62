import { createHash } from 'node:crypto'
import { Account, Keypair, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import type { LocalNetwork } from '../../local-network.ts'
import type { Answer, Recording, Step } from './recording.ts'

const HEADERS = ['content-type', 'latest-ledger', 'location', 'allow']
/** They are created by steps. */
const CREATED = ['child', 'grand']

const keyOf = (name: string): Keypair =>
  Keypair.fromRawEd25519Seed(createHash('sha256').update(`scene ${name}`).digest())

/** Plays a recorded history on a network, with its own ids and sequence numbers, and asks the same questions. */
export async function play(network: LocalNetwork, recorded: Recording): Promise<Recording> {
  const names = Object.keys(recorded.accounts)
  for (const name of names.filter(each => !CREATED.includes(each)))
    await fetch(`${network.friendbotUrl}?addr=${keyOf(name).publicKey()}`)
  const ids = new Ids()
  const steps: Step[] = []
  for (const step of recorded.steps) steps.push(await submit(network, step, ids, names))
  // The recorded Horizon had not the first ledgers.
  await network.setFaults({ instances: { main: { retention: { ledgers: network.latestLedger - 1 } } } })
  const answers: Record<string, Answer> = {}
  for (const question of Object.keys(recorded.answers)) answers[question] = await ask(network, question)
  return { accounts: recorded.accounts, steps, answers }
}

async function submit(network: LocalNetwork, step: Step, ids: Ids, names: readonly string[]): Promise<Step> {
  const { name, source } = step
  const given = step.transaction?.body.envelope_xdr ?? step.body?.extras?.envelope_xdr
  if (given === undefined) return { name, source }
  const envelope = xdr.TransactionEnvelope.fromXdr(given, 'base64')
  if (envelope.type !== 'envelopeTypeTx') throw new TypeError('the script has no other transactions')
  const { sequence } = (await ask(network, `/accounts/${keyOf(source).publicKey()}`)).body as {
    sequence: string
  }
  const builder = new TransactionBuilder(new Account(keyOf(source).publicKey(), sequence), {
    ...{ fee: '100', networkPassphrase: network.passphrase, timebounds: { minTime: 0, maxTime: 0 } },
  })
  for (const operation of envelope.v1.tx.operations) builder.addOperation(ids.translate(operation))
  const transaction = builder.build()
  for (const { hint } of envelope.v1.signatures) {
    const wanted = Buffer.from(hint.value)
    const signer = names.map(keyOf).find(key => wanted.equals(Buffer.from(key.signatureHint())))
    if (signer) transaction.sign(signer)
  }
  const tx = transaction.toXdr()
  const response = await fetch(`${network.url}/transactions`, {
    ...{ method: 'POST', body: new URLSearchParams({ tx }) },
  })
  const body = (await response.json()) as Step['body']
  const path = `/transactions/${Buffer.from(transaction.hash()).toString('hex')}`
  const played = {
    ...{ name, source, status: response.status, ...(body ? { body } : {}) },
    transaction: (await ask(network, path)) as NonNullable<Step['transaction']>,
    operations: await ask(network, `${path}/operations`),
    effects: await ask(network, `${path}/effects`),
  }
  ids.learn(step, played)
  return played
}

async function ask({ url, friendbotUrl }: LocalNetwork, path: string): Promise<Answer> {
  const answer = await fetch(url + path, { headers: { origin: 'http://example.org' }, redirect: 'manual' })
  const text = (await answer.text()).replaceAll(friendbotUrl, 'FRIENDBOT/').replaceAll(url, 'HORIZON')
  const headers = Object.fromEntries(
    HEADERS.flatMap(name => {
      const value = answer.headers.get(name)
      return value === null ? [] : [[name, value.replaceAll(url, 'HORIZON')]]
    }),
  )
  try {
    return { status: answer.status, headers, body: JSON.parse(text) as unknown }
  } catch {
    return { status: answer.status, headers, body: text.slice(0, 500) }
  }
}

/** Ids of offers and claimable balances, which each network gives by itself. */
class Ids {
  readonly #offers = new Map<bigint, bigint>()
  readonly #balances = new Map<string, xdr.ClaimableBalanceId>()

  /** Remembers which ids a step got here for those that were recorded. */
  learn(recorded: Step, here: Step): void {
    const [theirs, ours] = [recorded, here].map(({ transaction }) => idsIn(transaction?.body.result_xdr))
    theirs?.offers.forEach((id, index) => this.#offers.set(id, ours?.offers[index] ?? id))
    theirs?.balances.forEach((id, index) => {
      const own = ours?.balances[index]
      if (own) this.#balances.set(id.toXdr('hex'), own)
    })
  }

  #offer = (id: bigint): bigint => this.#offers.get(id) ?? id
  #balance = (id: xdr.ClaimableBalanceId): xdr.ClaimableBalanceId => this.#balances.get(id.toXdr('hex')) ?? id

  translate(operation: xdr.Operation): xdr.Operation {
    const { sourceAccount } = operation
    return new xdr.Operation({ sourceAccount, body: this.#body(operation.body) })
  }

  #body(body: xdr.OperationBody): xdr.OperationBody {
    switch (body.type) {
      case 'manageSellOffer': {
        const { value: op } = body
        const { selling, buying, amount, price, offerId } = op
        return xdr.OperationBody.manageSellOffer(
          new xdr.ManageSellOfferOp({ selling, buying, amount, price, offerId: this.#offer(offerId) }),
        )
      }
      case 'claimClaimableBalance':
        return xdr.OperationBody.claimClaimableBalance(
          new xdr.ClaimClaimableBalanceOp({ balanceId: this.#balance(body.value.balanceId) }),
        )
      case 'clawbackClaimableBalance':
        return xdr.OperationBody.clawbackClaimableBalance(
          new xdr.ClawbackClaimableBalanceOp({ balanceId: this.#balance(body.value.balanceId) }),
        )
      case 'revokeSponsorship':
        return xdr.OperationBody.revokeSponsorship(this.#revoked(body.value))
      default:
        return body
    }
  }

  #revoked(op: xdr.RevokeSponsorshipOp): xdr.RevokeSponsorshipOp {
    if (op.type !== 'revokeSponsorshipLedgerEntry') return op
    const { ledgerKey: key } = op
    if (key.type === 'offer') {
      const { sellerId, offerId } = key.value
      return xdr.RevokeSponsorshipOp.revokeSponsorshipLedgerEntry(
        xdr.LedgerKey.offer(new xdr.LedgerKeyOffer({ sellerId, offerId: this.#offer(offerId) })),
      )
    }
    if (key.type === 'claimableBalance')
      return xdr.RevokeSponsorshipOp.revokeSponsorshipLedgerEntry(
        xdr.LedgerKey.claimableBalance(
          new xdr.LedgerKeyClaimableBalance({ balanceId: this.#balance(key.value.balanceId) }),
        ),
      )
    return op
  }
}

/** Ids that a transaction gave, in order. */
function idsIn(result: string | undefined): { offers: bigint[]; balances: xdr.ClaimableBalanceId[] } {
  const found: ReturnType<typeof idsIn> = { offers: [], balances: [] }
  if (result === undefined) return found
  const outcome = xdr.TransactionResult.fromXdr(result, 'base64').result
  if (outcome.type !== 'txSuccess') return found
  for (const each of outcome.results) {
    if (each.type !== 'opInner') continue
    const { value } = each.tr
    if (value.type === 'createClaimableBalanceSuccess') found.balances.push(value.balanceId)
    if (value.type === 'manageSellOfferSuccess' || value.type === 'manageBuyOfferSuccess') {
      const { offer } = value.success
      if (offer.type === 'manageOfferCreated') found.offers.push(offer.offer.offerId)
    }
  }
  return found
}
