import { idOf, isNative, servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { amountOf, parseAmount } from '@windlass/money/amount.ts'
import { baseAccount, isContract } from '@windlass/stellar/addresses.ts'
import { receiveFault, type HorizonAccount } from '@windlass/stellar/horizon-account.ts'
import { trustlineLink } from '@windlass/stellar/trustline.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deps } from '../deps.ts'
import type { Transfer } from '../tables.ts'
import { type Html, html } from './html.ts'
import { fact, facts, qrCode } from './pieces.ts'
import type { Texts } from './texts.ts'

/** A page does not wait longer for the ledger: it is shown without the warning then. */
const WITHIN_MS = 2_000

/** Warns that the account cannot receive the asset, with a way to add the trustline; null: it can, or the ledger did not answer. */
export async function trustlineNotice(
  deps: Pick<Deps, 'config' | 'horizon' | 'clock'>,
  t: Texts,
  transfer: Transfer,
  isPaid = false,
): Promise<Html | null> {
  const { anchor } = deps.config
  const address = transfer.stellar_account
  if (transfer.direction !== 'deposit' || transfer.claimable || isContract(address)) return null
  const asset = servedAsset(anchor, transfer.asset)
  const base = baseAccount(address)
  if (base === asset.issuer) return null
  const read = deps.horizon.account(base).catch(() => undefined)
  const account = await Promise.race([read, sleep(WITHIN_MS, undefined, { ref: false })])
  if (account === undefined) return null
  const amount = transfer.amount === null ? amountOf(0n) : parseAmount(transfer.amount)
  const fault = receiveFault(account, idOf(asset), amount)
  // XLM opens the account.
  if (fault === null || (fault === 'no-account' && isNative(asset) && base === address)) return null
  return html`<section class="trustline" role="alert">
    <h2>${isPaid ? t.addTrustline(asset.code) : t.cannotReceive}</h2>
    <p>${t.receiveFaults[fault](asset.code)}</p>
    ${account && fault === 'no-trustline' ? await addTrustline(deps, t, account, asset) : null}
    <p class="stack"><a class="button second" href="/interactive/t/${transfer.id}">${t.checkAgain}</a></p>
  </section>`
}

/** By SEP-7: a link for a wallet on this device, a code for one on a phone, and the transaction for any other. */
async function addTrustline(
  { config, clock }: Pick<Deps, 'config' | 'clock'>,
  t: Texts,
  account: HorizonAccount,
  { code, issuer }: { code: string; issuer: string },
): Promise<Html> {
  const { passphrase } = config.anchor.network
  const { xdr, link } = trustlineLink(account, { code, issuer }, passphrase, clock.now())
  return html`<p class="stack"><a class="button" href="${link}">${t.addTrustline(code)}</a></p>
    <details>
      <summary>${t.otherWallets}</summary>
      ${await qrCode(link, t.scanTrustline)}
      ${facts([
        fact(t, t.assetCode, code),
        fact(t, t.assetIssuer, issuer),
        fact(t, t.trustlineTransaction, xdr),
      ])}
    </details>`
}
