import { Account, Operation, TransactionBuilder } from '@stellar/stellar-sdk/base'
import { signerFromSeed } from '@windlass/stellar/ed25519.ts'
import { DEFAULT_MAX_FEE, feeBid } from '@windlass/stellar/fees.ts'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import { readHorizon } from '@windlass/stellar/horizon-client.ts'
import { signTransaction } from '@windlass/stellar/keys.ts'
import type { LedgerSource } from '@windlass/stellar/network.ts'
import type { Place } from './chain.ts'

/** The data entry of the platform's own account: 8 bytes of the entry's number, big-endian, and its 32-byte hash. */
export const ENTRY_NAME = 'windlass audit'
const BYTES = 40
const HISTORY = 200
const VALID_SECONDS = 120

interface OperationsPage {
  _embedded: { records: { type: string; name?: string; value?: string; source_account?: string }[] }
}

/**
 * What the account has written of the log: its data entry, and the last operations that set it, which a stolen key can
 * add to but not remove. Newest first; null where the ledger has no such account. Throws `HorizonError`.
 */
export async function readAnchored(ledger: LedgerSource, account: string): Promise<Place[] | null> {
  const found = await readHorizon<{ data?: Record<string, string> }>(ledger, `/accounts/${account}`, {
    urgency: 'money',
  })
  if (!found) return null
  const path = `/accounts/${account}/operations?order=desc&limit=${HISTORY}`
  const page = await readHorizon<OperationsPage>(ledger, path)
  const written = (page?._embedded.records ?? []).filter(
    ({ type, name, source_account }) =>
      // oxlint-disable-next-line compared-sentences/by-codes -- the name of an entry on the ledger.
      type === 'manage_data' && name === ENTRY_NAME && (source_account ?? account) === account,
  )
  return [found.data?.[ENTRY_NAME], ...written.map(({ value }) => value)].flatMap(value => {
    const place = parsePlace(value)
    return place ? [place] : []
  })
}

function parsePlace(value: string | undefined): Place | null {
  const bytes = Buffer.from(value ?? '', 'base64')
  if (bytes.length !== BYTES) return null
  return { sequence: bytes.readBigUInt64BE().toString(), hash: bytes.subarray(8) }
}

interface LedgerWriter extends LedgerSource {
  /** Seed of the account that holds the entry. */
  seed: string
}

/**
 * Writes a place into the account's data entry. One whose outcome is unknown is written again by the next call: the same
 * value twice changes nothing. Throws `LedgerError` or, where the ledger refuses, `Error`.
 */
export async function writeAnchored({ url, passphrase, seed }: LedgerWriter, place: Place): Promise<void> {
  const horizon = createHorizon({ url, passphrase })
  const { address } = signerFromSeed(seed)
  const account = await horizon.account(address)
  if (!account) throw new Error(`the account ${address} is not on the ledger: fund it`)
  const head = await horizon.head()
  const sequence = Buffer.alloc(8)
  sequence.writeBigUInt64BE(BigInt(place.sequence))
  const transaction = new TransactionBuilder(new Account(address, account.sequence), {
    fee: String(await feeBid(horizon, DEFAULT_MAX_FEE)),
    networkPassphrase: passphrase,
    timebounds: { minTime: 0, maxTime: Math.floor(head.closedAt.getTime() / 1000) + VALID_SECONDS },
  })
    .addOperation(Operation.manageData({ name: ENTRY_NAME, value: Buffer.concat([sequence, place.hash]) }))
    .build()
  signTransaction(transaction, seed)
  const submission = await horizon.submit(transaction.toXdr())
  if (submission.outcome === 'refused')
    throw new Error(`the ledger refused it: ${submission.codes.join(', ')}`)
  if (submission.outcome === 'unknown')
    throw new Error(`the ledger has not confirmed it: ${submission.detail}`)
}
