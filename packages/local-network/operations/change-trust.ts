import { xdr } from '@stellar/stellar-sdk'
import { accountFields } from '../ledger/addresses.ts'
import { amountText } from '../ledger/amounts.ts'
import { assetFields, assetName, splitAsset } from '../ledger/assets.ts'
import { AccountFlag, LineFlag } from '../ledger/entries.ts'
import { addSubentry, removeSubentry } from './holdings.ts'
import type { Operation } from './operation.ts'

const Result = xdr.ChangeTrustResult
const result = (code: xdr.ChangeTrustResult) => xdr.OperationResultTr.changeTrust(code)

export function changeTrust(op: xdr.ChangeTrustOp): Operation {
  const asset = assetName(op.line)
  const issuer = splitAsset(asset ?? '').issuer
  return {
    type: 'change_trust',
    typeNumber: 6,
    threshold: 'medium',
    moves: false,
    untried: result(Result.changeTrustSuccess()),
    affects: [],
    malformed: source =>
      !asset || asset === 'native' || op.limit < 0n || issuer === source
        ? result(Result.changeTrustMalformed())
        : undefined,
    apply({ state, source }) {
      if (!asset) return result(Result.changeTrustMalformed())
      const line = state.trustLine(source, asset)
      if (line) {
        if (op.limit < line.balance) return result(Result.changeTrustInvalidLimit())
        if (op.limit === 0n) {
          state.remove(line)
          removeSubentry(state, source)
          return result(Result.changeTrustSuccess())
        }
        if (!state.account(issuer)) return result(Result.changeTrustNoIssuer())
        state.put({ ...line, limit: op.limit })
        return result(Result.changeTrustSuccess())
      }
      if (op.limit === 0n) return result(Result.changeTrustInvalidLimit())
      const issuing = state.account(issuer)
      if (!issuing) return result(Result.changeTrustNoIssuer())
      const added = addSubentry(state, source)
      if (added === 'too-many') return 'opTooManySubentries'
      if (added === 'low-reserve') return result(Result.changeTrustLowReserve())
      state.put({
        kind: 'trustline',
        account: source,
        asset,
        balance: 0n,
        limit: op.limit,
        flags:
          (issuing.flags & AccountFlag.required ? 0 : LineFlag.authorized) |
          (issuing.flags & AccountFlag.clawback ? LineFlag.clawback : 0),
        modified: 0,
      })
      return result(Result.changeTrustSuccess())
    },
    record: source => ({
      ...assetFields(asset ?? 'native'),
      limit: amountText(op.limit),
      trustee: issuer,
      ...accountFields('trustor', source),
    }),
  }
}
