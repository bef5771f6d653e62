import { Transaction } from '@stellar/stellar-sdk/base'
import {
  type ChallengeRequest,
  type ChallengeTerms,
  prepareChallenge,
  unsignedEnvelope,
} from '@windlass/stellar/sep10-challenge.ts'

/** An unsigned challenge, as the SDK's transaction. */
export function challengeTransaction(
  server: string,
  terms: ChallengeTerms,
  request: ChallengeRequest,
  now: Date,
): Transaction {
  const envelope = unsignedEnvelope(prepareChallenge(server, terms, request, now))
  return new Transaction(envelope, terms.networkPassphrase)
}
