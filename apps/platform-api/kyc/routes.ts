import { getCustomer } from '@windlass/contracts/platform/customers.ts'
import * as internal from '@windlass/contracts/internal/internal.ts'
import { getKycStatus, receiveKycWebhook, startKyc } from '@windlass/contracts/platform/kyc.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import { serveMockPages } from '@windlass/kyc-providers/mock/page.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { createRate } from '@windlass/service/http/rates.ts'
import type { On, Server } from '@windlass/service/http/server.ts'
import { findCustomer } from '../customers/customers.ts'
import type { Deps } from '../deps.ts'
import { type Account, isOwn, ownerAt, statusAt } from '../visits/accounts.ts'
import {
  hasAccess,
  hasWithdrawn,
  recordVisit,
  requireAnchor,
  requireLogin,
  requireVisit,
} from '../visits/visits.ts'
import { listLinked } from '../wallets/link.ts'
import { holdersOf, isLinked } from '../wallets/wallets.ts'
import { findTimeZone } from '../time-zones/time-zones.ts'
import { propagate } from './propagate.ts'
import { acceptReport } from './report.ts'
import { identityFor, NOTHING_KNOWN } from './same-person.ts'
import { startSession } from './start.ts'
import { centralStatus } from './status.ts'
import { verifiedNameOf } from './verified-name.ts'

/** Path of the mock provider's hosted page. */
const MOCK_PAGES = '/kyc/mock'

export function kycRoutes({ on, app }: Server, deps: Deps): void {
  const { db, pool } = deps.database
  // The provider charges for each session.
  const starts = createRate(pool, 'kyc-starts', 10 * deps.config.rateFactor, 3600)
  internalRoutes(on, deps)
  on(getCustomer).serve(async ({ principal: { customerId } }) => {
    const customer = await findCustomer(db, customerId)
    if (!customer) throw new Problem('unauthenticated', 'Sign in again.')
    const { status } = await centralStatus(db, customerId)
    const { id, email, created_at } = customer
    const timeZone = await findTimeZone(db, email)
    return { id, email, kycStatus: status, timeZone, createdAt: created_at.toISOString() }
  })
  on(getKycStatus).serve(async ({ principal: { customerId } }) => ({
    ...(await centralStatus(db, customerId)),
    verifiedName: await verifiedNameOf(db, deps.sealer, customerId),
  }))
  on(startKyc).serve(async ({ principal, body }) => {
    await starts.demand(principal.customerId)
    return startSession(deps, principal.customerId, body.returnUrl)
  })
  on(receiveKycWebhook).serve(async ({ raw, request }) => {
    await acceptReport(deps, { raw, headers: request.headers, anchorId: null })
    return { ok: true }
  })
  if (deps.kyc?.provider.name === 'mock') serveMockPages(app, pool, MOCK_PAGES)
}

/** For anchors' business servers and the platform's own services. */
function internalRoutes(on: On, deps: Deps): void {
  const { db, pool } = deps.database
  // Each anchor has its own: what one starts keeps no customer from a verification elsewhere.
  const starts = createRate(pool, 'kyc-starts-at', 5 * deps.config.rateFactor, 3600)
  const startsOfAll = createRate(pool, 'kyc-starts-of', 1_000 * deps.config.rateFactor, 3600)
  on(internal.propagateKyc).serve(({ principal, body }) => propagate(deps, principal, body))
  on(internal.queryKyc).serve(({ principal, query: { walletAddress, memo = null } }) => {
    const account = { account: walletAddress, memo }
    if (principal.kind === 'platform' || isOwn(account)) return byWallet(deps, principal, walletAddress)
    return bySharedAccount(deps, principal, account)
  })
  on(internal.queryCustomerKyc).serve(async ({ principal, params, query: { account, memo = null } }) => {
    await requireCustomer(deps, principal, params.id)
    if (principal.kind === 'anchor' && account !== undefined)
      await requireTied(deps, principal.anchorId, params.id, { account, memo })
    return namedKycOf(deps, principal, params.id)
  })
  on(internal.resolveWallets).serve(async ({ principal, params }) => {
    await requireCustomer(deps, principal, params.id)
    const wallets = await listLinked(deps, params.id)
    return { addresses: [...new Set(wallets.map(({ address }) => address))], wallets }
  })
  on(internal.startKycSession).serve(async ({ principal, body }) => {
    const anchorId = requireAnchor(principal)
    await requireVisit(db, principal, body.customerId)
    await starts.demand(`${anchorId} ${body.customerId}`)
    await startsOfAll.demand(anchorId)
    return startSession(deps, body.customerId, body.returnUrl, anchorId)
  })
  on(internal.passKycReport).serve(async ({ principal, body }) => {
    const raw = Buffer.from(body.body, 'base64')
    const anchorId = requireAnchor(principal)
    const { identity: _, ...report } = await acceptReport(deps, { raw, headers: body.headers, anchorId })
    const said = { ...report, completedAt: report.completedAt.toISOString() }
    // Without an identity: who withdrew access is tied to what they owe there as before.
    if (!(await hasAccess(db, anchorId, report.customerId))) return { ...said, verifiedName: null }
    // What applies now: the report of another session may have changed nothing.
    const { status, completedAt } = await centralStatus(db, report.customerId)
    const verifiedName = await verifiedNameOf(db, deps.sealer, report.customerId)
    const identity = await identityFor(db, anchorId, report.customerId)
    return { ...said, status, completedAt: completedAt ?? said.completedAt, verifiedName, identity }
  })
}

