import * as contracts from '@windlass/contracts/anchor/travel-rule.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../../deps.ts'
import { getRecord } from './records.ts'
import { addTravelRule, listTravelRule } from './settings.ts'

export function serveTravelRule(on: On, deps: Deps): void {
  const settings = async () => ({ history: await listTravelRule(deps, deps.database.db) })
  on(contracts.getTravelRule).serve(settings)
  on(contracts.setTravelRuleAs).serve(async ({ body }) => {
    await addTravelRule(deps, body)
    return settings()
  })
  on(contracts.getTravelRuleRecord).serve(({ params }) => getRecord(deps, params.id))
}
