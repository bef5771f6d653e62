import { xdr } from '@stellar/stellar-sdk'
import { accountFields, accountIdOf } from '../ledger/addresses.ts'
import { amountText } from '../ledger/amounts.ts'
import { newAccount } from '../ledger/entries.ts'
import { spend } from './holdings.ts'
import type { Operation } from './operation.ts'
import { createEntry } from './reserves.ts'

const Result = xdr.CreateAccountResult
const result = (code: xdr.CreateAccountResult) => xdr.OperationResultTr.createAccount(code)

export function createAccount(op: xdr.CreateAccountOp): Operation {
  const destination = accountIdOf(op.destination)
  return {
    type: 'create_account',
    typeNumber: 0,
    threshold: 'medium',
    moves: true,
    untried: result(Result.createAccountSuccess()),
    affects: [destination],
    malformed: source =>
      op.startingBalance < 0n || destination === source ? result(Result.createAccountMalformed()) : undefined,
    apply({ state, source, ledger }) {
      if (state.account(destination)) return result(Result.createAccountAlreadyExist())
      const created = createEntry(state, newAccount(destination, op.startingBalance, ledger.sequence))
      if (created !== 'done') return result(Result.createAccountLowReserve())
      if (spend(state, source, 'native', op.startingBalance) !== 'done')
        return result(Result.createAccountUnderfunded())
      return result(Result.createAccountSuccess())
    },
    record: source => ({
      starting_balance: amountText(op.startingBalance),
      ...accountFields('funder', source),
      account: destination,
    }),
  }
}
