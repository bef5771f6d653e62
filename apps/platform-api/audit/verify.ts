import { HorizonError } from '@windlass/stellar/horizon-client.ts'
import type { LedgerSource } from '@windlass/stellar/network.ts'
import type { PlatformDb } from '../tables.ts'
import { followChain, hashAt, readHead, START } from './chain.ts'
import { isSigned, SIGNING_STARTED } from './sign.ts'

export interface AuditState {
  ok: boolean
  /** How many fit, from the first. */
  entries: number
  /** The number of the first entry that was changed or is missing. */
  brokenAt?: string
  /** What is wrong, for people. */
  problem?: string
  /** The last entry that the signature covers. Absent: not checked, or nothing is signed. */
  signedUpTo?: string
  /** The last entry that the ledger names. Absent: not checked, or nothing is there. */
  anchoredUpTo?: string
  /** What could not be checked, and why. */
  unchecked: string[]
}

interface Proofs {
  /** PLATFORM_KEY's keys; absent: the signature is not checked. */
  keyring?: ReadonlyMap<number, Buffer>
  /** Absent: the ledger is not asked. */
  ledger?: LedgerSource & { account: string }
}

/**
 * Follows the whole chain, oldest first, and compares its end with the head, with the signature and with what the
 * ledger holds.
 */
export async function verifyAudit(db: PlatformDb, { keyring, ledger }: Proofs): Promise<AuditState> {
  // The signature first: what is signed meanwhile covers more, never less.
  const signature = await db.selectFrom('audit_signature').selectAll().executeTakeFirst()
  const head = await readHead(db)
  const { last, brokenAt } = await followChain(db, START, head.sequence)
  const state: AuditState = { ok: true, entries: Number(last.sequence), unchecked: [] }
  const fail = (problem: string, at = brokenAt): AuditState => ({
    ...state,
    ok: false,
    problem,
    ...(at ? { brokenAt: at } : {}),
  })
  const missing = (to: string) => {
    const first = String(BigInt(last.sequence) + 1n)
    return fail(`Entries ${first} to ${to} are missing.`, first)
  }
  if (brokenAt) return fail(`Entry ${brokenAt} was changed, or an entry before it is missing.`)
  if (!last.hash.equals(head.hash)) {
    return fail('The head is not the last entry.', String(BigInt(last.sequence) + 1n))
  }

  if (!keyring) state.unchecked.push('The signature: PLATFORM_KEY is not set.')
  else if (signature) {
    if (!isSigned(keyring, signature)) return fail('The signature of the log is not valid.')
    state.signedUpTo = signature.sequence
    if (BigInt(signature.sequence) > BigInt(last.sequence)) return missing(signature.sequence)
    if (!(await hashAt(db, signature.sequence))?.equals(signature.hash)) {
      return fail(`Entry ${signature.sequence} is not the one that was signed.`, signature.sequence)
    }
  }
  const starts = await signingStarts(db)
  if (starts.length > 1) {
    return fail(`Signing started again with entry ${starts[1]}: entries before it may be missing.`, starts[1])
  }
  if (keyring && !signature && starts.length > 0) return fail('The signature of the log was removed.')

  if (!ledger) state.unchecked.push('The ledger: no account is configured.')
  else {
    // Loaded only here: the ledger's library takes seconds on a small machine.
    const { readAnchored } = await import('./ledger-entry.ts')
    const anchored = await readAnchored(ledger, ledger.account).catch((error: unknown) => {
      if (!(error instanceof HorizonError)) throw error
      state.unchecked.push(`The ledger: ${error.message}.`)
    })
    if (anchored === null || anchored?.length === 0)
      state.unchecked.push(`The ledger: ${ledger.account} names no entry yet.`)
    for (const place of anchored ?? []) {
      if (BigInt(place.sequence) > BigInt(last.sequence) && !(await hashAt(db, place.sequence))) {
        return missing(place.sequence)
      }
      if (!(await hashAt(db, place.sequence))?.equals(place.hash)) {
        return fail(`Entry ${place.sequence} is not the one that the ledger names.`, place.sequence)
      }
    }
    if (anchored?.[0]) state.anchoredUpTo = anchored[0].sequence
  }
  return state
}

async function signingStarts(db: PlatformDb): Promise<string[]> {
  const rows = await db
    .selectFrom('audit_log')
    .select('sequence')
    .where('subject', '=', 'audit')
    .where('action', '=', SIGNING_STARTED)
    .orderBy('sequence')
    .limit(2)
    .execute()
  return rows.map(({ sequence }) => sequence)
}
