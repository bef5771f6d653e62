import { isDeposit, type PlatformTransaction } from '@windlass/contracts/anchor/anchor-platform.ts'
import {
  assetName,
  servedAsset,
  servedAssets,
  type AssetKey,
} from '@windlass/contracts/internal/served-assets.ts'
import { railKind } from '@windlass/contracts/platform/anchor-rails.ts'
import { changeCustomer, ensureCustomer, findCustomerById } from '../people/customers/customers.ts'
import { fitsSep9 } from '../people/customers/sep9-values.ts'
import { currentOrigin } from '@windlass/service/observe/request-context.ts'
import type { AnchorSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { Deps } from '../deps.ts'
import { exchangeRate } from '../money/pricing/exchange-rate.ts'
import { assignQuote, findFirmRate } from './quotes/firm-rates.ts'
import { currentSettings } from '../money/settings/settings.ts'
import { isRailOn, termsOf } from '../money/settings/terms.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Tables, Transfer } from '../tables.ts'
import { sealDestination } from './destination.ts'
import { findTransfer } from './find.ts'

/** SEP-6's fields for where a withdrawal goes. */
const DESTINATION = ['dest', 'dest_extra', 'dest_name']
/** SEP-9's fields that a wallet may send with SEP-24, so that the customer need not type them again. */
const DETAILS = ['first_name', 'last_name', 'email_address']

/** How long a customer may take until the money must be on its way. */
const BEGIN_SECONDS = 24 * 60 * 60

/** Creates the transfer of a transaction when it is first received: by its event, or because its page is opened. */
export async function acceptTransaction(deps: Deps, reported: PlatformTransaction): Promise<Transfer> {
  const known = await findTransfer(deps.database.db, reported.id)
  if (known) return known
  const { account, memo } = reported.creator
  const direct = reported.sep === '31'
  const { sender, receiver } = reported.customers
  const customerId = direct
    ? await idOfKnown(deps, sender.id)
    : (await ensureCustomer(deps, account, memo ?? null)).id
  const receiverId = direct ? await idOfKnown(deps, receiver?.id) : null
  const details = only(reported.fields, DETAILS)
  if (customerId && Object.keys(details).length > 0)
    await changeCustomer(deps, customerId, { fields: details })
  const deposit = isDeposit(reported.kind)
  const quote = reported.quote_id ? await findFirmRate(deps.database.db, reported.quote_id) : null
  const { settings } = await currentSettings(deps, deps.database.db)
  const direction = deposit ? 'deposit' : 'withdrawal'
  const asset = quote ? quote.asset : assetIn(deps, reported)
  const rail = quote?.rail ?? railFor(deps, settings, reported, { asset, currency: quote?.currency })
  const terms = quote?.terms ?? termsOf(settings, direction)
  const origin = currentOrigin()
  const add = async (tx: Db<Tables>): Promise<Transfer | undefined> => {
    const added = await tx
      .insertInto('transfers')
      .values({
        id: reported.id,
        sep: reported.sep,
        direction,
        state: 'new',
        account,
        account_memo: memo ?? null,
        customer_id: customerId,
        receiver_id: receiverId,
        stellar_account: (deposit ? reported.destination_account : reported.source_account) ?? account,
        memo: (deposit ? reported.memo : undefined) ?? null,
        memo_type: (deposit ? reported.memo_type : undefined) ?? null,
        refund_memo: reported.refund_memo ?? null,
        refund_memo_type: reported.refund_memo_type ?? null,
        claimable: reported.claimable_balance_supported,
        client_domain: reported.client_domain ?? null,
        lang: reported.lang ?? null,
        rail,
        currency: railKind(rail, deps.config.anchor.plan.asset.anchoredTo).currency,
        asset,
        amount: quote?.amount ?? reported.amount_expected?.amount ?? null,
        fee: quote?.fee ?? null,
        fiat_amount: quote?.fiat_amount ?? null,
        rate: null,
        quote_id: reported.quote_id ?? null,
        reference: null,
        ledger_memo: null,
        sealed_destination: sealDestination(deps.sealer, reported.id, only(reported.fields, DESTINATION)),
        ledger_hash: null,
        claimable_balance_id: null,
        rail_payment_id: null,
        message: null,
        callback: null,
        expires_at: new Date(deps.clock.now().getTime() + BEGIN_SECONDS * 1000),
        origin: origin && JSON.stringify(origin),
        terms: JSON.stringify(terms),
      })
      .onConflict(conflict => conflict.column('id').doNothing())
      .returningAll()
      .executeTakeFirst()
    if (quote) await assignQuote(tx, quote.id, reported.id)
    return added
  }
  const { db } = deps.database
  const added = quote ? await db.transaction().execute(add) : await add(db)
  // Its page may have been opened at the same moment.
  const row = added ?? (await findTransfer(db, reported.id))
  if (!row) throw new Error(`transfer ${reported.id} was not written`)
  return row
}

/** The asset that the transaction is of: the one of its amount where nothing else names it. */
function assetIn({ config }: Deps, { asset, amount_expected }: PlatformTransaction): AssetKey {
  const name = asset ?? amount_expected?.asset
  const served = servedAssets(config.anchor).find(each => assetName(each) === name)
  if (!served && name?.startsWith('stellar:')) throw new Error(`the anchor does not serve ${name}`)
  return served?.key ?? null
}

/** Null where the customer was deleted meanwhile. */
const idOfKnown = async (deps: Deps, id: string | undefined): Promise<string | null> =>
  id === undefined ? null : ((await findCustomerById(deps, id))?.id ?? null)

/** The rail that the wallet named, else the first one switched on that moves the currency of its quote. */
function railFor(
  { config, rails }: Deps,
  settings: AnchorSettings,
  reported: PlatformTransaction,
  { asset, currency }: { asset: AssetKey; currency: string | undefined },
): string {
  const { plan } = config.anchor
  const { anchoredTo } = servedAsset(config.anchor, asset)
  const all = plan.rails.map(name => ({ name, ...railKind(name, plan.asset.anchoredTo) }))
  const direction = isDeposit(reported.kind) ? 'deposit' : 'withdrawal'
  const kinds = all.filter(({ name }) => isRailOn(settings, rails.get(name) ?? { name }, direction))
  const named = all.find(({ method }) => method === reported.type)
  const fits = kinds.find(kind => currency === undefined || currency === kind.currency)
  const priced = kinds.find(kind => exchangeRate(config.fx, anchoredTo, kind.currency))
  const chosen = reported.type ? named : currency === undefined ? priced : fits
  return (chosen ?? kinds[0] ?? all[0])?.name ?? ''
}

/** The fields of these names that the wallet sent; a malformed value is left out and asked for again. */
const only = (
  reported: Record<string, string> | undefined,
  names: readonly string[],
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(reported ?? {}).filter(
      ([name, value]) => names.includes(name) && value.length <= 300 && fitsSep9(name, value),
    ),
  )
