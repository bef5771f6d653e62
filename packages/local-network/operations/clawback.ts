import { xdr } from '@stellar/stellar-sdk'
import { accountFields, accountIdOf } from '../ledger/addresses.ts'
import { amountText } from '../ledger/amounts.ts'
import { assetFields, assetName, splitAsset } from '../ledger/assets.ts'
import { LineFlag } from '../ledger/entries.ts'
import type { Operation } from './operation.ts'

const Result = xdr.ClawbackResult
const result = (code: xdr.ClawbackResult) => xdr.OperationResultTr.clawback(code)

export function clawback(op: xdr.ClawbackOp): Operation {
  const asset = assetName(op.asset)
  const holder = accountIdOf(op.from)
  return {
    type: 'clawback',
    typeNumber: 19,
    threshold: 'medium',
    moves: false,
    untried: result(Result.clawbackSuccess()),
    affects: [holder],
    malformed: source =>
      !asset ||
      asset === 'native' ||
      splitAsset(asset).issuer !== source ||
      holder === source ||
      op.amount <= 0n
        ? result(Result.clawbackMalformed())
        : undefined,
    apply({ state }) {
      const line = state.trustLine(holder, asset ?? '')
      if (!line) return result(Result.clawbackNoTrust())
      if (!(line.flags & LineFlag.clawback)) return result(Result.clawbackNotClawbackEnabled())
      if (line.balance - line.selling < op.amount) return result(Result.clawbackUnderfunded())
      state.put({ ...line, balance: line.balance - op.amount })
      return result(Result.clawbackSuccess())
    },
    record: () => ({
      ...assetFields(asset ?? 'native'),
      ...accountFields('from', op.from),
      amount: amountText(op.amount),
    }),
  }
}
