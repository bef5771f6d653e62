import { sealAgain, type SealedColumn } from '@windlass/service/seals/seal-again.ts'
import { createBinder } from '@windlass/service/seals/binding.ts'
import { createSealer } from '@windlass/service/seals/seal.ts'
import type { Deps } from '../deps.ts'

const NEWER = [200, Buffer.alloc(32, 9)] as const

/** The same server with a newer key before its own, and with the newer one alone. */
export function withNewerKey(deps: Deps): { rotating: Deps; newOnly: Deps } {
  const having = (detailsKeys: Map<number, Buffer>): Deps => ({
    ...deps,
    config: { ...deps.config, detailsKeys, bindingKeys: detailsKeys },
    sealer: createSealer(detailsKeys),
    binder: createBinder(detailsKeys),
  })
  return { rotating: having(new Map([NEWER, ...deps.config.detailsKeys])), newOnly: having(new Map([NEWER])) }
}

/** Encrypts columns again at once. Resolves to how many values there were. */
export const rotate = ({ database, config }: Deps, ...columns: SealedColumn[]): Promise<number> =>
  sealAgain(database.pool, 'DETAILS_KEY', config.detailsKeys, columns)
