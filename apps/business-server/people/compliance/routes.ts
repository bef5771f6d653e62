import * as cases from '@windlass/contracts/anchor/cases.ts'
import * as contracts from '@windlass/contracts/anchor/compliance.ts'
import { replayVelocityRule } from '@windlass/contracts/anchor/velocity.ts'
import { getCountryRules, setCountryRulesAs } from '@windlass/contracts/anchor/country-rules.ts'
import { answer } from '@windlass/service/http/answer.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { linkNext } from '@windlass/service/http/pages.ts'
import { readScalar } from '@windlass/service/postgres/scalars.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../../deps.ts'
import type { Tables } from '../../tables.ts'
import { caseFile, closeCase, endIfHarmless, listCases, noteCase, openCase, planCase } from './cases.ts'
import { addCountryRules, listCountryRules } from './country-rules.ts'
import { caseOf, hitsWaiting, decideHit, listHits } from './hits.ts'
import { listLists, loadList, setThreshold, thresholdOf } from './lists.ts'
import { countOutdated } from './compare-names.ts'
import type { WithSame } from './round-trips.ts'
import { type Movement, replayRule } from './velocity.ts'
import { addRules, checkRule, listRules } from './velocity-rules.ts'

/** What other slices do for this one, which they use. */
interface Others {
  /** Lets held payments continue, as far as nothing else holds them. */
  release(tx: Db<Tables>): Promise<void>
  /** Null: there is no transaction with this id. */
  transactionOf(id: string): Promise<contracts.ScreeningCase['transactions'][number] | null>
  /** A transfer as rules count it; null: there is none that they count. */
  movementOf(id: string): Promise<Movement | null>
  withSame: WithSame
  /** Null: there is no payout with this id. */
  payoutOf(id: string): Promise<cases.CasePayout | null>
  /** Throws `customer-not-found`, `transaction-not-found`. */
  isThere(subject: { kind: 'customer' | 'transaction'; id: string }): Promise<void>
}

export function serveCompliance(
  on: On,
  deps: Deps,
  { release, transactionOf, movementOf, withSame, ...others }: Others,
): void {
  const screening = async () => {
    const { db } = deps.database
    const [threshold, lists, waiting, outdated] = await Promise.all([
      thresholdOf(db),
      listLists(db),
      readScalar(db, hitsWaiting),
      countOutdated(db),
    ])
    return { threshold, lists, waiting, outdated }
  }
  const velocity = async () => ({ history: await listRules(deps.database.db) })
  on(contracts.getVelocityRules).serve(velocity)
  on(contracts.setVelocityRulesAs).serve(async ({ body }) => {
    await addRules(deps, body)
    return velocity()
  })
  on(replayVelocityRule).serve(async ({ query: { kind, hours, count = null, amount = null } }) =>
    replayRule(deps, checkRule({ kind, hours, count, amount }, 0), movementOf, withSame),
  )
  on(contracts.getScreening).serve(screening)
  on(contracts.listSanctionsLists).serve(async ({ query, request, reply }) => {
    const found = await listLists(deps.database.db, query)
    const places = found.map(({ version, at }) => ({ id: String(version), createdAt: new Date(at) }))
    linkNext(request, reply, query, places)
    return found
  })
  on(contracts.listScreeningHits).serve(async ({ query, request, reply }) => {
    const found = await listHits(deps, query)
    linkNext(request, reply, query, found)
    return found
  })
  on(contracts.getScreeningCase).serve(({ params }) => caseOf(deps, params.id, transactionOf))
  on(contracts.loadSanctionsListAs).serve(async ({ query: { smaller = false, fileName, by }, raw }) =>
    answer(201, await loadList(deps, { fileName, smaller, by, bytes: raw }, release)),
  )
  on(contracts.setScreeningThresholdAs).serve(async ({ body: { threshold, by } }) => {
    await setThreshold(deps, threshold, by)
    return screening()
  })
  on(contracts.decideScreeningHitAs).serve(({ params, body }) => {
    const ended = (tx: Db<Tables>) => endIfHarmless(tx, deps.sealer, params.id, body.by)
    return decideHit(deps, params.id, body, { release, ended })
  })
  on(getCountryRules).serve(() => listCountryRules(deps, deps.database.db))
  on(setCountryRulesAs).serve(async ({ body }) => {
    await addCountryRules(deps, body)
    return listCountryRules(deps, deps.database.db)
  })
  serveCases(on, deps, others)
}

function serveCases(on: On, deps: Deps, { isThere, payoutOf }: Pick<Others, 'isThere' | 'payoutOf'>): void {
  const { db } = deps.database
  on(cases.listCases).serve(async ({ query, request, reply }) => {
    const found = await listCases(db, query)
    linkNext(request, reply, query, found)
    return found.map(each => each.case)
  })
  on(cases.getCase).serve(async ({ params }) => {
    const file = await caseFile(deps, db, params.id)
    const { kind, id } = file.case.subject
    const payout = kind === 'payout' ? await payoutOf(id) : null
    return payout ? { ...file, payout } : file
  })
  on(cases.openCaseAs).serve(async ({ body }) => {
    await isThere(body.subject)
    return openCase(deps, body)
  })
  on(cases.noteCaseAs).serve(({ params, body }) => noteCase(deps, params.id, body))
  on(cases.planCaseAs).serve(({ params, body }) => planCase(deps, params.id, body))
  on(cases.closeCaseAs).serve(({ params, body }) => closeCase(deps, params.id, body))
}
