import { Memo } from '@stellar/stellar-sdk/base'
import { checkMemo } from './addresses.ts'

/** A memo of the type that SEP-6 and SEP-24 name (`text`, `id`, `hash` in base64). Throws saying what is wrong. */
export function toMemo(value: string, type: string): Memo {
  const wrong = checkMemo(value, type)
  if (wrong) throw new Error(wrong)
  if (type === 'id') return Memo.id(value)
  if (type === 'hash') return Memo.hash(Buffer.from(value, 'base64').toString('hex'))
  return Memo.text(value)
}
