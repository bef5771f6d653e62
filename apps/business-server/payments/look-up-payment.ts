import { amountOf, parseAmount, type Amount } from '@windlass/money/amount.ts'
import { baseAccount, muxedParts } from '@windlass/stellar/addresses.ts'
import { hashOf, paymentsIn } from '@windlass/stellar/check-answers.ts'
import type { Deps } from '../deps.ts'
import type { Transfer } from '../tables.ts'
import { ledgerAsset } from './build-payment.ts'

/**
 * `none`: nobody who is asked has it, or another account paid it. `another`: it failed, or is no payment for the withdrawal.
 * `another-amount`: it is its payment, of so much. `inner`: what a fee bump wraps, of which the ledger's payments have the hash of the fee bump, `by`.
 */
type Shown =
  { is: 'same' | 'none' | 'another' } | { is: 'another-amount'; amount: Amount } | { is: 'inner'; by: string }

/**
 * Whether a Horizon with full history, or else the second source of the ledger, has a transaction that pays a withdrawal: from
 * its account, with its memo and amount. By the transaction's own bytes.
 */
export async function lookUpPayment(deps: Deps, transfer: Transfer, hash: string): Promise<Shown> {
  for (const source of [deps.history, deps.horizon.second]) {
    const found = await source?.transaction(hash).catch((error: unknown) => {
      deps.logger.warn({ err: error, hash }, 'a source of the ledger does not show a transaction')
      return null
    })
    if (!found) continue
    const { successful, envelope: envelope_xdr = '', result: result_xdr = '' } = found
    if (!successful) return { is: 'another' }
    return compare(deps, transfer, { hash, successful, envelope_xdr, result_xdr })
  }
  return { is: 'none' }
}

function compare(
  { config: { anchor } }: Deps,
  { asset: key, amount, ledger_memo, stellar_account }: Transfer,
  outcome: Parameters<typeof paymentsIn>[0],
): Shown {
  const { passphrase } = anchor.network
  const asset = ledgerAsset(anchor, key)
  const { memo, payments } = paymentsIn(outcome, passphrase)
  // By both hashes it would be received twice.
  const by = hashOf(outcome.envelope_xdr, passphrase)
  if (by !== outcome.hash) return { is: 'inner', by }
  const isNamed = (to: string) =>
    (memo.type === 'id' && String(memo.value) === ledger_memo) || muxedParts(to)?.id === ledger_memo
  const named = payments.filter(
    paid =>
      baseAccount(paid.to) === anchor.accounts.distribution &&
      ('contract' in paid ? paid.contract === asset.contractId(passphrase) : paid.asset.equals(asset)) &&
      isNamed(paid.to),
  )
  const own = named.find(paid => paid.amount === parseAmount(amount ?? '0'))
  const [near] = named
  if (!own) return near ? { is: 'another-amount', amount: amountOf(near.amount) } : { is: 'another' }
  return { is: baseAccount(own.from) === baseAccount(stellar_account) ? 'same' : 'none' }
}
