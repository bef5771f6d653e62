import { xdr } from '@stellar/stellar-sdk'
import { addSubentry, removeSubentry } from './holdings.ts'
import type { Operation } from './operation.ts'
import { isPlainText } from './plain-text.ts'

const Result = xdr.ManageDataResult
const result = (code: xdr.ManageDataResult) => xdr.OperationResultTr.manageData(code)

export function manageData(op: xdr.ManageDataOp): Operation {
  const name = op.dataName.toString()
  return {
    type: 'manage_data',
    typeNumber: 10,
    threshold: 'medium',
    moves: false,
    untried: result(Result.manageDataSuccess()),
    affects: [],
    malformed: () =>
      op.dataName.length < 1 || !isPlainText(op.dataName.bytes)
        ? result(Result.manageDataInvalidName())
        : undefined,
    apply({ state, source }) {
      const entry = state.data(source, name)
      if (op.dataValue === null) {
        if (!entry) return result(Result.manageDataNameNotFound())
        state.remove(entry)
        removeSubentry(state, source)
        return result(Result.manageDataSuccess())
      }
      if (!entry) {
        const added = addSubentry(state, source)
        if (added === 'too-many') return 'opTooManySubentries'
        if (added === 'low-reserve') return result(Result.manageDataLowReserve())
      }
      state.put({ kind: 'data', account: source, name, value: op.dataValue.value, modified: 0 })
      return result(Result.manageDataSuccess())
    },
    record: () => ({
      name,
      value: op.dataValue ? Buffer.from(op.dataValue.value).toString('base64') : '',
    }),
  }
}
