import { createHash } from 'node:crypto'
import { xdr } from '@stellar/stellar-sdk'
import { accountFields, accountIdOf, publicKeyOf } from '../ledger/addresses.ts'
import { amountText } from '../ledger/amounts.ts'
import { assetName, splitAsset } from '../ledger/assets.ts'
import { AccountFlag, LineFlag } from '../ledger/entries.ts'
import { balanceIdXdr } from '../ledger/entry-xdr.ts'
import { isHeldFrozen } from '../ledger/frozen.ts'
import type { LedgerState } from '../ledger/state.ts'
import { fixedAt, holds, isValidPredicate, predicateRecord } from './claim-predicates.ts'
import { receive, spend } from './holdings.ts'
import type { Operation, Scope } from './operation.ts'
import { createEntry, removeEntry } from './reserves.ts'

const Create = xdr.CreateClaimableBalanceResult
const created = (code: xdr.CreateClaimableBalanceResult) => xdr.OperationResultTr.createClaimableBalance(code)
const Claim = xdr.ClaimClaimableBalanceResult
const claimed = (code: xdr.ClaimClaimableBalanceResult) => xdr.OperationResultTr.claimClaimableBalance(code)
const Clawback = xdr.ClawbackClaimableBalanceResult
const clawedBack = (code: xdr.ClawbackClaimableBalanceResult) =>
  xdr.OperationResultTr.clawbackClaimableBalance(code)

const noBalance = '0'.repeat(72)

export function createClaimableBalance(op: xdr.CreateClaimableBalanceOp): Operation {
  const asset = assetName(op.asset)
  const destinations = op.claimants.map(({ v0 }) => accountIdOf(v0.destination))
  return {
    type: 'create_claimable_balance',
    typeNumber: 14,
    threshold: 'medium',
    moves: false,
    untried: created(Create.createClaimableBalanceSuccess(balanceIdXdr(noBalance))),
    affects: destinations,
    malformed: () =>
      !asset ||
      op.amount <= 0n ||
      op.claimants.length === 0 ||
      new Set(destinations).size !== destinations.length ||
      !op.claimants.every(({ v0 }) => isValidPredicate(v0.predicate))
        ? created(Create.createClaimableBalanceMalformed())
        : undefined,
    apply(scope) {
      const { state, source, ledger } = scope
      if (!asset) return created(Create.createClaimableBalanceMalformed())
      switch (spend(state, source, asset, op.amount)) {
        case 'no-trust':
          return created(Create.createClaimableBalanceNoTrust())
        case 'not-authorized':
          return created(Create.createClaimableBalanceNotAuthorized())
        case 'underfunded':
          return created(Create.createClaimableBalanceUnderfunded())
        case 'done':
      }
      const id = balanceIdOf(scope)
      const reserved = createEntry(
        state,
        {
          kind: 'claimable-balance',
          id,
          asset,
          amount: op.amount,
          claimants: op.claimants.map(({ v0 }, index) => ({
            destination: destinations[index] ?? '',
            predicate: fixedAt(v0.predicate, ledger.closeTime).toXdr('base64'),
          })),
          clawbackEnabled: clawbackEnabled(state, source, asset),
          sponsor: source,
          modified: 0,
        },
        source,
      )
      if (reserved !== 'done') return created(Create.createClaimableBalanceLowReserve())
      return created(Create.createClaimableBalanceSuccess(balanceIdXdr(id)))
    },
    record: () => ({
      asset: asset ?? 'native',
      amount: amountText(op.amount),
      claimants: op.claimants.map(({ v0 }, index) => ({
        destination: destinations[index],
        predicate: predicateRecord(v0.predicate),
      })),
    }),
  }
}

/** CAP-23: the hash of the transaction's source, its sequence and the operation's place in it. */
function balanceIdOf({ transaction, index }: Scope): string {
  const preimage = xdr.HashIdPreimage.envelopeTypeOpId(
    new xdr.HashIdPreimageOperationId({
      sourceAccount: publicKeyOf(transaction.source),
      seqNum: transaction.sequence,
      opNum: index,
    }),
  )
  return `00000000${createHash('sha256').update(preimage.toXdr()).digest('hex')}`
}

function clawbackEnabled(state: LedgerState, source: string, asset: string): boolean {
  if (asset === 'native') return false
  if (splitAsset(asset).issuer === source)
    return ((state.account(source)?.flags ?? 0) & AccountFlag.clawback) !== 0
  return ((state.trustLine(source, asset)?.flags ?? 0) & LineFlag.clawback) !== 0
}

export function claimClaimableBalance(op: xdr.ClaimClaimableBalanceOp): Operation {
  const id = op.balanceId.toXdr('hex')
  return {
    type: 'claim_claimable_balance',
    typeNumber: 15,
    threshold: 'low',
    moves: false,
    untried: claimed(Claim.claimClaimableBalanceSuccess()),
    affects: [],
    malformed: () => undefined,
    apply({ state, source, ledger }) {
      const balance = state.claimableBalance(id)
      if (!balance) return claimed(Claim.claimClaimableBalanceDoesNotExist())
      const claimant = balance.claimants.find(({ destination }) => destination === source)
      if (!claimant || !holds(xdr.ClaimPredicate.fromXdr(claimant.predicate, 'base64'), ledger.closeTime))
        return claimed(Claim.claimClaimableBalanceCannotClaim())
      if (isHeldFrozen(ledger.frozen, source, balance.asset))
        return claimed(Claim.claimClaimableBalanceTrustlineFrozen())
      switch (receive(state, source, balance.asset, balance.amount)) {
        case 'no-trust':
          return claimed(Claim.claimClaimableBalanceNoTrust())
        case 'not-authorized':
          return claimed(Claim.claimClaimableBalanceNotAuthorized())
        case 'full':
          return claimed(Claim.claimClaimableBalanceLineFull())
        case 'done':
      }
      removeEntry(state, balance)
      return claimed(Claim.claimClaimableBalanceSuccess())
    },
    record: source => ({ balance_id: id, ...accountFields('claimant', source) }),
  }
}

export function clawbackClaimableBalance(op: xdr.ClawbackClaimableBalanceOp): Operation {
  const id = op.balanceId.toXdr('hex')
  return {
    type: 'clawback_claimable_balance',
    typeNumber: 20,
    threshold: 'medium',
    moves: false,
    untried: clawedBack(Clawback.clawbackClaimableBalanceSuccess()),
    affects: [],
    malformed: () => undefined,
    apply({ state, source }) {
      const balance = state.claimableBalance(id)
      if (!balance) return clawedBack(Clawback.clawbackClaimableBalanceDoesNotExist())
      if (splitAsset(balance.asset).issuer !== source)
        return clawedBack(Clawback.clawbackClaimableBalanceNotIssuer())
      if (!balance.clawbackEnabled) return clawedBack(Clawback.clawbackClaimableBalanceNotClawbackEnabled())
      removeEntry(state, balance)
      return clawedBack(Clawback.clawbackClaimableBalanceSuccess())
    },
    record: () => ({ balance_id: id }),
  }
}
