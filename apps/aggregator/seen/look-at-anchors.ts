import { loop, type Loop } from '@windlass/service/work/loop.ts'
import type { Deps } from '../deps.ts'
import { readSleeping } from '../health/asleep.ts'
import { shardOf } from '../health/schedule.ts'
import type { Entry } from '../registry/entry.ts'
import { lookAsWallet } from './look.ts'

const EVERY_MS = 60_000
/** Each look starts a deposit that nobody continues. */
export const LOOK_MS = 6 * 3_600_000
const AT_ONCE = 5

/** Looks at this process' share of the open anchors as a wallet does. One that sleeps is left asleep. */
export function lookAtAnchors(deps: Deps): Loop {
  const { config, logger } = deps
  const listSleeping = readSleeping(config.controlPlaneUrl, config.serviceSecret)
  return loop({
    name: 'looks as a wallet',
    everyMs: EVERY_MS,
    logger,
    startNow: false,
    act: async () => {
      const due = dueAnchors(deps)
      if (due.length === 0) return
      const asleep = new Set((await listSleeping?.())?.map(({ id }) => id))
      await Promise.all(
        due
          .filter(({ id }) => !asleep.has(id))
          .slice(0, AT_ONCE)
          .map(each => lookAsWallet(deps, each)),
      )
    },
  })
}

/** The open anchors of this process that nobody has looked at for so long, the longest first. */
export function dueAnchors({
  index,
  ownedShards,
  clock,
}: Pick<Deps, 'index' | 'ownedShards' | 'clock'>): Entry[] {
  const before = clock.now().getTime() - LOOK_MS
  const lookedAt = ({ seen, createdAt }: Entry) => (seen.at ?? createdAt).getTime()
  return [...index.entries()]
    .filter(entry => isOpen(entry) && lookedAt(entry) < before && ownedShards.has(shardOf(entry.id)))
    .sort((a, b) => lookedAt(a) - lookedAt(b))
}

/** What an anchor of another platform says is read from what wallets see, at each look. */
const isOpen = ({ status, available, external, rails }: Entry): boolean =>
  status === 'active' && available && external === null && rails.length > 0
