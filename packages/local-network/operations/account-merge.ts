import { xdr } from '@stellar/stellar-sdk'
import { accountFields, accountIdOf } from '../ledger/addresses.ts'
import { AccountFlag } from '../ledger/entries.ts'
import { receive } from './holdings.ts'
import type { Operation } from './operation.ts'
import { releaseSigner, removeEntry } from './reserves.ts'

const Result = xdr.AccountMergeResult
const result = (code: xdr.AccountMergeResult) => xdr.OperationResultTr.accountMerge(code)

export function accountMerge(into: xdr.MuxedAccount): Operation {
  const destination = accountIdOf(into)
  return {
    type: 'account_merge',
    typeNumber: 8,
    threshold: 'high',
    moves: true,
    untried: result(Result.accountMergeSuccess(0n)),
    affects: [destination],
    malformed: source => (destination === source ? result(Result.accountMergeMalformed()) : undefined),
    apply({ state, source, ledger }) {
      const account = state.account(source)
      if (!account || !state.account(destination)) return result(Result.accountMergeNoAccount())
      if (account.flags & AccountFlag.immutable) return result(Result.accountMergeImmutableSet())
      if (account.subentries !== account.signers.length) return result(Result.accountMergeHasSubEntries())
      // Made again in this ledger, it would start below the sequence it has used.
      if (account.sequence >= BigInt(ledger.sequence) << 32n) return result(Result.accountMergeSeqnumTooFar())
      if (account.sponsoring > 0 || [...state.sponsorships.values()].includes(source))
        return result(Result.accountMergeIsSponsor())
      if (receive(state, destination, 'native', account.balance) !== 'done')
        return result(Result.accountMergeDestFull())
      for (const signer of account.signers) releaseSigner(state, source, signer)
      removeEntry(state, account)
      return result(Result.accountMergeSuccess(account.balance))
    },
    record: source => ({ ...accountFields('account', source), ...accountFields('into', into) }),
  }
}
