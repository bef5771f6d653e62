import { ProblemError } from '@windlass/client/client.ts'
import {
  getAnchorSigning,
  getUpgrades,
  requestUpgrade,
  setAnchorRunning,
  setAnchorSigningLimits,
} from '@windlass/contracts/internal/control-plane.ts'
import { getSigning, putSigningLimits } from '@windlass/contracts/internal/signer.ts'
import { notify } from '@windlass/service/postgres/database.ts'
import { Problem, unavailable } from '@windlass/service/http/problem.ts'
import type { On } from '@windlass/service/http/server.ts'
import { getAnchor, setAwake, setRails, setRunning } from '../anchors/records.ts'
import type { Deps } from '../deps.ts'
import { sendAddress } from './pair.ts'
import { listUpgrades, requestUpgrade as request } from './upgrades/request.ts'

export function serverRoutes(on: On, deps: Deps): void {
  const { db } = deps.database
  on(setAnchorRunning).serve(async ({ params, body }) => {
    const { id, provisioned_at } = await getAnchor(db, params.anchorId)
    if (provisioned_at === null) throw new Problem('anchor-not-found', 'There is no such anchor.')
    await db.transaction().execute(async tx => {
      await setRunning(tx, id, body.running)
      const { rails, railVersions } = body
      if (rails && railVersions) await setRails(tx, id, { rails, railVersions })
      if (await setAwake(tx, id)) await sendAddress(tx, id)
    })
    await notify(db, 'reconciliation', id)
    return { ok: true }
  })
  on(requestUpgrade).serve(({ params, body }) => request(deps, params.anchorId, body))
  on(getUpgrades).serve(({ params }) => listUpgrades(deps, params.anchorId))
  on(getAnchorSigning).serve(({ params }) => fromSigner(deps.signer.call(getSigning, { params, ...soon() })))
  on(setAnchorSigningLimits).serve(({ params, body }) =>
    fromSigner(deps.signer.call(putSigningLimits, { params, body, ...soon() })),
  )
}

const soon = () => ({ signal: AbortSignal.timeout(10_000) })

/** Throws what the signer refuses; `dependency-unavailable` where it does not answer. */
async function fromSigner<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ProblemError && error.status === 400) {
      const { detail, errors } = error.problem
      throw new Problem('validation-failed', detail, errors ? { errors } : {})
    }
    if (error instanceof ProblemError && error.problem.code === 'anchor-not-found') {
      throw new Problem('anchor-not-found', 'There is no such anchor.')
    }
    throw unavailable('The signer', error)
  }
}
