import { xdr } from '@stellar/stellar-sdk'
import type { Operation } from './operation.ts'
import { isPlainText } from './plain-text.ts'
import { createEntry, removeEntry } from './reserves.ts'

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
        removeEntry(state, entry)
        return result(Result.manageDataSuccess())
      }
      const { value } = op.dataValue
      if (entry) {
        state.put({ ...entry, value })
        return result(Result.manageDataSuccess())
      }
      const added = createEntry(state, {
        kind: 'data',
        account: source,
        name,
        value,
        sponsor: null,
        modified: 0,
      })
      if (added === 'too-many') return 'opTooManySubentries'
      if (added === 'low-reserve') return result(Result.manageDataLowReserve())
      return result(Result.manageDataSuccess())
    },
    record: () => ({
      name,
      value: op.dataValue ? Buffer.from(op.dataValue.value).toString('base64') : '',
    }),
  }
}
