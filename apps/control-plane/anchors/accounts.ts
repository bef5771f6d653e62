import { ProblemError } from '@windlass/client/client.ts'
import { areClocksDifferent, findFundingSigner, isRefusal, issueSigner } from '@windlass/client/signer.ts'
import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import {
  endSigning,
  ensureAnchorKeys,
  putSigningTerms,
  type AnchorAccounts,
} from '@windlass/contracts/internal/signer.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { TransactionSigner } from '@windlass/stellar/keys.ts'
import { createHash } from 'node:crypto'
import type { Deps } from '../deps.ts'
import { StageFailure } from '../stage-failure.ts'
import type { Tables } from '../tables.ts'
import { publicUrlOf } from './addresses.ts'
import { forgetKeys, listPublicKeys, randomSecret, type SecretReader } from './vault.ts'

const ROLES = ['issuer', 'distribution', 'signing'] as const
const SIGNER_WITHIN_MS = 15_000

/** The anchor's ledger accounts, of which the issuer of an existing asset is another's. Throws where it has none yet. */
export async function getAccounts(db: Db<Tables>, anchorId: string): Promise<AnchorAccounts> {
  return accountsOf(anchorId, await listPublicKeys(db, anchorId))
}

function accountsOf(
  anchorId: string,
  { issuer, distribution, signing }: Partial<AnchorAccounts>,
): AnchorAccounts {
  if (!issuer || !distribution || !signing) throw new Error(`anchor ${anchorId} has no accounts`)
  return { issuer, distribution, signing }
}

/**
 * The anchor's accounts, whose keys the signer creates the first time. Keys of an earlier version, which lie in the
 * vault, are handed over to it; they are forgotten here once it has them. Throws `signer-unavailable`.
 */
export async function ensureAccounts(
  deps: Deps,
  plan: AnchorPlan,
  vault: SecretReader,
): Promise<AnchorAccounts> {
  const { db } = deps.database
  const { anchorId, asset } = plan
  const known = await listPublicKeys(db, anchorId)
  const kept = await Promise.all(ROLES.map(role => vault.find(db, role)))
  const seeds = kept.flatMap(each => (each ? [each.secret] : []))
  if (seeds.length === 0 && ROLES.every(role => known[role])) return accountsOf(anchorId, known)
  const [issuer = '', distribution = '', signing = ''] = seeds
  const body = {
    ...(seeds.length === ROLES.length ? { import: { issuer, distribution, signing } } : {}),
    ...(asset.issuer ? { issuer: asset.issuer } : {}),
  }
  const accounts = await deps.signer
    .call(ensureAnchorKeys, { params: { anchorId }, body, signal: soon() })
    .catch(unavailable)
  for (const role of ROLES) {
    if (known[role] && known[role] !== accounts[role]) {
      throw new Error(`the signer has another ${role} key of anchor ${anchorId}`)
    }
  }
  if (asset.issuer && accounts.issuer !== asset.issuer)
    throw new StageFailure('signer-unavailable', 'The signer does not know existing assets yet. Upgrade it.')
  await forgetKeys(db, anchorId, accounts)
  return accounts
}

/** The accounts that are the anchor's own. */
export const ownAccounts = ({ asset }: AnchorPlan, accounts: AnchorAccounts): string[] =>
  Object.values(accounts).filter(account => account !== asset.issuer)

/** Lets the anchor's servers have signed what belongs to its plan. Throws `signer-unavailable`. */
export async function authorizeServers(deps: Deps, plan: AnchorPlan, vault: SecretReader): Promise<void> {
  const { config } = deps
  const { sep, business } = await signerCredentials(deps, vault)
  const body = {
    networkPassphrase: config.ledger.networkPassphrase,
    homeDomain: plan.homeDomain,
    webAuthDomain: new URL(publicUrlOf(config, plan)).host,
    assetCode: plan.asset.code,
    ...(plan.asset.issuer ? { issuer: plan.asset.issuer } : {}),
    ...(plan.furtherAssets
      ? { furtherAssets: plan.furtherAssets.map(({ code, issuer }) => ({ code, issuer })) }
      : {}),
    issued: plan.asset.issued,
    largestTransfer: plan.limits.max,
    maxFee: String(config.ledger.maxFee),
    credentials: { sep: sha256(sep), business: sha256(business) },
  }
  await deps.signer
    .call(putSigningTerms, { params: { anchorId: plan.anchorId }, body, signal: soon() })
    .catch(unavailable)
}

/** Nothing is signed for the anchor's servers any more. Throws `signer-unavailable`. */
export async function endAuthorization(deps: Deps, anchorId: string): Promise<void> {
  await deps.signer.call(endSigning, { params: { anchorId }, signal: soon() }).catch(unavailable)
}

/**
 * The platform's account that pays for an anchor's accounts; null: there is none, and a faucet pays. Throws
 * `signer-unavailable`; signing throws `funding-limit-reached` too.
 */
export async function findPayer({ signer }: Deps, anchorId: string): Promise<TransactionSigner | null> {
  const payer = await findFundingSigner(signer, anchorId).catch(unavailable)
  if (!payer) return null
  const { address, sign } = payer
  return { address, sign: transaction => sign(transaction).catch(limitedOrUnavailable) }
}

function limitedOrUnavailable(cause: unknown): never {
  if (areClocksDifferent(cause)) return orClocksDiffer(cause)
  if (!isRefusal(cause) || cause.problem.code !== 'signing-limit-reached') return unavailable(cause)
  const detail = 'The account that funds new accounts has paid as much as it may in an hour.'
  throw new StageFailure('funding-limit-reached', detail, { cause })
}

/** An account of an anchor whose asset is issued. Signing throws `clocks-differ` where our time is not the ledger's. */
export function findIssuer({ signer }: Deps, anchorId: string, account: string): TransactionSigner {
  const { address, sign } = issueSigner(signer, anchorId, account)
  return { address, sign: transaction => sign(transaction).catch(orClocksDiffer) }
}

function orClocksDiffer(cause: unknown): never {
  if (!areClocksDifferent(cause)) throw cause
  const detail =
    'The clocks of this platform and of the Stellar network differ. Set the clock of the machine.'
  throw new StageFailure('clocks-differ', detail, { cause })
}

/** By which each of the servers proves itself to the signer. */
export async function signerCredentials({ database: { db } }: Deps, vault: SecretReader) {
  return {
    sep: (await vault.ensure(db, 'signer_sep', randomSecret)).secret,
    business: (await vault.ensure(db, 'signer_business', randomSecret)).secret,
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const soon = () => AbortSignal.timeout(SIGNER_WITHIN_MS)

function unavailable(cause: unknown): never {
  // A refusal is not an outage, and trying again would not help.
  if (cause instanceof ProblemError && cause.status < 500) throw cause
  throw new StageFailure('signer-unavailable', 'The signer, which has the keys, does not answer.', { cause })
}
