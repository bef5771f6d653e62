import { verifyAudit } from '@windlass/contracts/platform/administrators.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { signerFromSeed } from '@windlass/stellar/ed25519.ts'
import { verifyAudit as verify } from './verify.ts'

export function auditRoutes(on: On, { database: { db }, config }: Deps): void {
  on(verifyAudit).serve(() => {
    const { ledgerSeed } = config.audit
    const account = ledgerSeed && signerFromSeed(ledgerSeed).address
    const ledger = account ? { account, ...config.network } : undefined
    return verify(db, { keyring: config.keyring, ...(ledger ? { ledger } : {}) })
  })
}
