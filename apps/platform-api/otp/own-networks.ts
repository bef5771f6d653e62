import { clientNetwork } from '@windlass/service/http/client-address.ts'
import { signInAddresses } from '../sessions/sessions.ts'
import type { CodeRealm } from '../sign-in-tables.ts'
import type { PlatformDb } from '../tables.ts'

/** Whom an address signs in; undefined: nobody yet. */
export type FindOwner = (db: PlatformDb, email: string) => Promise<{ id: string } | undefined>

/** The networks from which the owner of an address signed in lately: what strangers ask for takes no code from them. */
export async function ownNetworks(
  db: PlatformDb,
  realm: CodeRealm,
  owner: { id: string } | undefined,
): Promise<ReadonlySet<string>> {
  // Nobody's sessions are looked for as well, so that the time does not show who is known.
  return new Set((await signInAddresses(db, realm, owner?.id ?? '')).map(clientNetwork))
}
