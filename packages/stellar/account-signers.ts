import { SignerKey, StrKey, xdr } from '@stellar/stellar-sdk/base'
import type { AccountSigner } from './sep10-challenge.ts'

/** An account's signers and thresholds, as a source of the ledger has them. */
export interface SignersEntry {
  signers: readonly AccountSigner[]
  thresholds: { medium: number }
}

/** Whose signatures a challenge of an account needs. */
export interface Requirements {
  signers: readonly AccountSigner[]
  threshold: number
  /** Whether the sources of the ledger say the same. */
  isAgreed: boolean
}

/**
 * Who may sign in as an account: of two sources, those whom both name, each with the lower weight, up to the higher
 * threshold (docs/adr/0197). An account that a source does not have belongs to its master key (SEP-10).
 *
 * @param second absent: there is one source
 */
export function requirementsOf(
  account: string,
  first: SignersEntry | null,
  second?: SignersEntry | null,
): Requirements {
  const one = ofLedger(account, first)
  if (second === undefined) return { ...one, isAgreed: true }
  const other = ofLedger(account, second)
  const weights = new Map(other.signers.map(({ key, weight }) => [key, weight]))
  const signers = one.signers.map(({ key, weight }) => ({
    key,
    weight: Math.min(weight, weights.get(key) ?? 0),
  }))
  const isSame =
    one.threshold === other.threshold &&
    able(one.signers) === able(signers) &&
    able(other.signers) === able(signers)
  return { signers, threshold: Math.max(one.threshold, other.threshold), isAgreed: isSame }
}

const ofLedger = (account: string, found: SignersEntry | null): Omit<Requirements, 'isAgreed'> =>
  found
    ? { signers: found.signers, threshold: Math.max(1, found.thresholds.medium) }
    : { signers: [{ key: account, weight: 1 }], threshold: 1 }

/** Those who can sign at all, in any order. */
const able = (signers: readonly AccountSigner[]): string =>
  JSON.stringify(
    signers
      .filter(({ weight }) => weight > 0)
      .map(({ key, weight }) => `${key}:${weight}`)
      .sort(),
  )

/** The key (base64 XDR) of an account's entry of the ledger. */
export function accountKey(account: string): string {
  const accountId = xdr.PublicKey.publicKeyTypeEd25519(StrKey.decodeEd25519PublicKey(account))
  return xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId })).toXdr('base64')
}

/** Reads an account's entry (`LedgerEntryData`, base64 XDR). Throws where it is another one's. */
export function signersIn(account: string, entry: string): SignersEntry {
  const data = xdr.LedgerEntryData.fromXdr(entry, 'base64')
  if (data.type !== 'account' || accountOf(data.account) !== account)
    throw new Error(`it answers with another entry than that of ${account}`)
  const { thresholds, signers } = data.account
  // The master key's weight, then low, medium and high.
  const [master = 0, , medium = 0] = thresholds.value
  const others = signers.map(({ key, weight }) => ({ key: SignerKey.encodeSignerKey(key), weight }))
  return { signers: [{ key: account, weight: master }, ...others], thresholds: { medium } }
}

const accountOf = ({ accountId }: xdr.AccountEntry): string =>
  StrKey.encodeEd25519PublicKey(accountId.ed25519.value)
