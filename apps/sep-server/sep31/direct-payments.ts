import type { BodyOf } from '@windlass/contracts/endpoint.ts'
import { railKind, receiverType, SENDER_TYPE } from '@windlass/contracts/platform/anchor-rails.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import type { createSep31Transaction } from '@windlass/contracts/wallet/sep31.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { FastifyRequest } from 'fastify'
import { setTimeout } from 'node:timers/promises'
import { openRails } from '../clients/terms.ts'
import type { Deps } from '../deps.ts'
import { badRequest } from '../errors.ts'
import { callbackUrl } from '../requests/callback-url.ts'
import { assetIn, chooseRail, fiatAssets } from '../requests/asset.ts'
import { findOpenQuote } from '../sep38/quotes.ts'
import { createTransaction } from '../transactions/create-transaction.ts'
import { platformForm } from '../transactions/events.ts'
import { changeTransaction, findOwned, findTransaction } from '../transactions/transactions.ts'
import type { Transaction } from '../tables.ts'

type Wallet = Principals['wallet']

const PRICED_WITHIN_MS = 3_000

/**
 * Begins a direct payment between two customers whom the sending anchor has registered by SEP-12. The answer says where
 * to pay; while the business server does not answer, the transaction says so later. Throws 400, for a customer who is
 * not accepted with `customer_info_needed`, and 403 where the anchor has no agreement with the sender of the request.
 */
export async function startDirectPayment(
  deps: Deps,
  { clientAddress }: Pick<FastifyRequest, 'clientAddress'>,
  wallet: Wallet,
  body: BodyOf<typeof createSep31Transaction>,
) {
  if (!wallet.account.startsWith('G')) throw badRequest('log in with the anchor’s own account (G…)')
  const { anchor } = deps.config
  const { funding_method, sender_id, receiver_id, amount, ...request } = body
  const quote = body.quote_id
    ? await findOpenQuote(deps.database.db, body.quote_id, { ...wallet, sep: '31' }, deps.clock.now())
    : null
  const destination_asset = body.destination_asset ?? quote?.buy_asset
  if (destination_asset && !fiatAssets(anchor).includes(destination_asset)) {
    throw badRequest(`destination_asset must be one of ${fiatAssets(anchor).join(', ')}`)
  }
  const asset = assetIn(anchor, request.asset_code, request.asset_issuer)
  const open = openRails(anchor, await deps.terms.current(), 'withdrawal', asset)
  const rail = chooseRail(open, funding_method ?? quote?.buy_delivery_method ?? undefined, destination_asset)
  const rails = anchor.plan.rails.map(name => railKind(name, anchor.plan.asset.anchoredTo))
  const sender = await demandCustomer(deps, wallet, SENDER_TYPE, sender_id)
  const receiver = await demandCustomer(deps, wallet, receiverType(rail, rails), receiver_id)
  if (sender === receiver) throw badRequest('sender_id and receiver_id must be two customers')
  const row = await createTransaction(
    deps,
    wallet,
    {
      sep: '31',
      side: 'withdrawal',
      status: 'incomplete',
      request: {
        ...request,
        amount: String(amount),
        destination_asset: destination_asset ?? `iso4217:${rail.currency}`,
        type: rail.method,
        customer_id: sender,
        receiver_id: receiver,
      },
      fields: {},
      fiatAsset: `iso4217:${rail.currency}`,
    },
    clientAddress,
  )
  return { id: row.id, ...(await whereToPay(deps, row)) }
}

/** The id of a customer who is accepted for this type. */
async function demandCustomer(
  deps: Deps,
  { account }: Wallet,
  type: string,
  id: string | undefined,
): Promise<string> {
  const needed = (): Problem =>
    new Problem('validation-failed', 'customer_info_needed', { extensions: { type } })
  if (!id) throw needed()
  const customer = await deps.business.getCustomer({ id, account, type }).catch((error: unknown) => {
    if (error instanceof Problem && error.status === 404) throw needed()
    throw error
  })
  if (customer.status === 'REJECTED') throw new Problem('forbidden', customer.message ?? 'Not allowed.')
  if (customer.status !== 'ACCEPTED') throw needed()
  return id
}

/** Absent while the business server does not answer: it gets the transaction's event then. */
async function whereToPay(deps: Deps, row: Transaction) {
  try {
    const payTo = await deps.business.startDirectPayment(platformForm(row))
    if (payTo) await untilPriced(deps, row.id)
    return payTo
      ? { stellar_account_id: payTo.account, stellar_memo_type: 'id', stellar_memo: payTo.memo }
      : {}
  } catch (error) {
    deps.logger.warn({ err: error, transaction: row.id }, 'a direct payment waits for the business server')
    return {}
  }
}

/** The business server's call with account, memo and amounts comes beside its answer: who reads the payment next finds them. */
async function untilPriced({ database }: Deps, id: string): Promise<void> {
  for (let waited = 0; waited < PRICED_WITHIN_MS; waited += 50) {
    if ((await findTransaction(database.db, id))?.withdraw_memo) return
    await setTimeout(50)
  }
}

/** Throws 404. */
export async function findDirectPayment(
  { database }: Deps,
  wallet: Wallet,
  id: string,
): Promise<Transaction> {
  const row = await findOwned(database.db, '31', wallet, { id })
  if (!row) throw new Problem('not-found', 'There is no transaction with this id.')
  return row
}

/** Throws 404, and 400 for a wrong address. */
export async function setDirectCallback(deps: Deps, wallet: Wallet, id: string, url: string): Promise<void> {
  const on_change_callback = callbackUrl('url', url, deps.config.local)
  const row = await findDirectPayment(deps, wallet, id)
  await changeTransaction(deps.database.db, row.id, { on_change_callback })
}
