import { getCustomer } from '@windlass/contracts/customers.ts'
import { propagateKyc, queryKyc, resolveWallets } from '@windlass/contracts/internal.ts'
import { getKycStatus, receiveKycWebhook, startKyc } from '@windlass/contracts/kyc.ts'
import { serveMockPages } from '@windlass/kyc-providers/mock/page.ts'
import { Problem } from '@windlass/service/problem.ts'
import type { Server } from '@windlass/service/server.ts'
import { findCustomer } from '../customers/customers.ts'
import type { Deps } from '../deps.ts'
import { listLinked } from '../wallets/link.ts'
import { ownerOf } from '../wallets/wallets.ts'
import { propagate } from './propagate.ts'
import { startSession } from './start.ts'
import { centralStatus } from './status.ts'
import { receiveWebhook } from './webhook.ts'

export function kycRoutes({ on, app }: Server, deps: Deps): void {
  const { db, pool } = deps.database

  on(getCustomer).serve(async ({ principal: { customerId } }) => {
    const customer = await findCustomer(db, customerId)
    if (!customer) throw new Problem('unauthenticated', 'Sign in again.')
    const { status } = await centralStatus(db, customerId)
    const { id, email, created_at } = customer
    return { id, email, kycStatus: status, createdAt: created_at.toISOString() }
  })
  on(getKycStatus).serve(({ principal }) => centralStatus(db, principal.customerId))
  on(startKyc).serve(({ principal, body }) => startSession(deps, principal.customerId, body.returnUrl))
  on(receiveKycWebhook).serve(async ({ raw, request }) => {
    await receiveWebhook(deps, raw, request.headers)
    return { ok: true }
  })
  on(propagateKyc).serve(({ principal, body }) => propagate(deps, principal, body))
  on(queryKyc).serve(async ({ query }) => {
    const { customerId, walletVerified } = await ownerOf(
      db,
      query.walletAddress,
      deps.config.deployment.mainnet,
    )
    const { status, completedAt } = await centralStatus(db, customerId)
    return { customerId, status, verified: status === 'ACCEPTED', completedAt, walletVerified }
  })
  on(resolveWallets).serve(async ({ params }) => {
    if (!(await findCustomer(db, params.id)))
      throw new Problem('customer-not-found', 'There is no customer with this id.')
    const wallets = await listLinked(deps, params.id)
    return { addresses: [...new Set(wallets.map(({ address }) => address))], wallets }
  })
  if (deps.kyc?.provider.name === 'mock') serveMockPages(app, pool, MOCK_PAGES)
}

/** Path of the mock provider's hosted page. */
export const MOCK_PAGES = '/kyc/mock'
