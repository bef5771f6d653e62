import type { Db } from '@windlass/service/database.ts'
import type { AnchorConfig } from '@windlass/contracts/anchor-config.ts'
import type { BusinessDatabase } from '../database.ts'
import type { Rail } from './rail.ts'
import type { RailSettings } from './settings.ts'
import { createSimulatedRail } from './simulated-rail.ts'

/** What an adapter is made of. */
export interface RailOptions {
  settings: RailSettings
  anchor: { id: string; name: string; anchoredTo: string }
  db: Db<BusinessDatabase>
}

/** Adapters by the `provider` of a rail's credentials. */
const adapters: Readonly<Record<string, (options: RailOptions) => Rail>> = {
  simulated: createSimulatedRail,
}

/** The names of the adapters that this build has. */
export const providers: readonly string[] = Object.keys(adapters)

/** The anchor's rails by name, as its configuration lists them. */
export function createRails(
  { plan }: AnchorConfig,
  settings: ReadonlyMap<string, RailSettings>,
  db: Db<BusinessDatabase>,
): ReadonlyMap<string, Rail> {
  const anchor = { id: plan.anchorId, name: plan.organizationName, anchoredTo: plan.asset.anchoredTo }
  return new Map(
    [...settings].map(([name, each]) => {
      const create = adapters[each.provider]
      if (!create) throw new Error(`there is no adapter for ${each.provider}`)
      return [name, create({ settings: each, anchor, db })]
    }),
  )
}
