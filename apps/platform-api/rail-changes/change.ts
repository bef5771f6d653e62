import { accountChecks } from '@windlass/contracts/platform/account-numbers.ts'
import type { RailChange } from '@windlass/contracts/platform/rail-changes.ts'
import {
  credentialFields,
  isRailProvider,
  railFaults,
} from '@windlass/contracts/platform/rail-credentials.ts'
import { brokenUnique } from '@windlass/service/postgres/database.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import { anchorPlan, setRailVersion } from '../anchors/anchors.ts'
import { enqueueSync } from '../anchors/registry.ts'
import { abandonCredentials, confirmCredentials, storeCredentials } from '../applications/credentials.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import { decide, insertChange, lockWaiting } from './queries.ts'

interface Wish {
  rail: string
  provider: string
  credentials: Readonly<Record<string, string>>
}

/**
 * Stores the credentials and a change that waits for a second person.
 *
 * @param by `operator:<id>`
 * @throws {Problem} `validation-failed` naming the field, `rail-change-waiting`, `dependency-unavailable`.
 */
export async function requestChange(
  deps: Deps,
  anchorId: string,
  { rail, provider, credentials: given }: Wish,
  by: string,
): Promise<RailChange> {
  const { db } = deps.database
  const values = Object.fromEntries(Object.entries(given).filter(([, value]) => value.trim() !== ''))
  requireRight(deps, { rail, provider, credentials: values })
  const id = newId('rail')
  const credentials = `windlass/anchors/${anchorId}/rails/${id}`
  await storeCredentials(deps, credentials, { provider, ...values })
  try {
    return await db.transaction().execute(async tx => {
      await confirmCredentials(tx, credentials)
      const plan = await anchorPlan(tx, anchorId)
      const at = deps.clock.now()
      const change = await insertChange(tx, {
        ...{ id, anchor_id: anchorId, rail, provider, credentials, ...shownOf(rail, provider, values) },
        ...{ adds: !plan.rails.includes(rail), requested_by: by, requested_at: at },
      })
      await record(tx, entryOf(anchorId, 'rail.change-requested', change, by), at)
      return change
    })
  } catch (error) {
    await db.transaction().execute(tx => abandonCredentials(tx, credentials))
    if (brokenUnique(error) === 'rail_changes_waiting')
      throw new Problem('rail-change-waiting', `A change of ${rail} waits. Approve or cancel it first.`)
    throw error
  }
}

/**
 * The change counts from here on: the control plane gets it through the outbox, however long it is away.
 *
 * @throws {Problem} `not-found`, `rail-change-decided`, `second-person-needed`.
 */
export async function approveChange(
  deps: Deps,
  anchorId: string,
  id: string,
  by: string,
): Promise<RailChange> {
  return deps.database.db.transaction().execute(async tx => {
    const { requested_by, rail, credentials } = await lockWaiting(tx, anchorId, id)
    if (requested_by === by)
      throw new Problem(
        'second-person-needed',
        'You requested this change. Ask another owner or admin to approve it.',
      )
    const at = deps.clock.now()
    const change = await decide(tx, id, { status: 'approved', by, at })
    await setRailVersion(tx, anchorId, { rail, credentials })
    await enqueueSync(tx, anchorId)
    await record(tx, entryOf(anchorId, 'rail.change-approved', change, by), at)
    return change
  })
}

/** @throws {Problem} `not-found`, `rail-change-decided`. */
export async function cancelChange(
  deps: Deps,
  anchorId: string,
  id: string,
  by: string,
): Promise<RailChange> {
  return deps.database.db.transaction().execute(async tx => {
    const { credentials } = await lockWaiting(tx, anchorId, id)
    const at = deps.clock.now()
    const change = await decide(tx, id, { status: 'cancelled', by, at })
    await abandonCredentials(tx, credentials)
    await record(tx, entryOf(anchorId, 'rail.change-cancelled', change, by), at)
    return change
  })
}

function requireRight(deps: Deps, { rail, provider, credentials }: Wish): void {
  const [fault] = Object.entries(
    railFaults(rail, { ...credentials, provider }, deps.config.deployment.mainnet, accountChecks),
  )
  if (fault) throw invalid(fault[0] === 'provider' ? 'provider' : `credentials.${fault[0]}`, fault[1])
}

function shownOf(rail: string, provider: string, values: Readonly<Record<string, string>>) {
  const known = isRailProvider(provider) ? credentialFields(provider, rail) : {}
  const given = Object.entries(values)
  const isSecret = ([name]: [string, string]) => known[name]?.secret !== false
  return {
    fields: JSON.stringify(Object.fromEntries(given.filter(each => !isSecret(each)))),
    secrets: given.filter(isSecret).map(([name]) => name),
  }
}

/** The log is permanent: accounts are in the change itself. */
const entryOf = (anchorId: string, action: string, { id, rail, provider, adds }: RailChange, by: string) => ({
  ...{ actor: by, action, subject: `anchor:${anchorId}` },
  details: { changeId: id, rail, provider, adds },
})
