import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import type { Slot } from '@windlass/runtimes/runtime.ts'
import { join } from 'node:path'
import type { Config } from '../config.ts'

type Domain = Pick<AnchorPlan, 'homeDomain'>

/** What wallets reach, without a trailing slash. */
export const publicUrlOf = (config: Config, plan: Domain) => `${config.anchors.scheme}://${plan.homeDomain}`

/** The home domain without its port: the reverse proxy's key. */
export const hostOf = (plan: Domain) => plan.homeDomain.replace(/:\d+$/, '')

/** The folder of the configuration and secrets of one pair of servers. */
export const folderOf = (config: Config, anchorId: string, slot: Slot = 'a') =>
  slot === 'a' ? join(config.anchors.folder, anchorId) : join(config.anchors.folder, anchorId, slot)
