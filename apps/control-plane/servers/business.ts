import { createClient, type Client } from '@windlass/client/client.ts'
import { AnchorSummary, getAnchorSummary } from '@windlass/contracts/anchor/business-server.ts'
import { compileCheck } from '@windlass/service/http/validation.ts'
import type { SecretReader } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'
import { realAddressOf } from './pair.ts'

/** Far more than a summary has. */
const LONGEST_ANSWER = 2 ** 20

/** Calls an anchor's business server, which runs. */
export async function businessServerOf(deps: Deps, anchorId: string, vault: SecretReader): Promise<Client> {
  const { secret } = await vault.get(deps.database.db, 'summary')
  return businessClient(await realAddressOf(deps, anchorId, 'business'), secret)
}

/** The server may be in others' hands. */
export const businessClient = (baseUrl: string, summarySecret: string): Client =>
  createClient({ baseUrl, headers: { 'x-service-secret': summarySecret }, maxBytes: LONGEST_ANSWER })

const requireSummary = compileCheck(AnchorSummary, 'body')

/** What the control plane keeps and answers while the anchor sleeps: nothing else than a summary. Throws. */
export async function readSummary(server: Client, signal: AbortSignal): Promise<AnchorSummary> {
  const summary = await server.call(getAnchorSummary, { signal })
  requireSummary(summary)
  return summary
}
