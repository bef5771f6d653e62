import type { QueryOf } from '@windlass/contracts/endpoint.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import type { deposit } from '@windlass/contracts/wallet/sep6.ts'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { badRequest } from '../errors.ts'
import { openRails } from '../clients/terms.ts'
import { assetIn, chooseRail, fiatAssets } from '../requests/asset.ts'
import { findOpenQuote } from '../sep38/quotes.ts'
import { createTransaction, type NewTransfer } from '../transactions/create-transaction.ts'
import type { Transaction } from '../tables.ts'
import { terms } from './info.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { openDetails, sealDetails } from '../transactions/details.ts'
import { publishEvent } from '../transactions/events.ts'
import { changeTransaction, findOwned, lockTransaction } from '../transactions/transactions.ts'
import { changeable } from '../transactions/sep-form.ts'

type Query = QueryOf<typeof deposit>
type Client = Pick<FastifyRequest, 'clientAddress'>

/**
 * Starts a deposit. The business server then asks for KYC (`pending_customer_info_update`) or adds the payment
 * instructions to the transaction.
 */
export async function startDeposit(
  deps: Deps,
  client: Client,
  wallet: Principals['wallet'],
  query: Query,
  exchange: boolean,
) {
  const row = await start(deps, client, wallet, 'deposit', query, exchange)
  const { anchor } = deps.config
  const settings = await deps.terms.current()
  const rail = chooseRail(openRails(anchor, settings, 'deposit'), row.type ?? undefined)
  return {
    how: 'Read the transaction. It has the payment instructions once the customer passed KYC.',
    id: row.id,
    ...terms(anchor, settings, 'deposit'),
    extra_info: { message: `Over ${rail.label}.` },
  }
}

/** Starts a withdrawal. Once the customer passed KYC and the account that receives the money is known by `dest` or SEP-12, the transaction has the account and memo to pay to. */
export async function startWithdrawal(
  deps: Deps,
  client: Client,
  wallet: Principals['wallet'],
  query: Query,
  exchange: boolean,
) {
  const row = await start(deps, client, wallet, 'withdrawal', query, exchange)
  return {
    id: row.id,
    ...terms(deps.config.anchor, await deps.terms.current(), 'withdrawal'),
    extra_info: { message: 'Pay only to the account and memo in the transaction.' },
  }
}

async function start(
  deps: Deps,
  { clientAddress }: Client,
  wallet: Principals['wallet'],
  side: 'deposit' | 'withdrawal',
  query: Query,
  exchange: boolean,
): Promise<Transaction> {
  const { anchor } = deps.config
  const mine = side === 'deposit' ? query.destination_asset : query.source_asset
  const other = side === 'deposit' ? query.source_asset : query.destination_asset
  if (exchange) {
    if (!mine || !other) throw badRequest('source_asset and destination_asset are required')
    if (!query.amount) throw badRequest('amount is required')
    if (!fiatAssets(anchor).includes(other)) throw badRequest(`the anchor does not exchange ${other}`)
  }
  const asset = assetIn(anchor, exchange ? mine : query.asset_code)
  const open = openRails(anchor, await deps.terms.current(), side, asset)
  const wanted =
    query.funding_method ?? query.type ?? (await quotedMethod(deps, wallet, side, query.quote_id))
  const rail = chooseRail(open, wanted, exchange ? other : undefined)
  const { wallet_url: _, country_code: __, location_id: ___, dest, dest_extra, ...request } = query
  const transfer: NewTransfer = {
    sep: '6',
    side,
    status: 'incomplete',
    request: {
      ...request,
      asset_code: exchange ? mine : query.asset_code,
      ...(exchange ? {} : { source_asset: undefined, destination_asset: undefined }),
      type: rail.method,
    },
    fields: { ...(dest ? { dest } : {}), ...(dest_extra ? { dest_extra } : {}) },
    fiatAsset: `iso4217:${rail.currency}`,
  }
  return createTransaction(deps, wallet, transfer, clientAddress)
}

/** The delivery method of the wallet's quote, if it names one. */
async function quotedMethod(
  { database, clock }: Deps,
  wallet: Principals['wallet'],
  side: 'deposit' | 'withdrawal',
  id: string | undefined,
): Promise<string | undefined> {
  if (!id) return undefined
  const quote = await findOpenQuote(database.db, id, { ...wallet, sep: '6' }, clock.now())
  return (side === 'deposit' ? quote.sell_delivery_method : quote.buy_delivery_method) ?? undefined
}

/** `PATCH /transactions/:id`: the fields that the anchor asked for. Throws 404, and 400 in another status or for other fields. */
export async function patchTransaction(
  deps: Deps,
  wallet: Principals['wallet'],
  id: string,
  given: Record<string, string>,
): Promise<Transaction> {
  return deps.database.db.transaction().execute(async tx => {
    const mine = await findOwned(tx, '6', wallet, { id })
    const row = mine && (await lockTransaction(tx, id))
    if (!row) throw new Problem('not-found', 'There is no transaction with this id.')
    if (row.status !== 'pending_transaction_info_update') throw badRequest('the transaction needs no update')
    const wrong = Object.keys(given).find(name => !changeable.includes(name))
    if (wrong) throw badRequest(`${wrong} was not asked for`)
    const details = sealDetails(deps.sealer, row.id, { ...openDetails(deps.sealer, row), ...given })
    const changed = await changeTransaction(tx, row.id, { details, status: 'pending_anchor' })
    await publishEvent(tx, deps.sealer, 'transaction_status_changed', changed)
    return changed
  })
}
