import { xdr, type Transaction } from '@stellar/stellar-sdk/base'
import { MAX_RESOURCE_FEE } from '@windlass/stellar/asset-contract.ts'
import { LedgerError } from '@windlass/stellar/ledger-error.ts'
import type { Deps } from '../deps.ts'

/** The asset's contract is not on the ledger: nobody has deployed it. */
export class ContractMissing extends LedgerError {}

/**
 * What the call of a transaction uses. Of the RPC's answer only the entries that the call may touch and their fee are taken.
 *
 * @throws {LedgerError} `ledger-unavailable` without an RPC or its answer, `transaction-refused` where the call would
 *   fail ({@link ContractMissing} for want of the contract), `fee-above-maximum`
 */
export async function simulateCall(
  { simulate }: Pick<Deps, 'simulate'>,
  call: Transaction,
): Promise<xdr.SorobanTransactionData> {
  if (!simulate) {
    throw new LedgerError(
      'ledger-unavailable',
      'Contract accounts (C…) cannot be paid without a Stellar RPC. Set STELLAR_RPC_URL.',
    )
  }
  const { error, transactionData, restorePreamble } = await simulate(call.toXdr()).catch((cause: unknown) => {
    throw new LedgerError('ledger-unavailable', 'Stellar RPC does not answer as it should.', { cause })
  })
  if (typeof error === 'string') throw uncallable(error)
  if (restorePreamble !== undefined) throw uncallable('its entries are archived; restore them first')
  const resources = decodeResources(transactionData)
  if (resources.resourceFee > MAX_RESOURCE_FEE) {
    throw new LedgerError(
      'fee-above-maximum',
      `The call of the asset’s contract costs ${resources.resourceFee} stroops. The maximum is ${MAX_RESOURCE_FEE}.`,
    )
  }
  return resources
}

function uncallable(why: string): LedgerError {
  const [first = ''] = why.split('\n')
  const kind = first.includes('MissingValue') ? ContractMissing : LedgerError
  return new kind('transaction-refused', `The call of the asset’s contract would fail: ${first}.`, {
    retryable: false,
  })
}

function decodeResources(transactionData: unknown): xdr.SorobanTransactionData {
  try {
    return xdr.SorobanTransactionData.fromXdr(String(transactionData), 'base64')
  } catch (cause) {
    throw new LedgerError('ledger-unavailable', 'Stellar RPC does not answer as it should.', { cause })
  }
}
