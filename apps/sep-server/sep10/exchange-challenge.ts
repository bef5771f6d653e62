import type { HorizonAccount } from '@windlass/stellar/horizon-account.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import {
  ChallengeError,
  checkSigners,
  readChallenge,
  type ReadChallenge,
} from '@windlass/stellar/sep10-challenge.ts'
import { unavailable } from '@windlass/service/problem.ts'
import type { Deps } from '../deps.ts'
import { refused } from '../sep-errors.ts'
import { challengeTerms } from './issue-challenge.ts'
import { useChallenge } from './used-challenges.ts'

/** A token for a challenge that the account's signers signed; each challenge is good once. */
export async function exchangeChallenge(deps: Deps, envelope: string): Promise<string> {
  const now = deps.clock.now()
  const challenge = orRefuse(() => readChallenge(envelope, challengeTerms(deps), now))
  await checkAccount(deps, challenge)
  if (!(await useChallenge(deps.database.db, challenge, envelope))) {
    throw refused('the challenge was used already')
  }
  const session = {
    account: challenge.account,
    memo: challenge.memo,
    clientDomain: challenge.clientDomain,
    homeDomain: deps.config.anchor.plan.homeDomain,
    tokenId: challenge.hash.toString('hex'),
  }
  return deps.tokens.issue(session, now)
}

async function checkAccount(deps: Deps, challenge: ReadChallenge): Promise<void> {
  const address = baseAccount(challenge.account)
  const account = await deps.readAccount(address).catch((cause: unknown) => {
    throw unavailable('The ledger', cause)
  })
  const { signers, threshold } = demandsOf(account, address)
  orRefuse(() => checkSigners(challenge, deps.signer.address, signers, threshold))
}

/** An account that is not on the ledger yet is its master key's (SEP-10). */
function demandsOf(account: HorizonAccount | null, address: string) {
  if (!account) return { signers: [{ key: address, weight: 1 }], threshold: 1 }
  return { signers: account.signers, threshold: account.thresholds.medium }
}

function orRefuse<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (error instanceof ChallengeError) throw refused(error.message)
    throw error
  }
}
