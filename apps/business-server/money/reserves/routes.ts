import * as contracts from '@windlass/contracts/anchor/reserves.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../../deps.ts'
import { requireDay } from '../../paging.ts'
import { listSafeguardingDays, readSafeguarding } from './safeguarding.ts'

export function serveSafeguarding(on: On, deps: Deps): void {
  const { db } = deps.database
  on(contracts.getSafeguarding).serve(({ query: { at } }) =>
    readSafeguarding(deps, db, at === undefined ? at : requireDay('at', at)),
  )
  on(contracts.listSafeguardingDays).serve(() => listSafeguardingDays(db))
}
