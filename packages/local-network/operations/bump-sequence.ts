import { xdr } from '@stellar/stellar-sdk'
import type { Operation } from './operation.ts'

const Result = xdr.BumpSequenceResult
const result = (code: xdr.BumpSequenceResult) => xdr.OperationResultTr.bumpSequence(code)

export function bumpSequence(op: xdr.BumpSequenceOp): Operation {
  return {
    type: 'bump_sequence',
    typeNumber: 11,
    threshold: 'low',
    moves: false,
    untried: result(Result.bumpSequenceSuccess()),
    affects: [],
    malformed: () => (op.bumpTo < 0n ? result(Result.bumpSequenceBadSeq()) : undefined),
    apply({ state, source, ledger }) {
      const account = state.account(source)
      if (account && account.sequence < op.bumpTo)
        state.put({
          ...account,
          sequence: op.bumpTo,
          sequenceLedger: ledger.sequence,
          sequenceTime: ledger.closeTime,
        })
      return result(Result.bumpSequenceSuccess())
    },
    record: () => ({ bump_to: op.bumpTo.toString() }),
  }
}
