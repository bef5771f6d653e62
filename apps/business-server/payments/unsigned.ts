import { operationIndex } from '@windlass/stellar/check-answers.ts'
import type { HorizonAccount } from '@windlass/stellar/horizon-account.ts'
import type { PaymentRecord } from '@windlass/stellar/horizon.ts'
import { readSigned } from '@windlass/stellar/signatures.ts'
import type { Deps } from '../deps.ts'

/**
 * Why payments of one transaction cannot be on the ledger: an account whose signature they need signed with no key that may
 * sign for it (ADR 108). Null: each has signed. Signers are asked of Horizon only where the account's own key did not sign.
 */
export async function findUnsigned(
  deps: Pick<Deps, 'config'>,
  records: readonly PaymentRecord[],
  signersOf: (account: string) => Promise<readonly string[]>,
): Promise<string | null> {
  const envelope = records[0]?.transaction?.envelope_xdr
  // What is read of Horizon without one has a fault already.
  if (envelope === undefined) return null
  const { sourcesOf, isSignedBy } = readSigned(envelope, deps.config.anchor.network.passphrase)
  const places = records.map(({ id }) => operationIndex(id))
  for (const account of sourcesOf(places)) {
    if (isSignedBy([account])) continue
    if (!isSignedBy(await signersOf(account))) return `No key that may sign for ${account} signed it`
  }
  return null
}

/** Asks Horizon once who may sign for each account. */
export function signersOnce({ routineHorizon }: Pick<Deps, 'routineHorizon'>) {
  const asked = new Map<string, Promise<HorizonAccount | null>>()
  return async (account: string): Promise<string[]> => {
    const answer = asked.get(account) ?? routineHorizon.account(account)
    asked.set(account, answer)
    return ((await answer)?.signers ?? []).filter(({ weight }) => weight > 0).map(({ key }) => key)
  }
}
