import { signerFromSeed } from '@windlass/stellar/ed25519.ts'
import { fundFromFaucet } from '@windlass/stellar/friendbot.ts'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import type { Deps } from '../deps.ts'
import { hashAt, type Place } from './chain.ts'
import { readAnchored, writeAnchored } from './ledger-entry.ts'
import { signHead, TamperedLog } from './sign.ts'

/**
 * Writes the signed head of the log into the platform's account on the ledger (AUDIT_LEDGER_KEY), unless it is there.
 * A test network's faucet creates the account. Does nothing where no account is configured.
 *
 * @throws {TamperedLog} where the log no longer holds what the ledger has of it; nothing is written then.
 */
export async function anchorHead(deps: Deps): Promise<Place | null> {
  const { audit, network } = deps.config
  if (!audit.ledgerSeed) return null
  const { address } = signerFromSeed(audit.ledgerSeed)
  if (audit.friendbotUrl) await fundFromFaucet(audit.friendbotUrl, createHorizon(network), address)
  const [newest] = (await readAnchored(network, address)) ?? []
  const head = await signHead(deps)
  if (newest && !(await hashAt(deps.database.db, newest.sequence))?.equals(newest.hash)) {
    throw new TamperedLog(`entry ${newest.sequence} of the audit log is not the one that the ledger names`)
  }
  if (head.sequence === newest?.sequence) return head
  await writeAnchored({ ...network, seed: audit.ledgerSeed }, head)
  return head
}
