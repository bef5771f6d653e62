import {
  isDeposit,
  rpcErrors,
  type RpcMethod,
  type RpcParams,
} from '@windlass/contracts/anchor/anchor-platform.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import type { Movement } from '@windlass/stellar/movements.ts'
import type { Deps } from '../deps.ts'
import type { Transaction } from '../tables.ts'
import { findTransaction } from '../transactions/transactions.ts'
import { RpcError } from './rpc-error.ts'

/** What a call says that the ledger moved. Absent parts are not said. */
interface Claim {
  hash: string
  from?: string | undefined
  to?: string | undefined
  /** In SEP-38's form, or `native`. */
  asset?: string | undefined
  amount?: string | undefined
}

/**
 * Looks up on the ledger what a business server says of it: a payment that completes a deposit, that funds a withdrawal or
 * that refunds one, by source, destination, asset and amount. Throws {@link RpcError}: `internal`, for the call to be made
 * again, while the transaction is not on the ledger or Horizon does not answer; `invalidParams` where it says otherwise.
 */
export async function requireOnLedger(deps: Deps, method: RpcMethod, params: RpcParams): Promise<void> {
  const row = await findTransaction(deps.database.db, params.transaction_id)
  const claim = row && claimOf(deps.config.anchor.accounts.distribution, row, method, params)
  if (!claim) return
  const { hash } = claim
  if (!/^[0-9a-f]{64}$/i.test(hash))
    throw new RpcError(rpcErrors.invalidParams, `${hash} is not the hash of a transaction on the ledger`)
  const movements = await deps.readMovements(hash.toLowerCase()).catch((error: unknown) => {
    deps.logger.warn({ err: error, hash }, 'what the ledger says of a transaction could not be read')
    throw new RpcError(rpcErrors.internal, 'the ledger does not answer')
  })
  if (movements === null)
    throw new RpcError(rpcErrors.internal, `transaction ${hash} is not on the ledger yet`)
  if (!movements.some(movement => proves(movement, claim)))
    throw new RpcError(rpcErrors.invalidParams, `transaction ${hash} is not ${describe(claim)}`)
}

function claimOf(distribution: string, row: Transaction, method: RpcMethod, params: RpcParams): Claim | null {
  const { stellar_transaction_id: hash = '', refund } = params
  switch (method) {
    case 'notify_onchain_funds_sent':
      return {
        hash,
        from: distribution,
        to: row.stellar_account ?? undefined,
        asset: row.destination_asset ?? undefined,
        amount: params.amount_out?.amount ?? row.amount_out ?? undefined,
      }
    case 'notify_onchain_funds_received':
      return {
        hash,
        from: params.source_account,
        to: distribution,
        asset: row.source_asset ?? undefined,
        amount: params.amount_in?.amount,
      }
    case 'notify_refund_sent':
      return isDeposit(row.kind) || !refund
        ? null
        : {
            hash: refund.id,
            from: distribution,
            to: row.paid_by ?? undefined,
            asset: refund.amount.asset,
            amount: refund.amount.amount,
          }
    default:
      return null
  }
}

const proves = ({ from, to, asset, amount }: Movement, claim: Claim): boolean =>
  (claim.from === undefined || baseAccount(claim.from) === from) &&
  (claim.to === undefined || to.includes(baseAccount(claim.to))) &&
  (claim.asset === undefined || claim.asset.replace(/^stellar:/, '') === asset) &&
  (claim.amount === undefined || parseAmount(claim.amount) === amount)

const describe = ({ from, to, asset, amount }: Claim): string =>
  [
    'a payment',
    amount === undefined ? null : `of ${formatAmount(parseAmount(amount))}`,
    asset ?? null,
    from === undefined ? null : `from ${from}`,
    to === undefined ? null : `to ${to}`,
  ]
    .filter(Boolean)
    .join(' ')
