import { Account, MuxedAccount, StrKey } from '@stellar/stellar-sdk/base'

/** Whether it is an account's address: `G…` or muxed `M…` with a right checksum (SEP-23). */
export function isStellarAccount(text: string): boolean {
  return StrKey.isValidEd25519PublicKey(text) || StrKey.isValidMed25519PublicKey(text)
}

/** Whether it is an account's address that is not muxed (`G…`). */
export const isAccount = (text: string): boolean => StrKey.isValidEd25519PublicKey(text)

/** Whether it is a contract account's address: `C…` with a right checksum. */
export const isContract = (text: string): boolean => StrKey.isValidContract(text)

/** What a muxed account (`M…`) is made of: the account (`G…`) and a 64-bit number; null for every other text. */
export function muxedParts(account: string): { base: string; id: string } | null {
  if (!StrKey.isValidMed25519PublicKey(account)) return null
  const muxed = MuxedAccount.fromAddress(account, '0')
  return { base: muxed.baseAccount().accountId(), id: muxed.id() }
}

/** The muxed account (`M…`) of a 64-bit number at an account (`G…`). */
export const muxedAccount = (base: string, id: string): string =>
  new MuxedAccount(new Account(base, '0'), id).accountId()

/** The `G…` account behind `G…` or `M…`. */
export const baseAccount = (account: string): string => muxedParts(account)?.base ?? account

/** A memo that `checkMemo` accepts, in the one form that the ledger shows: `01` of type id is `1`. */
export const plainMemo = (value: string, type: string): string => {
  if (type === 'id') return String(BigInt(value))
  return type === 'hash' ? Buffer.from(value, 'base64').toString('base64') : value
}

/** What is wrong with a memo of the type that SEP-6 and SEP-24 name (`text`, `id`, `hash` in base64); null: nothing. */
export function checkMemo(value: string, type: string): string | null {
  switch (type) {
    case 'text':
      return Buffer.byteLength(value) > 28 ? 'must be at most 28 bytes' : null
    case 'id':
      return /^\d{1,20}$/.test(value) && BigInt(value) < 2n ** 64n
        ? null
        : 'must be a whole number of 64 bits'
    case 'hash':
      return Buffer.from(value, 'base64').length === 32 ? null : 'must be 32 bytes in base64'
    default:
      return 'has a type that is none of text, id and hash'
  }
}