async function requireCustomer(deps: Deps, principal: Principals['internal'], id: string): Promise<void> {
  await requireVisit(deps.database.db, principal, id)
  if (await findCustomer(deps.database.db, id)) return
  throw new Problem('customer-not-found', 'There is no customer with this id.')
}

/**
 * Throws `customer-not-found` where the account is not, or no longer, the customer's. A shared account of which nothing is
 * known here signed in before accounts were kept.
 */
async function requireTied(
  { database: { db } }: Deps,
  anchorId: string,
  customerId: string,
  account: Account,
): Promise<void> {
  const status = isOwn(account) ? null : await statusAt(db, anchorId, customerId, account)
  const isTied = isOwn(account)
    ? await isLinked(db, customerId, account.account)
    : status === null || status === 'confirmed'
  if (!isTied) throw new Problem('customer-not-found', 'No customer with this id came to your anchor.')
}

async function kycOf({ database: { db } }: Deps, customerId: string) {
  const { status, completedAt } = await centralStatus(db, customerId)
  return { customerId, status, verified: status === 'ACCEPTED', completedAt }
}

/**
 * With the name on the document, which an anchor must compare with the lists of those whom it may not pay, and with what
 * tells it that another customer is the same person.
 */
async function namedKycOf(deps: Deps, principal: Principals['internal'], customerId: string) {
  const { db } = deps.database
  const verifiedName = await verifiedNameOf(db, deps.sealer, customerId)
  const identity =
    principal.kind === 'anchor' ? await identityFor(db, principal.anchorId, customerId) : NOTHING_KNOWN
  return { ...(await kycOf(deps, customerId)), verifiedName, identity }
}

/** The customer who signed in at the anchor with an account that several people share, and confirmed it. */
async function bySharedAccount(
  deps: Deps,
  principal: Extract<Principals['internal'], { kind: 'anchor' }>,
  account: Account,
) {
  const { db } = deps.database
  const owner = await ownerAt(db, principal.anchorId, account)
  if (owner === null) throw new Problem('customer-not-found', 'No customer signed in with this account.')
  await requireVisit(db, principal, owner)
  return { ...(await namedKycOf(deps, principal, owner)), walletVerified: true }
}

/**
 * The customer who has proven the wallet. Without a proof, on test networks: of those who linked it, one who is
 * ACCEPTED, else the first, whom an anchor does not get: a link alone must not lead to a verification of someone else.
 */
async function byWallet(deps: Deps, principal: Principals['internal'], address: string) {
  const { db } = deps.database
  await requireLogin(db, principal, address)
  const holders = await holdersOf(db, address)
  const owner = holders[0]
  if (owner?.walletVerified) {
    if (principal.kind === 'anchor') await recordVisit(db, principal.anchorId, owner.customerId)
    await requireVisit(db, principal, owner.customerId)
    return { ...(await namedKycOf(deps, principal, owner.customerId)), walletVerified: true }
  }
  const linked = deps.config.deployment.mainnet ? [] : holders
  for (const { customerId } of linked) {
    if (principal.kind === 'anchor' && (await hasWithdrawn(db, principal.anchorId, customerId))) continue
    const kyc = await kycOf(deps, customerId)
    if (kyc.verified) return { ...kyc, walletVerified: false }
  }
  if (!linked[0] || principal.kind === 'anchor') {
    throw new Problem('customer-not-found', 'No customer has linked this wallet.')
  }
  return { ...(await kycOf(deps, linked[0].customerId)), walletVerified: false }
}
