import { buildChallenge, ChallengeError, type ChallengeTerms } from '@windlass/stellar/sep10-challenge.ts'
import type { QueryOf } from '@windlass/contracts/endpoint.ts'
import type { getChallenge } from '@windlass/contracts/sep10.ts'
import type { Deps } from '../deps.ts'
import { refused } from '../sep-errors.ts'
import { signingKeyOf } from './client-domain.ts'

/** What this server puts into its challenges and demands of those that come back. */
export function challengeTerms({ config, signer }: Pick<Deps, 'config' | 'signer'>): ChallengeTerms {
  const { anchor } = config
  return {
    server: signer.address,
    networkPassphrase: anchor.network.passphrase,
    homeDomain: anchor.plan.homeDomain,
    webAuthDomain: new URL(anchor.publicUrl).host,
  }
}

/** A signed challenge. Throws a refusal for another home domain, a wrong account or memo, an unreadable client domain. */
export async function issueChallenge(deps: Deps, query: QueryOf<typeof getChallenge>): Promise<string> {
  const terms = challengeTerms(deps)
  if (query.home_domain !== undefined && query.home_domain !== terms.homeDomain) {
    throw refused(`home_domain must be ${terms.homeDomain}`)
  }
  const domain = query.client_domain
  const client = domain ? { domain, signingKey: await signingKeyOf(deps, domain) } : undefined
  try {
    const { account, memo } = query
    return buildChallenge(deps.signer, terms, { account, memo, client }, deps.clock.now())
  } catch (error) {
    if (error instanceof ChallengeError) throw refused(error.message)
    throw error
  }
}
