import { Account, Operation, TransactionBuilder, xdr, Address } from '@stellar/stellar-sdk/base'
import type { QueryOf } from '@windlass/contracts/endpoint.ts'
import type { getContractChallenge } from '@windlass/contracts/wallet/sep45.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { ChallengeError } from '@windlass/stellar/sep10-challenge.ts'
import {
  buildContractChallenge,
  encodeEntries,
  preimageOf,
  readContractChallenge,
  signedEntry,
  type ContractTerms,
  type ReadContractChallenge,
} from '@windlass/stellar/sep45-challenge.ts'
import type { StellarRpc } from '../clients/stellar-rpc.ts'
import type { Deps } from '../deps.ts'
import { badRequest } from '../errors.ts'
import { challengeTerms, requireHomeDomain } from '../sep10/challenges.ts'
import { clientSigningKey } from '../sep10/client-domain.ts'
import { markContractChallengeUsed } from '../sep10/used-challenges.ts'

/** A quarter of an hour, as the challenge itself, at five seconds a ledger. */
const VALID_LEDGERS = 180

/** Throws 404 where the anchor has no Stellar RPC: the discovery file then names no such login. */
function demandLogin({ config, rpc, signingKey }: Deps): { rpc: StellarRpc; terms: ContractTerms } {
  const { contractLogin } = config.anchor.network
  if (!rpc || !contractLogin) throw new Problem('not-found', 'Contract accounts cannot log in here.')
  return { rpc, terms: { ...challengeTerms({ config, signingKey }), contract: contractLogin.contract } }
}

/** Entries of which the server's is signed. Throws 400 for another home domain, account or client domain, 404, 503. */
export async function issueContractChallenge(
  deps: Deps,
  { account, home_domain, client_domain }: QueryOf<typeof getContractChallenge>,
): Promise<string> {
  const { rpc, terms } = demandLogin(deps)
  requireHomeDomain(terms, home_domain)
  const domain = client_domain?.toLowerCase()
  const client = domain ? { domain, signingKey: await clientSigningKey(deps, domain) } : undefined
  const now = deps.clock.now()
  const [own, server, ...others] = orBadRequest(() => buildContractChallenge(terms, { account, client }, now))
  if (!own || !server) throw new Error('a challenge has entries of the account and the server')
  const until = (await rpc.latestLedger()) + VALID_LEDGERS
  const { address } = deps.signingKey
  const signature = await deps.signingKey.signContractChallenge(
    preimageOf(server, until, terms.networkPassphrase),
  )
  return encodeEntries([own, signedEntry(server, until, { address, signature }), ...others])
}

/**
 * A token for entries that the account authorizes, as Stellar RPC finds by simulating the call: the account's own code
 * decides which signatures it accepts. Each challenge can be used once. Throws 400, 404, 503.
 */
export async function exchangeContractChallenge(deps: Deps, text: string): Promise<string> {
  const { rpc, terms } = demandLogin(deps)
  const now = deps.clock.now()
  const challenge = orBadRequest(() => readContractChallenge(text, terms, now))
  await requireAuthorized(rpc, terms, challenge)
  if (deps.secondRpc) {
    await deps.secondAsks.demand(challenge.account)
    await requireAuthorized(deps.secondRpc, terms, challenge)
  }
  if (!(await markContractChallengeUsed(deps.database.db, challenge)))
    throw badRequest('the challenge was used already')
  const session = {
    account: challenge.account,
    memo: null,
    clientDomain: challenge.clientDomain,
    homeDomain: terms.homeDomain,
    tokenId: challenge.hash.toString('hex'),
  }
  return deps.tokens.issue(session, now)
}

async function requireAuthorized(
  rpc: Pick<StellarRpc, 'simulate'>,
  terms: ContractTerms,
  challenge: ReadContractChallenge,
): Promise<void> {
  const { error, results, transactionData, restorePreamble } = await rpc.simulate(
    callOf(terms, challenge).toXdr(),
  )
  if (typeof error === 'string') throw badRequest('the account does not authorize the challenge')
  if (restorePreamble !== undefined) throw badRequest('the account is archived; restore it first')
  if (!Array.isArray(results) || results.length !== 1 || typeof transactionData !== 'string')
    throw badRequest('the login could not be simulated')
  // A contract that demands no authorization would succeed without one: it uses up no nonce.
  const used = usedNonces(transactionData)
  for (const [address, nonce] of challenge.nonces)
    if (!used.has(`${address}:${nonce}`)) throw badRequest(`the login was not authorized by ${address}`)
}

function callOf({ server, networkPassphrase }: ContractTerms, { call, entries }: ReadContractChallenge) {
  const called = call.function
  if (called.type !== 'sorobanAuthorizedFunctionTypeContractFn') throw new Error('not a call of a contract')
  return new TransactionBuilder(new Account(server, '0'), {
    fee: '100',
    networkPassphrase,
    timebounds: { minTime: 0, maxTime: 0 },
  })
    .addOperation(
      Operation.invokeHostFunction({
        func: xdr.HostFunction.hostFunctionTypeInvokeContract(called.contractFn),
        auth: [...entries],
      }),
    )
    .build()
}

/** `<address>:<nonce>` of what the call would use up. */
function usedNonces(transactionData: string): ReadonlySet<string> {
  try {
    const { readWrite } = xdr.SorobanTransactionData.fromXdr(transactionData, 'base64').resources.footprint
    return new Set(
      readWrite.flatMap(key => {
        if (key.type !== 'contractData' || key.contractData.key.type !== 'scvLedgerKeyNonce') return []
        const { contract, key: nonce } = key.contractData
        return [`${Address.fromScAddress(contract)}:${nonce.nonceKey.nonce}`]
      }),
    )
  } catch {
    throw badRequest('the login could not be simulated')
  }
}

function orBadRequest<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (error instanceof ChallengeError) throw badRequest(error.message)
    throw error
  }
}
