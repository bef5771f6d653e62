import { xdr } from '@stellar/stellar-sdk'
import { accountFields, accountIdOf } from '../ledger/addresses.ts'
import { amountText } from '../ledger/amounts.ts'
import { assetFields, assetName, splitAsset } from '../ledger/assets.ts'
import { receive, spend } from './holdings.ts'
import type { Operation } from './operation.ts'

const Result = xdr.PaymentResult
const result = (code: xdr.PaymentResult) => xdr.OperationResultTr.payment(code)

/** The destination is looked at before the source, as a payment is a path payment without a path. */
export function payment(op: xdr.PaymentOp): Operation {
  const destination = accountIdOf(op.destination)
  const asset = assetName(op.asset)
  return {
    type: 'payment',
    typeNumber: 1,
    threshold: 'medium',
    moves: true,
    untried: result(Result.paymentSuccess()),
    affects: [destination],
    malformed: () => (op.amount <= 0n || !asset ? result(Result.paymentMalformed()) : undefined),
    apply({ state, source }) {
      if (!asset) return result(Result.paymentMalformed())
      if (asset === 'native' && destination === source) return result(Result.paymentSuccess())
      // An asset can be burnt even after its issuer's account is gone.
      const burnt = asset !== 'native' && splitAsset(asset).issuer === destination
      if (!burnt && !state.account(destination)) return result(Result.paymentNoDestination())
      switch (receive(state, destination, asset, op.amount)) {
        case 'no-trust':
          return result(Result.paymentNoTrust())
        case 'not-authorized':
          return result(Result.paymentNotAuthorized())
        case 'full':
          return result(Result.paymentLineFull())
        case 'done':
      }
      switch (spend(state, source, asset, op.amount)) {
        case 'no-trust':
          return result(Result.paymentSrcNoTrust())
        case 'not-authorized':
          return result(Result.paymentSrcNotAuthorized())
        case 'underfunded':
          return result(Result.paymentUnderfunded())
        case 'done':
          return result(Result.paymentSuccess())
      }
    },
    record: source => ({
      ...assetFields(asset ?? 'native'),
      ...accountFields('from', source),
      ...accountFields('to', op.destination),
      amount: amountText(op.amount),
    }),
  }
}
