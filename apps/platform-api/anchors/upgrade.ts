import {
  type Upgrade,
  upgradeAnchor as upgradeEndpoint,
  type UpgradeRequest,
} from '@windlass/contracts/platform/anchor-life.ts'
import { getUpgrades, requestUpgrade } from '@windlass/contracts/internal/control-plane.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { FastifyRequest } from 'fastify'
import { remoteAct } from '../audit/remote-act.ts'
import type { Deps } from '../deps.ts'
import { passProblems } from '../infrastructure/services.ts'
import { findAnchor } from './anchors.ts'

const controlPlane = passProblems('The control plane')

/**
 * Has the control plane bring an anchor's servers to a release. Throws `anchor-not-found`, `anchor-wrong-state`,
 * `release-not-found`, `dependency-unavailable`.
 */
export async function upgradeAnchor(
  deps: Deps,
  anchorId: string,
  admin: Principals['admin'],
  wish: UpgradeRequest,
  request: FastifyRequest,
): Promise<Upgrade> {
  const anchor = await requireAnchor(deps, anchorId)
  if (anchor.status !== 'active') throw new Problem('anchor-wrong-state', `The anchor is ${anchor.status}.`)
  const actor = `admin:${admin.username}`
  const body = { ...wish, requestedBy: actor }
  return remoteAct(deps, upgradeEndpoint, request, {
    ...{ actor, subject: `anchor:${anchorId}`, action: 'anchor.upgrade-requested', asked: { ...wish } },
    call: () => controlPlane(deps.controlPlane.call(requestUpgrade, { params: { anchorId }, body })),
    found: ({ id: upgradeId, to: release }) => ({ details: { upgradeId, release } }),
  })
}

/** Throws `anchor-not-found`, `dependency-unavailable`. */
export async function listUpgrades(deps: Deps, anchorId: string) {
  await requireAnchor(deps, anchorId)
  try {
    return await controlPlane(deps.controlPlane.call(getUpgrades, { params: { anchorId } }))
  } catch (error) {
    // Not handed over yet.
    if (error instanceof Problem && error.code === 'anchor-not-found') return { release: null, upgrades: [] }
    throw error
  }
}

async function requireAnchor({ database }: Deps, anchorId: string) {
  const anchor = await findAnchor(database.db, anchorId)
  if (!anchor) throw new Problem('anchor-not-found', 'There is no anchor with this id.')
  return anchor
}
