import { createClient, type Client } from '@windlass/client/client.ts'
import type { SecretReader } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'
import { realAddressOf } from './pair.ts'

/** Calls an anchor's business server, which runs. */
export async function businessServerOf(deps: Deps, anchorId: string, vault: SecretReader): Promise<Client> {
  const { secret } = await vault.get(deps.database.db, 'summary')
  return createClient({
    baseUrl: await realAddressOf(deps, anchorId, 'business'),
    headers: { 'x-service-secret': secret },
  })
}
