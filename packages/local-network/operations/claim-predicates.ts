import { xdr } from '@stellar/stellar-sdk'
import { int64Max } from '../ledger/entries.ts'

const depthLimit = 4

/** Whether a predicate has the form CAP-23 asks for: both branches, no negative time, four levels at most. */
export function isValidPredicate(predicate: xdr.ClaimPredicate, depth = 1): boolean {
  if (depth > depthLimit) return false
  const inner = (next: xdr.ClaimPredicate) => isValidPredicate(next, depth + 1)
  switch (predicate.type) {
    case 'claimPredicateUnconditional':
      return true
    case 'claimPredicateAnd':
      return predicate.andPredicates.length === 2 && predicate.andPredicates.every(inner)
    case 'claimPredicateOr':
      return predicate.orPredicates.length === 2 && predicate.orPredicates.every(inner)
    case 'claimPredicateNot':
      return predicate.notPredicate !== null && inner(predicate.notPredicate)
    case 'claimPredicateBeforeAbsoluteTime':
      return predicate.absBefore >= 0n
    case 'claimPredicateBeforeRelativeTime':
      return predicate.relBefore >= 0n
  }
}

/** The predicate with times that count from the ledger's close turned into points in time. */
export function fixedAt(predicate: xdr.ClaimPredicate, closeTime: bigint): xdr.ClaimPredicate {
  const inner = (next: xdr.ClaimPredicate) => fixedAt(next, closeTime)
  switch (predicate.type) {
    case 'claimPredicateAnd':
      return xdr.ClaimPredicate.claimPredicateAnd(predicate.andPredicates.map(inner))
    case 'claimPredicateOr':
      return xdr.ClaimPredicate.claimPredicateOr(predicate.orPredicates.map(inner))
    case 'claimPredicateNot':
      return xdr.ClaimPredicate.claimPredicateNot(predicate.notPredicate && inner(predicate.notPredicate))
    case 'claimPredicateBeforeRelativeTime': {
      const end = closeTime + predicate.relBefore
      return xdr.ClaimPredicate.claimPredicateBeforeAbsoluteTime(end > int64Max ? int64Max : end)
    }
    default:
      return predicate
  }
}

export function holds(predicate: xdr.ClaimPredicate, closeTime: bigint): boolean {
  const inner = (next: xdr.ClaimPredicate) => holds(next, closeTime)
  switch (predicate.type) {
    case 'claimPredicateUnconditional':
      return true
    case 'claimPredicateAnd':
      return predicate.andPredicates.every(inner)
    case 'claimPredicateOr':
      return predicate.orPredicates.some(inner)
    case 'claimPredicateNot':
      return predicate.notPredicate !== null && !inner(predicate.notPredicate)
    case 'claimPredicateBeforeAbsoluteTime':
      return closeTime < predicate.absBefore
    case 'claimPredicateBeforeRelativeTime':
      return false
  }
}

/** The last moment whose date a JSON time can carry: 9999-12-31T23:59:59Z. */
const lastDate = 253_402_300_799n

/** Horizon's JSON form. */
export function predicateRecord(predicate: xdr.ClaimPredicate): Record<string, unknown> {
  switch (predicate.type) {
    case 'claimPredicateUnconditional':
      return { unconditional: true }
    case 'claimPredicateAnd':
      return { and: predicate.andPredicates.map(predicateRecord) }
    case 'claimPredicateOr':
      return { or: predicate.orPredicates.map(predicateRecord) }
    case 'claimPredicateNot':
      return { not: predicate.notPredicate && predicateRecord(predicate.notPredicate) }
    case 'claimPredicateBeforeAbsoluteTime': {
      const seconds = predicate.absBefore > lastDate ? lastDate : predicate.absBefore
      return {
        abs_before: new Date(Number(seconds) * 1000).toISOString().replace('.000', ''),
        abs_before_epoch: predicate.absBefore.toString(),
      }
    }
    case 'claimPredicateBeforeRelativeTime':
      return { rel_before: predicate.relBefore.toString() }
  }
}
