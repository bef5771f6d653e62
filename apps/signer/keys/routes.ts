import { endSigning, ensureAnchorKeys, putSigningTerms } from '@windlass/contracts/internal/signer.ts'
import type { On } from '@windlass/service/http/server.ts'
import { endCredentials, insertAnchor, setTerms } from '../anchors/anchors.ts'
import type { Deps } from '../deps.ts'
import { ensureKeys } from './keys.ts'

/** For the control plane: an anchor's keys, and which servers may use them. */
export function serveKeys(on: On, deps: Deps): void {
  const { db } = deps.database
  on(ensureAnchorKeys).serve(async ({ params, body }) => {
    await insertAnchor(db, params.anchorId)
    return ensureKeys(deps, params.anchorId, body.import, body.issuer).finally(deps.recent.forget)
  })
  on(putSigningTerms).serve(async ({ params, body }) => {
    await setTerms(db, params.anchorId, body).finally(deps.recent.forget)
    return { ok: true }
  })
  on(endSigning).serve(async ({ params }) => {
    await endCredentials(db, params.anchorId).finally(deps.recent.forget)
    return { ok: true }
  })
}
