import {
  ChallengeError,
  type ChallengeTerms,
  checkSigners,
  prepareChallenge,
  readChallenge,
  type ReadChallenge,
} from '@windlass/stellar/sep10-challenge.ts'
import type { QueryOf } from '@windlass/contracts/endpoint.ts'
import type { getChallenge } from '@windlass/contracts/wallet/sep10.ts'
import type { Deps } from '../deps.ts'
import { badRequest } from '../errors.ts'
import { type Requirements, requirementsOf } from '@windlass/stellar/account-signers.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import { unavailable } from '@windlass/service/http/problem.ts'
import { clientSigningKey } from './client-domain.ts'
import { checkSharedAccount } from './shared-accounts.ts'
import { markUsed } from './used-challenges.ts'

/** What challenges of this server contain. */
export function challengeTerms({ config, signingKey }: Pick<Deps, 'config' | 'signingKey'>): ChallengeTerms {
  const { anchor } = config
  return {
    server: signingKey.address,
    networkPassphrase: anchor.network.passphrase,
    homeDomain: anchor.plan.homeDomain,
    webAuthDomain: new URL(anchor.publicUrl).host,
  }
}

/** Domains are the same in any case. Throws 400. */
export function requireHomeDomain({ homeDomain }: ChallengeTerms, given: string | undefined): void {
  if (given !== undefined && given.toLowerCase() !== homeDomain.toLowerCase())
    throw badRequest(`home_domain must be ${homeDomain}`)
}

/** A signed challenge. Throws 400 for another home domain, an invalid account or memo, an unreadable client domain. */
export async function issueChallenge(deps: Deps, query: QueryOf<typeof getChallenge>): Promise<string> {
  const terms = challengeTerms(deps)
  requireHomeDomain(terms, query.home_domain)
  const domain = query.client_domain?.toLowerCase()
  const client = domain ? { domain, signingKey: await clientSigningKey(deps, domain) } : undefined
  const { account, memo } = query
  const challenge = orBadRequest(() =>
    prepareChallenge(terms.server, terms, { account, memo, client }, deps.clock.now()),
  )
  return deps.signingKey.signChallenge(challenge)
}

/** A token for a challenge that the account's signers signed. Each challenge can be used once. */
export async function exchangeChallenge(deps: Deps, envelope: string): Promise<string> {
  const now = deps.clock.now()
  const challenge = orBadRequest(() => readChallenge(envelope, challengeTerms(deps), now))
  await checkAccount(deps, challenge)
  if (!(await markUsed(deps.database.db, challenge, envelope))) {
    throw badRequest('the challenge was used already')
  }
  await checkSharedAccount(deps, challenge)
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
  const check = ({ signers, threshold }: Requirements) =>
    orBadRequest(() => checkSigners(challenge, deps.signingKey.address, signers, threshold))
  const first = await fromLedger(deps.readAccount(address))
  // What is no login by one source is none by both: it has nobody else asked.
  check(requirementsOf(address, first))
  if (!deps.second) return
  await deps.secondAsks.demand(address)
  const both = requirementsOf(address, first, await fromLedger(deps.second.signersOf(address)))
  if (!both.isAgreed)
    deps.logger.warn({ account: address }, 'the sources of the ledger name different signers')
  check(both)
}

const fromLedger = <T>(asked: Promise<T>): Promise<T> =>
  asked.catch((cause: unknown) => {
    throw unavailable('The ledger', cause)
  })

function orBadRequest<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (error instanceof ChallengeError) throw badRequest(error.message)
    throw error
  }
}
