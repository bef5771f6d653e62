import { listAudit, verifyAudit } from '@windlass/contracts/administrators.ts'
import { linkNext, pageSize, pageStart } from '@windlass/service/pages.ts'
import type { On } from '@windlass/service/server.ts'
import type { Deps } from '../deps.ts'
import { readEntries } from './log.ts'
import { signerFromSeed } from '@windlass/stellar/ed25519.ts'
import { verifyAudit as verify } from './verify.ts'

export function auditRoutes(on: On, { database: { db }, config }: Deps): void {
  on(listAudit).serve(async ({ query, request, reply }) => {
    const found = await readEntries(db, query, pageStart(query), pageSize(query))
    linkNext(request, reply, query, found)
    return found.map(({ entry }) => entry)
  })
  on(verifyAudit).serve(() => {
    const { ledgerSeed } = config.audit
    const account = ledgerSeed && signerFromSeed(ledgerSeed).address
    const ledger = account ? { account, horizonUrl: config.network.horizonUrl } : undefined
    return verify(db, { keyring: config.keyring, ...(ledger ? { ledger } : {}) })
  })
}
