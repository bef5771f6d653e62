import type { Principals } from '@windlass/contracts/realm.ts'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { openRails } from '../clients/terms.ts'
import { assetIn, chooseRail, fiatAssets } from '../requests/asset.ts'
import {
  createTransaction,
  type NewTransfer,
  type TransferRequest,
} from '../transactions/create-transaction.ts'
import { badRequest } from '../errors.ts'
import { stringsOnly } from '../requests/form.ts'

const requestFields = new Set([
  'asset_code',
  'asset_issuer',
  'source_asset',
  'destination_asset',
  'amount',
  'quote_id',
  'account',
  'memo',
  'memo_type',
  'wallet_name',
  'wallet_url',
  'lang',
  'claimable_balance_supported',
  'customer_id',
  'refund_memo',
  'refund_memo_type',
  'on_change_callback',
])

/** Parameters may be JSON numbers, whose digits `parseJson` has checked, or flags; SEP-9 details are strings. */
export function readValue(name: string, value: unknown): string {
  if (typeof value === 'number' && requestFields.has(name)) return String(value)
  if (typeof value === 'boolean' && name === 'claimable_balance_supported') return String(value)
  return stringsOnly(name, value)
}

/** Creates a transaction and the link to its interactive page. */
export async function startInteractive(
  deps: Deps,
  { clientAddress }: Pick<FastifyRequest, 'clientAddress'>,
  wallet: Principals['wallet'],
  side: 'deposit' | 'withdrawal',
  given: Record<string, string>,
) {
  const request: TransferRequest = pick(given, name => requestFields.has(name))
  // A message of the page: the link says so.
  if (request.on_change_callback === 'postMessage') delete request.on_change_callback
  const { anchor } = deps.config
  const exchange = side === 'deposit' ? request.source_asset : request.destination_asset
  if (exchange && !fiatAssets(anchor).includes(exchange)) {
    throw badRequest(
      `${side === 'deposit' ? 'source_asset' : 'destination_asset'} must be one of ${fiatAssets(anchor).join(', ')}`,
    )
  }
  const asset = assetIn(anchor, request.asset_code, request.asset_issuer)
  const open = openRails(anchor, await deps.terms.current(), side, asset)
  const transfer: NewTransfer = {
    sep: '24',
    side,
    status: 'incomplete',
    request,
    // SEP-9 details that the wallet already has.
    fields: pick(given, name => !requestFields.has(name)),
    fiatAsset: `iso4217:${chooseRail(open, undefined).currency}`,
  }
  const row = await createTransaction(deps, wallet, transfer, clientAddress)
  const url = deps.pages.interactiveUrl(row, deps.clock.now())
  const posts = given.on_change_callback === 'postMessage' ? '&on_change_callback=postMessage' : ''
  return { type: 'interactive_customer_info_needed' as const, url: url + posts, id: row.id }
}

function pick(fields: Record<string, string>, keep: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => value !== '' && keep(name)))
}
