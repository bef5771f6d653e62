import { getAnchorSummary } from '@windlass/contracts/anchor/business-server.ts'
import {
  ensureTestWallet,
  getControlPlaneTestDeposit,
  getTestDeposit,
  requestTestDeposit,
  startTestDeposit,
} from '@windlass/contracts/platform/test-deposits.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { createRate } from '@windlass/service/http/rates.ts'
import type { On } from '@windlass/service/http/server.ts'
import { requireMember } from '../anchors/access.ts'
import { record } from '../audit/record.ts'
import { registerCustomer } from '../customers/customers.ts'
import type { Deps } from '../deps.ts'
import { passProblems } from '../infrastructure/services.ts'
import { centralStatus, decide } from '../kyc/status.ts'
import { linkIn } from '../wallets/link.ts'
import { anchorServerOf, fromAnchor } from '../workspaces/anchor-server.ts'

const DEPOSITS_AN_HOUR = 10
const controlPlane = passProblems('The control plane')

/** Deposits of a wallet that the platform holds for an anchor, so that its operator sees that everything works. */
export function testDepositRoutes(on: On, deps: Deps): void {
  const { db, pool } = deps.database
  const rate = createRate(pool, 'test-deposits', DEPOSITS_AN_HOUR * deps.config.rateFactor, 60 * 60)
  on(getTestDeposit).serve(async ({ params, principal }) => {
    await requireMember(db, principal.userId, params.anchorId)
    const { latest } = await controlPlane(deps.controlPlane.call(getControlPlaneTestDeposit, { params }))
    return { latest, available: isTest(deps) }
  })
  on(startTestDeposit).serve(async ({ params, principal }) => {
    if (!isTest(deps)) throw notPossible('identity checks or money are real here')
    const rail = await simulatedRail(deps, principal.userId, params.anchorId)
    await rate.demand(params.anchorId)
    const { account } = await controlPlane(deps.controlPlane.call(ensureTestWallet, { params }))
    await verifyWallet(deps, params.anchorId, account, `operator:${principal.userId}`)
    return controlPlane(deps.controlPlane.call(requestTestDeposit, { params, body: { rail } }))
  })
}

/** Nobody's identity is checked here: a wallet whose identity is made up harms nobody. */
const isTest = ({ config }: Deps): boolean => !config.deployment.mainnet && config.kyc?.provider === 'mock'

async function simulatedRail(deps: Deps, userId: string, anchorId: string): Promise<string> {
  const server = await anchorServerOf(deps, userId, anchorId)
  const { rails } = await fromAnchor(server.call(getAnchorSummary))
  const rail = rails.find(({ simulated, rate }) => simulated && rate !== null)
  if (!rail) throw notPossible('no rail of the anchor is simulated')
  return rail.name
}

/** Registers the test wallet's customer, once, as verified by the mock provider. No email can reach the address. */
async function verifyWallet(deps: Deps, anchorId: string, address: string, actor: string): Promise<void> {
  const now = deps.clock.now()
  await deps.database.db.transaction().execute(async tx => {
    const { customer } = await registerCustomer(tx, `test-wallet@${anchorId.toLowerCase()}.invalid`, now)
    await linkIn(deps, tx, customer.id, { address, anchorId: null })
    const { status } = await centralStatus(tx, customer.id)
    if (status !== 'ACCEPTED') {
      const decision = {
        customerId: customer.id,
        status: 'ACCEPTED',
        provider: 'mock',
        sessionId: null,
      } as const
      await decide(tx, { ...decision, completedAt: now }, actor, now)
    }
    const entry = {
      actor,
      action: 'anchor.test-deposit',
      subject: `anchor:${anchorId}`,
      details: { address },
    }
    await record(tx, entry, now)
  })
}

const notPossible = (why: string) =>
  new Problem('anchor-wrong-state', `A test deposit is not possible: ${why}.`)
