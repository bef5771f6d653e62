import type { Amount } from '@windlass/money/amount.ts'
import { Field, type FurtherRule } from './field.ts'
import { rejectedBy, type RejectedAnchors } from './rejections.ts'
import type { PolicyWeights, Standing, Terms } from './score.ts'
import { capacityFor, shortlistFor } from './shortlist.ts'
import type { Snapshot } from './snapshot.ts'

/** A ranked anchor with all it was scored by. */
export interface Ranked extends Standing {
  anchorId: string
  slug: string
  domain: string
  issuer: string
}

export interface Ranking {
  /** The best twenty, best first. */
  top: Ranked[]
  eligible: number
  terms: Terms
  rejected: RejectedAnchors
}

/** The hard filter, the four scores and the order of all who pass. */
export function rank(
  snapshot: Snapshot,
  amount: Amount,
  weights: PolicyWeights,
  furtherRule?: FurtherRule,
): Ranking {
  const list = furtherRule ? null : shortlistFor(snapshot, amount, weights)
  if (!list) return rankingOf(snapshot, new Field(snapshot, amount, weights, { furtherRule }))
  const { eligible, lacking } = capacityFor(snapshot, list, amount)
  const failing = lacking.count > 0 ? { capacity: lacking } : {}
  return rankingOf(snapshot, new Field(snapshot, amount, weights, list), eligible, failing)
}

function rankingOf(
  snapshot: Snapshot,
  field: Field,
  eligible = field.eligible,
  failing = field.failing,
): Ranking {
  return {
    top: field.best().map(seat => rankedAt(field, seat)),
    eligible,
    terms: field.terms,
    rejected: rejectedBy(snapshot.failing, failing),
  }
}

export interface Eligible {
  eligible: Ranked[]
  terms: Terms
  rejected: RejectedAnchors
}

/** All who pass the hard filter, by id. */
export function everyEligible(
  snapshot: Snapshot,
  amount: Amount,
  weights: PolicyWeights,
  furtherRule?: FurtherRule,
): Eligible {
  const field = new Field(snapshot, amount, weights, { furtherRule })
  return {
    eligible: Array.from(field.seats(), seat => rankedAt(field, seat)),
    terms: field.terms,
    rejected: rejectedBy(snapshot.failing, field.failing),
  }
}

/** One anchor's place in a ranking: with its rank where it was eligible. */
export function standingIn(
  snapshot: Snapshot,
  amount: Amount,
  weights: PolicyWeights,
  anchorId: string,
): { ranked: Ranked; rank: number | null } | null {
  const place = snapshot.contenders.findIndex(contender => contender.anchorId === anchorId)
  if (place < 0) return null
  const field = new Field(snapshot, amount, weights)
  return { ranked: rankedAt(field, place), rank: field.rankOf(place) }
}

function rankedAt(field: Field, seat: number): Ranked {
  const { anchorId, slug, domain, issuer, speed, good, checks, capacity } = field.contender(seat)
  return { anchorId, slug, domain, issuer, fee: field.exactFee(seat), speed, good, checks, capacity }
}
