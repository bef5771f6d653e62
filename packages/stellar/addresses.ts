import { Memo, MuxedAccount, StrKey } from '@stellar/stellar-sdk/base'

/** Whether it is an account's address: `G…` or muxed `M…` with a right checksum. */
export function isStellarAccount(text: string): boolean {
  return StrKey.isValidEd25519PublicKey(text) || StrKey.isValidMed25519PublicKey(text)
}

/** What is wrong with a memo of the type that SEP-6 and SEP-24 name (`text`, `id`, `hash` in base64); null: nothing. */
export function checkMemo(value: string, type: string): string | null {
  try {
    toMemo(value, type)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

/** Throws saying what is wrong. */
export function toMemo(value: string, type: string): Memo {
  switch (type) {
    case 'text':
      if (Buffer.byteLength(value) > 28) throw new Error('must be at most 28 bytes')
      return Memo.text(value)
    case 'id':
      if (!/^\d{1,20}$/.test(value) || BigInt(value) >= 2n ** 64n) {
        throw new Error('must be a whole number of 64 bits')
      }
      return Memo.id(value)
    case 'hash': {
      const bytes = Buffer.from(value, 'base64')
      if (bytes.length !== 32) throw new Error('must be 32 bytes in base64')
      return Memo.hash(bytes.toString('hex'))
    }
    default:
      throw new Error('has a type that is none of text, id and hash')
  }
}

/** What a muxed account (`M…`) is made of; null for every other text. */
export function muxedParts(account: string): { base: string; id: string } | null {
  if (!StrKey.isValidMed25519PublicKey(account)) return null
  const muxed = MuxedAccount.fromAddress(account, '0')
  return { base: muxed.baseAccount().accountId(), id: muxed.id() }
}
