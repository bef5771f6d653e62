import { parseAmount, type Amount } from '@windlass/money/amount.ts'
import { paymentChecker } from './check-answers.ts'
import type { PaymentRecord, TransactionDocument } from './horizon.ts'
import { HorizonError, readHorizon } from './horizon-client.ts'
import type { LedgerSource } from './network.ts'

/** What a transaction on the ledger moved from one account to another. */
export interface Movement {
  /** `G…` or `C…` */
  from: string
  /** `G…` or `C…`; of a claimable balance each who may claim it. */
  to: readonly string[]
  /** `native` or `CODE:ISSUER` */
  asset: string
  amount: Amount
}

interface Operation extends Omit<PaymentRecord, 'fault'> {
  source_account: string
  funder?: string
  account?: string
  starting_balance?: string
  /** The asset of a claimable balance, as `CODE:ISSUER`. */
  asset?: string
  claimants?: { destination: string }[]
}

/**
 * What the transaction of this hash moved: payments, balances to claim, and transfers by contracts; nothing where it failed.
 * Null: it is not on the ledger (yet). Throws {@link HorizonError}, also where an answer contradicts itself (ADR 108).
 */
export async function readMovements(source: LedgerSource, hash: string): Promise<Movement[] | null> {
  const read = <T>(path: string) => readHorizon<T>(source, path, { urgency: 'routine' })
  const page = await read<{ _embedded: { records: Operation[] } }>(
    `/transactions/${hash}/operations?limit=200`,
  )
  const [first] = page?._embedded.records ?? []
  // Joined to each of a hundred operations, it would be too large.
  const transaction = first && (await read<TransactionDocument>(`/transactions/${first.transaction_hash}`))
  if (page === null || transaction === null) return null
  const faultOf = paymentChecker(source.passphrase)
  return page._embedded.records.flatMap(given => {
    const operation = { ...given, ...(transaction ? { transaction } : {}) }
    const isAsked = [transaction?.hash, transaction?.inner_transaction?.hash].includes(hash)
    const fault = isAsked ? faultOf(operation) : 'it is of another transaction'
    if (fault !== null) throw new HorizonError(0, `what Horizon says of ${hash} contradicts itself: ${fault}`)
    return operation.transaction_successful ? movementsOf(operation) : []
  })
}

function movementsOf(operation: Operation): Movement[] {
  const { type, source_account, to, amount } = operation
  switch (type) {
    case 'payment':
    case 'path_payment_strict_send':
    case 'path_payment_strict_receive':
      return moved(operation.from ?? source_account, [to], assetOf(operation), amount)
    case 'create_account':
      return moved(
        operation.funder ?? source_account,
        [operation.account],
        'native',
        operation.starting_balance,
      )
    case 'create_claimable_balance': {
      const claimants = (operation.claimants ?? []).map(({ destination }) => destination)
      return moved(source_account, claimants, operation.asset ?? '', amount)
    }
    case 'invoke_host_function':
      // What the issuer pays is minted, and what it gets is burnt.
      return (operation.asset_balance_changes ?? [])
        .filter(change => change.type !== 'clawback')
        .flatMap(change => {
          const { from = change.asset_issuer ?? '', to: payee = change.asset_issuer } = change
          return moved(from, [payee], assetOf(change), change.amount)
        })
    default:
      return []
  }
}

const moved = (
  from: string,
  to: readonly (string | undefined)[],
  asset: string,
  amount?: string,
): Movement[] =>
  amount === undefined
    ? []
    : [{ from, to: to.filter(each => each !== undefined), asset, amount: parseAmount(amount) }]

const assetOf = ({ asset_code, asset_issuer }: Pick<Operation, 'asset_code' | 'asset_issuer'>): string =>
  asset_code === undefined ? 'native' : `${asset_code}:${asset_issuer}`
