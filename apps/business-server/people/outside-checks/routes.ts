import { getOutsideChecks, setOutsideCheckAs } from '@windlass/contracts/anchor/outside-checks.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../../deps.ts'
import { listChecks, setProgram } from './programs.ts'

export function serveOutsideChecks(on: On, deps: Deps): void {
  const { db } = deps.database
  on(getOutsideChecks).serve(() => listChecks(db))
  on(setOutsideCheckAs).serve(async ({ params: { kind }, body }) => {
    const secret = await setProgram(deps, kind, body)
    return { ...(await listChecks(db)), secret }
  })
}
